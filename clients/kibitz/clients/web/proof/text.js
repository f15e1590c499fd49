/**
 * A replay text verified: its digest, the deal that it claims, every command by the rules.
 *
 * It carries no hashes of events and no openings, so there is nothing to be said of those.
 * Promises: what does not fit is told with the number of its line. Never: a fault in a comment.
 */

/** @import { Fact, Piles } from "../protocol/messages.js" */
/** @import { Table } from "../protocol/table.js" */
/** @import { Check } from "./fault.js" */
/** @import { Rules } from "./rules/rules.js" */
/** @import { Verdict } from "./verify.js" */

import { fromHex, toHex } from "../protocol/hashing.js";
import { fold } from "../protocol/table.js";
import { sha256 } from "../protocol/sha256.js";
import { Board } from "./board.js";
import { bytesOf, same } from "./bytes.js";
import { HIDDEN } from "./cards.js";
import { CARDS, DECK, deckOf, shuffled } from "./deals.js";
import { Fault, never, ok, open, tried } from "./fault.js";
import { sizeOf } from "./openings.js";
import { isOutcome } from "./outcome.js";
import { moveOf, rulesOf } from "./rules/games.js";
import { chanceOf, rootFor, seedOf, shuffleSeed } from "./seeds.js";

const FORMAT = "kibitz-replay-1";
const HEADER = /^# ([a-z][a-z0-9_-]*): (\S.*)$/;
const HEX = /^[0-9a-f]{64}$/;
/** Headers of which a text has all or none. */
const SEALED = ["root", "pledge", "sha256"];
const OPTIONS = new Set(["shuffles", "alternate_colours", "redeals"]);

/** @typedef {{command: string, line: number, after: Piles | null}} Step */
/**
 * @typedef {{headers: Map<string, string>, rules: Rules, start: Table, line: number,
 *   steps: Step[]}} Text  `line`: where the start begins
 */

/** @param {string} text @returns {Verdict} */
export function verifyText(text) {
  /** @type {Text | null} */
  let found = null;
  const file = tried(() => {
    found = readText(text);
    return checkSeal(text, found.headers);
  });
  const read = /** @type {Text | null} */ (found);
  if (!read) {
    const unread = never("The file cannot be read.", "not read");
    const checks = { file, chain: unread, openings: unread, deal: unread, rules: unread };
    return { checks, over: false, promised: false, own: false };
  }
  /** @type {Check} */
  const moot = { ...never("Only a replay as JSON carries that.", "not in a text"), moot: true };
  const { headers, rules, start } = read;
  return {
    checks: {
      file,
      chain: moot,
      openings: moot,
      deal: tried(() => checkDeal(headers, rules, start)),
      rules: tried(() => checkSteps(read)),
    },
    over: headers.has("secret"),
    promised: headers.has("root"),
    own: false,
  };
}

/** @param {string} text @returns {string[]} */
function linesOf(text) {
  const lines = text
    .replace(/^\ufeff/, "")
    .split("\n")
    .map((line) => line.replace(/\r$/, "").replace(/[ \t]+$/, ""));
  while (lines.at(-1) === "") lines.pop();
  return lines;
}

/** @param {string} text @returns {Text} */
function readText(text) {
  const lines = linesOf(text);
  /** @type {Map<string, string>} */
  const headers = new Map();
  let at = 0;
  for (; lines[at]?.startsWith("#"); at++) {
    const [, key, value] = HEADER.exec(lines[at]) ?? [];
    if (!key) throw new Fault("“# key: value” must stand here.", { line: at + 1 });
    if (headers.has(key)) throw new Fault(`“${key}” is there twice.`, { line: at + 1 });
    headers.set(key, value);
  }
  if (headers.get("format") !== FORMAT) throw new Fault("This is no replay text.", { line: 1 });
  const options = [...headers].filter(([key]) => OPTIONS.has(key));
  const rules = rulesOf(headers.get("game") ?? "", Object.fromEntries(options));
  const line = at + 1;
  const { piles, next } = position(lines, at, rules);
  const start = { piles, counters: rules.deal(DECK).counters };
  const steps = [];
  for (at = next; at < lines.length; at++) {
    if (!lines[at].startsWith(">")) continue;
    if (!/^> \S/.test(lines[at])) throw new Fault("“> command” must stand here.", { line: at + 1 });
    /** @type {Step} */
    const step = { command: lines[at].slice(2), line: at + 1, after: null };
    steps.push(step);
    if (!lines[at + 1]?.startsWith(`${rowsOf(rules)[0].name} [`)) continue;
    const found = position(lines, at + 1, rules);
    step.after = found.piles;
    at = found.next - 1;
  }
  return { headers, rules, start, line, steps };
}

