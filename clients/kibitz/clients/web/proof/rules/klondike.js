/**
 * Klondike with runs of any suit: suits tied to their piles, up to three discards at a time.
 *
 * @import { Fact } from "../../protocol/messages.js"
 * @import { Table } from "../../protocol/table.js"
 * @import { Fits, Move, Options, Rules } from "./rules.js"
 */

import {
  cardOf,
  down,
  isKnown,
  isRed,
  isUp,
  rankOf,
  suitOf,
  taken,
  topOf,
  upAtEnd,
} from "../cards.js";
import { DECK } from "../deals.js";
import * as shared from "./rules.js";

const [STOCK, DISCARD, SUIT, COLOURS] = ["Stock", "Discard", "suit", "alternate_colours"];
/** @type {Record<string, string>} */
const SUITS = { s: "Spades", h: "Hearts", d: "Diamonds", c: "Clubs" };
const HOMES = Object.values(SUITS);
const COLUMNS = shared.numbered("PILE", 7);
const PILES = [STOCK, DISCARD, ...HOMES, ...COLUMNS];
const AT_ONCE = 3;
const [ON, OFF] = [
  ["on", "true", "yes"],
  ["off", "false", "no"],
];
const columns = shared.byNumber(COLUMNS);
/** @type {ReadonlyMap<string, Move>} */
const LINES = new Map([
  ["discard", { kind: "draw" }],
  ["reset", { kind: "recycle" }],
  ...shared.carries("move", { stock: STOCK, ...columns }, { [SUIT]: SUIT, ...columns }),
]);

/** @param {Options} options @returns {Rules} */
export function klondike(options) {
  const said = shared.settled(options, { [COLOURS]: "off" })[COLOURS];
  const alternate = ON.includes(String(said).toLowerCase());
  if (!alternate && !OFF.includes(String(said).toLowerCase()))
    throw new RangeError(`${COLOURS} is on or off`);
  /** @type {Fits} */
  const fits = (card, below) =>
    rankOf(card) === rankOf(below) - 1 && (!alternate || isRed(card) !== isRed(below));

  /** @param {Table} table @param {string} card */
  const goesHome = ({ piles }, card) => {
    const onto = topOf(piles[SUITS[suitOf(card)]]);
    return onto ? shared.upInSuit(card, onto) : rankOf(card) === 1;
  };

  /** Whether any pile but the stock takes a card. @param {Table} table @param {string} card */
  const isWelcome = (table, card) =>
    goesHome(table, card) ||
    COLUMNS.some((column) => {
      const onto = topOf(table.piles[column]);
      return onto ? fits(card, onto) : rankOf(card) === 13;
    });

  /** How many cards go from one pile to another; 0: none can. @param {Table} table @param {string} from @param {string} to */
  const countOf = ({ piles }, from, to) => {
    const onto = topOf(piles[to]);
    const cells = piles[from];
    const most = from === STOCK ? Math.min(1, upAtEnd(cells)) : upAtEnd(cells);
    for (let count = 1; count <= most; count++) {
      const cards = cells.slice(cells.length - count);
      if (!shared.isRun(cards, fits)) return 0;
      if (onto ? fits(cards[0], onto) : rankOf(cards[0]) === 13) return count;
    }
    return 0;
  };

  return {
    piles: PILES,
    lines: LINES,
    deal(deck) {
      const { piles, rest } = shared.inRounds(deck, COLUMNS);
      const [top, ...stock] = rest;
      const homes = Object.fromEntries(HOMES.map((home) => [home, []]));
      const closed = [...stock.reverse().map(down), top];
      return { piles: { [STOCK]: closed, [DISCARD]: [], ...homes, ...piles }, counters: {} };
    },
    allows(table, move) {
      const { piles } = table;
      if (move.kind === "draw") return piles[STOCK].length > 0;
      if (move.kind === "recycle") return !piles[STOCK].length && piles[DISCARD].length > 0;
      if (move.kind !== "carry") return false;
      const card = topOf(piles[move.from]);
      if (!card || move.from === move.to) return false;
      if (move.to !== SUIT) return countOf(table, move.from, move.to) > 0;
      return goesHome(table, card);
    },
    effect(table, move) {
      const { piles } = table;
      if (move.kind === "carry") {
        if (move.to !== SUIT)
          return taken(table, move.from, move.to, countOf(table, move.from, move.to));
        const card = /** @type {string} */ (topOf(piles[move.from]));
        return taken(table, move.from, SUITS[suitOf(card)]);
      }
      if (move.kind === "recycle")
        return [
          ["mv", DISCARD, STOCK, piles[DISCARD]],
          ["up", STOCK, cardOf(/** @type {string} */ (piles[DISCARD].at(-1)))],
        ];
      const rest = piles[STOCK].slice(0, -AT_ONCE);
      const gone = piles[STOCK].slice(rest.length).reverse();
      /** @type {Fact[]} */
      const facts = gone.map((cell) => ["mv", STOCK, DISCARD, [down(cell)]]);
      const next = rest.at(-1);
      return next === undefined ? facts : [...facts, ["up", STOCK, cardOf(next)]];
    },
    isWon: (table) => shared.countOn(table, HOMES) === shared.ALL,
    isIdle(table, move) {
      const { piles } = table;
      if (move.kind === "carry")
        return (
          [move.from, move.to].every((pile) => COLUMNS.includes(pile)) &&
          shared.leavesOpen(piles[move.from], countOf(table, move.from, move.to))
        );
      return [...piles[STOCK], ...piles[DISCARD]].every(
        (cell) => isKnown(cell) && !isWelcome(table, cardOf(cell)),
      );
    },
    score: (table) => shared.countOn(table, HOMES),
    check(table) {
      const odd = shared.misfit(table, PILES, DECK);
      if (odd) return odd;
      const { piles, counters } = table;
      if (Object.keys(counters).length) return "nothing is counted in this game";
      if (piles[STOCK].some((cell, n) => isUp(cell) !== (n === piles[STOCK].length - 1)))
        return "only the top card of Stock lies face up";
      if (piles[DISCARD].some(isUp)) return "Discard lies face down";
      for (const [suit, home] of Object.entries(SUITS)) {
        const cells = piles[home];
        if (!shared.isFoundation(cells) || cells.some((card) => suitOf(card) !== suit))
          return `${home} runs from the ace up in its own suit, face up`;
      }
      return shared.wrongColumn(table, COLUMNS, fits);
    },
  };
}
