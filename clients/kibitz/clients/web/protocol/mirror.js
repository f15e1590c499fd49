/**
 * A room as a client holds it: the view, kept up to date by the events alone.
 *
 * Promises: applies every event once and in order, or not at all; knows no game and no rules; and
 * notices a gap instead of guessing. After every event it equals the server's view for the same
 * viewer.
 */

/** @import {BoardView, Event, Info, Joined, Position, Role, View} from "./messages.js" */
/** @import {Table} from "./table.js" */

import { course } from "./course.js";
import { chain, fromHex, toHex } from "./hashing.js";
import { EMPTY, fold } from "./table.js";

/** Kinds of events that are about every board of a race. */
const FOR_ALL = new Set(["started", "dealt"]);

/** An event is missing: ask again with `from` and `hash`. */
export class Gap extends Error {
  name = "Gap";
}

/** One room, followed. */
export class Mirror {
  /** @type {string} */
  room;
  /** @type {Role} */
  role;
  /** This viewer's seat, from 1. @type {number | undefined} */
  seat;
  /** What stays the same about the room. @type {Info} */
  info;
  /** Number of the last event applied. */
  seq = 0;
  /** The view as it is now: a new object after every event. @type {View} */
  view;
  /** @type {Uint8Array} */
  #hash = new Uint8Array();

  /** @param {Joined} joined  the answer to `join` or `create`; it must carry a view */
  constructor(joined) {
    this.room = joined.room;
    this.role = joined.role;
    this.seat = joined.seat;
    this.info = joined.info;
    if (!joined.view) {
      throw new TypeError("the first answer to join carries a view");
    }
    this.view = joined.view;
    this.#take(joined.view, joined.seq, joined.hash);
  }

  /** The hash after the last event, hex. */
  get hash() {
    return toHex(this.#hash);
  }

  /** Index of this viewer's board: his own in a race, or else the first. */
  get own() {
    return this.view.race && this.seat ? this.seat - 1 : 0;
  }

  /** The board of this viewer as it is now; a replay room has none. @type {BoardView} */
  get board() {
    return this.view.boards[this.own];
  }

  /** What lies on that board. @type {Table} */
  get table() {
    return this.board;
  }

  /**
   * Go on after a new `joined`.
   * @param {Joined} joined
   * @returns {Event[]} the events that were missed, now applied
   */
  rejoin(joined) {
    this.role = joined.role;
    this.seat = joined.seat;
    if (joined.view) {
      this.#take(joined.view, joined.seq, joined.hash);
      return [];
    }
    return (joined.events ?? []).filter((event) => this.apply(event));
  }

  /**
   * Go on from a fresh view: what a spectator gets who was too slow for the events.
   * @param {Position} position
   */
  reset(position) {
    this.#take(position.view, position.seq, position.hash);
  }

  /**
   * Let one event happen.
   * @param {Event} event
   * @returns {boolean} false if it had happened already
   * @throws {Gap} The event is not the next one.
   * @throws {RangeError} The event does not fit the table.
   */
  apply(event) {
    if (event.seq <= this.seq) {
      return false;
    }
    if (event.seq !== this.seq + 1) {
      throw new Gap(`event ${event.seq} came after ${this.seq}`);
    }
    const view = after(this.view, event);
    this.#hash = chain(this.#hash, event);
    this.view = view;
    this.seq = event.seq;
    return true;
  }

  /**
   * @param {View} view
   * @param {number} seq
   * @param {string} hash
   */
  #take(view, seq, hash) {
    this.#hash = fromHex(hash);
    this.view = view;
    this.seq = seq;
  }
}

/**
 * The view after one more event.
 * @param {View} view
 * @param {Event} event
 * @returns {View}
 * @throws {RangeError} The event does not fit.
 */
export function after(view, event) {
  const next = course(view, event);
  let { boards } = next;
  if (FOR_ALL.has(event.kind)) boards = boards.map((board) => happened(board, event));
  else {
    const index = event.board ?? 0;
    const board = boards[index] && happened(boards[index], event);
    if (board && board !== boards[index]) boards = boards.with(index, board);
  }
  if (event.kind === "ended" && event.boards) {
    boards = boards.map(({ hidden: _, ...board }, n) => {
      return event.boards?.[n] ? { ...board, ...fold(event.boards[n], EMPTY) } : board;
    });
  }
  return boards === next.boards ? next : { ...next, boards };
}

/**
 * @param {BoardView} board
 * @param {Event} event
 * @returns {BoardView}
 */
function happened(board, { fx, moves = board.moves, score = board.score }) {
  const dealt = fx?.length && !board.hidden;
  if (!dealt && moves === board.moves && score === board.score) return board;
  const { piles, counters } = dealt ? fold(fx, board) : board;
  return { ...board, piles, counters, moves, score };
}
