/**
 * A shuffle whose seed nobody knows yet: whether the rules could lead there.
 *
 * @import { Fact } from "../protocol/messages.js"
 * @import { Table } from "../protocol/table.js"
 * @import { Rules } from "./rules/rules.js"
 */

import { same } from "./bytes.js";

/**
 * Whether facts can be what a shuffle makes: the same places filled, with the same cards.
 * @param {Rules} rules
 * @param {Table} table
 * @param {readonly Fact[]} told
 */
export function isOutcome(rules, table, told) {
  const facts = rules.effect(table, { kind: "shuffle" }, (pool) => pool);
  const alike = facts.every(([kind, name, what], n) => {
    const [word, pile, other] = told[n] ?? [];
    return kind === word && name === pile && same(what?.length ?? what, other?.length ?? other);
  });
  return alike && told.length === facts.length && same(cards(facts), cards(told));
}

/** The cards in some facts, in order. @param {readonly Fact[]} facts */
const cards = (facts) => facts.flatMap(([kind, , what]) => (kind === "set" ? what : [])).sort();
