/**
 * `<kibitz-room>`: one game, played, watched or replayed; the place where all pieces meet.
 *
 * Promises: the table shows the position after event `data-seq`, no other; an old table is never
 * called live. Never: rules, requests of its own (they are in `player`, `deeds` and `live`).
 */

import { Playback } from "../client/playback.js";
import { spoken } from "../cards/names.js";
import { announce, toast } from "../shell/announce.js";
import { h } from "../shell/dom.js";
import { play } from "../shell/sound.js";
import { duration } from "../table/glide.js";
import "../table/stage.js";
import { Deeds } from "./deeds.js";
import { enter } from "./entry.js";
import { Frame, momentOf } from "./frame.js";
import { Player } from "./player.js";
import { celebrate, showEnd } from "./win.js";

/** @import { Past } from "../client/past.js" */
/** @import { Context } from "../shell/context.js" */
/** @import { Route } from "../shell/router.js" */
/** @import { Event as Happening, Fact } from "../protocol/messages.js" */
/** @import { Stage } from "../table/stage.js" */
/** @import { Source } from "./source.js" */

/** How long a win is looked at before its result is shown, ms. */
const LEAP = 1400;
/** After the last event the game is looked at for so long, ms. */
const BREATH = 700;
/** So long one has to stand still for the address to say where, ms. */
const STILL = 250;
/** What letters do on the table, beside those of the game's own buttons. */
const KEYS = /** @type {Record<string, string>} */ ({
  u: "undo",
  y: "redo",
  h: "hint",
  "?": "rules",
});

export class RoomPage extends HTMLElement {
  /** @type {Context} */
  context = /** @type {any} */ (null);
  #stage = /** @type {Stage} */ (h("kibitz-table"));
  #felt = h("div", { class: "felt" }, this.#stage);
  #frame = new Frame();
  #off = new AbortController();
  /** The pieces, once the room is open.
   * @type {{source: Source, playback: Playback, player: Player, deeds: Deeds} | null} */
  #open = null;
  /** What is drawn: the event and of which past. */
  #drawn = { seq: -1, past: /** @type {unknown} */ (null) };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #still;

