/**
 * The lobby, `<kibitz-lobby>`: what this is, the games, the deal of the day, who is playing now.
 *
 * Promises: one click from here to a form or a running game; follows the rooms live while it is
 * open. Never changes a room.
 */

import { h } from "../shell/dom.js";
import { later } from "../shell/later.js";
import { href } from "../shell/router.js";
import { emblem } from "./emblem.js";
import { counted, Rooms } from "./rooms.js";

/** @import { Context } from "../shell/context.js" */
/** @import { GameInfo } from "../protocol/messages.js" */

/** How many of the visitor's own games are offered. */
const OWN = 3;
/** Pages of the list that are gone through for a first game in it. */
const PAGES = 10;
const START = "Start a game above, and be the one to watch.";
const WAIT = "As soon as somebody does, it is shown here.";
/** What there is to be done here, by what the visitor may. */
const LEADS = {
  both: "Pick a game and play. Send the link, and anybody can watch you live, or join in.",
  play: "Pick a game and play. Your token lets you play here, and not watch others.",
  watch: "Pick a game and watch it live. Your token lets you watch here, and not play.",
  none: "Your token gives you no role here: you can neither play nor watch. Ask whoever gave it to you.",
};

export class Lobby extends HTMLElement {
  /** @type {Context} */
  context = /** @type {any} */ (null);
  #listening = new AbortController();
  #rooms = new Rooms();
  #tiles = h("ul", { class: "tiles", role: "list" });
  #own = h("nav", { class: "row", "aria-label": "Your games", hidden: true });
  #lead = h("p", { class: "lead" }, LEADS.both);
  #watch = h("section", { class: "now", "aria-labelledby": "live" });
  #more = h(
    "button",
    { type: "button", hidden: true, onclick: () => this.#load(true) },
    "Show more",
  );
  #note = h("p", { class: "muted" }, "Looking who is there…");
  #game = h("select", { id: "sieve-game" }, h("option", { value: "" }, "All games"));
  /** @type {string | undefined} */
  #next;
  #asked = 0;

  async open() {
    const { client, titled } = this.context;
    titled("");
    this.classList.add("page");
    this.append(this.#head(), this.#live(), this.#drop());
    this.#daily();
    const { signal } = this.#listening;
    this.#rooms.addEventListener("arranged", () => this.#told());
    client.addEventListener(
      "push",
      (event) => {
        const push = /** @type {CustomEvent} */ (event).detail;
        if (push.t === "lobby") this.#rooms.take(push.room);
      },
      { signal },
    );
    client.addEventListener(
      "state",
      () => {
        // What happened while we were away is not pushed: ask anew.
        if (client.state === "open") this.#follow();
      },
      { signal },
    );
    if (client.state === "open") await this.#follow();
  }

  update() {}

  close() {
    this.#listening.abort();
    if (this.context.client.state === "open") this.context.client.lobby(false).catch(() => {});
    this.remove();
  }

  #head() {
    return h(
      "section",
      { class: "intro", "aria-labelledby": "welcome" },
      h("h1", { id: "welcome" }, "Solitaire in company"),
      this.#lead,
      this.#own,
      this.#tiles,
    );
  }

