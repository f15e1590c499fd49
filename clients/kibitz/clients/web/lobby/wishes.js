/**
 * What can be said of any new room, as fields; and what a filled form asks for.
 *
 * Promises: what was left as it was is not sent. Knows no game.
 */

import { h } from "../shell/dom.js";
import { chosenOptions, labelled, tick } from "./form.js";
import { raceWish } from "./race.js";

/** @import { GameInfo, Settings, Visibility } from "../protocol/messages.js" */

/**
 * What a room may allow, whether it does if nobody says so, how people call it, and whether it is
 * ticked, if that is not the same.
 * @type {[name: string, usual: boolean, label: string, ticked?: boolean][]}
 */
const POLICIES = [
  ["undo", true, "Undo, redo, restart"],
  ["save", true, "Saving the position (everybody sees it)"],
  ["hints", true, "Hints and lit places"],
  ["advice", false, "Hints of a strong bot", true],
  ["casual", false, "Casual: asking whether it can still be won"],
  ["say", true, "Comments"],
  ["cheat", false, "Looking at all cards (marks the game)"],
];
/** What takes a server that gives advice. */
const ADVICE = new Set(["advice", "casual"]);
/** What no race allows, whatever is ticked. */
const NOT_IN_A_RACE = new Set(["advice", "casual", "save", "cheat"]);

/** A deal that the server knows to be winnable, where it looks for some. */
export function winnable() {
  const about = h(
    "p",
    { class: "muted small", id: "winnable-about" },
    "The server draws deals until it finds a line that wins, with all cards known.",
  );
  const field = tick("winnable", "Winnable deal", false);
  field.querySelector("input")?.setAttribute("aria-describedby", about.id);
  return h("div", { class: "field" }, field, about);
}

/**
 * What can be said of any room.
 * @param {boolean} advises  whether the server gives advice
 * @returns {HTMLElement[]}
 */
export function common(advises) {
  const see = h(
    "select",
    { name: "visibility" },
    h("option", { value: "public" }, "Everybody, in the lobby"),
    h("option", { value: "unlisted" }, "Who has the link"),
    h("option", { value: "invited" }, "Who I invite"),
    h("option", { value: "private" }, "Who knows a password"),
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
    "Whoever you invite needs none.",
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
    labelled(
      "delay",
      "Delay for watchers, in seconds",
      h("input", { name: "delay", type: "number", min: "0", max: "86400", value: "0" }),
      "They see everything so much later.",
    ),
    h(
      "fieldset",
      null,
      h("legend", null, "Allowed in this room"),
      h(
        "div",
        { class: "choice" },
        ...POLICIES.filter(([name]) => advises || !ADVICE.has(name)).map(
          ([name, usual, label, ticked = usual]) => tick(`policy-${name}`, label, ticked),
        ),
      ),
    ),
  ];
}

/**
 * What a filled form asks for.
 * @param {HTMLFormElement} form
 * @param {GameInfo} info
 * @param {boolean} race  rather than a game alone or together
 * @returns {Settings}
 */
export function wish(form, info, race) {
  const data = new FormData(form);
  const text = (/** @type {string} */ name) => String(data.get(name) ?? "").trim();
  const seen = text("visibility");
  const visibility = /** @type {Visibility} */ (seen === "invited" ? "private" : seen);
  /** @type {Settings} */
  const settings = { options: chosenOptions(form, info.options), visibility };
  if (text("deal")) settings.deal = text("deal");
  if (data.has("winnable")) settings.winnable = true;
  if (seen === "private") settings.password = String(data.get("password") ?? "");
  if (!data.has("policy-hints")) data.delete("policy-advice");
  const wished = race ? raceWish(text) : tableWish(text);
  const policy = Object.fromEntries(
    POLICIES.map(
      ([name, usual]) => /** @type {const} */ ([name, data.has(`policy-${name}`), usual]),
    ).filter(([name, on, usual]) => on !== usual && !(race && NOT_IN_A_RACE.has(name))),
  );
  Object.assign(settings, wished, { policy: { ...policy, ...wished.policy } });
  if (!Object.keys(settings.policy ?? {}).length) delete settings.policy;
  return settings;
}

/** One board, for one or for several. @param {(name: string) => string} text @returns {Settings} */
function tableWish(text) {
  const seats = Number(text("seats") || 1);
  const delay = Number(text("delay"));
  return {
    ...(seats !== 1 && { mode: "coop", seats }),
    ...(delay > 0 && { policy: { delay } }),
  };
}
