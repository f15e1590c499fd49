/**
 * Everything round the table of a room: title, people, controls, timeline, log.
 *
 * Promises: shows how the room stands and where in its past one is; nothing here asks for anything.
 */

import { isWaiting } from "../client/past.js";
import { CALLED_OFF, spoken } from "../cards/names.js";
import { ending, said, toast } from "../shell/announce.js";
import { h, whenLetGo } from "../shell/dom.js";
import "./controls.js";
import "./log.js";
import "./people.js";
import "./timeline.js";

/** @import { Playback } from "../client/playback.js" */
/** @import { Past } from "../client/past.js" */
/** @import { Event as Happening, Thought, View } from "../protocol/messages.js" */
/** @import { Controls } from "./controls.js" */
/** @import { Log } from "./log.js" */
/** @import { People } from "./people.js" */
/** @import { Player } from "./player.js" */
/** @import { Race } from "./race.js" */
/** @import { Series } from "./series.js" */
/** @import { Source, Unseated } from "./source.js" */
/** @import { Thoughts } from "./thoughts.js" */
/** @import { Timeline } from "./timeline.js" */

/** Events that are worth a mark on the timeline. */
const MARKS = new Set([
  "say",
  "undo",
  "redo",
  "restart",
  "saved",
  "cheated",
  "stuck",
  "won",
  "resigned",
  "timeout",
  "closed",
]);
const ALLOWED = { undo: true, save: true, hints: true, say: true };

/**
 * How it stands. `live`: what is on the table is what happens now; `crowd`: the visitor wants to
 * see the others; `embed`: in a frame of another page; `ahead`: the server's clock before ours, ms;
 * `may`: the visitor may have games of his own here; `muted`: why he may not comment, if so; `analyses`: the server says what became of a game.
 * @typedef {{source: Source, playback: Playback, player: Player, series: Series | null, live: boolean,
 *   crowd: boolean, embed: boolean, ahead: number, may: boolean, muted: string, analyses: boolean}} Standing
 */

