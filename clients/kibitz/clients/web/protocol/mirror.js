/**
 * A room as a client holds it: the view, kept up to date by the events alone.
 *
 * Promises: applies every event once and in order, or not at all; knows no game and no rules; and
 * notices a gap instead of guessing. After every event it equals the server's view for the same
 * viewer.
 */

/** @import {BoardView, Event, Info, Joined, Position, Role, Seat, View} from "./messages.js" */
/** @import {Table} from "./table.js" */

import { chain, fromHex, toHex } from "./hashing.js";
import { fold } from "./table.js";

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

  /** The first board as it is now. @type {BoardView} */
  get board() {
    return this.view.boards[0];
  }

  /** What lies on the first board. @type {Table} */
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
 */
function after(view, event) {
  const index = event.board ?? 0;
  const before = view.boards[index];
  if (before === undefined) {
    throw new RangeError(`there is no board ${index}`);
  }
  const { piles, counters } = fold(event.fx ?? [], before);
  const board = {
    ...before,
    piles,
    counters,
    moves: event.moves ?? before.moves,
    score: event.score ?? before.score,
  };
  const next = { ...view, boards: view.boards.with(index, board) };
  switch (event.kind) {
    case "joined":
      return seated(next, event.seat, event);
    case "left":
      return seated(next, event.seat, {});
    case "won":
    case "resigned":
      board.status = event.kind;
      return next;
    case "ended":
      return { ...next, status: event.result ?? view.status };
    default:
      return next;
  }
}

/**
 * @param {View} view
 * @param {number | undefined} seat
 * @param {{by?: string, name?: string}} who
 * @returns {View}
 */
function seated(view, seat, { by, name }) {
  if (seat === undefined) {
    return view;
  }
  if (!(seat >= 1 && seat <= view.seats.length)) {
    throw new RangeError(`there is no seat ${seat}`);
  }
  /** @type {Seat} */
  const taken = { seat };
  if (by !== undefined) {
    taken.id = by;
  }
  if (name !== undefined) {
    taken.name = name;
  }
  return { ...view, seats: view.seats.with(seat - 1, taken) };
}
