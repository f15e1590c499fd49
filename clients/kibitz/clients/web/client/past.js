/**
 * The past of a room: every position by the number of its event.
 *
 * Promises: a position is worked out from the events alone, the same on every visit; any one of
 * 5,000 is there in well under 2 ms, also while new events come in. What is not known yet is
 * refused, never guessed. Never: rules, a clock, the DOM. Nothing that was handed out changes.
 *
 * @import {Event, View} from "../protocol/messages.js"
 * @import {Table} from "../protocol/table.js"
 */

import { EMPTY, fold } from "../protocol/table.js";

/**
 * The room after one event. `at` is in milliseconds since the room was created; `names` are the
 * display names seen so far, by identity; `event` is what led here, `null` where a view did.
 * @typedef {{seq: number, at: number, table: Table, moves: number, score: number,
 *   status: string, names: Readonly<Record<string, string>>, event: Event | null}} Moment
 */

/** Events between two moments that are kept. Tables share their piles, so one costs little. */
const STRIDE = 16;

/** @type {Moment} */
const NOTHING = {
  seq: 0,
  at: 0,
  table: EMPTY,
  moves: 0,
  score: 0,
  status: "open",
  names: {},
  event: null,
};

export class Past {
  /** @type {Moment} where the known past begins */
  #base = NOTHING;
  /** @type {Moment} */
  #head = NOTHING;
  /** @type {Moment} the one asked for last: its neighbour is one event away */
  #near = NOTHING;
  /** @type {Moment[]} every STRIDE-th moment from the base on */
  #kept = [NOTHING];
  /** @type {Event[]} */
  #events = [];

  /**
   * The past that a whole list of events tells.
   * @param {Iterable<Event>} events numbered 1, 2, 3, ...
   * @returns {Past}
   */
  static of(events) {
    const past = new Past();
    for (const event of events) past.add(event);
    return past;
  }

  /** The first position that is known: 1, or later for who joined late. */
  get first() {
    return this.#base.seq || Math.min(1, this.last);
  }

  /** The number of the last event. */
  get last() {
    return this.#head.seq;
  }

  /** Whether everything from event 1 on is known. */
  get complete() {
    return this.#base.seq === 0;
  }

  /** The events that are known, in order. @returns {readonly Event[]} */
  get events() {
    return this.#events;
  }

  /**
   * Begin with a position instead of with event 1; forgets whatever there was.
   * @param {View} view
   * @param {number} seq the event that led to it
   * @param {number} [at] when that was, if it is known
   */
  start(view, seq, at = 0) {
    const { piles, counters, moves, score } = view.boards[0];
    /** @type {Record<string, string>} */
    const names = {};
    for (const seat of view.seats) if (seat.id && seat.name) names[seat.id] = seat.name;
    const table = { piles, counters };
    this.#reset({ seq, at, table, moves, score, status: view.status, names, event: null });
  }

  /**
   * Let one more event have happened.
   * @param {Event} event
   * @returns {boolean} whether it was new
   * @throws {RangeError} One before it is missing, or it does not fit.
   */
  add(event) {
    if (event.seq <= this.last) return false;
    if (event.seq !== this.last + 1) throw new RangeError(`event ${event.seq} after ${this.last}`);
    this.#head = after(this.#head, event);
    this.#events.push(event);
    if (this.#events.length % STRIDE === 0) this.#kept.push(this.#head);
    return true;
  }

  /**
   * Learn what came before: the history from event 1 on. Events that came since stay.
   * @param {Iterable<Event>} events
   * @throws {RangeError} It does not reach to what is known; then nothing has changed.
   */
  fill(events) {
    const whole = Past.of(events);
    for (const event of this.#events) whole.add(event);
    if (whole.last < this.last) throw new RangeError(`history ends at ${whole.last}`);
    this.#base = this.#near = whole.#base;
    this.#head = whole.#head;
    this.#kept = whole.#kept;
    this.#events = whole.#events;
  }

  /** Whether the position after event `seq` is known. @param {number} seq */
  has(seq) {
    return Number.isInteger(seq) && seq >= this.first && seq <= this.last;
  }

  /** Event number `seq`, if it is known. @param {number} seq @returns {Event | undefined} */
  event(seq) {
    return this.#events[seq - this.#base.seq - 1];
  }

  /**
   * The room after event `seq`.
   * @param {number} seq
   * @returns {Moment}
   * @throws {RangeError} It is not known.
   */
  at(seq) {
    if (seq === this.last) return this.#head;
    if (!this.has(seq)) throw new RangeError(`event ${seq} is not known`);
    const gone = seq - this.#base.seq;
    const kept = this.#kept[Math.floor(gone / STRIDE)];
    const near = this.#near;
    let moment = near.seq <= seq && near.seq > kept.seq ? near : kept;
    while (moment.seq < seq) moment = after(moment, this.#events[moment.seq - this.#base.seq]);
    this.#near = moment;
    return moment;
  }

  /** @param {Moment} base */
  #reset(base) {
    this.#base = this.#head = this.#near = base;
    this.#kept = [base];
    this.#events = [];
  }
}

/**
 * The moment that an event leads to.
 * @param {Moment} before
 * @param {Event} event
 * @returns {Moment}
 */
function after(before, event) {
  const { seq, at, by, name } = event;
  const news = by && name && before.names[by] !== name;
  return {
    seq,
    at,
    table: event.fx && !event.board ? fold(event.fx, before.table) : before.table,
    moves: event.moves ?? before.moves,
    score: event.score ?? before.score,
    status: event.result ?? before.status,
    names: news ? { ...before.names, [by]: name } : before.names,
    event,
  };
}
