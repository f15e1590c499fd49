/**
 * The cards that a running game has shown, each proved to have been there from the first.
 *
 * Promises: an opening counts if it leads to the root and nothing else is opened at its position.
 */

/** @import { Table } from "../protocol/table.js" */
/** @import { Check } from "./fault.js" */
/** @import { Replay } from "./file.js" */
/** @import { Rules } from "./rules/rules.js" */

import { fromHex, toHex } from "../protocol/hashing.js";
import { CARDS } from "./deals.js";
import { Fault, ok, open } from "./fault.js";
import { climbed, leafOf } from "./tree.js";

/** Bytes of a salt. */
const SALT = 16;
/** The most shuffles that are committed to one by one. */
export const MOST_SHUFFLES = 64;
const SEED = /^[0-9a-f]{64}$/;

/**
 * How a start is committed to: so many cards, and behind them so many seeds of shuffles.
 * @typedef {{cards: number, shuffles: number}} Size
 */

/**
 * @param {Rules} rules
 * @param {Table} start  cards may be hidden
 * @returns {Size}
 */
export function sizeOf(rules, { piles, counters }) {
  const cards = rules.piles.reduce((sum, pile) => sum + piles[pile].length, 0);
  return { cards, shuffles: Math.min(counters.shuffles ?? 0, MOST_SHUFFLES) };
}

/**
 * What is opened, by its position.
 * @typedef {Map<number, string>} Items
 */

/**
 * @param {Replay} replay
 * @param {Size | null} size  null: no start has been shown
 * @returns {{items: Items, check: Check}}
 * @throws {Fault} An opening proves nothing.
 */
export function opened({ events, openings = [] }, size) {
  /** @type {Items} */
  const items = new Map();
  const { fair } = events[0];
  const over = events.some(({ kind }) => kind === "ended");
  if (!fair) {
    if (openings.length) throw new Fault("Cards are opened of a room that promised none.");
    return { items, check: open("This room has made no promise about its cards.") };
  }
  if (!size && openings.length) throw new Fault("Cards are opened before any was dealt.");
  for (const opening of openings) {
    const [position, item, salt, path] = opening;
    const { cards, shuffles } = /** @type {Size} */ (size);
    const all = cards + shuffles;
    if (opening.length !== 4 || !Number.isInteger(position) || position < 0 || position >= all)
      throw new Fault(`There is no position ${String(position).slice(0, 20)} to be opened.`);
    if (items.has(position)) throw new Fault(`Position ${position} is opened twice.`);
    if (position < cards ? !CARDS.has(item) : !SEED.test(item))
      throw new Fault(`What lay at position ${position} is no card.`);
    const root = climbed(leafOf(bytes(salt, SALT), position, item), position, all, siblings(path));
    if (!root || toHex(root) !== fair.root)
      throw new Fault(`${item} at position ${position} is not what the room promised.`);
    items.set(position, item);
  }
  if (over) return { items, check: ok("The game has ended: all cards are open.") };
  const [n, s] = [items.size, items.size === 1 ? "" : "s"];
  return { items, check: ok(`${n} opened card${s}: each lay there from the first.`) };
}

/** @param {unknown} path */
function siblings(path) {
  if (!Array.isArray(path)) throw new Fault("The path of an opening cannot be read.");
  return path.map((hex) => bytes(hex, 32));
}

/** @param {unknown} hex @param {number} size */
function bytes(hex, size) {
  if (typeof hex !== "string" || !/^[0-9a-f]*$/.test(hex) || hex.length !== size * 2)
    throw new Fault("An opening cannot be read.");
  return fromHex(hex);
}
