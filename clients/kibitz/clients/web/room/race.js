/**
 * What a race adds to a room page: whose board is looked at, the gate before the start, the table.
 * It is loaded with the first race.
 *
 * Promises: a board that the visitor may not see is never looked at where there is another one; how
 * the race stands follows from the view alone. Never: a request.
 */

import { isWaiting, standings } from "../client/past.js";
import { countOf } from "../cards/names.js";
import { h } from "../shell/dom.js";
import { sheet } from "../shell/sheet.js";
import "./gate.js";
import { clockOf, ordinal } from "./lines.js";
import "./racers.js";
import { headline, lineOf, showResults } from "./results.js";

/** @import { Playback } from "../client/playback.js" */
/** @import { Event, Standing, View } from "../protocol/messages.js" */
/** @import { Gate } from "./gate.js" */
/** @import { Racers } from "./racers.js" */
/** @import { Results, Then } from "./results.js" */
/** @import { Source } from "./source.js" */

/** @typedef {[text: string, choices: [what: string, label: string][]]} Notice */

/** How one's own race ended, unless it was won. @type {Record<string, string>} */
const HOW = { resigned: "You gave up", timeout: "Your time is up" };
const MASKED = "Boards are opened when the last one is done.";
const NEVER_BEGAN = "This race never began.";

/**
 * What a race adds, ready to be shown.
 * @param {Source} source
 * @returns {Promise<Race>}
 */
export async function race(source) {
  await sheet("race");
  return new Race(source);
}

export class Race {
  #source;
  /** How often the visitor has chosen a board. */
  chosen = 0;
  gate = /** @type {Gate} */ (h("kibitz-gate", { hidden: true }));
  racers = /** @type {Racers} */ (h("kibitz-racers", { hidden: true }));
  /** In the place of a board that may not be seen. */
  closed = h("p", { class: "closed", hidden: true });

  /** @param {Source} source */
  constructor(source) {
    this.#source = source;
  }

  get #rows() {
    const { boards, seats } = this.#source.view;
    return standings(boards, seats);
  }

  /** Indices of the boards that bots play. */
  get #bots() {
    return new Set(this.#source.seats.flatMap(({ bot, seat }) => (bot ? [seat - 1] : [])));
  }

  /** Index of the board to look at: one's own, or else the best that may be seen and goes on. */
  get preferred() {
    const { view, board, own } = this.#source;
    if (own !== null && !view.boards[own]?.hidden) return own;
    const seen = this.#rows.filter(({ seat }) => !view.boards[seat - 1].hidden);
    const best = seen.find(({ status }) => status === "open") ?? seen[0];
    return best ? best.seat - 1 : board;
  }

  /**
   * Whether who looks on has nothing more to see on a board, and goes to another one.
   * @param {Event} event
   * @param {number} board  the one that is looked at
   */
  leaves({ kind, board: about = 0 }, board) {
    const { mine, status } = this.#source;
    const done = kind === "won" || kind === "resigned";
    return done && !mine && status === "open" && about === board;
  }

  /** Who has a board. @param {number} board */
  nameOf(board) {
    return this.#source.seats[board]?.name || `seat ${board + 1}`;
  }

  /**
   * Show how it stands.
   * @param {{playback: Playback, ahead: number, embed: boolean}} standing
   */
  show({ playback, ahead, embed }) {
    const { view, own, past, seats } = this.#source;
    const waiting = isWaiting(view);
    const off = waiting && view.status !== "open";
    const hidden = new Set(view.boards.flatMap((board, n) => (board.hidden ? [n] : [])));
    this.gate.hidden = !waiting || off;
    this.racers.hidden = waiting;
    this.closed.hidden = !off && (waiting || !hidden.has(playback.board));
    this.closed.textContent = off ? NEVER_BEGAN : MASKED;
    if (off) return;
    if (waiting) return this.#wait(ahead, embed);
    const { view: then } = past.at(Math.min(Math.max(playback.seq, past.first), past.last));
    const rows = then.race?.started === undefined ? [] : standings(then.boards, seats);
    const masked = own === null ? MASKED : "You see the other boards when you are done.";
    this.racers.info = {
      rows,
      shown: playback.board,
      own,
      hidden,
      bots: this.#bots,
      note: hidden.size ? masked : "",
    };
  }

  /** @param {number} ahead @param {boolean} embed */
  #wait(ahead, embed) {
    const { view, own, mine, free, started, past, presence, seats } = this.#source;
    const { ready = [], begins, limit = 0 } = view.race ?? {};
    this.gate.info = {
      seats,
      here: presence?.players ?? null,
      ready,
      own: own === null ? null : own + 1,
      begins: begins === undefined ? null : started + begins,
      fixed: past.event(1)?.begins !== undefined,
      limit,
      ahead,
      canSit: free && !mine && !embed,
      canInvite: free && !embed,
      canBot: Boolean(this.#source.hasBots) && !embed,
      canClose: Boolean(this.#source.made) && !embed,
    };
  }

  /** How it stood at a moment, in a few words. @param {View} then */
  summary({ race, boards, seats }) {
    if (race?.started === undefined) return "";
    return summary(standings(boards, seats), this.#source.own);
  }

  /**
   * What is said beside the table while the race goes on, and after it.
   * @param {number} board  the one that is looked at
   * @returns {Notice}
   */
  notice(board) {
    const { view, status, own } = this.#source;
    if (isWaiting(view)) return ["", []];
    const whose = board === own || view.boards[board]?.hidden ? "" : this.nameOf(board);
    /** @type {Notice[1]} */
    const back = whose && own !== null ? [["own", "My board"]] : [];
    const text = whose && `The board of ${whose}`;
    const rows = this.#rows;
    if (status !== "open")
      return [
        [headline(rows, own), text].filter(Boolean).join(" · "),
        [["results", "Results"], ...back],
      ];
    const mine = rows.find(({ seat }) => seat - 1 === own);
    if (!mine || mine.status === "open" || whose) return [text, back];
    const place = `, ${ordinal(mine.place)} so far`;
    const how = mine.status === "won" ? `You won${place}` : (HOW[mine.status] ?? `You are done`);
    return [`${how}. Choose a name to see a board.`, []];
  }

  /** @returns {Results} */
  get #results() {
    const { past, info, own } = this.#source;
    const deal = past.event(past.last)?.opened?.deal;
    return { title: info.title, rows: this.#rows, own, bots: this.#bots, deal };
  }

  /** Show how it ended. @param {"rematch" | "next" | null} next @param {(what: Then) => void} todo */
  end(next, todo) {
    showResults(this.#results, next, todo);
  }

  /** How the visitor fared, or the winner, in one line. */
  get line() {
    return lineOf(this.#results);
  }
}

/**
 * How it stands, in a few words: for who races, or who watches.
 * @param {readonly Standing[]} rows
 * @param {number | null} own
 */
function summary(rows, own) {
  const mine = rows.find(({ seat }) => seat - 1 === own);
  const best = rows.filter(({ place }) => place === 1);
  if (best.length === rows.length) return rows.length ? countOf(rows.length, "racer") : "";
  const place = mine ? `${ordinal(mine.place)} of ${rows.length}` : "";
  const lead = best.length === 1 && best[0] === mine ? "" : leading(best);
  return [place, lead].filter(Boolean).join(" · ");
}

/** @param {Standing[]} best */
function leading(best) {
  const { status, ms, score, name } = best[0];
  const who = best.length > 1 ? `${best.length} lead` : `${name} leads`;
  return status === "won" ? `${name} won in ${clockOf(ms ?? 0)}` : `${who} with ${score}`;
}
