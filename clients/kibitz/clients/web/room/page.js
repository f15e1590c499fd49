/**
 * `<kibitz-room>`: one game, played, watched or replayed; the place where all pieces meet.
 *
 * Promises: the table shows the position after event `data-seq`, no other; an old table is never
 * called live. Never: rules, requests of its own (they are in `player`, `deeds` and `live`).
 */

import { Playback } from "../client/playback.js";
import { spoken } from "../cards/names.js";
import { announce, said, toast } from "../shell/announce.js";
import { h } from "../shell/dom.js";
import { href } from "../shell/router.js";
import { play } from "../shell/sound.js";
import { duration } from "../table/glide.js";
import "../table/stage.js";
import { Deeds } from "./deeds.js";
import { enter } from "./entry.js";
import { Frame, momentOf } from "./frame.js";
import { Player } from "./player.js";
import { shortcut } from "./shortcuts.js";
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
    this.replaceChildren(...this.#frame.around(this.#felt, title, this.#full));
    this.context.titled(title);
    this.#listen();
    this.#draw();
    this.#frame.log.set([...source.past.events], this.#names);
    this.#seek(route);
    if (source.mine) this.#stage.enter();
    this.#keep();
  }

  /** Remember the visitor's own games while they go on. */
  #keep() {
    const { source } = this.#pieces;
    if (source.address && source.mine)
      this.context.settings.keep(source.address, source.status === "open" ? source.game : null);
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

  /** The address of the whole page, if this is in a frame of another. */
  get #full() {
    const { room, embed } = this.context.router.route;
    return embed ? href({ page: "room", room }) : null;
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
    const open = this.context.client.state === "open" && source.fresh;
    return open && playback.following && source.status === "open";
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
    on(source, "lost", (why) => {
      toast(said(why), { kind: "bad" });
      this.#show();
    });
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
    on(this.#frame.strip, "do", ({ what }) => {
      this.#do(what);
      this.#stage.enter();
    });
    on(controls, "left", () => this.#stage.enter());
    on(player, "kept", () => toast("You are looking back: go back to the game to play on."));
    on(player, "pointed", ({ move }) => this.#pointed(move));
    on(controls, "menu", ({ open }) => {
      this.#felt.inert = open;
    });
    this.#felt.addEventListener(
      "click",
      ({ target }) => {
        if (target === this.#felt || target === this.#stage) this.#stage.enter();
      },
      { signal },
    );
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
  }

  /** Stand where the address says. @param {Route} route */
  #seek({ moment, page }) {
    const { playback } = this.#pieces;
    if (moment === undefined) page === "file" ? playback.home() : playback.end();
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
    this.#keep();
  }

  /** @param {Happening} event */
  #happened(event) {
    const { playback } = this.#pieces;
    const { following } = playback;
    this.#frame.log.add(event);
    playback.last = event.seq;
    if (following || event.kind === "say") this.#tell(event);
    if (event.kind === "ended") this.#keep();
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
    const { client, settings } = this.context;
    const { crowd, embed } = settings;
    const live = this.#live;
    const free = live && source.mine;
    const hints = source.policy?.hints ?? true;
    player.refresh(source.address ?? "", playback.seq, {
      free,
      hints,
      alone: source.seats.length < 2,
    });
    this.#frame.show({ source, playback, player, live, crowd, embed, ahead: client.ahead });
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
    else if (what === "live") playback.end();
    else if (what === "lobby") this.context.router.go({ page: "lobby" });
    else if (what === "replay") {
      playback.home();
      playback.play();
    } else deeds.do(what, { move, seq: playback.seq, live: this.#live });
  }

  /** A button is the hint. @param {string} move */
  #pointed(move) {
    const button = this.#frame.controls.querySelector(`[data-move="${CSS.escape(move)}"]`);
    button?.animate([{ scale: 1 }, { scale: 1.12 }, { scale: 1 }], {
      duration: 500,
      iterations: 3,
    });
    announce(`Try: ${button?.textContent ?? move}.`);
  }

  /** What the button of a move would do; its key does no more. @param {string} [move] */
  #act(move = "") {
    const button = this.#frame.controls.querySelector(`[data-move="${CSS.escape(move)}"]`);
    if (button?.matches(":disabled")) toast(`${button.textContent} is not possible now.`);
    else this.#do("act", move);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { source, playback } = this.#pieces;
    shortcut(event, {
      plays: source.mine && source.status === "open",
      table: this.#stage,
      actions: source.info.actions ?? [],
      playback,
      todo: (what, move) => (what === "act" ? this.#act(move) : this.#do(what, move)),
    });
  }
}

customElements.define("kibitz-room", RoomPage);
