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
  /** What the table cannot say by itself; its buttons tell `do` {what}. */
  strip = h("div", { class: "strip", hidden: true });
  #marked = 0;

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
    const head = h("div", { class: "head" }, this.#title, this.#people, link);
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
      h("aside", { class: "side", "aria-label": "Moves and comments" }, this.log),
    ];
  }

  /** @param {Standing} standing */
  show(standing) {
    this.#controls(standing);
    this.#time(standing);
    this.#crowd(standing);
    this.#strip(standing);
  }

  /** @param {Standing} standing */
  #strip({ source, playback, live, player }) {
    const over = source.status !== "open" || !source.address;
    const { past } = source;
    if (source.gone)
      this.#say("This room is gone: what you see is the last that was known.", [
        ["lobby", "To the lobby"],
      ]);
    else if (!over && !playback.following)
      this.#say(`You are looking back: event ${playback.seq} of ${playback.last}.`, [
        ["live", "Back to the game"],
      ]);
    else if (live && source.mine && past.event(past.last)?.kind === "stuck")
      this.#say("No move that changes anything is left.", [
        ...(player.possible?.undo ? /** @type {[string, string][]} */ ([["undo", "Undo"]]) : []),
        ["resign", "Resign"],
        ["new", "New game"],
      ]);
    else this.#say("", []);
  }

  /** @param {string} text @param {[what: string, label: string][]} choices */
  #say(text, choices) {
    const said = text + choices.join();
    if (this.strip.dataset.said === said) return;
    this.strip.dataset.said = said;
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
      canInvite: source.free,
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
      over: source.status !== "open" || !source.address,
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
      ended:
        source.status === "open" && source.address && !source.gone ? null : past.at(past.last).at,
    };
  }
}

/** The moment where one stands. @param {Playback} playback */
export function momentOf(playback) {
  const past = /** @type {Past} */ (playback.past);
  return past.at(Math.min(playback.seq, past.last));
}
