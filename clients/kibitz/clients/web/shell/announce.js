/**
 * The page's voice: one live region, short messages that everybody sees, and the operator's word.
 *
 * Promises: politely, in order, repeats too; what stays longer covers nothing and can be sent away.
 * Never interrupts, never takes the focus.
 */

import { h } from "./dom.js";

const STAY = 4500;
/** How long a word of the operator stays, ms. */
const NOTICE = 30_000;
/** So many of them are shown at once. */
const NOTICES = 3;

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
 * @param {{kind?: "good" | "bad"}} [how]
 * @returns {() => void}  takes it away sooner
 */
export function toast(text, { kind } = {}) {
  announce(text);
  const region = document.getElementById("toasts");
  if (!region) return () => {};
  // Spoken through the live region already: hidden here, or it would be read twice.
  const note = h("p", { class: "toast", dataset: { kind }, "aria-hidden": "true" }, text);
  for (const other of [...region.children])
    if (other.textContent === text || region.childElementCount > 1) other.remove();
  region.append(note);
  setTimeout(() => note.remove(), STAY + text.length * 40);
  return () => note.remove();
}

/**
 * Show a word of the operator above the page, and say it: until it is sent away, or for a while.
 * @param {string} text
 */
export function notice(text) {
  announce(text);
  const region = document.getElementById("notices");
  if (!region) return;
  const away = () => {
    const had = note.contains(document.activeElement);
    note.remove();
    if (had) document.getElementById("main")?.focus({ preventScroll: true });
  };
  const note = h(
    "div",
    { class: "notice" },
    h("p", null, text),
    h("button", { type: "button", class: "quiet", onclick: away }, "Dismiss"),
  );
  for (const other of [...region.children])
    if (other.firstChild?.textContent === text || region.childElementCount >= NOTICES)
      other.remove();
  region.append(note);
  const stay = NOTICE + text.length * 40;
  const late = () => {
    // Who is about to press its button finds it there.
    if (note.matches(":hover, :focus-within")) setTimeout(late, STAY);
    else note.remove();
  };
  setTimeout(late, stay);
}

/**
 * A problem in a sentence.
 * @param {unknown} problem
 */
export function said(problem) {
  const words = problem instanceof Error ? problem.message : String(problem);
  const sentence = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/**
 * Until when something holds, as a sentence after another; "" where it has no end.
 * @param {number} until  Unix ms
 */
export function ending(until) {
  return Number.isFinite(until) ? ` That ends on ${new Date(until).toLocaleString()}.` : "";
}
