/**
 * Montana: each row is brought to 2..K of one suit by filling gaps; a gap is an empty place.
 *
 * @import { Fact } from "../../protocol/messages.js"
 * @import { Table } from "../../protocol/table.js"
 * @import { Chance, Move, Options, Rules } from "./rules.js"
 */

import { isUp, rankOf } from "../cards.js";
import { DECK } from "../deals.js";
import { carries, misfit, numberOf, settled, upInSuit } from "./rules.js";

const SHUFFLES = "shuffles";
const [ROWS, COLUMNS] = [4, 13];
/** In place in a row when it is done. */
const COMPLETE = 12;
const rows = Array.from({ length: ROWS }, (_, row) =>
  Array.from({ length: COLUMNS }, (_, column) => `${row + 1}.${column + 1}`),
);
const PLACES = rows.flat();
const CARDS = DECK.filter((card) => rankOf(card) > 1);
const words = Object.fromEntries(PLACES.map((place) => [place.replace(".", " "), place]));
/** @type {ReadonlyMap<string, Move>} */
const LINES = new Map([["s", { kind: "shuffle" }], ...carries("", words, words)]);

/** Whether a card may be next in a row. @param {string | undefined} card @param {string | undefined} left */
const goesOn = (card, left) =>
  card !== undefined && (left === undefined ? rankOf(card) === 2 : upInSuit(card, left));

/** How many places of a row are in place from its left end on. @param {Table} table @param {number} row */
function kept({ piles }, row) {
  const cards = rows[row].map((place) => piles[place].at(0));
  const end = cards.findIndex((card, n) => !goesOn(card, n ? cards[n - 1] : undefined));
  return end < 0 ? COLUMNS : end;
}

/** @param {Table} table */
const inPlace = (table) => rows.map((_, row) => kept(table, row));

/** @param {Options} options @returns {Rules} */
export function montana(options) {
  const shuffles = numberOf(SHUFFLES, settled(options, { [SHUFFLES]: "2" })[SHUFFLES]);
  return {
    piles: PLACES,
    lines: LINES,
    deal(deck) {
      const piles = PLACES.map((place, n) => [place, rankOf(deck[n]) === 1 ? [] : [deck[n]]]);
      return { piles: Object.fromEntries(piles), counters: { [SHUFFLES]: shuffles } };
    },
    allows({ piles, counters }, move) {
      if (move.kind === "shuffle") return counters[SHUFFLES] > 0;
      if (move.kind !== "carry" || !piles[move.from].length || piles[move.to].length) return false;
      const column = PLACES.indexOf(move.to) % COLUMNS;
      if (!column) return rankOf(piles[move.from][0]) === 2;
      const left = piles[PLACES[PLACES.indexOf(move.to) - 1]].at(0);
      return left !== undefined && upInSuit(piles[move.from][0], left);
    },
    effect(table, move, chance) {
      const { piles, counters } = table;
      if (move.kind === "carry") return [["mv", move.from, move.to, piles[move.from]]];
      const keep = inPlace(table);
      const loose = rows.flatMap((places, row) =>
        places.map((place, n) => ({ place, gap: n === keep[row] })).slice(keep[row]),
      );
      const pool = chance(loose.map(({ place }) => piles[place])).filter((pile) => pile.length);
      /** @type {Fact[]} */
      const sets = loose.map(({ place, gap }) => [
        "set",
        place,
        gap ? [] : /** @type {string[]} */ (pool.shift()),
      ]);
      return [...sets, ["count", SHUFFLES, counters[SHUFFLES] - 1]];
    },
    isWon: (table) => inPlace(table).every((count) => count === COMPLETE),
    isIdle: () => false,
    score: (table) => inPlace(table).reduce((sum, count) => sum + count, 0),
    check(table) {
      const odd = misfit(table, PLACES, CARDS);
      if (odd) return odd;
      const cells = PLACES.map((place) => table.piles[place]);
      if (!cells.every((pile) => pile.length < 2 && pile.every(isUp)))
        return "one card lies face up in each place, or none";
      const { [SHUFFLES]: left, ...others } = table.counters;
      return left >= 0 && !Object.keys(others).length ? null : "the shuffles are not counted";
    },
  };
}
