/**
 * The end of a race: the table, and what comes next.
 *
 * Promises: closed with one key or tap.
 */

import { closeDialogs, openDialog } from "../shell/dialog.js";
import { h } from "../shell/dom.js";
import { clockOf, ordinal } from "./lines.js";
import "./racers.js";

/** @import { Standing } from "../protocol/messages.js" */
/** @import { Racers } from "./racers.js" */

/** @typedef {"rematch" | "next" | "new" | "replay" | "copy" | "verify"} Then */
/**
 * `own`: index of the visitor's board, if he raced; `bots`: of those of bots.
 * @typedef {{title: string, rows: Standing[], own: number | null,
 *   bots: ReadonlySet<number>, deal?: string}} Results
 */

/**
 * Show how it ended.
 * @param {Results} results
 * @param {"rematch" | "next" | null} next  how the series goes on, if it can
 * @param {(what: Then) => void} todo
 * @returns {HTMLDialogElement}
 */
export function showResults({ title, rows, own, bots, deal }, next, todo) {
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
  const table = /** @type {Racers} */ (h("kibitz-racers"));
  const hidden = new Set(rows.map(({ seat }) => seat - 1));
  closeDialogs();
  const dialog = openDialog(
    headline(rows, own),
    h("p", { class: "muted" }, deal ? `${title}, deal ${deal}` : title),
    table,
    h(
      "div",
      { class: "row" },
      next === "rematch" && choice("rematch", "Rematch", "primary"),
      next === "next" && choice("next", "Go to the next deal", "primary"),
      choice("new", "New game", next ? undefined : "primary"),
      choice("replay", "Watch it again"),
      choice("copy", "Copy result"),
      choice("verify", "Verify"),
    ),
  );
  table.info = { rows, shown: -1, own, hidden, bots, note: "" };
  return dialog;
}

/**
 * How it ended, in a few words.
 * @param {readonly Standing[]} rows
 * @param {number | null} own
 */
export function headline(rows, own) {
  const mine = rows.find(({ seat }) => seat - 1 === own);
  const [best, second] = rows;
  const alone = best && best.place !== second?.place;
  if (mine === best && alone && best.status === "won") return "You won the race!";
  if (mine) return `You are ${ordinal(mine.place)} of ${rows.length}`;
  if (!alone) return "The race is over";
  return `${best.name} ${best.status === "won" ? "won the race" : "came first"}`;
}

/**
 * How the visitor fared, or the winner if he did not race, in one line.
 * @param {Results} results
 */
export function lineOf({ rows, own, title }) {
  const { name, place, status, ms, score } = rows.find(({ seat }) => seat - 1 === own) ?? rows[0];
  const how = status === "won" ? `in ${clockOf(ms ?? 0)}` : `with score ${score}`;
  return `${name} was ${ordinal(place)} of ${rows.length} in a race at ${title}, ${how}.`;
}
