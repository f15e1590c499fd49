/**
 * The cards that a running game has shown, each proved to have been there from the first.
 *
 * Promises: an opening counts if it leads to the root and nothing else is opened at its position.
 */

/** @import { Fact } from "../protocol/messages.js" */
/** @import { Table } from "../protocol/table.js" */
/** @import { Check } from "./fault.js" */
/** @import { Opening, Replay } from "./file.js" */
/** @import { Rules } from "./rules/rules.js" */

import { fromHex, toHex } from "../protocol/hashing.js";
import { isUp } from "./cards.js";
import { CARDS } from "./deals.js";
import { Fault, never, ok } from "./fault.js";
import { climbed, leafOf } from "./tree.js";

const NONE = never(
  "This game carries no commitments: nothing proves its cards one by one.",
  "no commitments",
);
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
 * @throws {Fault} An opening proves nothing, or one is missing.
 */
export function opened({ events, openings = [] }, size) {
  const { fair } = events[0];
  if (!fair) {
    if (openings.length) throw new Fault("Cards are opened of a room that promised none.");
    return { items: new Map(), check: NONE };
  }
  if (!size && openings.length) throw new Fault("Cards are opened before any was dealt.");
  const items = proved(openings, size ?? { cards: 0, shuffles: 0 }, fair.root);
  if (events.some(({ kind }) => kind === "ended"))
    return { items, check: ok("The game has ended: every card is open.") };
  const known = new Set(items.values());
  for (const { seq, fx = [] } of events) {
    const missing = fx.flatMap(named).find((card) => !known.has(card));
    if (missing) throw new Fault(`Nothing proves the ${missing} that was shown.`, { event: seq });
  }
  const [n, s] = [items.size, items.size === 1 ? "" : "s"];
  return { items, check: ok(`${n} open card${s}, proved to have lain there from the first.`) };
}

/** The cards that a fact names. @param {Fact} fact */
function named([kind, , ...rest]) {
  const cells = kind === "mv" ? rest[1] : kind === "set" ? rest[0] : kind === "up" ? [rest[0]] : [];
  return /** @type {string[]} */ (cells).filter(isUp);
}

/**
 * @param {Opening[]} openings
 * @param {Size} size
 * @param {string} root
 */
function proved(openings, { cards, shuffles }, root) {
  /** @type {Items} */
  const items = new Map();
  const [all, seen] = [cards + shuffles, new Set()];
  for (const opening of openings) {
    const [position, item, salt, path] = opening;
    if (opening.length !== 4 || !Number.isInteger(position) || position < 0 || position >= all)
      throw new Fault(`There is no position ${String(position).slice(0, 20)} to be opened.`);
    if (position < cards ? !CARDS.has(item) : !SEED.test(item))
      throw new Fault(`What lay at position ${position} is no card.`);
    if (items.has(position) || seen.has(item))
      throw new Fault(`${item} or its place is opened twice.`);
    const leaf = leafOf(bytes(salt, SALT), position, item);
    const there = climbed(leaf, position, all, siblings(path));
    if (!there || toHex(there) !== root)
      throw new Fault(`${item} at position ${position} is not what the room promised.`);
    items.set(position, item);
    seen.add(item);
  }
  return items;
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
