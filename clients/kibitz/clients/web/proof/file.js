/**
 * A replay as a file: whether it is one, and whether it is as it was written.
 *
 * Promises: every byte counts, those of the digest itself too. Never: what the events mean.
 */

/** @import { Event } from "../protocol/messages.js" */
/** @import { Check } from "./fault.js" */

import { toHex } from "../protocol/hashing.js";
import { sha256 } from "../protocol/sha256.js";
import { bytesOf } from "./bytes.js";
import { Fault, ok } from "./fault.js";

const FORMAT = "kibitz-replay-json-1";
/** How a replay ends that says its own digest. */
const DIGEST = /,"sha256":"([0-9a-f]{64})"\}$/;
const HEX = /^[0-9a-f]{64}$/;
/** What a player added; behind it, of a deal that was looked for, the draw. */
const NONCE = /^(?:[A-Za-z0-9_-]{1,64}|[A-Za-z0-9_-]{0,64}\.[1-9][0-9]{0,2})$/;

/** @typedef {[position: number, item: string, salt: string, path: string[]]} Opening */
/**
 * @typedef {{room: string, game: string, seq: number, hash: string, events: Event[], open?: Event[],
 *   openings?: Opening[], sha256?: string}} Replay
 */

/**
 * The replay in a text.
 * @param {string} text
 * @returns {Replay}
 * @throws {Fault} It is none.
 */
export function read(text) {
  let replay;
  try {
    replay = JSON.parse(text);
  } catch {
    throw new Fault("This is no JSON.");
  }
  if (replay?.format !== FORMAT) throw new Fault("This is no replay of kibitz.");
  const { room, game, seq, hash, events, open, openings } = replay;
  if (![room, game, hash].every((each) => typeof each === "string"))
    throw new Fault("It does not say which game it is of.");
  told(events);
  if (seq !== events.length)
    throw new Fault(`It has ${events.length} events, not ${String(seq).slice(0, 20)}.`);
  if (open !== undefined) {
    told(open);
    if (open.length !== events.length) throw new Fault("Not every event is opened.");
  }
  for (const list of [events, open ?? []])
    for (const event of list)
      if (event.room !== room) throw new Fault("It is of another room.", { event: event.seq });
  const [{ kind, game: played, fair }] = events;
  if (kind !== "created" || played !== game)
    throw new Fault("It does not begin with this game.", { event: 1 });
  if (fair !== undefined && !isFair(fair))
    throw new Fault("What the room promised cannot be read.", { event: 1 });
  if (openings !== undefined && !(Array.isArray(openings) && openings.every(Array.isArray)))
    throw new Fault("The openings cannot be read.");
  return replay;
}

/**
 * Whether every byte is as it was written.
 * @param {string} text
 * @param {Replay} replay  what it says
 * @returns {Check}
 */
export function checkDigest(text, { events, sha256: said }) {
  const { fair } = events[0];
  const { secret } = events.find(({ kind }) => kind === "ended")?.opened ?? {};
  if (!fair && secret !== undefined && secret !== null)
    throw new Fault("The end opens a secret, and no promise of it is there.", { event: 1 });
  if (said === undefined && !fair)
    return ok("Replays of older servers carry none: it may be changed.", "no digest");
  const found = DIGEST.exec(text);
  if (!found) throw new Fault("The digest of the file is missing at its end.");
  if (toHex(sha256(bytesOf(text.slice(0, found.index)))) !== found[1])
    throw new Fault("The file is not as it was written: its digest is another one.");
  return ok("The file is as it was written.");
}

/** @param {any} events */
function told(events) {
  if (!Array.isArray(events) || !events.length) throw new Fault("It has no events.");
  events.forEach((event, n) => {
    const where = { event: n + 1 };
    if (event?.seq !== n + 1 || typeof event.kind !== "string" || !Number.isInteger(event.at))
      throw new Fault("An event is missing, or none.", where);
  });
}

/** @param {any} fair */
function isFair(fair) {
  const { root, pledge, nonce = "n", loaded = true, numbered = true } = fair ?? {};
  const said = loaded === true && numbered === true;
  return [root, pledge].every((hex) => HEX.test(hex)) && NONCE.test(nonce) && said;
}
