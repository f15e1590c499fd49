/**
 * A game told once more by the rules, event by event, beside what the replay says.
 *
 * Promises: the first event that the rules would not have made so is a fault with its number.
 * What is hidden from the viewer is passed over. Never: a guess at a hidden card.
 */

/** @import { BoardView, Event, Fact, View } from "../protocol/messages.js" */
/** @import { Table } from "../protocol/table.js" */
/** @import { Kind } from "./board.js" */
/** @import { Chance, Rules } from "./rules/rules.js" */

import { begun, course, standings } from "../protocol/course.js";
import { Board } from "./board.js";
import { same } from "./bytes.js";
import { isUp, laid, redacted } from "./cards.js";
import { Fault } from "./fault.js";
import { checkKeys } from "./keys.js";
import { checkDay, checkDraw, checkManners, checkSeats } from "./manners.js";
import { isOutcome } from "./outcome.js";
import { isStuck } from "./stuck.js";

/** What a room can end as, the best first. */
const RESULTS = ["won", "timeout", "resigned"];
const CHANGES = new Set(["move", "undo", "redo", "restart"]);
/** What is said where something should have come. @type {Record<string, string>} */
const MISSED = {
  won: "The game was won here.",
  stuck: "No move that changes anything was left here.",
  dealt: "The cards were to be dealt here.",
  ended: "The game had ended here.",
};

/**
 * The seed of the next shuffle of a position, as far as it is known.
 * @typedef {(table: Table) => Chance | null} Chances
 */

export class Retelling {
  #rules;
  #start;
  #chances;
  /** @type {View} */
  #view;
  /** Boards that the viewer sees. @type {Map<number, Board>} */
  #boards = new Map();
  /** Boards on which nothing can be done any more. @type {Set<number>} */
  #stuck = new Set();
  /** What must come next. @type {{kind: string, board: number, by?: string} | null} */
  #due = null;
  /** @type {Event | null} */
  #before = null;
  /** Moves and the like that were made. */
  changes = 0;
  /** What cannot be known yet. @type {string | null} */
  unknown = null;

  /**
   * @param {Rules} rules
   * @param {Table | null} start  null: the viewer has not seen it
   * @param {Event} created
   * @param {Chances} chances
   */
  constructor(rules, start, created, chances) {
    this.#rules = rules;
    this.#start = start;
    this.#chances = chances;
    checkSeats(created);
    checkDay(created);
    checkDraw(created);
    this.#view = begun(created);
    if (created.mode !== "race" && start) this.#release([0]);
  }

  /** @param {number[]} boards */
  #release(boards) {
    const start = /** @type {Table} */ (this.#start);
    for (const n of boards) this.#boards.set(n, new Board(start));
    this.#note(boards, { moves: 0, score: this.#rules.score(start) });
  }

