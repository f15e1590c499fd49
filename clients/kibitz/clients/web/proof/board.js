/**
 * One board: where it started, how it lies, what can be taken back.
 *
 * Promises: follows from the facts alone, in order. Never: a rule of a game.
 */

/** @import { Fact } from "../protocol/messages.js" */
/** @import { Table } from "../protocol/table.js" */
/** @typedef {"move" | "undo" | "redo" | "restart"} Kind */
/** @typedef {{facts: Fact[], back: Fact[], before: number, after: number}} Change  moves on the line */

import { evolve, fold } from "../protocol/table.js";
import { inverse, laid } from "./cards.js";

export class Board {
  /** Moves on the line that led here. */
  moves = 0;
  /** @type {Change[]} */
  #done = [];
  /** @type {Change[]} */
  #undone = [];

  /** @param {Table} start */
  constructor(start) {
    this.start = start;
    this.table = start;
  }

  /** The facts that take back, do again or begin anew; null: there is nothing to. @param {Kind} kind */
  facts(kind) {
    if (kind === "undo") return this.#done.at(-1)?.back ?? null;
    if (kind === "redo") return this.#undone.at(-1)?.facts ?? null;
    const gone = Object.keys(this.table.counters).filter(
      (name) => !Object.hasOwn(this.start.counters, name),
    );
    return [
      ...laid(this.start),
      ...gone.map((name) => /** @type {Fact} */ (["count", name, null])),
    ];
  }

  /** Let facts happen. @param {Kind} kind @param {Fact[]} facts */
  apply(kind, facts) {
    if (kind === "undo" || kind === "redo") {
      const [from, to] = kind === "undo" ? [this.#done, this.#undone] : [this.#undone, this.#done];
      const change = /** @type {Change} */ (from.pop());
      to.push(change);
      this.table = fold(facts, this.table);
      this.moves = kind === "undo" ? change.before : change.after;
      return;
    }
    const [before, after] = [this.moves, kind === "move" ? this.moves + 1 : 0];
    /** @type {Fact[]} */
    const back = [];
    for (const fact of facts) {
      back.unshift(inverse(fact, this.table));
      this.table = evolve(this.table, fact);
    }
    this.#undone = [];
    this.#done.push({ facts, back, before, after });
    this.moves = after;
  }
}
