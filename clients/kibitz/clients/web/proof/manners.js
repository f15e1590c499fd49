/**
 * Who may do what in a room, and when: what its events show of that.
 *
 * Promises: what is a fault here no honest server writes. Never: cards.
 *
 * @import { Event, View } from "../protocol/messages.js"
 */

import { isWaiting } from "../protocol/course.js";
import { Fault } from "./fault.js";

/** What there may be when the game has ended. */
const AFTERWARDS = new Set(["say", "comments", "rematch", "left"]);
/** What only somebody with a seat does. */
const SEATED = new Set(
  "move undo redo restart resigned saved cheated comments control ready unready".split(" "),
);
/** The fewest and the most seats of each mode. @type {Record<string, [number, number]>} */
const SEATS = { solo: [1, 1], coop: [1, 8], race: [2, 100], replay: [1, 8] };
/** A day; and how long behind midnight somebody may get the room he asked for before it. */
const DAY_MS = 86_400_000;
const LATE_MS = 60_000;
/** Most deals that are drawn for one that is known to be winnable. */
const MAX_DRAWS = 500;
/** What happens by itself. */
const ALONE = new Set(["stuck", "countdown", "started", "dealt", "timeout", "ended", "closed"]);
/** What belongs to a race before it begins. */
const BEFORE = new Set(["ready", "unready", "countdown", "started"]);
const OTHERS = new Set(["joined", "left", "say", "rematch", "won", "hidden"]);

/**
 * Check that a room has as many seats as its mode allows.
 * @param {Event} created
 * @throws {Fault}
 */
export function checkSeats({ mode, seats }) {
  const [fewest, most] = (mode && SEATS[mode]) || [0, 0];
  if (seats === undefined || !Number.isInteger(seats) || seats < fewest || seats > most)
    throw new Fault("No room of this kind has so many seats.", { event: 1 });
}

/**
 * Check that a room with the deal of a day was made on that day (UTC), or just behind it.
 * @param {Event} created
 * @throws {Fault}
 */
export function checkDay({ daily, started }) {
  if (daily === undefined || daily === null) return;
  const since = (started ?? 0) - Date.parse(`${daily}T00:00:00Z`);
  if (!/^\d{4}-\d\d-\d\d$/.test(daily) || !(since >= 0 && since < DAY_MS + LATE_MS))
    throw new Fault("The deal of a day was not dealt on that day.", { event: 1 });
}

/**
 * Check that a deal was looked for if and only if it is said to be a winnable one.
 * @param {Event} created
 * @throws {Fault}
 */
export function checkDraw({ winnable, fair }) {
  const draw = /\.(\d+)$/.exec(fair?.nonce ?? "")?.[1];
  if (!winnable && draw === undefined) return;
  if (!winnable || draw === undefined || fair?.loaded || fair?.numbered)
    throw new Fault("It is not the deal of a room whose deal was looked for.", { event: 1 });
  if (Number(draw) > MAX_DRAWS) throw new Fault("There is no such draw.", { event: 1 });
}

/**
 * Check that an event may come where it does.
 * @param {View} view  how the room stands before it
 * @param {Event} event
 * @throws {Fault}
 */
export function checkManners(view, event) {
  const { kind, by, seat } = event;
  const { status, policy, race, seats, mode } = view;
  const over = status !== "open";
  const seated = seats.some(({ id }) => id !== undefined && id === by);
  if (![SEATED, ALONE, OTHERS].some((kinds) => kinds.has(kind)))
    throw new Fault(`Nothing of the kind “${kind.slice(0, 20)}” happens in a room.`);
  if (over && !AFTERWARDS.has(kind)) throw new Fault("The game had ended before.");
  if (SEATED.has(kind) && !seated) throw new Fault("Whoever did that has no seat.");
  if (ALONE.has(kind) && by !== undefined) throw new Fault("Nobody can bring that about.");
  if (BEFORE.has(kind) && !isWaiting(view)) throw new Fault("That comes before a race begins.");
  if ((kind === "ready" || kind === "unready") && seats[(seat ?? 0) - 1]?.id !== by)
    throw new Fault("That is the seat of somebody else.");
  if (kind === "started" && !(race?.begins !== undefined && event.at >= race.begins))
    throw new Fault("The race was not to begin then.");
  if (kind === "timeout" && !isLate(view, event)) throw new Fault("Nobody's time had run out.");
  if (kind === "joined") checkJoined(view, event);
  else if (kind === "left") checkLeft(view, event);
  else if (kind === "say" && (!policy.say || view.comments === false))
    throw new Fault("No comments were taken.");
  else if (kind === "saved" && !policy.save) throw new Fault("This room allows no saves.");
  else if (kind === "cheated" && !policy.cheat) throw new Fault("This room allows no cheating.");
  else if (["undo", "redo", "restart"].includes(kind) && !policy.undo)
    throw new Fault("Nothing is taken back in this room.");
  else if (kind === "comments" && !policy.say) throw new Fault("No comments were ever taken.");
  else if (kind === "rematch" && !(over && event.next)) throw new Fault("The game had not ended.");
  else if (kind === "control" && !(mode === "replay" && event.control))
    throw new Fault("Nothing is shown here.");
}

/** @param {View} view @param {Event} event */
function isLate({ race }, { at }) {
  return race?.started !== undefined && at >= race.started + race.limit * 1000;
}

/** @param {View} view @param {Event} event */
function checkJoined(view, { seat = 0, by }) {
  const place = view.seats[seat - 1];
  if (!by || !place || place.id !== undefined) throw new Fault("That seat was not free.");
  if (view.seats.some(({ id }) => id === by)) throw new Fault("Nobody has two seats.");
  if (view.race && !isWaiting(view)) throw new Fault("The race had begun.");
}

/** @param {View} view @param {Event} event */
function checkLeft(view, { seat = 0, by }) {
  const id = view.seats[seat - 1]?.id;
  if (id === undefined || (by !== undefined && by !== id))
    throw new Fault("Nobody left who sat there.");
  if (view.daily || (view.race && !isWaiting(view))) throw new Fault("That seat is kept.");
}
