/**
 * How long to wait before connecting again: at random, so that not everybody comes at once.
 *
 * Promises: the first wait is short; waits grow while no connection turns out to be a good one.
 */

/** Upper bound of the first wait, in milliseconds; it doubles each time. */
const FIRST = 500;
/** The most that upper bound grows to. */
const MOST = 5_000;
/** Milliseconds after which a connection counts as a good one. */
const GOOD = 5_000;
/** As a server closes that is being restarted. */
const GOING_AWAY = 4503;
/** When it wants us back, in milliseconds, somewhere in what it says. */
const RETRY = /retry_ms=([0-9]{1,9})\b/;
/** The longest that it may ask us to stay away. */
const MAX_AWAY = 60_000;

export class Delays {
  #tries = 0;
  #since = Infinity;

  /** Begin with short waits again. */
  reset() {
    this.#tries = 0;
  }

  /** The server has welcomed us. */
  greeted() {
    this.#since = performance.now();
  }

  /**
   * The next wait, in milliseconds.
   * @param {number} code  why the connection ended
   * @param {string} [reason]  what the server said of it
   */
  next(code, reason = "") {
    if (performance.now() - this.#since > GOOD) {
      this.#tries = 0;
    }
    this.#since = Infinity;
    const most = Math.min(FIRST * 2 ** this.#tries, MOST);
    this.#tries = Math.min(this.#tries + 1, 8);
    const away = code === GOING_AWAY ? Number(RETRY.exec(reason)?.[1] ?? FIRST) : 0;
    return Math.min(away, MAX_AWAY) + Math.random() * most;
  }
}
