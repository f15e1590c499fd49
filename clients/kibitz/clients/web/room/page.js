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
import { later } from "../shell/later.js";
import { href } from "../shell/router.js";
import "../table/stage.js";
import { Deeds } from "./deeds.js";
import { enter } from "./entry.js";
import { finish } from "./finish.js";
import { Frame, momentOf, nextOf, wordsOf } from "./frame.js";
import { Player } from "./player.js";
import { shortcut } from "./shortcuts.js";
import { tell } from "./telling.js";

/** @import { Past } from "../client/past.js" */
/** @import { Context } from "../shell/context.js" */
/** @import { Route } from "../shell/router.js" */
/** @import { Event as Happening, Fact } from "../protocol/messages.js" */
/** @import { Stage } from "../table/stage.js" */
/** @import { Race } from "./race.js" */
/** @import { Series } from "./series.js" */
/** @import { Source } from "./source.js" */

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
  /** What is drawn: the piles, and the event that made them so. @type {unknown} */
  #piles = null;
  #drawn = "";
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
    const playback = source.playback ?? new Playback(source.past);
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
    this.#open?.source.close();
    this.#open?.playback.pause();
    this.#open?.player.rest();
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
    on(source, "thought", (thought) => this.#frame.think(thought, playback, source));
    on(source, "lost", (why) => {
      toast(said(why), { kind: "bad" });
      this.#show();
    });
    on(this.context.client, "state", () => this.#show());
    on(this.context.settings, "change", () => this.#show());
    on(player, "possible", () => this.#show());
    on(playback, "seek", ({ seq, from, why }) => this.#went(seq, from, why));
    on(playback, "change", () => this.#show());
    on(playback, "kept", (why) =>
      toast(why?.message ?? "Only who is at the controls can do that."),
    );
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
    on(log, "say", async ({ text }) => {
      if (await deeds.say(text)) return;
      log.draft ||= text;
      this.#show();
    });
    on(controls, "do", ({ what, move }) => this.#do(what, move));
    on(this.#frame.strip, "do", ({ what }) => {
      this.#do(what);
      this.#stage.enter();
    });
    if (race) {
      on(race.gate, "do", ({ what, move }) => this.#do(what, move));
      on(race.racers, "look", ({ board }) => (race.chosen++, this.#look(board)));
    }
    on(controls, "left", () => this.#stage.enter());
    on(player, "kept", () => toast("You are looking back: go back to the game to play on."));
    on(player, "pointed", ({ move }) => this.#frame.point(move));
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
    const { source, playback } = this.#pieces;
    if (source.recorded) return;
    if (moment === undefined) page === "file" ? playback.home() : playback.end();
    else if (moment >= playback.first) playback.seek(moment);
  }

  /** Tell all that is known, of the board that is looked at. */
  #log() {
    const { source, playback } = this.#pieces;
    const tells = (/** @type {number} */ seq) => playback.concerns(seq);
    const { events } = source.past;
    this.#frame.log.set(
      [...events, ...(source.remarks ?? [])],
      this.#names,
      source.view.race && tells,
    );
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
    this.#drawn = "";
    this.#draw();
    this.#keep();
    const { router } = this.context;
    // A reload asks for the seat again, and so learns whether there still is none, and why.
    if (source.unseated && !router.route.seat)
      router.go({ ...router.route, seat: true }, { replace: true });
  }

  /** Look at another board of a race. @param {number} board */
  #look(board) {
    const { source, playback, race } = this.#pieces;
    if (source.view.boards[board]?.hidden || board === playback.board) return;
    playback.board = board;
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
    if (kind === "ended" || kind === "closed") this.#keep();
    const [stage, { signal }] = [this.#stage, this.#off];
    const look = (/** @type {number} */ board) => this.#look(board);
    const results = () => this.#do("results");
    finish(event, { source, playback, race, stage, following, signal, look, results });
    if (kind === "rematch") this.#goOn(event, following);
    if (!following) this.#show();
  }

  /** There is a next deal. @param {Happening} [event] @param {boolean} [live] */
  async #goOn(event, live = false) {
    const { source } = this.#pieces;
    const [{ client }, { signal }] = [this.context, this.#off];
    const { Series } = await later(client, () => import("./series.js"), signal);
    if (signal.aborted) return;
    this.#series ??= new Series(this.context, source);
    const other = event && event.by !== client.welcome?.you.id;
    if (other) this.#series.offered(wordsOf(event, source), live);
    this.#show();
  }

  /** @param {Happening} event */
  #tell(event) {
    const { source, playback } = this.#pieces;
    if (event.kind === "say" || playback.concerns(event.seq)) tell(event, source);
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
      const { source, playback } = this.#pieces;
      if (this.#off.signal.aborted || playback.playing || source.recorded) return;
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
    const { piles } = moment.table;
    const closed = source.view.boards[playback.board]?.hidden;
    this.#stage.hidden = closed || isWaiting(moment.view);
    if (piles !== this.#piles) [this.#piles, this.#turn] = [piles, seq];
    const drawn = JSON.stringify(piles);
    if (drawn !== this.#drawn) this.#stage.show(moment.table, facts);
    this.#drawn = drawn;
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
    player.refresh(source.address ?? "", race ? this.#turn : playback.seq, {
      free,
      policy: source.policy,
      alone: Boolean(race) || source.seats.length < 2,
    });
    const { muted } = this.#open.deeds;
    const { ahead, analyses } = client;
    const more = { series: this.#series, ahead, analyses, muted, may: client.may("player") };
    this.#frame.show({ source, playback, player, live, crowd, embed, ...more });
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
    const { source, playback, player, deeds, race } = this.#pieces;
    const { seq, board, opening: deal } = playback;
    const todo = (/** @type {string} */ next) => this.#do(next);
    /** @type {Record<string, () => void>} */
    const here = {
      hint: () => player.hint(),
      live: () => playback.end(),
      lobby: () => this.context.router.go({ page: "lobby" }),
      own: () => this.#look(source.board),
      results: () => (race ? race.end(nextOf(source), todo) : this.#end(todo)),
      next: () => this.#series?.go(),
      stay: () => (this.#series?.stay(), this.#show()),
      replay: () => playback.replay(),
    };
    if (here[what]) here[what]();
    else deeds.do(what, { move, seq, board, deal, live: this.#live });
  }

  /** How it ended. @param {(next: string) => void} todo */
  async #end(todo) {
    const { signal } = this.#off;
    const { showEnd } = await later(this.context.client, () => import("./win.js"), signal);
    if (!signal.aborted) showEnd(this.#pieces.deeds.result(), todo);
  }

  /** What the button of a move would do; its key does no more. @param {string} [move] */
  #act(move = "") {
    const button = this.#frame.controls.buttonOf(move);
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
