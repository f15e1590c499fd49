/**
 * `<kibitz-start>`: a new game in one click, everything else under a fold.
 *
 * Promises: what the server does not take is said beside the button and nothing typed is lost.
 * Knows no game: options and rules are the server's.
 */

import { said, toast } from "../shell/announce.js";
import { seatBot, STRATEGIES } from "../shell/bots.js";
import { h } from "../shell/dom.js";
import { emblem } from "./emblem.js";
import { blame, labelled, optionFields } from "./form.js";
import { create } from "../shell/promises.js";
import { href } from "../shell/router.js";
import { raceFields } from "./race.js";
import { common, winnable, wish } from "./wishes.js";

/** @import { Context } from "../shell/context.js" */
/** @import { Route } from "../shell/router.js" */
/** @import { GameInfo } from "../protocol/messages.js" */

export class Start extends HTMLElement {
  /** @type {Context} */
  context = /** @type {any} */ (null);
  #wrong = h("p", { class: "bad", role: "alert", hidden: true });
  /** @type {Record<string, GameInfo>} */
  #games = {};
  /** What is asked for every game: kept when another game is chosen. */
  #deal = labelled(
    "deal",
    "Deal number",
    h("input", {
      name: "deal",
      maxlength: "64",
      autocomplete: "off",
      placeholder: "a fresh shuffle",
    }),
    "Or a word. The same one is the same deck for everybody.",
  );
  /** @type {HTMLElement[]} */
  #shared = [];
  #winnable = winnable();
  #searching = h("p", { class: "muted", role: "status", hidden: true });
  #off = new AbortController();
  #race = raceFields();
  #strength = h(
    "select",
    { "aria-label": "How the bot plays" },
    ...STRATEGIES.map(([value, label, about]) => h("option", { value, title: about }, label)),
  );
  #bot = h(
    "button",
    { class: "large", title: "The same deal for both, each on a board of their own" },
    "Race a bot",
  );

  /** @param {Route} route */
  open(route) {
    this.classList.add("page");
    const { client } = this.context;
    this.#games = client.welcome?.games ?? {};
    this.#shared = common(client.advises);
    client.addEventListener(
      "push",
      (event) => {
        const push = /** @type {CustomEvent} */ (event).detail;
        if (push.t === "searching") this.#tell(push.deals);
      },
      { signal: this.#off.signal },
    );
    this.update(route);
  }

  /** @param {Route} route */
  update({ game }) {
    const names = Object.keys(this.#games);
    const chosen = game && Object.hasOwn(this.#games, game) ? game : names[0];
    const info = this.#games[chosen];
    if (!info) return;
    this.context.titled(`New game of ${info.title}`);
    if (!this.context.client.may("player")) {
      this.replaceChildren(
        h("h1", null, "New game"),
        h("p", null, "Your token does not let you play here: it takes the role player."),
        h("p", null, h("a", { class: "button", href: href({ page: "lobby" }) }, "To the lobby")),
      );
      return;
    }
    this.#wrong.hidden = true;
    this.replaceChildren(
      h("h1", null, "New game"),
      h(
        "nav",
        { "aria-label": "Games" },
        h(
          "ul",
          { class: "choose", role: "list" },
          ...names.map((name) =>
            h(
              "li",
              null,
              h(
                "a",
                {
                  class: "button",
                  href: href({ page: "start", game: name }),
                  "aria-current": name === chosen ? "page" : null,
                },
                this.#games[name].title,
              ),
            ),
          ),
        ),
      ),
      this.#form(chosen, info),
    );
    // On a phone the games are one line that is pushed along.
    this.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }

  close() {
    this.#off.abort();
    this.remove();
  }

  /** @param {string} game @param {GameInfo} info */
  #form(game, info) {
    const [aim] = info.help.split("\n\n");
    const open = this.querySelector("details")?.open;
    const form = h(
      "form",
      { class: "stack start", novalidate: true },
      h(
        "div",
        { class: "start-head" },
        h("span", { class: "felt" }, emblem(info.layout)),
        h(
          "div",
          { class: "stack" },
          h("h2", null, info.title),
          h("p", { class: "aim" }, aim.replaceAll("\n", " ")),
          this.#wrong,
          this.#searching,
          h(
            "div",
            { class: "begin" },
            h("button", { class: "primary large" }, `Start ${info.title}`),
            Boolean(this.context.client.welcome?.limits.bots) &&
              h("span", { class: "rival" }, this.#bot, this.#strength),
            this.#deal,
          ),
        ),
      ),
      h(
        "details",
        { class: "panel", open },
        h("summary", null, "Options"),
        h(
          "div",
          { class: "fields" },
          ...optionFields(info.options),
          this.context.client.welcome?.limits.winnable ? this.#winnable : null,
          ...this.#shared,
        ),
        this.#file(),
      ),
      this.#race,
      h(
        "details",
        { class: "panel" },
        h("summary", null, "Rules and commands"),
        h("pre", null, info.help.trim()),
      ),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      // Return in a field of the fold means its own button, not the first one.
      const inside = [event.submitter, document.activeElement];
      const bot = event.submitter === this.#bot;
      const race = bot || inside.some((each) => this.#race.contains(each));
      this.#start(game, info, form, race, bot);
    });
    return form;
  }

  /** How the search for a winnable deal stands. @param {number} deals  drawn so far */
  #tell(deals) {
    const drawn = deals > 1 ? ` ${deals} drawn so far.` : "";
    this.#searching.textContent = `Looking for a winnable deal…${drawn}`;
  }

  /** A position instead of a deal. */
  #file() {
    const pick = () => this.context.pickFile();
    const about = "A save, or a position from Solvitaire, Klondike-Solver or fc-solve.";
    return h(
      "p",
      { class: "row" },
      h("button", { type: "button", onclick: pick }, "Start from a file"),
      h("span", { class: "muted small" }, about),
    );
  }

  /**
   * @param {string} game
   * @param {GameInfo} info
   * @param {HTMLFormElement} form
   * @param {boolean} race
   * @param {boolean} bot  who is raced
   */
  async #start(game, info, form, race, bot) {
    const { client, router, named } = this.context;
    const told = wish(form, info, race);
    const password = form.elements.namedItem("password");
    if (told.password === "" && password instanceof HTMLInputElement) {
      blame(password, "A private room needs a password.");
      return;
    }
    if (!(await named())) return;
    this.#wrong.hidden = true;
    const buttons = form.querySelectorAll("button");
    for (const button of buttons) button.disabled = true;
    this.#tell(0);
    this.#searching.hidden = !told.winnable;
    try {
      const mirror = await create(client, game, told);
      if (bot) await this.#rival(mirror.room);
      router.go({ page: "room", room: mirror.room });
    } catch (problem) {
      this.#refused(/** @type {Error & {code?: string}} */ (problem), form, info, race);
    } finally {
      for (const button of buttons) button.disabled = false;
      this.#searching.hidden = true;
    }
  }

  /** Have a bot sit down; where none can, the race is there all the same. @param {string} room */
  async #rival(room) {
    try {
      await seatBot(this.context.client, room, { strategy: this.#strength.value });
    } catch (problem) {
      toast(said(/** @type {Error} */ (problem)), { kind: "bad" });
    }
  }

  /**
   * Say it where it belongs: at the field it is about, else above the button.
   * @param {Error & {code?: string}} problem
   * @param {HTMLFormElement} form
   * @param {GameInfo} info
   * @param {boolean} race
   */
  #refused(problem, form, info, race) {
    const { code, message } = problem;
    const option = Object.keys(info.options).find((name) => message.startsWith(name));
    const about = option ? `option-${option}` : aboutOf(message, race);
    const field = code === "bad-option" && form.elements.namedItem(about);
    if (field instanceof HTMLInputElement) {
      blame(field, said(problem));
      return;
    }
    this.#wrong.textContent = said(problem);
    this.#wrong.hidden = false;
    this.#wrong.scrollIntoView({ block: "nearest" });
  }
}

/** The field that a refusal is about, if it is one. @param {string} message @param {boolean} race */
function aboutOf(message, race) {
  if (race && /\btime to come\b/.test(message)) return "race-begins";
  if (race && /\bseats\b/.test(message)) return "race-seats";
  return /\bdeal\b/.test(message) ? "deal" : "";
}

customElements.define("kibitz-start", Start);
