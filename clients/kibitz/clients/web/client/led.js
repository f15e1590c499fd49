/**
 * A playback that somebody leads: where it stands says the control of a replay room.
 *
 * Promises: in step with everybody else by the server's clock; whoever holds the controls goes where
 * he wants at once, and stands where the server says with its answer. Never: more than one control
 * on its way, or many a second; the newest wish replaces those that wait.
 */

/** @import {Control, Recorded} from "../protocol/messages.js" */
/** @import {Speed, Told} from "./playback.js" */

import { BEAT, Playback, SPEEDS } from "./playback.js";
import { dueAt, positionAt } from "./playhead.js";

/** The longest wait before it looks at the clock again, ms. */
const NAP = 30_000;
/** The shortest time from one control to the next, ms: every one is kept for good. */
const PAUSE = 200;

/** Events as of a playback, and `kept`: one who does not hold the controls wants to move. */
export class Led extends Playback {
  #recorded;
  #times;
  #now;
  #leads;
  #steer;
  #plays = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** What is wished for while another control is on its way. @type {Control | null} */
  #wish = null;
  #asking = false;
  /** When the last control was said. */
  #asked = -PAUSE;
  #rests = false;

  /**
   * @param {Told} past
   * @param {() => Recorded} recorded  how the replay room says it stands
   * @param {number[]} times  of the events
   * @param {() => number} now  ms since the replay room's creation, by the server's clock
   * @param {() => boolean} leads  whether this one holds the controls
   * @param {(control: Control) => Promise<unknown>} steer  asks the server
   */
  constructor(past, recorded, times, now, leads, steer) {
    super(past);
    this.#recorded = recorded;
    this.#times = times;
    this.#now = now;
    this.#leads = leads;
    this.#steer = steer;
    this.follow();
  }

  /** Stand where the control says, now and from now on. */
  follow() {
    if (this.#wish || this.#rests) return;
    clearTimeout(this.#timer);
    const recorded = this.#recorded();
    const now = this.#now();
    const position = positionAt(recorded, this.#times, now);
    const due = dueAt(recorded, this.#times, position + 1);
    this.#plays = due !== null;
    this.#stand(position, recorded.control.playing);
    if (due !== null) this.#timer = setTimeout(() => this.follow(), Math.min(due - now, NAP));
    const detail = { playing: this.playing, speed: this.speed };
    this.dispatchEvent(new CustomEvent("change", { detail }));
  }

  /** @param {number} seq @param {boolean} [playing] */
  #stand(seq, playing = false) {
    const step = Math.abs(seq - this.seq) === 1 ? "step" : "live";
    super.seek(seq, playing ? "play" : step);
  }

  /** Follow no longer. */
  rest() {
    this.#rests = true;
    this.#wish = null;
    clearTimeout(this.#timer);
  }

  get last() {
    return super.last;
  }

  /** What is shown does not grow. */
  set last(_) {}

  get playing() {
    return this.#plays;
  }

  get following() {
    return !this.#plays && this.seq === this.last;
  }

  /** The nearest that can be chosen here: another program may have said another one. @returns {Speed} */
  get speed() {
    const { beat, speed = 100 } = this.#control;
    if (beat !== undefined) return "beat";
    const off = (/** @type {Speed} */ each) => Math.abs(Math.log(Number(each) / (speed / 100)));
    return SPEEDS.filter(Number).reduce((best, each) => (off(each) < off(best) ? each : best));
  }

  set speed(speed) {
    this.#ask({ ...paceOf(speed), at: this.seq, playing: this.#goes });
  }

  /** @param {number} seq */
  seek(seq) {
    const at = Math.max(this.first, Math.min(this.last, Math.round(seq)));
    this.#ask({ ...this.#pace, at, playing: this.#goes && at < this.last });
  }

  step(by = 1) {
    const way = Math.sign(by);
    let at = this.seq + by;
    while (at > this.first && at < this.last && !this.concerns(at)) at += way;
    at = Math.max(this.first, Math.min(this.last, at));
    this.#ask({ ...this.#pace, at, playing: false });
  }

  play() {
    const at = this.seq < this.last ? this.seq : this.opening;
    this.#ask({ ...this.#pace, at, playing: true });
  }

  replay() {
    this.#ask({ ...this.#pace, at: this.opening, playing: true });
  }

  pause() {
    this.#ask({ ...this.#pace, at: this.seq, playing: false });
  }

  /** What was said last, or what is going to be. */
  get #control() {
    return this.#wish ?? this.#recorded().control;
  }

  get #goes() {
    return this.#wish ? Boolean(this.#wish.playing) : this.#plays;
  }

  get #pace() {
    return paceOf(this.speed);
  }

  /** @param {Control} control */
  async #ask(control) {
    if (!this.#leads()) {
      this.dispatchEvent(new Event("kept"));
      return;
    }
    this.#wish = control;
    this.#stand(control.at);
    if (this.#asking) return;
    this.#asking = true;
    try {
      while (this.#wish) {
        const soon = Math.min(PAUSE, this.#asked + PAUSE - this.#now());
        if (soon > 0) await new Promise((done) => setTimeout(done, soon));
        /** @type {Control | null} */
        const wish = this.#wish;
        if (!wish) break;
        this.#asked = this.#now();
        await this.#steer(wish);
        if (this.#wish === wish) this.#wish = null;
      }
    } catch (error) {
      this.#wish = null;
      this.dispatchEvent(new CustomEvent("kept", { detail: error }));
    } finally {
      this.#asking = false;
      this.follow();
    }
  }
}

/** @param {Speed} speed @returns {{speed?: number, beat?: number}} */
function paceOf(speed) {
  return speed === "beat" ? { beat: BEAT } : { speed: speed * 100 };
}
