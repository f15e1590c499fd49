/**
 * Asking a visitor for a name, once, when one is needed.
 *
 * Promises: a friendly name is there already, so that one key press is enough.
 */

import { openDialog } from "../shell/dialog.js";
import { h } from "../shell/dom.js";

export const LONGEST = 32;

const MOODS = [
  "Quiet",
  "Merry",
  "Patient",
  "Brisk",
  "Lucky",
  "Clever",
  "Gentle",
  "Bold",
  "Sunny",
  "Curious",
  "Steady",
  "Nimble",
];
const BIRDS = [
  "Heron",
  "Wren",
  "Robin",
  "Finch",
  "Owl",
  "Lark",
  "Plover",
  "Kestrel",
  "Magpie",
  "Swift",
  "Curlew",
  "Puffin",
];

/** @param {string[]} words */
const any = (words) => words[Math.floor(Math.random() * words.length)];

export const suggestion = () => `${any(MOODS)} ${any(BIRDS)}`;

/**
 * The name the visitor chose; empty if the dialog was closed without.
 * @returns {Promise<string>}
 */
export function askName() {
  return new Promise((resolve) => {
    let chosen = "";
    const field = h("input", {
      id: "asked-name",
      value: suggestion(),
      maxlength: LONGEST,
      required: true,
      autofocus: true,
      autocomplete: "nickname",
      "aria-describedby": "asked-about",
    });
    const form = h(
      "form",
      {
        class: "stack",
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          chosen = field.value.trim();
          if (chosen) box.close();
        },
      },
      h(
        "div",
        { class: "field" },
        h("label", { for: "asked-name" }, "Your name"),
        field,
        h(
          "p",
          { id: "asked-about", class: "muted small" },
          "Everybody at the table sees it. No account: the settings change it for games to come.",
        ),
      ),
      h("div", { class: "row" }, h("button", { class: "primary" }, "Go on")),
    );
    const box = openDialog("Who is playing?", form);
    field.select();
    box.addEventListener("close", () => resolve(chosen));
  });
}
