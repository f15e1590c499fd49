/**
 * Where a game started: as it was told, and with every card named.
 *
 * Promises: of a running game the cards that nobody has seen lie in any order; what may be played
 * and what is told of it never depends on them.
 */

/** @import { Event, Opened, Piles } from "../protocol/messages.js" */
/** @import { Table } from "../protocol/table.js" */
/** @import { Items } from "./openings.js" */
/** @import { Rules } from "./rules/rules.js" */

import { fold } from "../protocol/table.js";
import { same } from "./bytes.js";
import { cardOf, HIDDEN, isUp, redactedPiles } from "./cards.js";
import { DECK } from "./deals.js";
import { Fault } from "./fault.js";

/** What lays a start out. */
const STARTS = new Set(["created", "dealt"]);

/**
 * The start as the viewer was told it, and by which event; null: not yet.
 * @param {readonly Event[]} events
 * @param {Rules} rules
 * @returns {{table: Table, event: number} | null}
 */
export function toldStart(events, rules) {
  const [created] = events;
  const told = created.mode === "race" ? events.find(({ kind }) => kind === "dealt") : created;
  if (!told?.fx) return null;
  const event = told.seq;
  if (!told.fx.every(([kind]) => kind === "set" || kind === "count"))
    throw new Fault("A start lays cards out, no more.", { event });
  const table = fold(told.fx);
  const names = Object.keys(table.piles);
  if (names.length !== rules.piles.length || !rules.piles.every((pile) => names.includes(pile)))
    throw new Fault("These are not the piles of this game.", { event });
  if (Object.values(table.piles).some((cells) => cells.some((cell) => cell.endsWith("-"))))
    throw new Fault("A card lies face down and is named.", { event });
  return { table, event };
}

/**
 * The start with every card named, as the copy of an operator has it while the game still runs.
 * @param {Table} told
 * @param {readonly Event[]} events  with their cards open
 * @returns {Table}
 */
export function wholeStart(told, events) {
  const { seq, fx = [] } = events.find(({ kind, fx }) => fx && STARTS.has(kind)) ?? events[0];
  const table = fold(fx);
  if (!same(redactedPiles(table.piles), told.piles) || !same(table.counters, told.counters))
    throw new Fault("With its cards open it starts otherwise.", { event: seq });
  return { piles: table.piles, counters: told.counters };
}

/**
 * The start of a game that has ended.
 * @param {Table} told
 * @param {Opened | undefined} opened  what the end laid open
 * @param {number} event  of the end
 * @returns {Table}
 */
export function openedStart(told, opened, event) {
  if (!opened?.start) throw new Fault("The end opens no cards.", { event });
  const names = Object.keys(told.piles);
  /** @type {Piles} */
  const piles = Object.fromEntries(names.map((pile) => [pile, opened.start[pile] ?? []]));
  if (!same(redactedPiles(piles), told.piles) || !same(piles, opened.start))
    throw new Fault("The start that was opened is another one than was shown.", { event });
  if (!same(opened.counters, told.counters))
    throw new Fault("The counters that were opened are others than were shown.", { event });
  return { piles, counters: told.counters };
}

/**
 * The start of a running game: what is opened lies where it lay, everything else anywhere.
 * @param {Table} told
 * @param {Items} items
 * @param {Rules} rules
 * @param {number} event  that told it
 * @returns {Table}
 */
export function filledStart({ piles, counters }, items, rules, event) {
  const cells = rules.piles.flatMap((pile) => piles[pile]);
  const known = cells.map((cell, n) => (cell === HIDDEN ? (items.get(n) ?? null) : cardOf(cell)));
  const odd = cells.findIndex((cell, n) => isUp(cell) && (items.get(n) ?? cell) !== cell);
  if (odd >= 0) {
    const said = `The ${cells[odd]} at position ${odd} is opened as ${items.get(odd)}.`;
    throw new Fault(said, { event });
  }
  const named = new Set(known);
  const rest = DECK.filter((card) => !named.has(card)).values();
  const filled = cells.map((cell, n) => {
    const card = known[n] ?? rest.next().value ?? HIDDEN;
    return isUp(cell) ? cell : `${card}-`;
  });
  let at = 0;
  /** @type {Piles} */
  const laid = Object.fromEntries(Object.keys(piles).map((pile) => [pile, []]));
  for (const pile of rules.piles) laid[pile] = filled.slice(at, (at += piles[pile].length));
  return { piles: laid, counters };
}
