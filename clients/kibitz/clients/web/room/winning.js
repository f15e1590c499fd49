/**
 * What would have won, on the table: the game as it was played up to the move that lost it, and
 * from there the line that wins, to be stepped through like any replay.
 *
 * It is loaded when somebody wants it. Promises: the server plays the line by its rules; what is
 * shown is a recording, and no room. Never: a rule.
 */

import { announce } from "../shell/announce.js";
import { fetched } from "./files.js";
import { reading } from "./recorded.js";

/** @import { Context } from "../shell/context.js" */
/** @import { Analysed } from "./analysis.js" */

/** Headers that say what a game is; the others are about how this one really went. */
const KEPT = /^# (?!deal:|room:|result:|root:|pledge:|nonce:|loaded:|numbered:|secret:|sha256:)/;
const COMMANDS = new Set(["move", "undo", "redo", "restart", "resigned"]);

/**
 * Go and see it.
 * @param {Context} context
 * @param {{room: string, board: number}} which
 * @param {Analysed} found
 */
export async function show({ client, router, settings }, { room, board }, found) {
  const whole = await fetched(room, "replay.txt", settings.token, client.invited, board);
  const text = played(whole, found);
  const replay = await client.replay(text);
  const commands = replay.events.filter(({ kind }) => COMMANDS.has(kind));
  const at = kept(found) ? commands[kept(found) - 1].seq : 1;
  reading.keep({ ...replay, from: room }, text);
  router.go({ page: "file", moment: at });
  announce("From here on it would have been won: step on.");
}

/** How many commands there were before the line that wins. @param {Analysed} found */
const kept = ({ winnable, commands }) => (winnable ? commands[winnable - 1] : 0);

/**
 * A replay text with another end.
 * @param {string} whole  of the game as it was played
 * @param {Analysed} found
 */
export function played(whole, found) {
  let commands = 0;
  const lines = [];
  for (const line of whole.split(/\r?\n/)) {
    if (line.startsWith("> ") && ++commands > kept(found)) break;
    const isRemark = line.startsWith(";");
    if (line && !isRemark && (!line.startsWith("#") || KEPT.test(line))) lines.push(line);
  }
  return [...lines, ...found.line.map((move) => `> ${move}`), ""].join("\n");
}