/** The lines of a position, and the piles that stand in each. @param {Rules} rules */
function rowsOf({ piles }) {
  const row = (/** @type {string} */ pile) => /^(\d+)\.\d+$/.exec(pile)?.[1];
  const rows = new Map();
  for (const pile of piles) {
    const name = row(pile) ? `ROW-${row(pile)}` : pile;
    rows.set(name, [...(rows.get(name) ?? []), pile]);
  }
  return [...rows].map(([name, places]) => ({ name, places: /** @type {string[]} */ (places) }));
}

/**
 * The position that begins at a line.
 * @param {string[]} lines
 * @param {number} at  from 0
 * @param {Rules} rules
 * @returns {{piles: Piles, next: number}}
 */
function position(lines, at, rules) {
  /** @type {Piles} */
  const piles = {};
  for (const { name, places } of rowsOf(rules)) {
    const where = { line: at + 1 };
    const found = (lines[at] ?? "").startsWith(`${name} [ `) && lines[at].endsWith("]");
    if (!found) throw new Fault(`${name} must stand here.`, where);
    const tokens = lines[at]
      .slice(name.length + 3, -1)
      .split(" ")
      .slice(0, -1);
    const cells = tokens.map((token) => (token === "--" ? "" : cellOf(token, where)));
    if (places.length === 1) piles[name] = cells.reverse();
    else if (cells.length !== places.length) throw new Fault(`${name} has other places.`, where);
    else places.forEach((place, n) => (piles[place] = cells[n] ? [cells[n]] : []));
    at++;
  }
  return { piles, next: at };
}

/** @param {string} token @param {{line: number}} where */
function cellOf(token, where) {
  if (token === HIDDEN) return HIDDEN;
  const [card, side] = [token.slice(0, 2), token.slice(2)];
  if (!CARDS.has(card) || (side !== "+" && side !== "-"))
    throw new Fault(`“${token.slice(0, 12)}” is no card.`, where);
  return side === "+" ? card : token;
}

/** @param {string} text @param {Map<string, string>} headers @returns {Check} */
function checkSeal(text, headers) {
  const there = [...SEALED, "nonce", "loaded", "numbered", "secret"].filter((key) =>
    headers.has(key),
  );
  if (!there.length)
    return ok("Somebody wrote it by hand, or took its digest out: it may be changed.", "no digest");
  const missing = SEALED.find((key) => !headers.has(key));
  if (missing) throw new Fault(`It does not say its ${missing}.`, { line: headers.size });
  if ([...headers.keys()].at(-1) !== "sha256")
    throw new Fault("Its digest must be its last header.", { line: headers.size });
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const [seal] = lines.splice(headers.size - 1, 1);
  if (seal !== `# sha256: ${toHex(sha256(bytesOf(lines.join("\n"))))}`)
    throw new Fault("The text is not as it was written.", { line: headers.size });
  return ok("The text is as it was written.");
}

/**
 * @param {Map<string, string>} headers
 * @param {Rules} rules
 * @param {Table} start
 * @returns {Check}
 */
