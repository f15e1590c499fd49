/**
 * What an event says beside what every event does: no more than its kind has to say.
 *
 * Only kinds that follow from the rules are looked at. Keys that no event has are passed over:
 * whether anybody vouched for them shows in the chain.
 *
 * @import { Event } from "../protocol/messages.js"
 */

import { Fault } from "./fault.js";

const CHANGE = ["by", "board", "fx", "moves", "score"];
/** @type {Record<string, readonly string[]>} */
const SAYS = {
  move: [...CHANGE, "move"],
  undo: CHANGE,
  redo: CHANGE,
  restart: CHANGE,
  started: ["score"],
  dealt: ["fx"],
  stuck: ["board"],
  won: ["by", "board", "moves", "ms"],
};
/** Of a race, what not everybody is told at once has a salt. */
const SALTED = new Set(["move", "undo", "redo", "restart", "dealt", "stuck"]);
/** How a game ends that is played alone or together, a race, and a showing. */
const ENDS = {
  usual: ["result", "opened", "fx"],
  race: ["result", "opened", "boards", "results"],
  replay: ["result"],
};
const KEYS = [
  "by board move fx moves score name seat bot text ms result game options mode seats policy started",
  "opened origin countdown limit begins boards results series daily next on control salt commit fair winnable",
]
  .join(" ")
  .split(" ");

/**
 * Check that an event says what its kind says.
 * @param {Event} event
 * @param {string | undefined} mode  of its room
 * @throws {Fault}
 */
export function checkKeys(event, mode) {
  const { kind } = event;
  const end = mode === "race" || mode === "replay" ? ENDS[mode] : ENDS.usual;
  const says = kind === "ended" ? end : Object.hasOwn(SAYS, kind) ? SAYS[kind] : null;
  if (!says) return;
  const salted = mode === "race" && SALTED.has(kind);
  const has = (/** @type {string} */ key) => {
    const value = /** @type {Record<string, unknown>} */ (event)[key] ?? undefined;
    return value !== undefined && !(key === "board" && value === 0);
  };
  const odd = KEYS.find((key) => has(key) && !says.includes(key) && !(salted && key === "salt"));
  if (odd) throw new Fault(`“${kind}” says no “${odd}”.`);
  if (salted && !has("salt")) throw new Fault("An event of a race has lost its salt.");
}
