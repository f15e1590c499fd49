/**
 * Where in a past one stands, and how time passes there.
 *
 * Promises: events follow each other as they did when they happened, a pause cut to 3 s, divided by
 * the speed; or to a fixed beat. What moves no card passes at once, a remark stays for a moment.
 * Waits are counted from when they began, so late timers do not add up. Who stands at the end goes
 * along when it grows. Of a race one board is looked at, and what is about others passes too.
 * Never: the DOM, a timer while nothing plays.
 *
 * @import {Event as Happening} from "../protocol/messages.js"
 */

/** @typedef {0.5 | 1 | 2 | 4 | 8 | 16 | "beat"} Speed */
/** @typedef {"seek" | "step" | "play" | "live"} Why */
/**
 * What is needed of a past.
 * @typedef {{first: number, last: number, event(seq: number): Happening | undefined}} Told
 */
/**
 * @typedef {{now(): number, set(done: () => void, ms: number): unknown, clear(timer: any): void}}
 *   Clock
 */

/** Kinds of events that are about one board of a race; the others are about all of them. */
const ON_A_BOARD = new Set("move undo redo restart stuck saved hidden".split(" "));

/** The speeds there are, slowest first. @type {readonly Speed[]} */
export const SPEEDS = [0.5, 1, 2, 4, 8, 16, "beat"];
/** The longest wait between two events, ms. */
export const LONGEST = 3000;
/** The wait between two events where the speed is a beat, ms. */
export const BEAT = 700;
/** The shortest time that a remark stays, ms. */
export const REMARK = 1200;
/** A timer that is later than this was asleep with its machine: go on as if it had not been. */
const ASLEEP = 1000;

/** @type {Clock} */
const REAL = {
  now: () => performance.now(),
  set: (done, ms) => setTimeout(done, ms),
  clear: (timer) => clearTimeout(timer),
};

/**
 * Events: `seek` (detail `{seq, from, why}`) when it stands elsewhere, `change` (detail
 * `{playing, speed}`) when one of these is another.
 */
export class Playback extends EventTarget {
  /** @type {Told} */
  #past;
  #clock;
  /** Index of the board that is looked at. */
  board = 0;
  #seq = 0;
  #last = 0;
  #playing = false;
  /** @type {Speed} */
  #speed = 1;
  /** When the present wait began. */
  #since = 0;
  /** @type {unknown} */
  #timer = null;

  /**
   * @param {Told} past
   * @param {Clock} [clock]
   */
  constructor(past, clock = REAL) {
    super();
    this.#past = past;
    this.#clock = clock;
    this.#seq = this.#last = past.last;
  }

  /** The same events in another form, say with open cards; where one stands stays. */
  get past() {
    return this.#past;
  }

  set past(past) {
    this.#past = past;
  }

  /** The first event there is a position for. */
  get first() {
    return this.#past.first;
  }

  /** The number of the last event; who stands there goes along when it grows. */
  get last() {
    return this.#last;
  }

