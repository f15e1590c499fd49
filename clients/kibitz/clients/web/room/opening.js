/**
 * Files that visitors bring: a save becomes a game that goes on, a replay is shown.
 *
 * Promises: the server decides what a text means; what it does not take is said, nothing changes.
 */

import { gameOf, readDropped, readFile } from "./files.js";
import { reading } from "./recorded.js";
import { toast } from "../shell/announce.js";
import { h } from "../shell/dom.js";

/** @import { Client } from "../client/client.js" */
/** @import { Context } from "../shell/context.js" */

/**
 * Whether this is what the server says of a room that it has archived.
 * @param {any} problem
 * @param {string} room
 */
export function isArchived(problem, room) {
  const names = String(problem?.message).includes(`/rooms/${room}/replay.txt`);
  return problem?.code === "no-room" && names;
}

/**
 * Do with a text what its owner expects.
 * @param {string} text
 * @param {Context} context
 */
export async function opened(text, { client, router, named }) {
  const dropped = readDropped(text);
  if (dropped.kind === "save") {
    if (!(await named())) return;
    const { room } = await resumed(client, dropped.text, router.route.game);
    router.go({ page: "room", room });
    return;
  }
  const most = client.welcome?.limits.save ?? Infinity;
  if (dropped.kind === "replay" && dropped.text.length > most)
    throw new Error(`A replay text has at most ${most} bytes: take the replay as JSON instead.`);
  const replay = dropped.kind === "json" ? dropped.replay : await client.replay(dropped.text);
  reading.keep(replay, dropped.text);
  router.go({ page: "file" });
  if ("fault" in replay && replay.fault)
    toast(`Read as far as it goes: ${replay.fault}`, { kind: "bad" });
}

/**
 * A game that goes on from a position; one that names no game is tried as the game being chosen.
 * @param {Client} client
 * @param {string} save
 * @param {string} [chosen]
 */
async function resumed(client, save, chosen) {
  const { create } = await import("../shell/promises.js");
  const [first, usual] = [gameOf(save, chosen), gameOf(save)];
  const wish = client.advises ? { save, policy: { advice: true } } : { save };
  try {
    return await create(client, first, wish);
  } catch (problem) {
    if (first === usual) throw problem;
    return create(client, usual, wish).catch(() => {
      throw problem;
    });
  }
}

/**
 * Let the visitor choose a file.
 * @param {(text: string) => Promise<void>} take
 */
export function pickFile(take) {
  const field = h("input", { type: "file", accept: ".txt,.json,text/plain,application/json" });
  field.addEventListener("change", async () => {
    const file = field.files?.[0];
    if (!file) return;
    try {
      await take(await readFile(file));
    } catch (error) {
      toast(/** @type {Error} */ (error).message, { kind: "bad" });
    }
  });
  field.click();
}
