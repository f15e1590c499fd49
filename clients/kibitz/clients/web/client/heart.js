/**
 * Whether the server is still there: a question every ten seconds, an answer within five.
 *
 * Promises: tells once of a server that is silent; leaves no timer when stopped.
 */

/** Milliseconds between an answer and the next question. */
const REST = 10_000;
/** The same when something seems to be missing. */
const SHORT_REST = 1_000;
/** Milliseconds in which something must be heard. */
const PATIENCE = 5_000;

export class Heart {
  #ask;
  #dead;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #asking = false;
  #heard = false;

  /**
   * @param {() => void} ask  asks the question
   * @param {() => void} dead  nobody answers
   */
  constructor(ask, dead) {
    this.#ask = ask;
    this.#dead = dead;
  }

  start() {
    this.answered();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#asking = false;
  }

  /** Something came from the server: a long queue of events may be before the answer. */
  heard() {
    this.#heard = true;
  }

  /**
   * The answer is here.
   * @param {boolean} isHurried  whether to ask again soon
   */
  answered(isHurried = false) {
    this.stop();
    this.#timer = setTimeout(() => this.askNow(), isHurried ? SHORT_REST : REST);
  }

  /** Ask now, unless that is under way. */
  askNow() {
    if (!this.#asking) {
      this.#asking = true;
      this.#wait();
      this.#ask();
    }
  }

  #wait() {
    clearTimeout(this.#timer);
    this.#heard = false;
    this.#timer = setTimeout(() => {
      if (this.#heard) {
        this.#wait();
      } else {
        this.stop();
        this.#dead();
      }
    }, PATIENCE);
  }
}
