/**
 * `<kibitz-room>`: one game, played, watched or replayed; the place where all pieces meet.
 *
 * Promises: the table shows the position after event `data-seq`, no other; an old table is never
 * called live. Never: rules, requests of its own (they are in `player`, `deeds` and `live`).
 */

import { Playback } from "../client/playback.js";
import { spoken } from "../cards/names.js";
import { announce, toast } from "../pages/announce.js";
import { h } from "../pages/dom.js";
import { play } from "../pages/sound.js";
import { duration } from "../table/glide.js";
import "../table/stage.js";
import "./people.js";
import "./controls.js";
import { Deeds } from "./deeds.js";
import { enter } from "./entry.js";
import "./log.js";
import "./timeline.js";
import { Player } from "./player.js";
import { celebrate, showEnd } from "./win.js";

/** @import { Past } from "../client/past.js" */
/** @import { Context } from "../pages/context.js" */
/** @import { Route } from "../pages/router.js" */
/** @import { Event as Happening } from "../protocol/messages.js" */
/** @import { Stage } from "../table/stage.js" */
/** @import { Controls } from "./controls.js" */
/** @import { Log } from "./log.js" */
/** @import { People } from "./people.js" */
/** @import { Source } from "./source.js" */
/** @import { Timeline } from "./timeline.js" */

/** Events that are worth a mark on the timeline. */
const MARKS = new Set(["say", "undo", "redo", "restart", "saved", "cheated", "stuck", "won", "resigned"]);
/** How long a win is looked at before its result is shown, ms. */
const LEAP = 1400;
const ALLOWED = { undo: true, save: true, hints: true, say: true };

export class RoomPage extends HTMLElement {
  /** @type {Context} */
  context = /** @type {any} */ (null);
  /** @type {Source | null} */
  #source = null;
  #stage = /** @type {Stage} */ (h("kibitz-table"));
  #controls = /** @type {Controls} */ (h("kibitz-controls"));
  #timeline = /** @type {Timeline} */ (h("kibitz-timeline"));
  #log = /** @type {Log} */ (h("kibitz-log"));
  #people = /** @type {People} */ (h("kibitz-people"));
  #title = h("h1", {});
  #felt = h("div", { class: "felt" }, this.#stage);
  /** @type {Playback | null} */
  #playback = null;
  /** @type {Player | null} */
  #player = null;
  /** @type {Deeds | null} */
  #deeds = null;
  #off = new AbortController();
  /** What is drawn: the event and whether with open cards. */
  #drawn = { seq: -1, open: false };
  #marks = 0;

  /** The past that is looked at. @returns {Past} */
  get #past() {
    return /** @type {Past} */ (this.#playback?.past);
  }

