/**
 * Cells, facts in full and as everybody may see them, and how facts are taken back.
 *
 * A cell is `Qh` face up and `Qh-` face down but known. Promises: facts in and out are those of the
 * wire. Never: a rule of a game.
 */

/** @import { Fact, Piles } from "../protocol/messages.js" */
/** @import { Table } from "../protocol/table.js" */

import { CARDS, RANKS } from "./deals.js";

export const HIDDEN = "??";

/** The card in a cell. @param {string} cell */
export const cardOf = (cell) => cell.slice(0, 2);
/** @param {string} cell */
export const isUp = (cell) => cell.length === 2 && cell !== HIDDEN;
/** The cell of a card, face down. @param {string} cell */
export const down = (cell) => `${cardOf(cell)}-`;
/** 1 for an ace, 13 for a king. @param {string} card */
export const rankOf = (card) => RANKS.indexOf(card[0]) + 1;
/** @param {string} card */
export const suitOf = (card) => card[1];
/** @param {string} card */
export const isRed = (card) => "dh".includes(card[1]);
/** Whether a cell names a card. @param {string} cell */
export const isKnown = (cell) => CARDS.has(cardOf(cell));

/** The card that can be taken; null: there is none, or it lies face down. @param {readonly string[]} pile */
export function topOf(pile) {
  const cell = pile.at(-1);
  return cell !== undefined && isUp(cell) ? cell : null;
}

/** How many cells at the end of a pile lie face up. @param {readonly string[]} pile */
export function upAtEnd(pile) {
  let count = 0;
  while (count < pile.length && isUp(pile[pile.length - 1 - count])) count++;
  return count;
}

/**
 * The last cards of a pile go to another, and what they uncover is turned up.
 * @param {Table} table
 * @param {string} from
 * @param {string} to
 * @param {number} [count]
 * @returns {Fact[]}
 */
export function taken({ piles }, from, to, count = 1) {
  const kept = piles[from].length - count;
  /** @type {Fact[]} */
  const facts = [["mv", from, to, piles[from].slice(kept)]];
  const under = piles[from][kept - 1];
  if (under !== undefined && !isUp(under)) facts.push(["up", from, cardOf(under)]);
  return facts;
}

/** @param {string} cell */
const hidden = (cell) => (isUp(cell) ? cell : HIDDEN);

/** A fact as everybody is told it. @param {Fact} fact @returns {Fact} */
export function redacted(fact) {
  const [kind, name, ...rest] = fact;
  switch (kind) {
    case "mv":
      return [kind, name, rest[0], rest[1].map(hidden)];
    case "set":
      return [kind, name, rest[0].map(hidden)];
    case "dn":
      return [kind, name];
    default:
      return fact;
  }
}

/** All piles as everybody sees them. @param {Piles} piles @returns {Piles} */
export function redactedPiles(piles) {
  return Object.fromEntries(
    Object.entries(piles).map(([pile, cells]) => [pile, cells.map(hidden)]),
  );
}

/** The facts that lay out a table where nothing lies. @param {Table} table @returns {Fact[]} */
export function laid({ piles, counters }) {
  return [
    ...Object.entries(piles).map(([pile, cells]) => /** @type {Fact} */ (["set", pile, cells])),
    ...Object.entries(counters).map(([name, n]) => /** @type {Fact} */ (["count", name, n])),
  ];
}

/**
 * The fact that takes one back.
 * @param {Fact} fact
 * @param {Table} before  what it happened to
 * @returns {Fact}
 */
export function inverse([kind, name, ...rest], { piles, counters }) {
  switch (kind) {
    case "mv":
      return ["mv", rest[0], name, piles[name].slice(piles[name].length - rest[1].length)];
    case "set":
      return ["set", name, piles[name]];
    case "count":
      return ["count", name, counters[name] ?? null];
    default: {
      const cell = piles[name][piles[name].length - 1];
      return [isUp(cell) ? "up" : "dn", name, cell];
    }
  }
}
