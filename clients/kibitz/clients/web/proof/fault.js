/**
 * What a check finds wrong, and where.
 *
 * @typedef {{status: "ok" | "failed" | "open", why: string, event?: number, line?: number,
 *   moot?: true}} Check
 *   `why`: a sentence; `event` or `line`: the first that does not fit; `moot`: nothing was claimed
 */

/** Something does not hold; the message is a sentence for people. */
export class Fault extends Error {
  name = "Fault";

  /** @param {string} why @param {{event?: number, line?: number}} [where] */
  constructor(why, where = {}) {
    super(why);
    this.where = where;
  }
}

/** It holds. @param {string} why @returns {Check} */
export const ok = (why) => ({ status: "ok", why });
/** It cannot be known yet. @param {string} why @returns {Check} */
export const open = (why) => ({ status: "open", why });

/**
 * What came of a check; what it stumbles over does not hold either.
 * @param {() => Check} check
 * @returns {Check}
 */
export function tried(check) {
  try {
    return check();
  } catch (error) {
    if (error instanceof Fault) return { status: "failed", why: error.message, ...error.where };
    return { status: "failed", why: `It is not what a replay says: ${error}.` };
  }
}
