/**
 * A native dialog that is there while it is open.
 *
 * Promises: Escape, the cross and a click beside it close it; the focus goes back to where it was.
 */

import { h, svg } from "./dom.js";

/** @typedef {import("./dom.js").Children} Children */

/**
 * Open a dialog.
 * @param {string} title
 * @param {...Children} content
 * @returns {HTMLDialogElement} `returnValue` says how it was closed, as ever
 */
export function openDialog(title, ...content) {
  const heading = h("h2", { id: "dialog-title" }, title);
  const cross = h(
    "button",
    {
      type: "button",
      class: "quiet icon",
      "aria-label": "Close",
      onclick: () => box.close(),
    },
    icon("M5 5l14 14M19 5L5 19"),
  );
  const box = h(
    "dialog",
    { "aria-labelledby": "dialog-title", class: "stack" },
    h("div", { class: "dialog-head" }, heading, cross),
    ...content,
  );
  box.addEventListener("mousedown", (event) => {
    if (event.target !== box) return;
    const { left, right, top, bottom } = box.getBoundingClientRect();
    const inside =
      event.clientX >= left &&
      event.clientX <= right &&
      event.clientY >= top &&
      event.clientY <= bottom;
    if (!inside) box.close();
  });
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return box;
}

/** Close whatever dialog is open: its page is gone, or the game it asks about. */
export function closeDialogs() {
  for (const box of document.querySelectorAll("dialog[open]"))
    /** @type {HTMLDialogElement} */ (box).close();
}

/**
 * A line drawing of 24 by 24.
 * @param {string} path
 */
export function icon(path) {
  return svg(
    "svg",
    { viewBox: "0 0 24 24", "aria-hidden": "true", class: "line" },
    svg("path", { d: path }),
  );
}