  set last(last) {
    const there = this.following;
    this.#last = last;
    if (there || this.#seq > last || this.#seq < this.first) this.#go(last, "live");
  }

  get seq() {
    return this.#seq;
  }

  /** Whether one stands at the end and goes along with it. */
  get following() {
    return !this.#playing && this.#seq === this.#last;
  }

  get playing() {
    return this.#playing;
  }

  get speed() {
    return this.#speed;
  }

  set speed(speed) {
    this.#speed = speed;
    this.#tell();
    if (this.#playing) this.#wait();
  }

  /** Stand at an event. @param {number} seq @param {Why} [why] */
  seek(seq, why = "seek") {
    this.#go(Math.max(this.first, Math.min(this.#last, Math.round(seq))), why);
    if (!this.#playing) return;
    if (this.#seq === this.#last) this.pause();
    else this.#begin();
  }

  /** Forward, or back with a negative number; whoever steps wants it to stand still. */
  step(by = 1) {
    this.pause();
    const way = Math.sign(by);
    let seq = this.#seq + by;
    while (seq > this.first && seq < this.#last && !this.concerns(seq)) seq += way;
    this.seek(seq, "step");
  }

  /** Whether an event is about the board that is looked at, or about all. @param {number} seq */
  concerns(seq) {
    const event = this.#past.event(seq);
    return !event || !ON_A_BOARD.has(event.kind) || (event.board ?? 0) === this.board;
  }

  /** To the beginning. */
  home() {
    this.seek(this.first);
  }

  /** To the end. */
  end() {
    this.seek(this.#last);
  }

  /** Where the cards are dealt: of a race, after all have come. */
  get opening() {
    let seq = this.first;
    if (this.#past.event(seq)?.mode !== "race") return seq;
    while (seq < this.#last && this.#past.event(seq)?.kind !== "dealt") seq += 1;
    return seq < this.#last ? seq : this.first;
  }

  /** Let time pass; at the end it begins again from the start. */
  play() {
    if (this.#playing || this.#last <= this.first) return;
    if (this.#seq >= this.#last) this.seek(this.opening);
    this.#playing = true;
    this.#tell();
    this.#begin();
  }

  /** Once more, from the deal on. */
  replay() {
    this.seek(this.opening);
    this.play();
  }

  pause() {
    this.#clear();
    if (!this.#playing) return;
    this.#playing = false;
    this.#tell();
  }

  /**
   * How long the event at `seq` stays before `next` comes, ms.
   * @param {number} seq
   * @param {number} next
   */
  #stays(seq, next) {
    if (this.#speed === "beat") return BEAT;
    const here = this.#past.event(seq);
    const gap = (this.#past.event(next)?.at ?? 0) - (here?.at ?? 0);
    const least = here?.kind === "say" ? REMARK : 0;
    return Math.max(least, Math.min(LONGEST, gap)) / this.#speed;
  }

  /** Whether one came here with the next event about the board. @param {number} from */
  isNext(from) {
    let next = from + 1;
    while (next < this.#seq && !this.concerns(next)) next += 1;
    return next === this.#seq && this.concerns(next);
  }

  /** The next event worth a look, or the last. @param {number} seq */
  #next(seq) {
    let next = seq + 1;
    for (; next < this.#last; next++) {
      const event = this.#past.event(next);
      if (event?.kind === "say" || (event?.fx?.length && this.concerns(next))) break;
    }
    return Math.min(next, this.#last);
  }

  #begin() {
    this.#since = this.#clock.now();
    this.#wait();
  }

  /** Wait for what is left of the present wait. */
  #wait() {
    this.#clear();
    const due = this.#since + this.#stays(this.#seq, this.#next(this.#seq));
    this.#timer = this.#clock.set(() => this.#tick(), Math.max(0, due - this.#clock.now()));
  }

  #tick() {
    this.#timer = null;
    const now = this.#clock.now();
    let seq = this.#seq;
    while (seq < this.#last) {
      const next = this.#next(seq);
      const due = this.#since + this.#stays(seq, next);
      if (due > now + 0.5) break;
      seq = next;
      this.#since = now - due > ASLEEP ? now : due;
    }
    this.#go(seq, "play");
    if (!this.#playing || this.#timer !== null) return;
    if (seq === this.#last) this.pause();
    else this.#wait();
  }

  #clear() {
    if (this.#timer !== null) this.#clock.clear(this.#timer);
    this.#timer = null;
  }

  /** @param {number} seq @param {Why} why */
  #go(seq, why) {
    if (seq === this.#seq) return;
    const from = this.#seq;
    this.#seq = seq;
    this.dispatchEvent(new CustomEvent("seek", { detail: { seq, from, why } }));
  }

  #tell() {
    const detail = { playing: this.#playing, speed: this.#speed };
    this.dispatchEvent(new CustomEvent("change", { detail }));
  }
}
