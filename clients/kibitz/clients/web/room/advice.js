/**
 * Whether one's own game can still be won, as the server works it out from what one has seen.
 *
 * It is loaded when somebody asks. Promises: says the same as a terminal; that a game is lost is
 * said only where it is proved. Never: a rule, a card that was not seen.
 */

import { toast } from "../shell/announce.js";

/** @import { Client } from "../client/client.js" */
/** @import { Advice } from "../protocol/messages.js" */

/** After so long it is said that it takes a while, ms. */
const LONG = 800;

/** Ask, and say what was found. @param {Client} client @param {string} room */
export async function chances(client, room) {
  let away = () => {};
  const late = setTimeout(() => {
    away = toast("The server tries what can still be done…");
  }, LONG);
  try {
    const sentence = told(await client.advise(room, "chances"));
    toast(`${sentence[0].toUpperCase()}${sentence.slice(1)}.`);
  } finally {
    away();
    clearTimeout(late);
  }
}

/**
 * What was found, in a sentence; a terminal says the same.
 * @param {Advice} advice
 */
export function told({ worlds = 0, winnable = 0, lost = 0, proved }) {
  const however = worlds > 1 ? ", however the hidden cards lie" : "";
  if (proved === "win") return `it can still be won${however}`;
  if (proved === "lost") return `proved lost${however}: no line of play wins from here`;
  if (worlds === 1) return "whether it can still be won was not found out";
  const unknown = worlds - winnable - lost;
  const guesses = `of ${worlds} guesses at the hidden cards ${winnable} can be won`;
  return `${guesses}, ${lost} cannot${unknown ? `, ${unknown} are not known` : ""}`;
}