export class Frame {
  controls = /** @type {Controls} */ (h("kibitz-controls"));
  timeline = /** @type {Timeline} */ (h("kibitz-timeline"));
  log = /** @type {Log} */ (h("kibitz-log"));
  #people = /** @type {People} */ (h("kibitz-people"));
  /** What a race adds to it. @type {Race | null} */
  race = null;
  /** @type {Thoughts | undefined} */
  #thoughts;
  /** Takes away the words of a hint. */
  #unsay = () => {};
  #title = h("h1", {});
  /** Asks for the game to be verified, and then says what came of that. */
  #badge = h(
    "button",
    { type: "button", class: "quiet badge", onClick: () => this.#ask("verify") },
    "Verify",
  );
  /** Asks what became of the game, once it has ended. */
  #became = h(
    "button",
    { type: "button", class: "quiet became", hidden: true, onClick: () => this.#ask("analyse") },
    "Analyse",
  );
  /** Leads to what stands below the table where there is no room beside it. */
  #below = h("button", {
    type: "button",
    class: "quiet below",
    hidden: true,
    title: "Below the table",
    onClick: () => this.log.parentElement?.scrollIntoView(),
  });
  /** What the table cannot say by itself; its buttons tell `do` {what}. */
  strip = h("div", { class: "strip", hidden: true });
  /** @type {[text: string, choices: [what: string, label: string][]]} */
  #said = ["", []];
  /** The marks there are for the events up to `last`, of the board that is looked at. */
  #marked = {
    first: 0,
    last: -1,
    board: 0,
    marks: /** @type {readonly {seq: number, kind: string}[]} */ ([]),
  };

  /**
   * Lay everything out round a table.
   * @param {HTMLElement} felt
   * @param {string} title
   * @param {string | null} full  the address of the whole page, in a frame of another
   * @returns {HTMLElement[]}
   */
  around(felt, title, full) {
    this.#title.textContent = title;
    const link = full && h("a", { href: full, target: "_blank", rel: "noopener" }, "Open kibitz");
    const head = h(
      "div",
      { class: "head" },
      this.#title,
      this.#badge,
      this.#became,
      this.#below,
      this.#people,
      link,
    );
    if (this.race) felt.append(this.race.gate, this.race.closed);
    return [
      h(
        "section",
        { class: "board", "aria-label": "Game" },
        head,
        felt,
        this.strip,
        this.controls,
        this.timeline,
      ),
      h(
        "aside",
        { class: "side", "aria-label": "Moves and comments" },
        this.race?.racers ?? "",
        this.log,
      ),
    ];
  }

  /** @param {Standing} standing */
  show(standing) {
    this.#controls(standing);
    this.#became.hidden = !standing.analyses || !hasEnded(standing.source);
    this.timeline.hidden = isWaiting(standing.source.view);
    this.#time(standing);
    this.#crowd(standing);
    this.#strip(standing);
    this.race?.show(standing);
    this.#weighed(standing.playback, standing.source);
  }

  /**
   * Show what the player of a board thinks, where that is looked at: loaded with its first use.
   * @param {Thought} thought @param {Playback} playback @param {Source} source
   */
  async think(thought, playback, source) {
    const { thoughts } = await import("./thoughts.js");
    this.#thoughts ??= await thoughts(this.log);
    this.#thoughts.take(thought);
    this.#weighed(playback, source);
  }

  /** @param {Playback} playback @param {Source} source */
  #weighed({ board, following }, { past, seats, info: { actions = [] } }) {
    this.#thoughts?.show({ board, following, past, name: seats[board]?.name ?? "", actions });
    const standings = this.race && !this.race.racers.hidden && "Standings";
    const thoughts = this.#thoughts && !this.#thoughts.hidden && "Thoughts";
    const what = [standings, thoughts].filter(Boolean).join(", ");
    this.#below.hidden = !what;
    if (this.#below.firstChild?.textContent !== what)
      this.#below.replaceChildren(what, h("span", { "aria-hidden": "true" }, " ↓"));
  }

  /**
   * Show which button to press, in a ring and in words.
   * @param {string | null} move  its move; `null`: none any longer
   */
  point(move) {
    this.#unsay();
    const name = this.controls.point(move);
    this.#unsay = name ? toast(`Try: ${name}.`) : () => {};
  }

  /** As if it were a button of the controls. @param {string} what */
  #ask(what) {
    this.controls.dispatchEvent(new CustomEvent("do", { detail: { what } }));
  }

  /** @param {Standing} standing */
  #strip({ source, playback, live, player, series, embed }) {
    const over = source.status !== "open" || !source.address;
    const { past } = source;
    const next = series?.notice() ?? shut(source) ?? source.notice?.(embed);
    if (source.gone)
      this.#say("This room is gone: what you see is the last that was known.", [
        ["lobby", "To the lobby"],
      ]);
    else if (next) this.#say(...next);
    else if (source.unseated) this.#say(barred(source.unseated), [["lobby", "To the lobby"]]);
    else if (!over && !playback.following)
      this.#say(`You are looking back: event ${playback.seq} of ${playback.last}.`, [
        ["live", "Back to the game"],
      ]);
    else if (live && source.plays && isStuck(playback))
      this.#say("No move that changes anything is left.", [
        ...(player.possible?.undo ? /** @type {[string, string][]} */ ([["undo", "Undo"]]) : []),
        ["resign", "Give up"],
        ["new", "New game"],
      ]);
    else this.#say(...(this.race?.notice(playback.board) ?? ["", []]));
  }

  /** @param {string} text @param {[what: string, label: string][]} choices */
  #say(text, choices) {
    this.#said = [text, choices];
    whenLetGo(this.strip, () => this.#drawStrip(...this.#said));
  }

  /** @param {string} text @param {[what: string, label: string][]} choices */
  #drawStrip(text, choices) {
    const drawn = text + choices.join();
    if (this.strip.dataset.said === drawn) return;
    this.strip.dataset.said = drawn;
    this.strip.hidden = !text;
    const tell = (/** @type {string} */ what) =>
      this.strip.dispatchEvent(new CustomEvent("do", { detail: { what } }));
    this.strip.replaceChildren(
      h("span", {}, text),
      ...choices.map(([what, label]) =>
        h("button", { type: "button", onClick: () => tell(what) }, label),
      ),
    );
  }

  /** @param {Standing} standing */
  #controls({ source, playback, player, live, embed, may, muted }) {
    const { possible } = player;
    const { view, plays, mine } = source;
    const over = source.status !== "open";
    const closed = source.status === "closed";
    const waiting = isWaiting(view);
    const free = plays && live;
    const policy = source.policy ?? ALLOWED;
    const takes = policy.say && view.comments !== false && !closed;
    this.controls.show({
      plays,
      may,
      over,
      closed,
      file: !source.address,
      policy,
      canInvite: source.free,
      shown: source.recorded !== undefined,
      canPresent: may && over && !closed && Boolean(source.address) && !source.recorded && !embed,
      canSit: source.free && !mine && !embed && !waiting,
      canTry: Boolean(plays && policy.undo && !view.race && source.address),
      canGoOn: may && over && !closed && !playback.following && !waiting,
      rematch: nextOf(source) === "rematch",
      alone: source.seats.length < 2,
      comments: mine && !closed && policy.say ? takes : null,
      actions: source.info.actions ?? [],
      legal: free ? possible && new Set(possible.moves) : new Set(),
      ends: free && player.ends,
      undo: free && (possible?.undo ?? momentOf(playback).moves > 0),
      redo: free && (possible?.redo ?? true),
    });
    this.log.canSay = Boolean(source.address) && takes && !embed && !muted;
    const off = closed ? "The room is closed." : "Comments are off.";
    this.log.note = takes ? muted : policy.say ? off : "This room takes no comments.";
  }

  /** @param {Standing} standing */
  #time({ source, playback, live }) {
    const { past } = source;
    const event = past.event(playback.seq);
    Object.assign(this.timeline, {
      first: playback.first,
      last: playback.last,
      seq: playback.seq,
      board: playback.board,
      live,
      over: source.status !== "open" || !source.address,
      canOpen: source.canOpen,
      open: playback.past !== past,
      playing: playback.playing,
      speed: playback.speed,
      caption: event && playback.concerns(event.seq) ? wordsOf(event, source) : "",
    });
    const { board } = playback;
    const { first, last } = past;
    if (this.#marked.last > last || this.#marked.first !== first || this.#marked.board !== board)
      this.#marked = { first, last: first - 1, board, marks: [] };
    const known = past.events.length;
    const fresh = past.events.slice(Math.max(0, known - (last - this.#marked.last)));
    const marks = fresh.filter(({ kind, seq }) => MARKS.has(kind) && playback.concerns(seq));
    this.#marked.last = last;
    if (!marks.length && this.timeline.marks === this.#marked.marks) return;
    this.timeline.marks = this.#marked.marks = [...this.#marked.marks, ...marks];
  }

  /** @param {Standing} standing */
  #crowd({ source, playback, live, crowd, ahead }) {
    const { past, presence, view, mine, policy } = source;
    const { at, moves, score, status, view: then } = momentOf(playback);
    const { race } = view;
    const since = race?.started ?? 0;
    const { own } = source;
    const waiting = isWaiting(view);
    const shown = race ? then.boards[playback.board] : null;
    const done = own === null ? (shown?.hidden ? undefined : shown?.ms) : view.boards[own].ms;
    const goes = source.status === "open" && source.address && !source.gone;
    const late = mine ? 0 : (policy?.delay ?? 0);
    const running = race && !waiting && live && done === undefined;
    this.#people.now = ahead - late * 1000;
    this.#people.info = {
      seats: source.seats,
      standing: this.race?.summary({ ...then, seats: view.seats }),
      counts: !waiting && !shown?.hidden,
      timed: !waiting,
      series: view.series,
      daily: view.daily,
      winnable: view.winnable,
      limit: running ? race.limit * 1000 : null,
      late,
      here: presence?.players ?? null,
      spectators: crowd ? (presence?.spectators ?? null) : null,
      started: source.started + since,
      moves,
      score,
      status: shown && !shown.hidden ? shown.status : status,
      at: live ? null : Math.min(Math.max(0, at - since), shown?.ms ?? Infinity),
      ended: done ?? (goes ? null : Math.max(0, past.at(past.last).at - since)),
    };
  }
}

/** An event in words; on a board of a race it is clear whose. @param {Happening} event @param {Source} source */
export function wordsOf(event, { view, past }) {
  return spoken(event, view.race && event.fx ? {} : past.at(past.last).names);
}

/** The moment where one stands, with the board that is looked at. @param {Playback} playback */
export function momentOf(playback) {
  const past = /** @type {Past} */ (playback.past);
  const moment = past.at(Math.min(playback.seq, past.last));
  const table = moment.view.boards[playback.board] ?? moment.table;
  return { ...moment, table, moves: table.moves, score: table.score };
}

/** Whether a game has come to its end, on the server. @param {Source} source */
function hasEnded({ status, address }) {
  return Boolean(address) && status !== "open" && status !== "closed";
}

/** Whether the last thing on the board was that no move is left. @param {Playback} playback */
function isStuck({ past, last, board }) {
  let seq = last;
  while (past.event(seq)?.kind === "hidden") seq--;
  const event = past.event(seq);
  return event?.kind === "stuck" && (event.board ?? 0) === board;
}

/**
 * What is said of a room that the operator has closed, or of a race that was called off.
 * @param {Source} source
 * @returns {[text: string, choices: [what: string, label: string][]] | null}
 */
function shut({ status, past, mine }) {
  if (status !== "closed") return null;
  const text = past.event(past.last)?.text;
  /** @type {[what: string, label: string][]} */
  const then = [["lobby", "To the lobby"]];
  if (text === CALLED_OFF) return [mine ? "You called it off." : said(text), then];
  return [`This room was closed${text ? `: ${text}` : "."}`, then];
}

/** Why there is no seat to be had, and until when. @param {Unseated} unseated */
function barred({ taken, message, until }) {
  const why = message || "you can only watch here";
  const whole = taken ? `The operator of this server has taken your seat: ${why}` : why;
  return said(whole) + ending(until);
}

/** How the seats of a room go on after it, if they can. @param {Source} source */
export function nextOf({ status, address, mine, view }) {
  if (status === "open" || status === "closed" || !address || view.daily) return null;
  return view.next ? "next" : mine ? "rematch" : null;
}
