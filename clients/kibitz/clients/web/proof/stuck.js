/**
 * Dead ends: whether no command can ever change the outcome, as far as open cards show.
 *
 * Idle moves (to and fro, with nothing won) are tried in every order. Promises: the answer never
 * depends on a card that lies face down.
 *
 * @import { Table } from "../protocol/table.js"
 * @import { Rules } from "./rules/rules.js"
 */

import { fold } from "../protocol/table.js";
import { redactedPiles } from "./cards.js";

/** A longer search than so many positions proves nothing: then it is no dead end. */
const MOST = 100;

/** @param {Rules} rules @param {Table} table */
export function isStuck(rules, { piles, counters }) {
  const start = { piles: redactedPiles(piles), counters };
  const seen = new Set([JSON.stringify(start)]);
  const queue = [start];
  for (let here = queue.pop(); here; here = queue.pop()) {
    if (seen.size > MOST) return false;
    for (const move of rules.lines.values()) {
      if (!rules.allows(here, move)) continue;
      if (!rules.isIdle(here, move)) return false;
      const after = fold(
        rules.effect(here, move, (pool) => pool),
        here,
      );
      const key = JSON.stringify(after);
      if (!seen.has(key)) queue.push(after);
      seen.add(key);
    }
  }
  return !rules.isWon(start);
}
