/**
 * What a check finds wrong, and where.
 *
 * @typedef {{status: "ok" | "failed" | "open", why: string, event?: number, line?: number,
 *   moot?: true, word?: string}} Check
 *   `why`: a sentence; `event` or `line`: the first that does not fit; `moot`: nothing was claimed;
 *   `word`: in the place of “not known yet” or “verified”, where there is nothing to be known, ever
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

/** It holds. @param {string} why @param {string} [word] @returns {Check} */
export const ok = (why, word) => ({ status: "ok", why, ...(word && { word }) });
/** It cannot be known yet. @param {string} why @returns {Check} */
export const open = (why) => ({ status: "open", why });

/** Nobody will ever know it. @param {string} why @param {string} word @returns {Check} */
export const never = (why, word) => ({ status: "open", why, word });

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
