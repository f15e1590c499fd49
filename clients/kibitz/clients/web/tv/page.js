/**
 * `<kibitz-tv>`: always the game that is most worth watching; there is nothing to be done.
 *
 * Promises: goes from game to game without a reload; a game that has ended stays for a moment.
 * Never: takes a seat.
 */

import { announce } from "../shell/announce.js";
import { h } from "../shell/dom.js";
import { href } from "../shell/router.js";
import { sheet } from "../shell/sheet.js";

/** @import { Context, Page } from "../shell/context.js" */
/** @import { RoomInfo } from "../protocol/messages.js" */

/** A game that has ended is looked at for so long, ms. */
const LINGER = 4000;

export class Tv extends HTMLElement {
  /** @type {Context} */
  context = /** @type {any} */ (null);
  #off = new AbortController();
  /** The game that is shown. @type {Page | null} */
  #page = null;
  /** Its room, "" where nothing is on; `null` before the first word. @type {string | null} */
  #room = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #bar = h("p", { class: "tv-bar" });

  async open() {
    const { client, titled } = this.context;
    titled("TV");
    await sheet("tv");
    if (this.#off.signal.aborted) return;
    const take = (/** @type {Event} */ event) => {
      const push = /** @type {CustomEvent} */ (event).detail;
      if (push.t === "tv") this.#told(push.room);
    };
    client.addEventListener("push", take, { signal: this.#off.signal });
    await client.tv(true);
  }

  update() {}

  close() {
    this.#off.abort();
    clearTimeout(this.#timer);
    this.#page?.close();
    if (this.context.client.state === "open") this.context.client.tv(false).catch(() => {});
    this.remove();
  }

  /** Another game is on, or none. @param {RoomInfo | null} info */
  #told(info) {
    clearTimeout(this.#timer);
    if ((info?.id ?? "") === this.#room) return;
    const over = this.#page && this.#page.dataset.status !== "open";
    const go = () => void (info ? this.#show(info) : this.#wait());
    if (over) this.#timer = setTimeout(go, LINGER);
    else go();
  }

  /** @param {RoomInfo} info */
  async #show({ id, game, players }) {
    const { client, titled } = this.context;
    const title = client.welcome?.games[game]?.title ?? game;
    const next = /** @type {Page} */ (document.createElement("kibitz-room"));
    this.#change(id, next);
    next.context = {
      ...this.context,
      titled: (name) => titled(`TV: ${name}`),
      router: this.#router(id),
    };
    const address = { page: /** @type {const} */ ("room"), room: id };
    this.#bar.replaceChildren(
      h("strong", null, "TV"),
      h("span", null, "The game most worth watching. The next one comes by itself."),
      h("a", { href: href(address) }, "Stay with this game"),
    );
    this.replaceChildren(this.#bar, next);
    try {
      // As in a frame: who has a seat there does not take it here.
      await next.open({ ...address, embed: true });
      announce(`On TV: ${title}${players.length ? `, ${players.join(" and ")}` : ""}.`);
    } catch {
      if (this.#page === next) this.#wait();
    }
  }

  /** What else there is to be done. */
  get #way() {
    return this.context.client.may("player") ? "Start one yourself" : "To the lobby";
  }

  /** Nothing is on. */
  #wait() {
    this.#change("", null);
    this.context.titled("TV");
    this.replaceChildren(
      h(
        "section",
        { class: "page stack tv-wait" },
        h("h1", null, "Nobody is playing just now"),
        h("p", { class: "lead" }, "As soon as a game begins, it is shown here."),
        h("p", { class: "row" }, h("a", { class: "button primary", href: "?" }, this.#way)),
      ),
    );
    announce("Nobody is playing just now.");
  }

  /** @param {string} room @param {Page | null} next */
  #change(room, next) {
    this.#page?.close();
    this.#page = next;
    this.#room = room;
  }

  /**
   * The router for a game on TV: its moments are not in the address, and where a series goes on is
   * not for this page to follow.
   * @param {string} room
   * @returns {Context["router"]}
   */
  #router(room) {
    const { router } = this.context;
    const still = {
      route: { page: "room", room, embed: router.route.embed },
      /** @type {typeof router.go} */
      go(route) {
        if (!route.room) router.go(route);
      },
    };
    return /** @type {typeof router} */ (/** @type {unknown} */ (still));
  }
}

customElements.define("kibitz-tv", Tv);