  /** The deal of the day, below the games, when it is there. */
  async #daily() {
    const { client } = this.context;
    const { signal } = this.#listening;
    const { Daily } = await later(client, () => import("./daily.js"), signal);
    if (!client.welcome) await met(client);
    if (signal.aborted) return;
    const daily = new Daily();
    daily.context = this.context;
    this.querySelector(".intro")?.after(daily);
    await daily.open();
  }

  #live() {
    /** @param {string} id @param {string} label @param {Node} field */
    const field = (id, label, field) =>
      h("div", { class: "sieve" }, h("label", { for: id, class: "spoken" }, label), field);
    const status = h(
      "select",
      { id: "sieve-status" },
      h("option", { value: "open" }, "Playing now"),
      h("option", { value: "over" }, "Finished"),
      h("option", { value: "" }, "All"),
    );
    const order = h(
      "select",
      { id: "sieve-order" },
      h("option", { value: "newest" }, "Newest first"),
      h("option", { value: "watched" }, "Most watched"),
    );
    const words = h("input", { id: "sieve-words", type: "search", placeholder: "Player or game" });
    const sieve = this.#rooms.sieve;
    this.#game.addEventListener("change", () => {
      sieve.game = this.#game.value;
      this.#load();
    });
    status.addEventListener("change", () => {
      sieve.status = status.value;
      this.#load();
    });
    order.addEventListener("change", () => {
      sieve.order = order.value;
      this.#rooms.arrange();
    });
    words.addEventListener("input", () => {
      sieve.words = words.value.trim();
      this.#rooms.arrange();
    });
    this.#watch.append(
      h(
        "div",
        { class: "live-head" },
        h(
          "div",
          { class: "row" },
          h("h2", { id: "live" }, "Games to watch"),
          h("a", { class: "button", href: href({ page: "tv" }), title: "Always a game" }, "TV"),
        ),
        h(
          "form",
          {
            class: "sieves",
            role: "search",
            "aria-label": "Choose games",
            onsubmit: (/** @type {Event} */ event) => event.preventDefault(),
          },
          field("sieve-game", "Game", this.#game),
          field("sieve-status", "How far", status),
          field("sieve-order", "Order", order),
          field("sieve-words", "Player or game", words),
        ),
      ),
      this.#rooms,
      this.#note,
      h("div", { class: "row more" }, this.#more),
    );
    return this.#watch;
  }

  #drop() {
    return h(
      "section",
      { class: "drop", "aria-labelledby": "drop" },
      h("h2", { id: "drop" }, "A game from a file"),
      h(
        "p",
        { class: "muted" },
        "Drop a save or a replay anywhere on this page: a save goes on where " +
          "it stopped, a replay is shown move by move.",
      ),
      h("button", { type: "button", onclick: () => this.context.pickFile() }, "Choose a file"),
    );
  }

  /** The games this visitor is in the middle of. @param {Record<string, GameInfo>} games */
  #mine(games) {
    const links = this.context.settings.games
      .slice(0, OWN)
      .map(({ room, game }) =>
        h(
          "a",
          { class: "button", href: href({ room }) },
          `Go on with ${games[game]?.title ?? game}`,
        ),
      );
    this.#own.replaceChildren(...links);
    this.#own.hidden = !links.length;
  }

  async #follow() {
    const { client } = this.context;
    const welcome = client.welcome;
    if (!welcome) return;
    this.#rooms.games = welcome.games;
    this.#mine(welcome.games);
    this.#rooms.skew = client.ahead;
    const [plays, watches] = [client.may("player"), client.may("spectator")];
    this.#lead.textContent =
      LEADS[plays ? (watches ? "both" : "play") : watches ? "watch" : "none"];
    this.#tiles.hidden = !plays;
    this.#rooms.canSit = plays;
    this.#watch.hidden = !watches;
    if (!this.#tiles.childElementCount) {
      for (const [game, info] of Object.entries(welcome.games)) {
        this.#tiles.append(tile(game, info));
        this.#game.append(h("option", { value: game }, info.title));
      }
    }
    if (!watches) return;
    await client.lobby(true);
    await this.#load();
  }

  async #load(more = false) {
    const asked = ++this.#asked;
    const { game, status } = this.#rooms.sieve;
    const page = (/** @type {string | undefined} */ after) =>
      this.context.client.rooms({
        ...(game && { game }),
        ...(status === "open" && { status: "open" }),
        ...(after && { after }),
        limit: 40,
      });
    let answer = await page(more ? this.#next : undefined);
    for (let n = 1; n < PAGES && !answer.rooms.length && answer.next; n++)
      answer = await page(answer.next); // there may be some further on
    if (asked !== this.#asked) return;
    this.#next = answer.next;
    this.#more.hidden = !answer.next;
    this.#rooms.show(answer.rooms, { more });
  }

  #told() {
    const { status, game, words } = this.#rooms.sieve;
    const count = this.#rooms.shown;
    this.#note.textContent = count
      ? words
        ? counted(count, "game") + " found."
        : ""
      : words || game || status !== "open"
        ? "No such game just now. Try another choice."
        : `Nobody is playing just now. ${this.#rooms.canSit ? START : WAIT}`;
    this.#note.hidden = !this.#note.textContent;
  }
}

/** The first greeting. @param {EventTarget} client */
function met(client) {
  return new Promise((done) => client.addEventListener("welcome", done, { once: true }));
}

/**
 * A game to start.
 * @param {string} game
 * @param {GameInfo} info
 */
function tile(game, info) {
  const aim = info.help.split("\n\n")[0].replaceAll("\n", " ");
  return h(
    "li",
    null,
    h(
      "a",
      { class: "tile", href: `?start=${encodeURIComponent(game)}` },
      h("span", { class: "felt" }, emblem(info.layout)),
      h("span", { class: "tile-title" }, info.title),
      h("span", { class: "tile-aim" }, aim),
    ),
  );
}

customElements.define("kibitz-lobby", Lobby);
