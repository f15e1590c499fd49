/**
 * The past of a room: every position by the number of its event.
 *
 * Promises: a position is worked out from the events alone, the same on every visit; any one of
 * 5,000 is there in well under 2 ms, also while new events come in. What is not known yet is
 * refused, never guessed. Never: rules, a clock, the DOM. Nothing that was handed out changes.
 *
 * @import {BoardView, Event, View} from "../protocol/messages.js"
 * @import {Table} from "../protocol/table.js"
 */

import { begun } from "../protocol/course.js";
import { after as viewAfter } from "../protocol/mirror.js";
import { EMPTY } from "../protocol/table.js";

export { isWaiting, standings } from "../protocol/course.js";

/**
 * The room after one event. `at` is in milliseconds since the room was created; `names` are the
 * display names seen so far, by identity; `event` is what led here, `null` where a view did. What
 * lies where is in the `view`; `table`, `moves` and `score` are those of its first board.
 * @typedef {{seq: number, at: number, view: View, table: Table, moves: number, score: number,
 *   status: string, names: Readonly<Record<string, string>>, event: Event | null}} Moment
 */

/** Events between two moments that are kept. Tables share their piles, so one costs little. */
const STRIDE = 16;

const NOTHING = moment(0, 0, begun({ t: "event", room: "", seq: 0, at: 0, kind: "created" }), {});

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
  /** Boards of a race that this viewer may not see. @type {Set<number>} */
  #hidden = new Set();

  /**
   * The past that a whole list of events tells.
   * @param {Iterable<Event>} events numbered 1, 2, 3, ...
   * @param {readonly BoardView[]} [boards] as they are now: which of them are hidden
   * @returns {Past}
   */
  static of(events, boards = []) {
    const past = new Past();
    past.#hidden = new Set(boards.flatMap(({ hidden }, n) => (hidden ? [n] : [])));
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
    /** @type {Record<string, string>} */
    const names = {};
    for (const seat of view.seats) if (seat.id && seat.name) names[seat.id] = seat.name;
    this.#reset(moment(seq, at, view, names));
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
    this.#head = after(this.#head, event, this.#hidden);
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
    const whole = Past.of(events, this.#head.view.boards);
    for (const event of this.#events) whole.add(event);
    if (whole.last < this.last) throw new RangeError(`history ends at ${whole.last}`);
    this.#base = this.#near = whole.#base;
    this.#head = whole.#head;
    this.#kept = whole.#kept;
    this.#events = whole.#events;
    this.#hidden = whole.#hidden;
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
    while (moment.seq < seq)
      moment = after(moment, this.#events[moment.seq - this.#base.seq], this.#hidden);
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
 * @param {Set<number>} hidden
 * @returns {Moment}
 */
function after(before, event, hidden) {
  const { seq, at, by, name, kind } = event;
  const news = by && name && before.names[by] !== name;
  const names = news ? { ...before.names, [by]: name } : before.names;
  const view = viewAfter(kind === "created" ? unseen(begun(event), hidden) : before.view, event);
  return moment(seq, at, view, names, event);
}

/** @param {View} view @param {Set<number>} hidden @returns {View} */
function unseen(view, hidden) {
  if (!hidden.size) return view;
  const boards = view.boards.map((board, n) =>
    hidden.has(n) ? { ...board, hidden: true } : board,
  );
  return { ...view, boards };
}

/**
 * @param {number} seq
 * @param {number} at
 * @param {View} view
 * @param {Record<string, string>} names
 * @param {Event | null} [event]
 * @returns {Moment}
 */
function moment(seq, at, view, names, event = null) {
  const { moves, score } = view.boards[0] ?? { moves: 0, score: 0 };
  const table = view.boards[0] ?? EMPTY;
  return { seq, at, view, table, moves, score, status: view.status, names, event };
}
