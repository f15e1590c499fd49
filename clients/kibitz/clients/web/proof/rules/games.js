/**
 * The five games by their names.
 *
 * @import { Move, Options, Rules } from "./rules.js"
 */

import { acesUp } from "./aces_up.js";
import { klondikeSingle, thumbAndPouch } from "./columns.js";
import { klondike } from "./klondike.js";
import { montana } from "./montana.js";

/** @type {ReadonlyMap<string, (options: Options) => Rules>} */
const GAMES = new Map([
  ["aces-up", acesUp],
  ["klondike", klondike],
  ["klondike-single", klondikeSingle],
  ["montana", montana],
  ["thumb-and-pouch", thumbAndPouch],
]);

/**
 * The rules of a game with its options.
 * @param {string} game
 * @param {Options} options
 * @returns {Rules}
 * @throws {RangeError} There is no such game or option.
 */
export function rulesOf(game, options) {
  const make = GAMES.get(game);
  if (!make) throw new RangeError(`there is no game ${String(game).slice(0, 20)}`);
  return make(options);
}

/**
 * The move that a line asks for, however it was typed; nothing if it asks for none.
 * @param {Rules} rules
 * @param {string} line
 * @returns {Move | undefined}
 */
export function moveOf(rules, line) {
  const words = line
    .toLowerCase()
    .split(/[ \t\r]+/)
    .filter(Boolean);
  return rules.lines.get(words.map((word) => word.replace(/^0+(?=[0-9])/, "")).join(" "));
}
