/**
 * `<kibitz-room>`: one game, played, watched or replayed; the place where all pieces meet.
 *
 * Promises: the table shows the position after event `data-seq`, no other; an old table is never
 * called live. Never: rules, requests of its own (they are in `player`, `deeds` and `live`).
 */

import { isWaiting } from "../client/past.js";
import { Playback } from "../client/playback.js";
import { announce, said, toast } from "../shell/announce.js";
import { h } from "../shell/dom.js";
import { href } from "../shell/router.js";
import { play } from "../shell/sound.js";
import { duration } from "../table/glide.js";
import "../table/stage.js";
import { Deeds } from "./deeds.js";
import { enter } from "./entry.js";
import { Frame, momentOf, nextOf, wordsOf } from "./frame.js";
import { Player } from "./player.js";
import { shortcut } from "./shortcuts.js";
import { celebrate, showEnd } from "./win.js";

/** @import { Past } from "../client/past.js" */
/** @import { Context } from "../shell/context.js" */
/** @import { Route } from "../shell/router.js" */
/** @import { Event as Happening, Fact } from "../protocol/messages.js" */
/** @import { Stage } from "../table/stage.js" */
/** @import { Race } from "./race.js" */
/** @import { Series } from "./series.js" */
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
   * @type {{source: Source, playback: Playback, player: Player, deeds: Deeds, race: Race | null}
   *   | null} */
  #open = null;
  /** From here to the next deal, if there is one. @type {Series | null} */
  #series = null;
  /** The piles that are drawn. @type {unknown} */
  #drawn = null;
  /** The event after which the board that is looked at came to be as it is. */
  #turn = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #still;

  /** @param {Route} route */
  async open(route) {
    const source = await enter(this.context, route, this.#off.signal);
    if (this.#off.signal.aborted) return source?.close();
    if (!source) return;
    const { title, layout } = source.info;
    this.#stage.lay(layout, title);
    const race = source.view.race ? await (await import("./race.js")).race(source) : null;
    if (this.#off.signal.aborted) return source.close();
    const player = new Player(this.context.client, this.#stage);
    const deeds = new Deeds(this.context, source, player, race);
    const playback = new Playback(source.past);
    playback.board = race?.preferred ?? 0;
    this.#frame.race = race;
    this.#open = { source, playback, player, deeds, race };
    this.replaceChildren(...this.#frame.around(this.#felt, title, this.#full));
    this.context.titled(title);
    this.#listen();
    this.#draw();
    this.#log();
    this.#seek(route);
    if (source.plays) this.#stage.enter();
    if (source.view.next) this.#goOn();
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
    this.#series?.stay();
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
    const { timeline, log, controls, race } = this.#frame;
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
    if (race) {
      on(race.gate, "do", ({ what }) => this.#do(what));
      on(race.racers, "look", ({ board }) => this.#look(board));
    }
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

  /** Tell all that is known, of the board that is looked at. */
  #log() {
    const { source, playback } = this.#pieces;
    const tells = (/** @type {number} */ seq) => playback.concerns(seq);
    const { events } = source.past;
    this.#frame.log.set([...events], this.#names, source.view.race && tells);
  }

  /** The whole past is there now. */
  #known() {
    this.#log();
    this.#seek(this.context.router.route);
    this.#draw();
  }

  #reset() {
    const { source, playback, race } = this.#pieces;
    playback.past = source.past;
    playback.last = source.past.last;
    if (isWaiting(source.view) || source.view.boards[playback.board]?.hidden)
      playback.board = race?.preferred ?? 0;
    this.#drawn = null;
    this.#draw();
    this.#keep();
  }

  /** Look at another board of a race. @param {number} board */
  #look(board) {
    const { source, playback, race } = this.#pieces;
    if (source.view.boards[board]?.hidden || board === playback.board) return;
    playback.board = board;
    this.#drawn = null;
    this.#log();
    this.#draw();
    announce(`The board of ${race?.nameOf(board)}.`);
  }

  /** @param {Happening} event */
  #happened(event) {
    const { source, playback, race } = this.#pieces;
    const { following } = playback;
    const { kind } = event;
    if (kind === "started") playback.board = race?.preferred ?? 0;
    this.#frame.log.add(event);
    playback.last = event.seq;
    if (kind === "dealt" && source.plays && !document.activeElement?.matches("input"))
      this.#stage.enter();
    if (following || kind === "say" || kind === "started") this.#tell(event);
    if (kind === "ended") this.#keep();
    if (kind === "ended" && following) setTimeout(() => this.#ended(), BREATH);
    if (kind === "won" && source.own === (event.board ?? 0)) celebrate(this.#stage);
    if (kind === "rematch") this.#goOn(wordsOf(event, source), following);
    if (!following) this.#show();
  }

  /** There is a next deal. @param {string} said @param {boolean} following */
  async #goOn(said = "", following = false) {
    const { Series } = await import("./series.js");
    if (this.#off.signal.aborted) return;
    this.#series ??= new Series(this.context, this.#pieces.source);
    if (said) this.#series.offered(said, following);
    this.#show();
  }

  /** @param {Happening} event */
  #tell(event) {
    const { source, playback } = this.#pieces;
    if (!playback.concerns(event.seq)) return;
    const { race, seats } = source.view;
    if (event.kind === "ready" || event.kind === "unready") {
      announce(`${race?.ready?.length ?? 0} of ${seats.filter(({ id }) => id).length} ready`);
      return;
    }
    announce(wordsOf(event, source));
    if (event.kind === "won") play("win");
    else if (event.fx?.length) play(event.fx.some(([kind]) => kind === "up") ? "flip" : "move");
  }

  #ended() {
    const { source, playback, race } = this.#pieces;
    if (this.#off.signal.aborted || !playback.following) return;
    const won = source.status === "won";
    if (race && !source.mine) this.#look(race.preferred);
    if (won && !race) celebrate(this.#stage);
    if (!source.mine) return;
    setTimeout(
      () => {
        if (!this.#off.signal.aborted && !source.view.next) this.#do("results");
      },
      won && duration() ? LEAP : 0,
    );
  }

  /** @param {number} seq @param {number} from @param {string} why */
  #went(seq, from, why) {
    const { playback } = this.#pieces;
    const event = playback.past.event(seq);
    this.#draw(playback.isNext(from) ? event?.fx : undefined);
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
    const { source, playback } = this.#pieces;
    const { seq } = playback;
    const moment = momentOf(playback);
    const waiting = moment.view.race && moment.view.race.started === undefined;
    this.#stage.hidden = Boolean(waiting || source.view.boards[playback.board]?.hidden);
    if (moment.table.piles !== this.#drawn) {
      this.#stage.show(moment.table, facts);
      this.#turn = seq;
    }
    this.#drawn = moment.table.piles;
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
    const { race } = source.view;
    const free = live && source.plays && playback.board === source.board;
    const hints = source.policy?.hints ?? true;
    player.refresh(source.address ?? "", race ? this.#turn : playback.seq, {
      free,
      hints,
      alone: Boolean(race) || source.seats.length < 2,
    });
    const { ahead } = client;
    const series = this.#series;
    this.#frame.show({ source, playback, player, series, live, crowd, embed, ahead });
  }

  /** How it ended. */
  #end() {
    const { source, deeds, race } = this.#pieces;
    const todo = (/** @type {string} */ what) => this.#do(what);
    race ? race.end(nextOf(source), todo) : showEnd(deeds.result(), todo);
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
    const { source, playback, player, deeds } = this.#pieces;
    if (what === "hint") player.hint();
    else if (what === "live") playback.end();
    else if (what === "lobby") this.context.router.go({ page: "lobby" });
    else if (what === "own") this.#look(source.board);
    else if (what === "results") this.#end();
    else if (what === "next") this.#series?.go();
    else if (what === "stay") {
      this.#series?.stay();
      this.#show();
    } else if (what === "replay") {
      playback.seek(playback.opening);
      playback.play();
    } else {
      const { seq, board } = playback;
      deeds.do(what, { move, seq, board, live: this.#live });
    }
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
      plays: source.plays,
      table: this.#stage,
      actions: source.info.actions ?? [],
      playback,
      todo: (what, move) => (what === "act" ? this.#act(move) : this.#do(what, move)),
    });
  }
}

customElements.define("kibitz-room", RoomPage);