  /** @param {Route} route */
  async open(route) {
    const source = await enter(this.context, route, this.#off.signal);
    if (this.#off.signal.aborted) return source?.close();
    if (!source) return;
    this.#source = source;
    this.#build(source);
    const playback = new Playback(source.past);
    this.#playback = playback;
    this.#listen(source, playback);
    this.#draw();
    this.#log.set([...source.past.events], this.#names);
    this.#seek(route);
  }

  /** Another moment of the same room. @param {Route} route */
  update(route) {
    if (this.#playback) this.#seek(route);
  }

  close() {
    this.#off.abort();
    this.#playback?.pause();
    this.#player?.rest();
    this.#source?.close();
  }

  /** @param {Source} source */
  #build(source) {
    const { client, settings } = this.context;
    this.#stage.lay(source.info.layout, source.info.title);
    this.#player = new Player(client, this.#stage);
    this.#deeds = new Deeds(this.context, source, this.#player);
    const side = h("aside", { class: "side", "aria-label": "Players and moves" }, this.#log);
    const board = h("section", { class: "board", "aria-label": "Game" },
      h("div", { class: "head" }, this.#title, this.#people),
      this.#felt, this.#controls, this.#timeline);
    this.replaceChildren(board, side);
    const free = source.free ? " · a seat is free" : "";
    this.#title.textContent = source.info.title;
    this.context.titled(`${source.info.title}${free}`);
    this.toggleAttribute("data-embed", settings.embed);
  }

  /** @param {Source} source @param {Playback} playback */
  #listen(source, playback) {
    const { client, settings } = this.context;
    const { signal } = this.#off;
    /** @type {(target: EventTarget, name: string, then: (detail: any) => void) => void} */
    const on = (target, name, then) =>
      target.addEventListener(name, (event) => then(/** @type {CustomEvent} */ (event).detail), { signal });
    on(source, "event", (event) => this.#happened(event));
    on(source, "reset", () => this.#reset());
    on(source, "known", () => this.#known());
    on(source, "presence", () => this.#status());
    on(source, "lost", (why) => toast(`This room is gone: ${why}`, { kind: "bad" }));
    on(client, "state", () => this.#status());
    on(settings, "change", () => this.#status());
    on(playback, "seek", ({ seq, from, why }) => this.#went(seq, from, why));
    on(playback, "change", () => this.#status());
    on(this.#timeline, "seek", ({ seq }) => playback.seek(seq));
    on(this.#timeline, "step", ({ by }) => playback.step(by));
    on(this.#timeline, "play", () => playback.play());
    on(this.#timeline, "pause", () => playback.pause());
    on(this.#timeline, "speed", ({ speed }) => { playback.speed = speed; });
    on(this.#timeline, "live", () => playback.end());
    on(this.#timeline, "view", ({ open }) => this.#openCards(open));
    on(this.#log, "seek", ({ seq }) => playback.seek(seq));
    on(this.#log, "say", ({ text }) => this.#deeds?.say(text));
    on(this.#controls, "do", ({ what, move }) => this.#do(what, move));
    on(this.#controls, "menu", ({ open }) => { this.#felt.inert = open; });
    on(/** @type {Player} */ (this.#player), "possible", () => this.#status());
    this.addEventListener("keydown", (event) => this.#key(event), { signal });
  }

  get #names() {
    const { past } = /** @type {Source} */ (this.#source);
    return past.at(past.last).names;
  }

  get #live() {
    return this.context.client.state === "open" && Boolean(this.#playback?.following)
      && this.#source?.status === "open";
  }

  /** Stand where the address says. @param {Route} route */
  #seek({ moment }) {
    const playback = /** @type {Playback} */ (this.#playback);
    if (moment === undefined) playback.end();
    else if (moment >= playback.first) playback.seek(moment);
  }

  /** The whole past is there now. */
  #known() {
    const { past } = /** @type {Source} */ (this.#source);
    this.#log.set([...past.events], this.#names);
    this.#seek(this.context.router.route);
    this.#status();
  }

  #reset() {
    const { past } = /** @type {Source} */ (this.#source);
    const playback = /** @type {Playback} */ (this.#playback);
    playback.past = past;
    playback.last = past.last;
    this.#drawn = { seq: -1, open: false };
    if (playback.following) this.#draw();
    this.#status();
  }

  /** @param {Happening} event */
  #happened(event) {
    const playback = /** @type {Playback} */ (this.#playback);
    const following = playback.following;
    this.#log.add(event);
    playback.last = event.seq;
    if (following || event.kind === "say") this.#tell(event);
    if (event.kind === "ended" && following) setTimeout(() => this.#ended(), 700);
  }

  /** @param {Happening} event */
  #tell(event) {
    announce(spoken(event, this.#names));
    if (event.kind === "won") play("win");
    else if (event.fx?.length) play(event.fx.some((fact) => fact[0] === "up") ? "flip" : "move");
  }

  #ended() {
    const source = /** @type {Source} */ (this.#source);
    if (this.#off.signal.aborted || !this.#playback?.following) return;
    const won = source.status === "won";
    if (won) celebrate(this.#stage);
    if (!source.mine) return;
    setTimeout(() => {
      if (this.#off.signal.aborted || !this.#deeds) return;
      showEnd(this.#deeds.result(), (what) => this.#do(what));
    }, won && duration() ? LEAP : 0);
  }

  /** @param {number} seq @param {number} from @param {string} why */
  #went(seq, from, why) {
    const event = this.#past.event(seq);
    const next = seq === from + 1 ? event?.fx ?? [] : [];
    this.#draw(next);
    if (event && (why === "play" || why === "step")) this.#tell(event);
    if (why !== "live") this.#remember();
  }

  #remembering = 0;

  /** Keep the moment in the address, once one stands still. */
  #remember() {
    clearTimeout(this.#remembering);
    this.#remembering = setTimeout(() => {
      const playback = this.#playback;
      if (this.#off.signal.aborted || !playback || playback.playing) return;
      const { route } = this.context.router;
      const moment = playback.following ? undefined : playback.seq;
      if (route.moment !== moment) this.context.router.go({ ...route, moment }, { replace: true });
    }, 250);
  }

  /** Show the position where we stand. @param {import("../protocol/messages.js").Fact[]} facts */
  #draw(facts = []) {
    const { seq } = /** @type {Playback} */ (this.#playback);
    const open = this.#past !== this.#source?.past;
    const moment = this.#past.at(Math.min(seq, this.#past.last));
    if (seq !== this.#drawn.seq || open !== this.#drawn.open) this.#stage.show(moment.table, facts);
    this.#drawn = { seq, open };
    this.dataset.seq = String(seq);
    this.dataset.status = moment.status;
    this.#log.mark(seq);
    this.#status();
  }

  /** Everything round the table. */
  #status() {
    const source = this.#source;
    const playback = this.#playback;
    if (!source || !playback || !this.#player) return;
    const policy = source.policy ?? ALLOWED;
    const plays = source.mine && source.status === "open";
    const free = plays && this.#live;
    this.#player.refresh(source.address ?? "", playback.seq, { free, hints: policy.hints });
    const { possible } = this.#player;
    const moment = this.#past.at(Math.min(playback.seq, this.#past.last));
    this.#controls.show({
      plays, policy, over: source.status !== "open", file: !source.address,
      canSit: source.free && !source.mine && !this.context.settings.embed, watches: !source.mine,
      actions: source.info.actions ?? [],
      legal: free ? possible && new Set(possible.moves) : new Set(),
      undo: free && (possible ? possible.undo : moment.moves > 0),
      redo: free && (possible?.redo ?? true),
    });
    this.#showPast(source, playback);
    const event = source.past.event(source.past.last);
    const ended = source.status === "open" ? null : event?.at ?? 0;
    const presence = source.presence;
    const crowd = this.context.settings.crowd;
    this.#people.info = {
      seats: source.seats, here: presence?.players ?? null,
      spectators: crowd ? presence?.spectators ?? null : null,
      started: source.started, ended, moves: moment.moves, score: moment.score, status: moment.status,
      at: this.#live ? null : moment.at,
    };
    this.#log.canSay = Boolean(source.address) && policy.say && !this.context.settings.embed;
  }

  /** @param {Source} source @param {Playback} playback */
  #showPast(source, playback) {
    const { past } = source;
    const timeline = this.#timeline;
    Object.assign(timeline, {
      first: playback.first, last: playback.last, seq: playback.seq, live: this.#live,
      over: source.status !== "open", canOpen: source.canOpen, open: this.#past !== past,
      playing: playback.playing, speed: playback.speed,
    });
    const event = past.event(playback.seq);
    timeline.caption = event ? spoken(event, this.#names) : "";
    if (this.#marks !== past.events.length) {
      this.#marks = past.events.length;
      timeline.marks = past.events.filter(({ kind }) => MARKS.has(kind));
    }
  }

  /** @param {boolean} open */
  async #openCards(open) {
    const source = /** @type {Source} */ (this.#source);
    try {
      const past = open ? await source.opened() : source.past;
      if (this.#off.signal.aborted || !this.#playback) return;
      this.#playback.past = past;
      this.#draw();
      announce(open ? "All cards are open." : "As it was played.");
    } catch (error) {
      toast(/** @type {Error} */ (error).message, { kind: "bad" });
    }
  }

  /** @param {string} what @param {string} [move] */
  #do(what, move) {
    if (what === "hint") this.#player?.hint();
    else if (what === "replay") {
      this.#playback?.home();
      this.#playback?.play();
    } else this.#deeds?.do(what, { move, seq: this.#playback?.seq ?? 0, live: this.#live });
  }

  /** Keys of the whole table; letters only while it has the focus. @param {KeyboardEvent} event */
  #key(event) {
    const inTable = event.target instanceof Node && this.#stage.contains(event.target);
    if (!inTable || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    const actions = this.#source?.mine ? this.#source.info.actions ?? [] : [];
    const action = actions.find((each) => each.label[0].toLowerCase() === key);
    const keys = /** @type {Record<string, string>} */ ({ u: "undo", y: "redo", h: "hint", "?": "rules" });
    if (action) this.#do("act", action.move);
    else if (keys[key]) this.#do(keys[key]);
    else return;
    event.preventDefault();
  }
}

customElements.define("kibitz-room", RoomPage);
