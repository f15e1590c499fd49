/**
 * The settings dialog: what this visitor likes, and who he is.
 *
 * Promises: every change counts at once and is kept in this browser; the key is shown only when
 * asked for.
 */

import { KEYS } from "../table/keys.js";
import { toast } from "../shell/announce.js";
import { openDialog } from "../shell/dialog.js";
import { h } from "../shell/dom.js";
import { labelled, tick } from "./form.js";
import { LONGEST } from "./naming.js";

/** @import { Context } from "../shell/context.js" */
/** @import { Liking } from "../shell/settings.js" */

/** @type {[name: "theme" | "deck" | "motion", label: string, choices: [string, string][]][]} */
const CHOICES = [
  [
    "theme",
    "Colours",
    [
      ["system", "As the system"],
      ["light", "Light"],
      ["dark", "Dark"],
    ],
  ],
  [
    "deck",
    "Deck",
    [
      ["2", "Two colours"],
      ["4", "Four colours"],
    ],
  ],
  [
    "motion",
    "Cards glide",
    [
      ["normal", "Normally"],
      ["fast", "Fast"],
      ["off", "Not at all"],
    ],
  ],
];
/** @type {["sound" | "crowd", string][]} */
const TICKS = [
  ["sound", "Sounds"],
  ["crowd", "Show the number of viewers, and comments"],
];

/** Open the dialog. @param {Context} context */
export function openPreferences({ settings, client }) {
  const name = h("input", { value: settings.name, maxlength: LONGEST, autocomplete: "nickname" });
  name.addEventListener("change", () => settings.set({ name: name.value.trim() || settings.name }));
  const choices = CHOICES.map(([key, label, values]) =>
    h(
      "fieldset",
      null,
      h("legend", null, label),
      h(
        "div",
        { class: "choice" },
        ...values.map(([value, text]) =>
          h(
            "label",
            { class: "tick" },
            h("input", {
              type: "radio",
              name: `set-${key}`,
              value,
              checked: settings[key] === value,
              onChange: () => settings.set(/** @type {Partial<Liking>} */ ({ [key]: value })),
            }),
            text,
          ),
        ),
      ),
    ),
  );
  const ticks = TICKS.map(([key, label]) => {
    const made = tick(`set-${key}`, label, settings[key]);
    made.addEventListener("change", () => {
      settings.set({ [key]: /** @type {HTMLInputElement} */ (made.firstElementChild).checked });
    });
    return made;
  });
  openDialog(
    "Settings",
    labelled(
      "set-name",
      "Your name",
      name,
      "Where you sit already, you keep the name you sat down with.",
    ),
    ...choices,
    h("div", null, ...ticks),
    keys(),
    h("details", null, h("summary", null, "Your key"), keyFields({ settings, client })),
  );
}

/** Which key does what on the table. */
function keys() {
  return h(
    "details",
    null,
    h("summary", null, "Keys"),
    h(
      "dl",
      { class: "keys" },
      ...KEYS.map(([key, words]) =>
        h("div", null, h("dt", null, h("kbd", null, key)), h("dd", null, words)),
      ),
    ),
  );
}

/**
 * The identity: shown, or brought from elsewhere.
 * @param {Pick<Context, "settings" | "client">} context
 */
function keyFields({ settings, client }) {
  const key = h("input", {
    type: "password",
    value: settings.token,
    autocomplete: "off",
    spellcheck: "false",
    maxlength: "4096",
  });
  const show = tick("show-key", "Show it", false);
  show.addEventListener("change", () => {
    const shown = /** @type {HTMLInputElement} */ (show.firstElementChild).checked;
    key.type = shown ? "text" : "password";
  });
  const use = () => {
    const token = key.value.trim();
    if (!token || token === settings.token) return;
    settings.set({ token });
    client.close();
    location.reload();
  };
  const copy = () =>
    navigator.clipboard?.writeText(key.value).then(
      () => toast("Copied."),
      () => toast("Show the key and copy it by hand."),
    );
  return h(
    "div",
    { class: "stack" },
    labelled(
      "set-key",
      "Key",
      key,
      "It is who you are here: with it your seats are yours on another device too. Show it to nobody.",
    ),
    show,
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", onClick: copy }, "Copy"),
      h("button", { type: "button", onClick: use }, "Use this key"),
    ),
  );
}
