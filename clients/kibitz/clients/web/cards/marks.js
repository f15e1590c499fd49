/**
 * The signs on cards as path data: suits, ranks, and how a sign is put somewhere.
 *
 * Promises: all signs lie about the origin, so a negative scale turns or mirrors them.
 * Never: elements, colours.
 */

/** Each suit, about 20 high. @type {Record<string, string>} */
export const SUITS = {
  s:
    "M0-10.5c2.6 4.9 9.4 8.4 9.4 13.6c0 2.9-2.1 4.6-4.5 4.6c-1.9 0-3.3-.7-4.1-2" +
    "c.2 2.2 1.2 3.5 3.3 4.3h-8.2c2.1-.8 3.1-2.1 3.3-4.3" +
    "c-.8 1.3-2.2 2-4.1 2c-2.4 0-4.5-1.7-4.5-4.6c0-5.2 6.8-8.7 9.4-13.6z",
  h:
    "M0-5.8c.7-2.4 2.5-3.8 4.8-3.8c2.7 0 4.9 2.1 4.9 5.2c0 5.4-8.5 9.6-9.7 14.2" +
    "c-1.2-4.6-9.7-8.8-9.7-14.2c0-3.1 2.2-5.2 4.9-5.2c2.3 0 4.1 1.4 4.8 3.8z",
  d:
    "M0-10.6c1.7 3.6 4.4 7.2 7.8 10.6c-3.4 3.4-6.1 7-7.8 10.6c-1.7-3.6-4.4-7.2-7.8-10.6" +
    "c3.4-3.4 6.1-7 7.8-10.6z",
  c:
    "M0-5.6o4.6M5.3 2.1o4.6M-5.3 2.1o4.6M0-5l1.7 0l1.2 5l-2.2 1.7c.2 3.7 1.2 6.7 3.4 8.3h-8.2" +
    "c2.2-1.6 3.2-4.6 3.4-8.3l-2.2-1.7l1.2-5l1.7 0z",
};

/** Each rank as one line, about 12 wide and 16 high. @type {Record<string, string>} */
export const RANKS = {
  A: "M-5.8 8l5.8-16l5.8 16M-3.8 3h7.6",
  2: "M-4.9-3.8c.2-2.7 2.2-4.2 4.9-4.2c2.9 0 4.9 1.6 4.9 4.2c0 4-6.5 6.7-10 11.8h10.4",
  3: "M-4.7-8h9.2l-5.3 6.2c3.6 0 5.9 1.9 5.9 4.9c0 3-2.3 4.9-5.4 4.9c-2.5 0-4.3-1-5.1-3",
  4: "M2.4 8v-16l-8.2 11.6h11.5",
  5:
    "M4.5-8h-8.1l-.8 7.2c1.1-1 2.5-1.6 4.1-1.6c3.1 0 5.4 2.1 5.4 5.1c0 3.2-2.3 5.3-5.4 5.3" +
    "c-2.3 0-4.1-.9-5-2.6",
  6:
    "M3.6-7.2c-5.3-2.3-8.7 2.6-8.7 9.9M5.1 2.8c0 3.1-2.1 5.2-5.1 5.2c-3 0-5.1-2.1-5.1-5.2" +
    "c0-3 2.1-5.1 5.1-5.1c3 0 5.1 2.1 5.1 5.1z",
  7: "M-5.1-8h10.2c-3.6 4.6-5.9 9.6-6.5 16",
  8:
    "M0-8c2.7 0 4.6 1.5 4.6 3.7c0 2.2-1.9 3.7-4.6 3.7c-2.7 0-4.6-1.5-4.6-3.7" +
    "c0-2.2 1.9-3.7 4.6-3.7zM0-.6c3.1 0 5.2 1.8 5.2 4.3c0 2.6-2.1 4.3-5.2 4.3" +
    "c-3.1 0-5.2-1.7-5.2-4.3c0-2.5 2.1-4.3 5.2-4.3z",
  9:
    "M-3.6 7.2c5.3 2.3 8.7-2.6 8.7-9.9M-5.1-2.8c0-3.1 2.1-5.2 5.1-5.2c3 0 5.1 2.1 5.1 5.2" +
    "c0 3-2.1 5.1-5.1 5.1c-3 0-5.1-2.1-5.1-5.1z",
  T:
    "M-6.6-6l2.6-2v16M3.2-8c2.6 0 3.8 2.6 3.8 8c0 5.4-1.2 8-3.8 8c-2.6 0-3.8-2.6-3.8-8" +
    "c0-5.4 1.2-8 3.8-8z",
  J: "M-1.6-8h5.4v11.3c0 3-1.7 4.7-4.3 4.7c-2.6 0-4.2-1.5-4.4-4.1",
  Q:
    "M0-8c3.5 0 5.7 2.9 5.7 8c0 5.1-2.2 8-5.7 8c-3.5 0-5.7-2.9-5.7-8c0-5.1 2.2-8 5.7-8zM.8 3.4" +
    "l5.2 5.6",
  K: "M-4.8-8v16M5-8l-9.8 10.2M-1.4-1.4l6.9 9.4",
};

const STEP = /([a-z])([^a-z]*)/gi;
const NUMBER = /-?(?:\d*\.\d+|\d+)/g;

/** A circle about the point last moved to, as curves. @param {number} r */
function circle(r) {
  const k = r * 0.5523,
    o = r - k;
  return (
    `m${-r} 0c0 ${-k} ${o} ${-r} ${r} ${-r}c${k} 0 ${r} ${o} ${r} ${r}` +
    `c0 ${k} ${-o} ${r} ${-r} ${r}c${-k} 0 ${-r} ${-o} ${-r} ${-r}z`
  );
}

/**
 * Path data moved to a point and scaled. Without `a`; `o` is a circle
 * of that radius about the point last moved to, capital letters are places, not ways.
 * @param {string} data
 * @param {number} x
 * @param {number} y
 * @param {number} [across]
 * @param {number} [down]
 */
export function put(data, x, y, across = 1, down = across) {
  return data.replace(STEP, (_, step, rest) => {
    const numbers = (rest.match(NUMBER) ?? []).map(Number);
    if (step === "o") return circle(Math.abs(numbers[0] * down));
    const away = step < "a";
    const scaled = numbers.map((/** @type {number} */ n, /** @type {number} */ at) => {
      const sideways = step === "h" || (step !== "v" && at % 2 === 0);
      const moved = sideways ? n * across + (away ? x : 0) : n * down + (away ? y : 0);
      return Math.round(moved * 100) / 100;
    });
    return step + scaled.join(" ");
  });
}
