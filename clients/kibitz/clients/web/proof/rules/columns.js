/**
 * Seven columns, four foundations, stock and waste: one-card Klondike, and Thumb and Pouch.
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

const [STOCK, WASTE, REDEALS, UNLIMITED] = ["Stock", "Waste", "redeals", "unlimited"];
const FOUNDATIONS = shared.numbered("FOUNDATION", 4);
const COLUMNS = shared.numbered("COLUMN", 7);
const PILES = [STOCK, WASTE, ...FOUNDATIONS, ...COLUMNS];
/** The most cards of one run. */
const LONGEST = 13;
const [columns, foundations] = [COLUMNS, FOUNDATIONS].map(shared.byNumber);

/** @param {boolean} groups  whether runs move as one @returns {ReadonlyMap<string, Move>} */
const linesOf = (groups) =>
  new Map([
    ["sw", { kind: "draw" }],
    ...shared.carries("wf", { "": WASTE }, foundations),
    ...shared.carries("wt", { "": WASTE }, columns),
    ...shared.carries("tf", columns, foundations),
    ...shared.carries("tt", columns, columns, groups ? LONGEST : undefined),
  ]);
const [SINGLE, GROUPS] = [linesOf(false), linesOf(true)];

/** @type {Fits} */
const otherColour = (card, below) =>
  rankOf(card) === rankOf(below) - 1 && isRed(card) !== isRed(below);
/** @type {Fits} */
const otherSuit = (card, below) =>
  rankOf(card) === rankOf(below) - 1 && suitOf(card) !== suitOf(below);

/** @param {Options} options @returns {Rules} */
export function klondikeSingle(options) {
  const limit = shared.settled(options, { [REDEALS]: UNLIMITED })[REDEALS];
  const redeals = limit === UNLIMITED ? Infinity : shared.numberOf(REDEALS, limit);
  return game({ fits: otherColour, kingsOnly: true, redeals, lines: SINGLE });
}

/** @param {Options} options @returns {Rules} */
export function thumbAndPouch(options) {
  shared.settled(options, {});
  return game({ fits: otherSuit, kingsOnly: false, redeals: null, lines: GROUPS });
}

/**
 * @param {{fits: Fits, kingsOnly: boolean, redeals: number | null, lines: ReadonlyMap<string, Move>}} which
 *   `redeals`: how often the waste becomes the stock; null: never
 * @returns {Rules}
 */
function game({ fits, kingsOnly, redeals, lines }) {
  const counted = redeals !== null && Number.isFinite(redeals);

  /** Whether a pile takes a card now. @param {Table} table @param {string} pile @param {string} card */
  const takes = ({ piles }, pile, card) => {
    const onto = topOf(piles[pile]);
    if (FOUNDATIONS.includes(pile)) return onto ? shared.upInSuit(card, onto) : rankOf(card) === 1;
    return onto ? fits(card, onto) : !kingsOnly || rankOf(card) === 13;
  };

  return {
    piles: PILES,
    lines,
    deal(deck) {
      const { piles, rest } = shared.inRounds(deck, COLUMNS);
      const [first, ...stock] = rest;
      const empty = Object.fromEntries(FOUNDATIONS.map((pile) => [pile, []]));
      const closed = stock.reverse().map(down);
      return {
        piles: { [STOCK]: closed, [WASTE]: [first], ...empty, ...piles },
        counters: counted ? { [REDEALS]: redeals } : {},
      };
    },
    allows(table, move) {
      const { piles, counters } = table;
      if (move.kind === "draw") {
        const again = redeals !== null && (counters[REDEALS] ?? 1) > 0;
        return piles[STOCK].length > 0 || (again && piles[WASTE].length > 0);
      }
      if (move.kind !== "carry" || move.from === move.to) return false;
      const cells = piles[move.from];
      if (move.count > upAtEnd(cells)) return false;
      const cards = cells.slice(cells.length - move.count);
      return takes(table, move.to, cards[0]) && shared.isRun(cards, fits);
    },
    effect(table, move) {
      if (move.kind === "carry") return taken(table, move.from, move.to, move.count);
      const { piles, counters } = table;
      const stock = piles[STOCK].length ? piles[STOCK] : piles[WASTE].map(down).reverse();
      /** @type {Fact[]} */
      const facts = [["mv", STOCK, WASTE, stock.slice(-1).map(cardOf)]];
      if (piles[STOCK].length) return facts;
      facts.unshift(["mv", WASTE, STOCK, stock]);
      if (Object.hasOwn(counters, REDEALS)) facts.push(["count", REDEALS, counters[REDEALS] - 1]);
      return facts;
    },
    isWon: (table) => shared.countOn(table, FOUNDATIONS) === shared.ALL,
    isIdle(table, move) {
      const { piles } = table;
      if (move.kind === "carry")
        return (
          [move.from, move.to].every((pile) => COLUMNS.includes(pile)) &&
          shared.leavesOpen(piles[move.from], move.count)
        );
      const pack = [...piles[STOCK], ...piles[WASTE]];
      const targets = [...FOUNDATIONS, ...COLUMNS];
      return pack.every(
        (cell) => isKnown(cell) && !targets.some((pile) => takes(table, pile, cardOf(cell))),
      );
    },
    score: (table) => shared.countOn(table, FOUNDATIONS),
    check(table) {
      const odd = shared.misfit(table, PILES, DECK);
      if (odd) return odd;
      const { piles, counters } = table;
      if (piles[STOCK].some(isUp)) return "the stock lies face down";
      if (!piles[WASTE].every(isUp)) return "the waste lies face up";
      if (!FOUNDATIONS.every((pile) => shared.isFoundation(piles[pile])))
        return "a foundation runs from the ace up in one suit, face up";
      const { [REDEALS]: left, ...others } = counters;
      if (Object.keys(others).length || (counted ? !(left >= 0) : left !== undefined))
        return "the redeals are not counted";
      return shared.wrongColumn(table, COLUMNS, fits);
    },
  };
}