function checkDeal(headers, rules, start) {
  const [deal, secret, nonce] = [headers.get("deal"), headers.get("secret"), headers.get("nonce")];
  if (deal !== undefined && !same(rules.deal(deckOf(deal)).piles, start.piles))
    throw new Fault(`Deal ${deal} starts otherwise.`, { line: headers.size + 1 });
  if (!headers.has("root"))
    return never(
      deal === undefined
        ? "This file carries no commitments: nothing tells where its cards came from."
        : `It starts from deal ${deal}. This file carries no commitments: nothing tells when that was chosen.`,
      "no commitments",
    );
  if (secret === undefined) return open("The deal is opened when the game has ended.");
  if (!HEX.test(secret)) throw new Fault("The secret cannot be read.", { line: 1 });
  const bytes = fromHex(secret);
  if (toHex(sha256(bytes)) !== headers.get("pledge"))
    throw new Fault("The secret is not the one that was pledged.", { line: headers.size });
  const root = rootFor(bytes, nonce ?? "", rules, start, sizeOf(rules, start));
  if (toHex(root) !== headers.get("root"))
    throw new Fault("The cards are not those that were promised.", { line: headers.size + 1 });
  if (!headers.has("loaded") && headers.has("numbered") !== (deal !== undefined))
    throw new Fault("At the start it was not said so that the deck is that of a deal number.", {
      line: headers.size,
    });
  const dealt = rules.deal(shuffled(DECK, seedOf(bytes, nonce ?? "")));
  if (deal === undefined && !headers.has("loaded") && !same(dealt.piles, start.piles))
    throw new Fault("It does not start from the deal that was promised.", {
      line: headers.size + 1,
    });
  return ok("Every card as promised.");
}

/** @param {Text} text @returns {Check} */
function checkSteps({ headers, rules, start, line, steps }) {
  if (Object.values(start.piles).some((cells) => cells.includes(HIDDEN)))
    return open("Cards are hidden: this game was still running.");
  const odd = rules.check(start);
  if (odd) throw new Fault(`No game starts so: ${odd}.`, { line });
  const board = new Board(start);
  let resigned = false;
  for (const step of steps) {
    const where = { line: step.line };
    if (resigned) throw new Fault("The game was given up before.", where);
    resigned = step.command.toLowerCase() === "resign";
    if (resigned && rules.isWon(board.table)) throw new Fault("The game was won before.", where);
    if (!resigned) happen(board, step, rules, headers);
    if (step.after && !same(step.after, board.table.piles))
      throw new Fault("The command does not lead there.", { line: step.line + 1 });
  }
  const result = rules.isWon(board.table) ? "won" : resigned ? "resigned" : "open";
  if ((headers.get("result") ?? result) !== result)
    throw new Fault(`Its result is “${result}”.`, { line: steps.at(-1)?.line ?? line });
  return ok(`${steps.length} commands, each by the rules.`);
}

/**
 * @param {Board} board
 * @param {Step} step
 * @param {Rules} rules
 * @param {Map<string, string>} headers
 */
function happen(board, { command, line, after }, rules, headers) {
  const kind = command.toLowerCase();
  if (kind === "undo" || kind === "redo" || kind === "restart") {
    const facts = board.facts(kind);
    if (!facts) throw new Fault(`There is nothing to ${kind}.`, { line });
    board.apply(kind, facts);
    return;
  }
  const { table, start } = board;
  const move = moveOf(rules, command);
  if (!move) throw new Fault(`“${command.slice(0, 40)}” is no move of this game.`, { line });
  if (rules.isWon(table) || !rules.allows(table, move))
    throw new Fault(`“${command}” is against the rules.`, { line });
  const secret = headers.get("secret");
  if (move.kind !== "shuffle") {
    board.apply(
      "move",
      rules.effect(table, move, (pool) => pool),
    );
  } else if (secret && HEX.test(secret)) {
    const seed = seedOf(fromHex(secret), headers.get("nonce") ?? "");
    const number = start.counters.shuffles - table.counters.shuffles + 1;
    const chance = chanceOf(shuffleSeed(seed, number), rules, table);
    board.apply("move", rules.effect(table, move, chance));
  } else {
    if (!after) throw new Fault("Where the shuffle led to is missing.", { line });
    const told = rules.effect(table, move, (pool) => pool);
    const facts = told.map(
      ([word, pile, value]) =>
        /** @type {Fact} */ ([word, pile, word === "set" ? after[pile] : value]),
    );
    if (!isOutcome(rules, table, facts) || !same(fold(facts, table).piles, after))
      throw new Fault("No shuffle can lead to that.", { line: line + 1 });
    board.apply("move", facts);
  }
}