  /** @param {Route} route */
  async open(route) {
    const source = await enter(this.context, route, this.#off.signal);
    if (this.#off.signal.aborted) return source?.close();
    if (!source) return;
    const { title, layout } = source.info;
    this.#stage.lay(layout, title);
    const player = new Player(this.context.client, this.#stage);
    const deeds = new Deeds(this.context, source, player);
    this.#open = { source, playback: new Playback(source.past), player, deeds };
    this.replaceChildren(...this.#frame.around(this.#felt, title));
    this.context.titled(title);
    this.#listen();
    this.#draw();
    this.#frame.log.set([...source.past.events], this.#names);
    this.#seek(route);
  }

  /** Another moment of the same room. @param {Route} route */
  update(route) {
    if (this.#open) this.#seek(route);
  }

  close() {
    this.#off.abort();
    this.#open?.playback.pause();
    this.#open?.player.rest();
    this.#open?.source.close();
  }

  get #pieces() {
    if (!this.#open) throw new Error("the room is not open");
    return this.#open;
  }

  get #names() {
    const { past } = this.#pieces.source;
    return past.at(past.last).names;
  }

  get #live() {
    const { source, playback } = this.#pieces;
    return this.context.client.state === "open" && playback.following && source.status === "open";
  }

  #listen() {
    const { source, playback, player, deeds } = this.#pieces;
    const { timeline, log, controls } = this.#frame;
    const { signal } = this.#off;
    /** @type {(target: EventTarget, name: string, then: (detail: any) => void) => void} */
    const on = (target, name, then) =>
      target.addEventListener(name, (event) => then(/** @type {CustomEvent} */ (event).detail), {
        signal,
      });
    on(source, "event", (event) => this.#happened(event));
    on(source, "reset", () => this.#reset());
    on(source, "known", () => this.#known());
    on(source, "presence", () => this.#show());
    on(source, "lost", (why) => toast(`This room is gone: ${why}`, { kind: "bad" }));
    on(this.context.client, "state", () => this.#show());
    on(this.context.settings, "change", () => this.#show());
    on(player, "possible", () => this.#show());
    on(playback, "seek", ({ seq, from, why }) => this.#went(seq, from, why));
    on(playback, "change", () => this.#show());
    on(timeline, "seek", ({ seq }) => playback.seek(seq));
    on(timeline, "step", ({ by }) => playback.step(by));
    on(timeline, "play", () => playback.play());
    on(timeline, "pause", () => playback.pause());
    on(timeline, "speed", ({ speed }) => {
      playback.speed = speed;
    });
    on(timeline, "live", () => playback.end());
    on(timeline, "view", ({ open }) => this.#openCards(open));
    on(log, "seek", ({ seq }) => playback.seek(seq));
    on(log, "say", ({ text }) => deeds.say(text));
    on(controls, "do", ({ what, move }) => this.#do(what, move));
    on(controls, "menu", ({ open }) => {
      this.#felt.inert = open;
    });
    this.addEventListener("keydown", (event) => this.#key(event), { signal });
  }

  /** Stand where the address says. @param {Route} route */
  #seek({ moment }) {
    const { playback } = this.#pieces;
    if (moment === undefined) playback.end();
    else if (moment >= playback.first) playback.seek(moment);
  }

  /** The whole past is there now. */
  #known() {
    const { past } = this.#pieces.source;
    this.#frame.log.set([...past.events], this.#names);
    this.#seek(this.context.router.route);
    this.#show();
  }

  #reset() {
    const {
      source: { past },
      playback,
    } = this.#pieces;
    playback.past = past;
    playback.last = past.last;
    this.#drawn = { seq: -1, past: null };
    this.#draw();
  }

  /** @param {Happening} event */
  #happened(event) {
    const { playback } = this.#pieces;
    const { following } = playback;
    this.#frame.log.add(event);
    playback.last = event.seq;
    if (following || event.kind === "say") this.#tell(event);
    if (event.kind === "ended" && following) setTimeout(() => this.#ended(), BREATH);
    if (!following) this.#show();
  }

  /** @param {Happening} event */
  #tell(event) {
    announce(spoken(event, this.#names));
    if (event.kind === "won") play("win");
    else if (event.fx?.length) play(event.fx.some(([kind]) => kind === "up") ? "flip" : "move");
  }

  #ended() {
    const { source, playback, deeds } = this.#pieces;
    if (this.#off.signal.aborted || !playback.following) return;
    const won = source.status === "won";
    if (won) celebrate(this.#stage);
    if (!source.mine) return;
    setTimeout(
      () => {
        if (!this.#off.signal.aborted) showEnd(deeds.result(), (what) => this.#do(what));
      },
      won && duration() ? LEAP : 0,
    );
  }

  /** @param {number} seq @param {number} from @param {string} why */
  #went(seq, from, why) {
    const event = this.#pieces.playback.past.event(seq);
    this.#draw(seq === from + 1 ? event?.fx : undefined);
    if (event && (why === "play" || why === "step")) this.#tell(event);
    if (why !== "live") this.#remember();
  }

  /** Keep the moment in the address, once one stands still. */
  #remember() {
    clearTimeout(this.#still);
    this.#still = setTimeout(() => {
      const { playback } = this.#pieces;
      if (this.#off.signal.aborted || playback.playing) return;
      const { route } = this.context.router;
      const moment = playback.following ? undefined : playback.seq;
      if (route.moment !== moment) this.context.router.go({ ...route, moment }, { replace: true });
    }, STILL);
  }

  /** Show the position where we stand. @param {Fact[]} [facts]  what led there */
  #draw(facts) {
    const { playback } = this.#pieces;
    const { seq, past } = playback;
    const moment = momentOf(playback);
    if (seq !== this.#drawn.seq || past !== this.#drawn.past) this.#stage.show(moment.table, facts);
    this.#drawn = { seq, past };
    this.dataset.seq = String(seq);
    this.dataset.status = moment.status;
    this.#frame.log.mark(seq);
    this.#show();
  }

  /** Everything round the table, and whether it may be played on. */
  #show() {
    if (!this.#open) return;
    const { source, playback, player } = this.#open;
    const {
      client: { welcome },
      settings: { crowd, embed },
    } = this.context;
    const live = this.#live;
    const free = live && source.mine;
    const hints = source.policy?.hints ?? true;
    player.refresh(source.address ?? "", playback.seq, { free, hints });
    this.#frame.show({ source, playback, player, live, crowd, embed, ahead: aheadOf(welcome) });
  }

  /** @param {boolean} open */
  async #openCards(open) {
    const { source, playback } = this.#pieces;
    try {
      const past = open ? await source.opened() : source.past;
      if (this.#off.signal.aborted) return;
      playback.past = past;
      this.#draw();
      announce(open ? "All cards are open." : "As it was played.");
    } catch (error) {
      toast(/** @type {Error} */ (error).message, { kind: "bad" });
    }
  }

  /** @param {string} what @param {string} [move] */
  #do(what, move) {
    const { playback, player, deeds } = this.#pieces;
    if (what === "hint") player.hint();
    else if (what === "replay") {
      playback.home();
      playback.play();
    } else deeds.do(what, { move, seq: playback.seq, live: this.#live });
  }

  /** Letters do something only while the table has the focus. @param {KeyboardEvent} event */
  #key(event) {
    const inTable = event.target instanceof Node && this.#stage.contains(event.target);
    if (!inTable || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    const { mine, info, status } = this.#pieces.source;
    const plays = mine && status === "open";
    const action = plays && info.actions?.find(({ label }) => label[0].toLowerCase() === key);
    if (action) this.#do("act", action.move);
    else if (KEYS[key] && (plays || key === "?")) this.#do(KEYS[key]);
    else return;
    event.preventDefault();
  }
}

/** When each welcome came. @type {WeakMap<object, number>} */
const ahead = new WeakMap();

/** The server's clock before ours, ms, as it was when it greeted us.
 * @param {{now: number} | null} welcome */
function aheadOf(welcome) {
  if (!welcome) return 0;
  const known = ahead.get(welcome) ?? welcome.now - Date.now();
  ahead.set(welcome, known);
  return known;
}

customElements.define("kibitz-room", RoomPage);
