/**
 * Events as lines of a log: what kind of line, who, and in which words.
 *
 * Promises: the same events give the same lines, and which moves were taken back follows from the
 * events alone. Never: the DOM, the rules.
 *
 * @import {Event} from "../protocol/messages.js"
 */

import { signed, spoken } from "../cards/names.js";

const CHANGES = ["move", "undo", "redo", "restart"];
/** Kinds that have no line of their own. */
const SILENT = ["dealt", "hidden", "control"];

/**
 * `number` is that of a move, as the table counts; `who` is given where it is news; `cards` are those that a change moved, in signs. `undone` and
 * `redone`: the change that this event took back or brought back, by its number.
 * @typedef {{seq: number, number?: number, kind: "move" | "say" | "note", text: string, cards?: string, who: string,
 *   time: string, undone?: number, redone?: number}} Line
 */

export class Lines {
  #names;
  /** @type {number[]} changes that can be taken back, the last one last */
  #done = [];
  /** @type {number[]} */
  #undone = [];
  /** @type {string | undefined} who made the change before */
  #mover;

  /** Whether a line says who moved, where that is news. */
  #movers;

  /**
   * @param {Record<string, string>} [names] display names by identity
   * @param {boolean} [movers] whether more than one may move here
   */
  constructor(names = {}, movers = true) {
    this.#names = { ...names };
    this.#movers = movers;
  }

  /** The line of the next event, if it has one. @param {Event} event @returns {Line | null} */
  read(event) {
    const { seq, kind, by = "", name = this.#names[by] } = event;
    if (by && name) this.#names[by] = name;
    if (SILENT.includes(kind)) return null;
    const who = name || by || "the server";
    const line = { seq, who: "", time: clockOf(event.at) };
    if (kind === "say") return { ...line, kind, who, text: event.text ?? "" };
    if (!CHANGES.includes(kind)) {
      return { ...line, kind: "note", text: spoken(event, this.#names) || kind };
    }
    if (this.#movers && by !== this.#mover) line.who = who;
    this.#mover = by;
    const text = kind === "move" ? (event.move ?? "") : `${kind} ${event.move ?? ""}`.trim();
    const number = kind === "move" ? event.moves : undefined;
    return { ...line, number, kind: "move", text, cards: signed(event), ...this.#change(event) };
  }

  /** What a change does to those before it. @param {Event} event */
  #change({ seq, kind }) {
    const [done, undone] = [this.#done, this.#undone];
    if (kind === "undo" && done.length) {
      undone.push(done.pop() ?? 0);
      return { undone: undone.at(-1) };
    }
    if (kind === "redo" && undone.length) {
      done.push(undone.pop() ?? 0);
      return { redone: done.at(-1) };
    }
    if (kind === "move" || kind === "restart") {
      done.push(seq);
      undone.length = 0;
    }
    return {};
  }
}

/** A place: "1st", "22nd", "113th". @param {number} n */
export function ordinal(n) {
  const end = n % 100 > 10 && n % 100 < 14 ? 0 : n % 10;
  return `${n}${["th", "st", "nd", "rd"][end] ?? "th"}`;
}

/** Milliseconds as `2:31` or `1:02:31`. @param {number} ms */
export function clockOf(ms) {
  const all = Math.max(0, Math.floor(ms / 1000));
  const [hours, minutes] = [Math.floor(all / 3600), Math.floor(all / 60) % 60];
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(all % 60)}`;
}
