/**
 * Whether something that was done here takes long to be written down.
 *
 * Promises: it is told after a second, not sooner, and once again when nothing waits any more.
 */

/** So long something may take before a word is lost about it, in milliseconds. */
const SLOW = 1000;

export class Saving {
  #tell;
  #late = 0;

  /** @param {(saving: boolean) => void} tell */
  constructor(tell) {
    this.#tell = tell;
  }

  /**
   * One more thing is done.
   * @returns {() => void} to be called once, when it is written down or never will be
   */
  begin() {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      if (this.#late++ === 0) this.#tell(true);
    }, SLOW);
    return () => {
      clearTimeout(timer);
      if (late && --this.#late === 0) this.#tell(false);
    };
  }
}
