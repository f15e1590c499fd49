/**
 * `<kibitz-start>`: a new game in one click, everything else under a fold.
 *
 * Promises: what the server does not take is said beside the button and nothing typed is lost.
 * Knows no game: options and rules are the server's.
 */

import { said } from "../shell/announce.js";
import { h } from "../shell/dom.js";
import { emblem } from "./emblem.js";
import { blame, chosenOptions, labelled, optionFields, tick } from "./form.js";
import { href } from "../shell/router.js";

/** @import { Context } from "../shell/context.js" */
/** @import { Route } from "../shell/router.js" */
/** @import { GameInfo, Settings, Visibility } from "../protocol/messages.js" */

/**
 * What a room may allow, its usual state, and how people call it.
 * @type {[string, boolean, string][]}
 */
const POLICIES = [
  ["undo", true, "Undo, redo, restart"],
  ["save", true, "Saving the position (everybody sees it)"],
  ["hints", true, "Hints and lit places"],
  ["say", true, "Comments"],
  ["cheat", false, "Looking at all cards (marks the game)"],
];

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
  #shared = common();

  /** @param {Route} route */
  open(route) {
    this.classList.add("page");
    this.#games = this.context.client.welcome?.games ?? {};
    this.update(route);
  }

  /** @param {Route} route */
  update({ game }) {
    const names = Object.keys(this.#games);
    const chosen = game && Object.hasOwn(this.#games, game) ? game : names[0];
    const info = this.#games[chosen];
    if (!info) return;
    this.context.titled(`New game of ${info.title}`);
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
          h(
            "div",
            { class: "begin" },
            h("button", { class: "primary large" }, `Start ${info.title}`),
            this.#deal,
          ),
        ),
      ),
      h(
        "details",
        { class: "panel", open },
        h("summary", null, "Options"),
        h("div", { class: "fields" }, ...optionFields(info.options), ...this.#shared),
      ),
      h(
        "details",
        { class: "panel" },
        h("summary", null, "Rules and commands"),
        h("pre", null, info.help.trim()),
      ),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#start(game, info, form);
    });
    return form;
  }

  /** @param {string} game @param {GameInfo} info @param {HTMLFormElement} form */
  async #start(game, info, form) {
    const { client, router, named } = this.context;
    const told = wish(form, info);
    const password = form.elements.namedItem("password");
    if (told.password === "" && password instanceof HTMLInputElement) {
      blame(password, "A private room needs a password.");
      return;
    }
    if (!(await named())) return;
    this.#wrong.hidden = true;
    const button = form.querySelector("button.primary");
    button?.setAttribute("disabled", "");
    try {
      const mirror = await client.create(game, told);
      router.go({ page: "room", room: mirror.room });
    } catch (problem) {
      this.#refused(/** @type {Error & {code?: string}} */ (problem), form, info);
    } finally {
      button?.removeAttribute("disabled");
    }
  }

  /**
   * Say it where it belongs: at the field it is about, else above the button.
   * @param {Error & {code?: string}} problem
   * @param {HTMLFormElement} form
   * @param {GameInfo} info
   */
  #refused(problem, form, info) {
    const { code, message } = problem;
    const option = Object.keys(info.options).find((name) => message.startsWith(name));
    const about = option ? `option-${option}` : /\bdeal\b/.test(message) ? "deal" : "";
    const field = code === "bad-option" && form.elements.namedItem(about);
    if (field instanceof HTMLInputElement) {
      blame(field, said(problem));
      return;
    }
    this.#wrong.textContent = said(problem);
    this.#wrong.hidden = false;
  }
}

/** What can be said of any room. @returns {HTMLElement[]} */
function common() {
  const see = h(
    "select",
    { name: "visibility" },
    h("option", { value: "public" }, "Everybody: it is in the lobby"),
    h("option", { value: "unlisted" }, "Who has the link"),
    h("option", { value: "private" }, "Who knows the password"),
  );
  const password = labelled(
    "password",
    "Password",
    h("input", {
      name: "password",
      type: "password",
      autocomplete: "new-password",
      maxlength: "128",
    }),
  );
  password.hidden = true;
  see.addEventListener("change", () => {
    password.hidden = see.value !== "private";
  });
  return [
    labelled(
      "seats",
      "Players at the table",
      h("input", { name: "seats", type: "number", min: "1", max: "8", value: "1" }),
      "More than one play one board together.",
    ),
    labelled("visibility", "Who may watch", see),
    password,
    h(
      "fieldset",
      null,
      h("legend", null, "Allowed in this room"),
      h(
        "div",
        { class: "choice" },
        ...POLICIES.map(([name, on, label]) => tick(`policy-${name}`, label, on)),
      ),
    ),
  ];
}

/**
 * What a filled form asks for.
 * @param {HTMLFormElement} form
 * @param {GameInfo} info
 * @returns {Settings}
 */
function wish(form, info) {
  const data = new FormData(form);
  const text = (/** @type {string} */ name) => String(data.get(name) ?? "").trim();
  const seats = Number(text("seats") || 1);
  const visibility = /** @type {Visibility} */ (text("visibility"));
  /** @type {Settings} */
  const settings = { options: chosenOptions(form, info.options), visibility };
  if (text("deal")) settings.deal = text("deal");
  if (seats !== 1) Object.assign(settings, { mode: "coop", seats });
  if (visibility === "private") settings.password = String(data.get("password") ?? "");
  const policy = Object.fromEntries(
    POLICIES.map(
      ([name, usual]) => /** @type {const} */ ([name, data.has(`policy-${name}`), usual]),
    ).filter(([, on, usual]) => on !== usual),
  );
  if (Object.keys(policy).length) settings.policy = policy;
  return settings;
}

customElements.define("kibitz-start", Start);
