/**
 * Aces Up: what a higher card of its suit beats is discarded, until only the aces are left.
 *
 * @import { Table } from "../../protocol/table.js"
 * @import { Move, Options, Rules } from "./rules.js"
 */

import { cardOf, isUp, rankOf, suitOf, topOf } from "../cards.js";
import { byNumber, carries, misfit, numbered, settled } from "./rules.js";

const [STOCK, FOUNDATION] = ["Stock", "Foundation"];
const COLUMNS = numbered("COLUMN", 4);
const PILES = [STOCK, FOUNDATION, ...COLUMNS];
const columns = byNumber(COLUMNS);
/** @type {ReadonlyMap<string, Move>} */
const LINES = new Map([
  ["d", { kind: "draw" }],
  ...carries("f", columns, { "": FOUNDATION }),
  ...carries("t", columns, columns),
]);

/** Aces are high. @param {string} card */
const height = (card) => (rankOf(card) === 1 ? 14 : rankOf(card));

/** @param {Table} table @param {string} from */
function isBeaten({ piles }, from) {
  const card = topOf(piles[from]);
  return COLUMNS.some((column) => {
    const other = topOf(piles[column]);
    const beats = card && other && suitOf(other) === suitOf(card) && height(other) > height(card);
    return beats && column !== from;
  });
}

/** @param {Options} options @returns {Rules} */
export function acesUp(options) {
  settled(options, {});
  return {
    piles: PILES,
    lines: LINES,
    deal(deck) {
      const first = COLUMNS.map((column, n) => [column, [deck[n]]]);
      const stock = deck.slice(COLUMNS.length).map((card) => `${card}-`);
      const piles = { [STOCK]: stock.reverse(), [FOUNDATION]: [], ...Object.fromEntries(first) };
      return { piles, counters: {} };
    },
    allows(table, move) {
      const { piles } = table;
      if (move.kind === "draw") return piles[STOCK].length > 0;
      if (move.kind !== "carry" || !topOf(piles[move.from])) return false;
      return move.to === FOUNDATION ? isBeaten(table, move.from) : !piles[move.to].length;
    },
    effect({ piles }, move) {
      if (move.kind === "carry") return [["mv", move.from, move.to, piles[move.from].slice(-1)]];
      const next = piles[STOCK].slice(-COLUMNS.length).reverse();
      return next.map((cell, n) => ["mv", STOCK, COLUMNS[n], [cardOf(cell)]]);
    },
    isWon({ piles }) {
      const left = COLUMNS.flatMap((column) => piles[column]);
      return !piles[STOCK].length && left.length === 4 && left.every((card) => rankOf(card) === 1);
    },
    isIdle: (_, move) => move.kind === "carry" && move.to !== FOUNDATION,
    score: ({ piles }) => piles[FOUNDATION].length,
    check(table) {
      const odd = misfit(table, PILES, null);
      if (odd) return odd;
      const { piles, counters } = table;
      if (Object.keys(counters).length) return "nothing is counted in this game";
      if (piles[STOCK].some(isUp)) return "the stock lies face down";
      const open = [FOUNDATION, ...COLUMNS].flatMap((pile) => piles[pile]);
      if (!open.every(isUp)) return "cards outside the stock lie face up";
      if (piles[FOUNDATION].some((card) => rankOf(card) === 1))
        return "an ace cannot be on the foundation";
      return piles[STOCK].length % COLUMNS.length ? "the stock holds a multiple of four" : null;
    },
  };
}
