/**
 * The page's voice: one live region, and short messages that everybody sees.
 *
 * Promises: politely, in order, repeats too. Never interrupts, never takes the focus.
 */

import { h } from "./dom.js";

const STAY = 4500;
/** How long a word of the operator stays, ms. */
const NOTICE = 30_000;

let odd = false;
/** @type {string[]} */
let waiting = [];
let timer = 0;

/**
 * Say it to who listens. What is said in one go (a move and its answer) is one message.
 * @param {string} text
 */
export function announce(text) {
  const sentence = text.trim();
  if (!sentence) return;
  waiting.push(/[.!?]$/.test(sentence) ? sentence : `${sentence}.`);
  timer ||= setTimeout(() => {
    const region = document.getElementById("status");
    // A trailing no-break space makes the same sentence a change, so it is spoken again.
    if (region) region.textContent = waiting.slice(-6).join(" ") + ((odd = !odd) ? "\u00a0" : "");
    waiting = [];
    timer = 0;
  }, 60);
}

/**
 * Show it for some seconds, and say it.
 * @param {string} text
 * @param {{kind?: "good" | "bad" | "notice"}} [how]
 */
export function toast(text, { kind } = {}) {
  announce(text);
  const region = document.getElementById("toasts");
  if (!region) return;
  // Spoken through the live region already: hidden here, or it would be read twice.
  const note = h("p", { class: "toast", dataset: { kind }, "aria-hidden": "true" }, text);
  for (const other of [...region.children])
    if (other.textContent === text || (region.childElementCount > 1 && !isNotice(other)))
      other.remove();
  region.append(note);
  const stay = kind === "notice" ? NOTICE : STAY;
  setTimeout(() => note.remove(), stay + text.length * 40);
}

/** @param {Element} note */
const isNotice = (note) => /** @type {HTMLElement} */ (note).dataset.kind === "notice";

/**
 * A problem in a sentence.
 * @param {unknown} problem
 */
export function said(problem) {
  const words = problem instanceof Error ? problem.message : String(problem);
  const sentence = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