  /** @param {number[]} which @param {Partial<BoardView>} how */
  #note(which, how) {
    const boards = this.#view.boards.map((board, n) =>
      which.includes(n) ? { ...board, ...how } : board,
    );
    this.#view = { ...this.#view, boards };
  }

  /**
   * One more event.
   * @param {Event} event  as the viewer is told it
   * @param {Event} [open]  with every card named
   * @throws {Fault}
   */
  tell(event, open) {
    try {
      this.#tell(event, open);
    } catch (error) {
      const why = error instanceof Fault ? error.message : `It cannot have happened so: ${error}.`;
      throw new Fault(why, { event: event.seq });
    }
    this.#before = event;
  }

  /** @param {Event} event @param {Event} [open] */
  #tell(event, open) {
    const { kind, board = 0 } = event;
    const due = this.#due;
    this.#due = null;
    if (due && (due.kind !== kind || due.board !== board)) throw new Fault(MISSED[due.kind]);
    if (due?.by && due.by !== event.by) throw new Fault("Somebody else won here.");
    if (open && !same(shown(open), shown(event, true)))
      throw new Fault("With its cards open it is another event.");
    if (event.at < (this.#before?.at ?? 0)) throw new Fault("Time runs backwards.");
    if (event.seq > 1) checkManners(this.#view, event);
    if (!this.#isBlind(event)) checkKeys(event, this.#view.mode);
    if (kind === "won" && due?.kind !== "won") throw new Fault("The game is not won.");
    if (CHANGES.has(kind)) this.#change(/** @type {Kind} */ (kind), event, open);
    else if (kind === "started" || kind === "dealt") this.#begin(event, open);
    else if (kind === "stuck") this.#stop(event, due);
    else if (kind === "hidden") this.#pass(event);
    else if (kind === "resigned") this.#playable(event);
    else if (kind === "ended") this.#end(event);
    this.#view = course(this.#view, event);
    if (kind === "won") this.#win(event);
    if (["won", "resigned", "timeout"].includes(kind) && this.#isDone)
      this.#due = { kind: "ended", board: 0 };
  }

  /** Whether it is about a board that the viewer does not see. @param {Event} event */
  #isBlind({ kind, board = 0 }) {
    const { mode } = this.#view;
    if (kind === "ended") return false;
    return (
      mode === "replay" ||
      (kind === "started" || kind === "dealt" ? !this.#start : !this.#boards.has(board))
    );
  }

  get #isDone() {
    const { boards, mode } = this.#view;
    return mode === "replay" || boards.every(({ status }) => status !== "open");
  }

  /** @param {Kind} kind @param {Event} event @param {Event} [open] */
  #change(kind, event, open) {
    const { board: n = 0 } = event;
    const board = this.#playable(event);
    if (!board) throw new Fault("It is about a board that was hidden before.");
    const facts = kind === "move" ? this.#effect(event, board.table) : board.facts(kind);
    if (!facts) throw new Fault(`There is nothing to ${kind}.`);
    this.#compare(facts, event, open);
    board.apply(kind, facts);
    const score = this.#rules.score(board.table);
    if (event.moves !== board.moves) throw new Fault(`It is move ${board.moves}.`);
    if (event.score !== score) throw new Fault(`The score is ${score} then.`);
    this.#note([n], { moves: board.moves, score });
    if (kind !== "move") this.#stuck.delete(n);
    else if (this.#rules.isWon(board.table)) this.#due = { kind: "won", board: n, by: event.by };
    else if (!this.#stuck.has(n) && isStuck(this.#rules, board.table))
      this.#due = { kind: "stuck", board: n };
    this.changes++;
  }

  /**
   * The board on which somebody does something; undefined: one that the viewer does not see.
   * @param {Event} event
   */
  #playable({ board: n = 0, by }) {
    const { boards, seats, mode, race, status } = this.#view;
    if (mode === "replay") return undefined;
    if (status !== "open" || boards[n]?.status !== "open") throw new Fault("That board is done.");
    if (race && race.started === undefined) throw new Fault("The race has not begun.");
    if (race && seats[n]?.id !== by) throw new Fault("That is the board of somebody else.");
    return this.#boards.get(n);
  }

  /** What the rules make of a move. @param {Event} event @param {Table} table @returns {Fact[]} */
  #effect(event, table) {
    const move = this.#rules.lines.get(event.move ?? "");
    if (!move) throw new Fault(`“${event.move}” is no move of this game.`);
    if (this.#rules.isWon(table) || !this.#rules.allows(table, move))
      throw new Fault(`“${event.move}” is against the rules.`);
    const chance = move.kind === "shuffle" ? this.#chances(table) : null;
    if (move.kind === "shuffle" && !chance) {
      this.unknown ??= "What its shuffles follow from is opened at the end.";
      if (!isOutcome(this.#rules, table, event.fx ?? []))
        throw new Fault("No shuffle can lead to that.");
      return event.fx ?? [];
    }
    return this.#rules.effect(table, move, chance ?? ((pool) => pool));
  }

  /** @param {Fact[]} facts @param {Event} event @param {Event} [open] */
  #compare(facts, { fx }, open) {
    const told = facts.map(redacted);
    if (!fx || (!same(told, fx) && told.length !== fx.length))
      throw new Fault("Other things happen by the rules.");
    const n = told.findIndex((fact, at) => !same(fact, fx[at]));
    if (n >= 0) throw new Fault(`By the rules it is ${inWords(told[n])}, not ${inWords(fx[n])}.`);
    if (open && !same(facts, open.fx)) throw new Fault("With its cards open it is another event.");
  }

  /** A race. @param {Event} event @param {Event} [open] */
  #begin(event, open) {
    const { race, boards, seats } = this.#view;
    const start = this.#start;
    if (event.kind === "started") {
      if (!race || race.started !== undefined) throw new Fault("There is no race to be started.");
      if (start && event.score !== this.#rules.score(start))
        throw new Fault(`The score is ${this.#rules.score(start)} then.`);
      this.#note([...boards.keys()], { score: event.score ?? 0 });
      if (start) this.#due = { kind: "dealt", board: 0 };
    } else {
      if (!race || this.#before?.kind !== "started" || !start)
        throw new Fault("There is no race to be dealt to.");
      this.#compare(laid(start), event, open);
      this.#release([...seats.keys()]);
    }
  }

  /** Something that the viewer may not see. @param {Event} event */
  #pass({ board: n = 0, moves, score }) {
    if (!this.#view.race) throw new Fault("Nothing is hidden but in a race.");
    this.unknown = "Not every board is shown yet.";
    if (moves === undefined) return;
    this.#boards.delete(n);
    this.#note([n], { moves, score });
  }

  /** No move is left. @param {Event} event @param {{kind: string} | null} due */
  #stop({ board: n = 0 }, due) {
    const { kind, board = 0 } = this.#before ?? {};
    const seen = this.#boards.has(n);
    if (seen ? due?.kind !== "stuck" : kind !== "move" || board !== n || this.#stuck.has(n))
      throw new Fault("Nothing has become stuck here.");
    this.#stuck.add(n);
  }

  /** @param {Event} event */
  #win({ board: n = 0, moves, ms, at }) {
    const since = this.#view.race?.started ?? 0;
    if (moves !== this.#view.boards[n]?.moves) throw new Fault("It was won in other moves.");
    if (ms !== at - since) throw new Fault("It was won in another time.");
  }

  /** @param {Event} event */
  #end(event) {
    const { boards, seats, mode, status } = this.#view;
    if (status !== "open" || !this.#isDone) throw new Fault("The game has not ended here.");
    const statuses = new Set(boards.map((board) => board.status));
    const best = RESULTS.find((each) => statuses.has(/** @type {any} */ (each))) ?? "resigned";
    if (event.result !== best) throw new Fault(`It ended as ${best}.`);
    if (mode === "replay") return;
    const tables = boards.map((_, n) => this.#boards.get(n)?.table);
    if (!tables.every((table) => table !== undefined)) throw new Fault("A board was never shown.");
    if (mode !== "race") {
      if (!same(closed(tables[0]), event.fx))
        throw new Fault("Other cards lay face down at the end.");
    } else {
      if (!same(tables.map(laid), event.boards))
        throw new Fault("Other cards lay there at the end.");
      if (!same(standings(boards, seats), event.results))
        throw new Fault("The table is another one.");
    }
  }
}

/** The facts that name what lies face down. @param {Table} table @returns {Fact[]} */
function closed({ piles }) {
  const open = Object.entries(piles).filter(([, cells]) => !cells.every(isUp));
  return open.map(([pile, cells]) => ["set", pile, cells]);
}

/** An event without what is told of it in two ways. @param {Event} event @param {boolean} [told] */
function shown(event, told = false) {
  const { fx, ...rest } = event;
  if (!fx || event.kind === "ended" || (event.kind === "created" && event.mode === "race"))
    return event.kind === "ended" ? event : rest;
  return { ...rest, fx: told ? fx : fx.map(redacted) };
}

/** @param {Fact} fact */
const inWords = (fact) => fact.flat().join(" ").slice(0, 60);
