/**
 * What the rules of every game say, and what is the same for all five.
 *
 * Rules look at full tables only. Promises: whether a move is legal never depends on a card that
 * lies face down. Never: a clock, chance of their own.
 *
 * @import { Fact, Piles } from "../../protocol/messages.js"
 * @import { Table } from "../../protocol/table.js"
 */

import { isKnown, isUp, rankOf, suitOf, upAtEnd } from "../cards.js";
import { DECK } from "../deals.js";

/**
 * `carry`: the `count` last cards of a pile go to another; the rules may imply how many, and
 * which of several piles.
 * @typedef {{kind: "carry", from: string, to: string, count: number}} Carry
 * @typedef {Carry | {kind: "draw" | "recycle" | "shuffle"}} Move
 */
/** An outcome of chance: the piles, in another order. @typedef {(pool: string[][]) => string[][]} Chance */
/**
 * One game with its options. `piles`: their names, in the order of the layout; `lines`: every move
 * by how the log writes it; `isIdle`: whether a legal move shows nothing new and settles nothing;
 * `check`: what no play can have brought about, if anything.
 * @typedef {{
 *   piles: readonly string[],
 *   lines: ReadonlyMap<string, Move>,
 *   deal(deck: readonly string[]): Table,
 *   allows(table: Table, move: Move): boolean,
 *   effect(table: Table, move: Move, chance: Chance): Fact[],
 *   isWon(table: Table): boolean,
 *   isIdle(table: Table, move: Move): boolean,
 *   score(table: Table): number,
 *   check(table: Table): string | null,
 * }} Rules
 */
/** @typedef {Record<string, string>} Options */

/** Whether the first card may lie on the second. @typedef {(card: string, below: string) => boolean} Fits */

/** @type {Fits} */
export const upInSuit = (card, below) =>
  rankOf(card) === rankOf(below) + 1 && suitOf(card) === suitOf(below);

/** Whether each card fits on the one before it. @param {readonly string[]} cards @param {Fits} fits */
export const isRun = (cards, fits) => cards.every((card, n) => !n || fits(card, cards[n - 1]));

/** The names of numbered piles. @param {string} name @param {number} count */
export const numbered = (name, count) =>
  Array.from({ length: count }, (_, n) => `${name}-${n + 1}`);

/**
 * The lines that carry cards from one of some piles to one of others, a pile named by its word.
 * @param {string} word
 * @param {Record<string, string>} from
 * @param {Record<string, string>} to
 * @param {number} [most]  cards at once, where the line says how many
 * @returns {[string, Move][]}
 */
export function carries(word, from, to, most) {
  /** @type {[string, Move][]} */
  const lines = [];
  for (const [a, source] of Object.entries(from))
    for (const [b, target] of Object.entries(to))
      for (let count = 1; count <= (most ?? 1); count++) {
        const words = [word, a, b, most ? String(count) : ""].filter(Boolean);
        lines.push([words.join(" "), { kind: "carry", from: source, to: target, count }]);
      }
  return lines;
}

/** Piles by their numbers, from 1. @param {readonly string[]} piles */
export const byNumber = (piles) =>
  Object.fromEntries(piles.map((pile, n) => [String(n + 1), pile]));

/**
 * Seven rounds, round r giving one card to each of the columns r..7, the first of each face up.
 * @param {readonly string[]} deck
 * @param {readonly string[]} columns
 * @returns {{piles: Piles, rest: string[]}}
 */
export function inRounds(deck, columns) {
  /** @type {Piles} */
  const piles = Object.fromEntries(columns.map((column) => [column, []]));
  let at = 0;
  columns.forEach((_, round) =>
    columns.slice(round).forEach((column, n) => piles[column].push(deck[at++] + (n ? "-" : ""))),
  );
  return { piles, rest: deck.slice(at) };
}

/**
 * What is wrong with a table before its game is looked at: its piles, or its cards.
 * @param {Table} table
 * @param {readonly string[]} names
 * @param {readonly string[] | null} deck  the cards that must be there; null: any of a deck
 */
export function misfit({ piles }, names, deck) {
  const odd = Object.keys(piles).find((pile) => !names.includes(pile));
  if (odd !== undefined) return `this game has no pile ${odd}`;
  const missing = names.find((pile) => !Object.hasOwn(piles, pile));
  if (missing) return `${missing} is missing`;
  const cells = names.flatMap((pile) => piles[pile]);
  if (!cells.every(isKnown)) return "a card has no name";
  const cards = new Set(cells.map((cell) => cell.slice(0, 2)));
  if (cards.size < cells.length) return "a card lies there twice";
  if (deck && (cards.size !== deck.length || !deck.every((card) => cards.has(card))))
    return "not every card is there";
  return null;
}

/**
 * What is wrong with columns: face-up cards that are a run, on face-down ones.
 * @param {Table} table
 * @param {readonly string[]} columns
 * @param {Fits} fits
 */
export function wrongColumn({ piles }, columns, fits) {
  for (const column of columns) {
    const cells = piles[column];
    const up = upAtEnd(cells);
    const below = cells.slice(0, cells.length - up);
    if ((cells.length && !up) || below.some(isUp))
      return `${column} must be face-up cards on face-down ones`;
    if (!isRun(cells.slice(cells.length - up), fits))
      return `the open cards of ${column} are no run`;
  }
  return null;
}

/** Whether a pile is a suit from its ace up, face up. @param {readonly string[]} cells */
export const isFoundation = (cells) =>
  cells.every(isUp) && (!cells.length || rankOf(cells[0]) === 1) && isRun(cells, upInSuit);

/**
 * Whether cards only leave a run that stays open for another one.
 * @param {readonly string[]} cells
 * @param {number} count  of cards that leave
 */
export const leavesOpen = (cells, count) =>
  cells.length === count || isUp(cells[cells.length - count - 1]);

/** How many cards lie on some piles. @param {Table} table @param {readonly string[]} names */
export const countOn = ({ piles }, names) =>
  names.reduce((sum, name) => sum + piles[name].length, 0);

export const ALL = DECK.length;

/**
 * The options of a game, as text.
 * @param {Options} given
 * @param {Options} usual
 * @returns {Options}
 * @throws {RangeError} There is no such option.
 */
export function settled(given, usual) {
  const odd = Object.keys(given).find((name) => !Object.hasOwn(usual, name));
  if (odd !== undefined) throw new RangeError(`this game has no option ${odd}`);
  return { ...usual, ...given };
}

/**
 * A whole number from 0 to 99.
 * @param {string} name
 * @param {string} text
 * @throws {RangeError} It is none.
 */
export function numberOf(name, text) {
  if (typeof text !== "string" || !/^[0-9]{1,2}$/.test(text))
    throw new RangeError(`${name} is no number from 0 to 99`);
  return Number(text);
}
