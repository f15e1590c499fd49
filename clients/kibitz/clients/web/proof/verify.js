/**
 * A second verifier, in a language and by a hand of its own: it takes nothing from the server but
 * the text of a replay.
 *
 * Five checks: `file` (as it was written), `chain` (its events lead to its head), `openings` (every
 * opened card lay there from the first), `deal` (the start is what was promised), `rules` (every
 * move and what it made). Promises: one that fails names the first event that does not fit; what
 * cannot be known yet is `open`, never `ok`. Never: a request, the DOM.
 */

/** @import { Check } from "./fault.js" */
/** @import { Replay } from "./file.js" */
/** @import { Items } from "./openings.js" */
/** @import { Rules } from "./rules/rules.js" */
/** @import { Table } from "../protocol/table.js" */

import { chain, fromHex, toHex } from "../protocol/hashing.js";
import { sha256 } from "../protocol/sha256.js";
import { same } from "./bytes.js";
import { HIDDEN } from "./cards.js";
import { DECK, deckOf, shuffled } from "./deals.js";
import { Fault, never, ok, open, tried } from "./fault.js";
import { checkDigest, read } from "./file.js";
import { opened, sizeOf } from "./openings.js";
import { Retelling } from "./retelling.js";
import { rulesOf } from "./rules/games.js";
import { chanceOf, rootFor, seedOf, shuffleSeed } from "./seeds.js";
import { filledStart, openedStart, toldStart, wholeStart } from "./starts.js";

/** @typedef {"file" | "chain" | "openings" | "deal" | "rules"} Name */
/**
 * `over`: the game has ended; `promised`: its room made a promise; `own`: to this browser.
 * @typedef {{checks: Record<Name, Check>, over: boolean, promised: boolean, own: boolean}} Verdict
 */
/**
 * What the visitor knows beside the file. `head`: where the room was, and its hash, when he saw it;
 * `own`: what he asked for and was promised when he made the room.
 * @typedef {{head?: {seq: number, hash: string},
 *   own?: {pledge: string, nonce: string, deal?: string, loaded: boolean, winnable?: boolean}}} Known
 */

const UNREAD = never("The file cannot be read.", "not read");

/**
 * Check the text of a `replay.json`.
 * @param {string} text
 * @param {Known} [known]
 * @returns {Verdict}
 */
export function verify(text, known = {}) {
  /** @type {Replay | null} */
  let replay = null;
  const file = tried(() => {
    replay = read(text);
    return checkDigest(text, replay);
  });
  if (!replay) {
    const checks = { file, chain: UNREAD, openings: UNREAD, deal: UNREAD, rules: UNREAD };
    return { checks, over: false, promised: false, own: false };
  }
  const { events } = /** @type {Replay} */ (replay);
  return {
    checks: { file, ...checked(replay, known) },
    over: events.some(({ kind }) => kind === "ended"),
    promised: events[0].fair !== undefined,
    own: known.own !== undefined,
  };
}

/** @param {Replay} replay @param {Known} known */
function checked(replay, known) {
  const { events } = replay;
  const [{ options = {}, game = "", mode }] = events;
  /** @type {Rules | null} */
  let rules = null;
  /** @type {ReturnType<typeof toldStart>} */
  let told = null;
  /** @type {Items | null} */
  let items = null;
  const shown = mode === "replay";
  const prepared = tried(() => {
    rules = rulesOf(game, options);
    told = shown ? null : toldStart(events, rules);
    return ok("");
  });
  const { table } = /** @type {{table: Table | null}} */ (told ?? { table: null });
  const openings = tried(() => {
    const size = rules && table && sizeOf(rules, table);
    const found = opened(replay, size);
    items = found.items;
    return found.check;
  });
  const failed = prepared.status === "failed" ? prepared : null;
  return {
    chain: tried(() => checkChain(replay, known.head)),
    openings,
    deal: failed ?? tried(() => checkDeal(replay, /** @type {any} */ (rules), known.own)),
    rules: failed ?? tried(() => checkRules(replay, /** @type {any} */ (rules), told, items)),
  };
}

/** @param {Replay} replay @param {Known["head"]} head @returns {Check} */
function checkChain({ events, hash, seq }, head) {
  if (head && head.seq > seq)
    throw new Fault("It ends before what was shown here.", { event: seq });
  let here = new Uint8Array();
  for (const event of events) {
    here = chain(here, event);
    if (event.seq === head?.seq && toHex(here) !== head.hash)
      throw new Fault("This is not what was shown here before.", { event: event.seq });
  }
  if (toHex(here) !== hash)
    throw new Fault("The events do not lead to the hash at its head.", { event: seq });
  return ok(`${seq} events lead to the hash at its head.`);
}

