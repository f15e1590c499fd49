/**
 * The end of a game: a card with the result, and for a win a moment worth having.
 *
 * Promises: closed with one key or tap; nothing moves where people asked for quiet.
 */

import { closeDialogs, openDialog } from "../shell/dialog.js";
import { h } from "../shell/dom.js";
import { duration } from "../table/glide.js";

/** @import { Stage } from "../table/stage.js" */

const SIGNS = ["♠", "♥", "♦", "♣"];
const PETALS = 48;

/**
 * How a game ended; `time` as people read it.
 * @typedef {{won: boolean, who: string, title: string, moves: number, score: number, time: string,
 *   deal?: string, next?: "rematch" | "next" | null, alone: boolean, analysed: boolean}} Result
 *   `next`: how the series goes on, if it can; `analysed`: the server says what became of it
 */
/** @typedef {"new" | "again" | "replay" | "copy" | "verify" | "analyse" | "rematch" | "next"} Then */

/**
 * Show how it ended.
 * @param {Result} result
 * @param {(what: Then) => void} todo
 * @returns {HTMLDialogElement}
 */
export function showEnd(
  { won, who, title, moves, score, time, deal, next, alone, analysed },
  todo,
) {
  /** @type {(what: Then, label: string, kind?: string) => Node} */
  const choice = (what, label, kind) => {
    const chosen = () => {
      if (what !== "copy") dialog.close();
      todo(what);
    };
    return h(
      "button",
      { type: "button", class: kind, autofocus: Boolean(kind), onClick: chosen },
      label,
    );
  };
  const fact = (/** @type {string} */ name, /** @type {string | number} */ value) =>
    h("div", {}, h("dt", {}, name), h("dd", {}, value));
  const facts = [fact("moves", moves), fact("time", time), fact("score", score)];
  if (deal) facts.push(fact("deal", deal));
  closeDialogs();
  const dialog = openDialog(
    won ? `${who} won!` : `${who} gave up`,
    h("p", { class: "muted" }, title),
    h("dl", { class: "result" }, ...facts),
    h(
      "div",
      { class: "row" },
      choice("new", "New game", "primary"),
      next && choice(next, alone || next === "next" ? "Next deal" : "Rematch"),
      choice("again", "Same deal again"),
      choice("replay", "Watch it again"),
      choice("copy", "Copy result"),
      choice("verify", "Verify"),
      analysed && choice("analyse", "Analyse"),
    ),
  );
  return dialog;
}

/**
 * Let the cards leap and the suits fall.
 * @param {Stage} stage
 */
export function celebrate(stage) {
  if (!duration()) return;
  const leap = [
    { transform: "none" },
    { transform: "translateY(-18%) rotate(4deg)" },
    { transform: "none" },
  ];
  stage.cards.forEach((place, n) =>
    place.animate(leap, { duration: 520, delay: n * 28, easing: "ease-out" }),
  );
  const petals = Array.from({ length: PETALS }, petal);
  const sky = h("div", { class: "sky", popover: "manual", "aria-hidden": "true" }, ...petals);
  document.body.append(sky);
  sky.showPopover?.();
  setTimeout(() => sky.remove(), 6500);
}

/** @param {unknown} _ @param {number} n */
function petal(_, n) {
  const made = h("span", { class: n % 4 === 1 || n % 4 === 2 ? "red" : "black" }, SIGNS[n % 4]);
  made.style.setProperty("left", `${(n * 61) % 100}%`);
  const end = `translateY(105vh) rotate(${n % 2 ? 360 : -360}deg)`;
  made.animate(
    [
      { transform: "translateY(-10vh)", opacity: 1 },
      { transform: end, opacity: 0.4 },
    ],
    { duration: 2200 + (n % 7) * 260, delay: (n % 12) * 130, easing: "ease-in", fill: "both" },
  );
  return made;
}
