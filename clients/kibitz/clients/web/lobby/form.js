/**
 * A game's options as fields, drawn from their default values.
 *
 * Promises: what is on or off is a tick, what is a number a number, everything else a text; a
 * value left as it was is not sent; a refused one says why, next to it. Knows no game.
 */

import { h } from "../shell/dom.js";

/**
 * A field with its label.
 * @param {string} id
 * @param {string} label
 * @param {HTMLElement} field
 * @param {string} [about]
 */
export function labelled(id, label, field, about) {
  field.id = id;
  if (about) field.setAttribute("aria-describedby", `${id}-about`);
  return h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    field,
    about ? h("p", { class: "muted small", id: `${id}-about` }, about) : null,
  );
}

/**
 * A tick with its label behind it.
 * @param {string} id
 * @param {string} label
 * @param {boolean} on
 */
export function tick(id, label, on) {
  return h(
    "label",
    { class: "tick" },
    h("input", { type: "checkbox", id, name: id, checked: on }),
    label,
  );
}

/**
 * Say at a field what is wrong with it, until it is changed.
 * @param {HTMLElement} field
 * @param {string} words
 */
export function blame(field, words) {
  const note = h("p", { class: "bad small", id: `${field.id}-fault`, role: "alert" }, words);
  const about = field.getAttribute("aria-describedby");
  const fold = field.closest("details");
  if (fold) fold.open = true;
  document.getElementById(note.id)?.remove();
  field.after(note);
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", [note.id, about].filter(Boolean).join(" "));
  field.focus();
  field.addEventListener(
    "input",
    () => {
      note.remove();
      field.removeAttribute("aria-invalid");
      if (about) field.setAttribute("aria-describedby", about);
      else field.removeAttribute("aria-describedby");
    },
    { once: true },
  );
}

/** `alternate_colours` as people say it. @param {string} name */
const words = (name) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");

/**
 * The fields of a game's options.
 * @param {Record<string, string>} options  the defaults
 * @returns {Node[]}
 */
export function optionFields(options) {
  return Object.entries(options).map(([name, value]) => {
    const id = `option-${name}`;
    if (value === "on" || value === "off") return tick(id, words(name), value === "on");
    const number = /^\d+$/.test(value);
    const field = h("input", {
      type: number ? "number" : "text",
      name: id,
      value,
      min: number ? "0" : null,
      max: number ? "999" : null,
      autocomplete: "off",
    });
    const about = number ? undefined : `${value}, or a number`;
    return labelled(id, words(name), field, about);
  });
}

/**
 * What was chosen there, as the server wants it.
 * @param {HTMLFormElement} form
 * @param {Record<string, string>} options  the defaults
 * @returns {Record<string, string>}
 */
export function chosenOptions(form, options) {
  /** @type {Record<string, string>} */
  const chosen = {};
  for (const [name, normal] of Object.entries(options)) {
    const field = form.elements.namedItem(`option-${name}`);
    if (!(field instanceof HTMLInputElement)) continue;
    const value = field.type === "checkbox" ? (field.checked ? "on" : "off") : field.value.trim();
    if (value !== "" && value !== normal) chosen[name] = value;
  }
  return chosen;
}