/**
 * @param {Replay} replay
 * @param {Rules} rules
 * @param {Known["own"]} own
 * @returns {Check}
 */
function checkDeal({ events }, rules, own) {
  const { fair } = events[0];
  const added = own?.winnable ? fair?.nonce?.replace(/\.\d+$/, "") : fair?.nonce;
  if (own && (fair?.pledge !== own.pledge || added !== own.nonce))
    throw new Fault("It is not what this browser was promised.", { event: 1 });
  const numbered = own?.deal !== undefined && !own.loaded;
  if (own && (Boolean(fair?.loaded) !== own.loaded || Boolean(fair?.numbered) !== numbered))
    throw new Fault("It does not start as this browser asked for.", { event: 1 });
  if (!fair)
    return never(
      "This game carries no commitments: nothing tells where its cards came from.",
      "no commitments",
    );
  const end = events.find(({ kind }) => kind === "ended");
  if (!end && events.some(({ kind }) => kind === "closed"))
    return never("The room was closed before its end: its deal stays closed.", "never opened");
  if (!end) return open("The deal is opened when the game has ended.");
  const where = { event: end.seq };
  const { start, counters, seed, secret, deal } = end.opened ?? {};
  if (!start || !counters || typeof secret !== "string" || !/^[0-9a-f]{64}$/.test(secret))
    throw new Fault("The end does not open the secret.", where);
  const [bytes, nonce] = [fromHex(secret), fair.nonce ?? ""];
  if (toHex(sha256(bytes)) !== fair.pledge)
    throw new Fault("The secret is not the one that was pledged.", where);
  const mixed = seedOf(bytes, nonce);
  if (toHex(mixed) !== seed)
    throw new Fault("The seed does not follow from the secret and the nonce.", where);
  const table = { piles: start, counters };
  if (toHex(rootFor(bytes, nonce, rules, table, sizeOf(rules, table))) !== fair.root)
    throw new Fault("The cards are not those that were promised.", where);
  if (own && !own.loaded && deal !== own.deal)
    throw new Fault("It is not the deal that this browser asked for.", where);
  if (fair.loaded && deal === undefined) return ok("It starts from the position that was given.");
  if (!fair.loaded && Boolean(fair.numbered) !== (deal !== undefined))
    throw new Fault(
      "At the start it was not said so that the deck is that of a deal number.",
      where,
    );
  const deck = deal === undefined ? shuffled(DECK, mixed) : deckOf(deal);
  if (!same(rules.deal(deck), table))
    throw new Fault("It does not start from the deal that was promised.", where);
  const from = deal === undefined ? "the shuffle that was fixed before" : `deal ${deal}`;
  return ok(`It started from ${from}, every card as promised.`);
}

/**
 * @param {Replay} replay
 * @param {Rules} rules
 * @param {ReturnType<typeof toldStart>} told
 * @param {Items | null} items  null: what was opened is not believed
 * @returns {Check}
 */
function checkRules({ events, open: cards }, rules, told, items) {
  const [created] = events;
  const end = events.find(({ kind }) => kind === "ended");
  const whole = told && !end && cards ? wholeStart(told.table, cards) : null;
  if (told && !end && !whole && !items)
    return never("What was opened cannot be believed.", "not checked");
  if (told && !end && !whole && !created.fair && isClosed(told.table))
    return open("This room has made no promise about its hidden cards.");
  const start =
    told && end
      ? openedStart(told.table, end.opened, end.seq)
      : (whole ?? (told && filledStart(told.table, items ?? new Map(), rules, told.event)));
  const odd = start && rules.check(start);
  if (odd) throw new Fault(`No game starts so: ${odd}.`, { event: told?.event });
  const chances = start ? chancesOf(events, rules, start) : () => null;
  const story = new Retelling(rules, start, created, chances);
  events.forEach((event, n) => story.tell(event, cards?.[n]));
  if (story.unknown) return open(story.unknown);
  const { changes } = story;
  return ok(`${changes} change${changes === 1 ? "" : "s"}, each by the rules.`);
}

/** Whether cards lie there that nobody has seen. @param {Table} table */
const isClosed = ({ piles }) => Object.values(piles).some((cells) => cells.includes(HIDDEN));

/**
 * The chance of shuffles: it follows from a seed that the end opens.
 * @param {Replay["events"]} events
 * @param {Rules} rules
 * @param {Table} start
 * @returns {import("./retelling.js").Chances}
 */
function chancesOf(events, rules, start) {
  const seed = events.find(({ kind }) => kind === "ended")?.opened?.seed;
  return (table) => {
    if (!events[0].fair || !seed) return null;
    const number = start.counters.shuffles - table.counters.shuffles + 1;
    return chanceOf(shuffleSeed(fromHex(seed), number), rules, table);
  };
}
