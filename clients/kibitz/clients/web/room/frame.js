/**
 * Everything round the table of a room: title, people, controls, timeline, log.
 *
 * Promises: shows how the room stands and where in its past one is; nothing here asks for anything.
 */

import { spoken } from "../cards/names.js";
import { h } from "../shell/dom.js";
import "./controls.js";
import "./log.js";
import "./people.js";
import "./timeline.js";

/** @import { Playback } from "../client/playback.js" */
/** @import { Past } from "../client/past.js" */
/** @import { Controls } from "./controls.js" */
/** @import { Log } from "./log.js" */
/** @import { People } from "./people.js" */
/** @import { Player } from "./player.js" */
/** @import { Source } from "./source.js" */
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
]);
const ALLOWED = { undo: true, save: true, hints: true, say: true };

/**
 * How it stands. `live`: what is on the table is what happens now; `crowd`: the visitor wants to
 * see the others; `embed`: in a frame of another page; `ahead`: the server's clock before ours, ms.
 * @typedef {{source: Source, playback: Playback, player: Player, live: boolean, crowd: boolean,
 *   embed: boolean, ahead: number}} Standing
 */

export class Frame {
  controls = /** @type {Controls} */ (h("kibitz-controls"));
  timeline = /** @type {Timeline} */ (h("kibitz-timeline"));
  log = /** @type {Log} */ (h("kibitz-log"));
  #people = /** @type {People} */ (h("kibitz-people"));
  #title = h("h1", {});
  #marked = 0;

  /**
   * Lay everything out round a table.
   * @param {HTMLElement} felt
   * @param {string} title
   * @returns {HTMLElement[]}
   */
  around(felt, title) {
    this.#title.textContent = title;
    const head = h("div", { class: "head" }, this.#title, this.#people);
    return [
      h(
        "section",
        { class: "board", "aria-label": "Game" },
        head,
        felt,
        this.controls,
        this.timeline,
      ),
      h("aside", { class: "side", "aria-label": "Moves and comments" }, this.log),
    ];
  }

  /** @param {Standing} standing */
  show(standing) {
    this.#controls(standing);
    this.#time(standing);
    this.#crowd(standing);
  }

  /** @param {Standing} standing */
  #controls({ source, playback, player, live, embed }) {
    const { possible } = player;
    const over = source.status !== "open";
    const plays = source.mine && !over;
    const free = plays && live;
    this.controls.show({
      plays,
      over,
      file: !source.address,
      watches: !source.mine,
      policy: source.policy ?? ALLOWED,
      canSit: source.free && !source.mine && !embed,
      actions: source.info.actions ?? [],
      legal: free ? possible && new Set(possible.moves) : new Set(),
      undo: free && (possible?.undo ?? momentOf(playback).moves > 0),
      redo: free && (possible?.redo ?? true),
    });
    this.log.canSay = Boolean(source.address) && (source.policy ?? ALLOWED).say && !embed;
  }

  /** @param {Standing} standing */
  #time({ source, playback, live }) {
    const { past } = source;
    const event = past.event(playback.seq);
    Object.assign(this.timeline, {
      first: playback.first,
      last: playback.last,
      seq: playback.seq,
      live,
      over: source.status !== "open",
      canOpen: source.canOpen,
      open: playback.past !== past,
      playing: playback.playing,
      speed: playback.speed,
      caption: event ? spoken(event, past.at(past.last).names) : "",
    });
    if (this.#marked === past.events.length) return;
    this.#marked = past.events.length;
    this.timeline.marks = past.events.filter(({ kind }) => MARKS.has(kind));
  }

  /** @param {Standing} standing */
  #crowd({ source, playback, live, crowd, ahead }) {
    const { past, presence } = source;
    const { at, moves, score, status } = momentOf(playback);
    this.#people.now = ahead;
    this.#people.info = {
      seats: source.seats,
      here: presence?.players ?? null,
      spectators: crowd ? (presence?.spectators ?? null) : null,
      started: source.started,
      moves,
      score,
      status,
      at: live ? null : at,
      ended: source.status === "open" ? null : past.at(past.last).at,
    };
  }
}

/** The moment where one stands. @param {Playback} playback */
export function momentOf(playback) {
  const past = /** @type {Past} */ (playback.past);
  return past.at(Math.min(playback.seq, past.last));
}
