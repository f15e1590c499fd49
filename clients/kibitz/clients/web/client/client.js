/**
 * The page's client: rooms as mirrors, requests as methods.
 *
 * Promises: what a method returns has happened and is durable; a mirror is up to date with every
 * answer that was returned. Every method throws `Refused` where the server says no and `Closed`
 * when the talk is over. Never: rules, the DOM.
 */

/**
 * @import {Advice, Control, DailyTable, Dragged, Event, EventList, Filters, Invited, Joined, MoveList, Ok,
 *   Position, Replayed, Role, RoomList, Saved, Settings, View} from "../protocol/messages.js"
 */
/** @import {Mirror} from "../protocol/mirror.js" */

import { Connection } from "./connection.js";

export { Closed, Refused } from "./connection.js";

/** Events asked for at once. */
const PAGE = 500;

/** A connection with a method for every request. */
export class Client extends Connection {
  /**
   * The invite that was shown last, and is shown on where no other is: it counts in its own series
   * of rooms, and in no other room. @type {string | undefined}
   */
  invited;
  /** An invite that is for looking on, as far as that is known. @type {string | undefined} */
  lookOn;

  /** Whether this identity may play, or watch. @param {Role} role */
  may(role) {
    return this.welcome?.roles?.includes(role) ?? true;
  }

  /** Whether the server advises players, in rooms that allow it. */
  get advises() {
    return Boolean(this.welcome?.limits.advice);
  }

  /** Whether the server says what became of games that have ended. */
  get analyses() {
    return Boolean(this.welcome?.limits.analysis);
  }

  /**
   * A page of public rooms; `next` is the `after` of the following one.
   * @param {Filters} [filters]
   * @returns {Promise<RoomList>}
   */
  rooms(filters = {}) {
    return this.#get("rooms", { ...filters });
  }

  /**
   * Have changes of public rooms pushed, or no longer.
   * @param {boolean} [on]
   * @returns {Promise<Ok>}
   */
  lobby(on = true) {
    return this.#get("lobby", { on });
  }

  /**
   * Have the server fix the secret of the room that is created next; what stands for it.
   * @returns {Promise<string>}
   */
  async pledge() {
    return (await this.#get("pledge", {})).pledge;
  }

  /**
   * A new room.
   * @param {string} game
   * @param {Settings} [settings]
   * @returns {Promise<Mirror>}
   */
  async create(game, settings = {}) {
    return this.#mirror(await this.#get("create", { game, ...settings }));
  }

  /**
   * A new room that begins with a position of another: of a finished game, or of one's own.
   * @param {string} room
   * @param {{at?: number, board?: number, unlisted?: boolean}} [which]  `at`: the event whose
   *   position it is: 1, the start
   * @returns {Promise<Mirror>}
   */
  async fork(room, { at, board, unlisted } = {}) {
    return this.#mirror(await this.#get("fork", { room, at, board, unlisted }));
  }

  /**
   * A room in which a finished game is shown to others; its first seat holds the controls.
   * @param {string} room
   * @param {boolean} [unlisted]
   * @returns {Promise<Mirror>}
   */
  async present(room, unlisted) {
    return this.#mirror(await this.#get("present", { room, unlisted }));
  }

  /**
   * Play, pause or go elsewhere in a game that is shown.
   * @param {string} room
   * @param {Control} control
   * @returns {Promise<Ok>}
   */
  control(room, control) {
    return this.#get("control", { room, control });
  }

  /**
   * The next deal with the same seats; the same room again for whoever asks after that.
   * @param {string} room
   * @returns {Promise<Mirror>}
   */
  async rematch(room) {
    return this.#mirror(await this.#get("rematch", { room }));
  }

  /**
   * Be ready for a race to begin, or no longer.
   * @param {string} room
   * @param {boolean} [on]
   * @returns {Promise<Ok>}
   */
  ready(room, on = true) {
    return this.#get("ready", { room, on });
  }

  /**
   * Take comments in a room, or no longer.
   * @param {string} room
   * @param {boolean} on
   * @returns {Promise<Ok>}
   */
  comments(room, on) {
    return this.#get("comments", { room, on });
  }

  /**
   * How everybody did with the deal of a day.
   * @param {string} game
   * @param {string} [date]  `2026-11-28`; else today
   * @returns {Promise<DailyTable>}
   */
  daily(game, date) {
    return this.#get("daily", { game, date });
  }

  /**
   * Have the room most worth watching pushed, now and whenever it is another; or no longer.
   * @param {boolean} [on]
   * @returns {Promise<Ok>}
   */
  tv(on = true) {
    return this.#get("tv", { on });
  }

  /**
   * Follow a room, or take a seat in it.
   * @param {string} room
   * @param {{role?: Role, password?: string, invite?: string}} [how]
   * @returns {Promise<Mirror>}
   */
  async join(room, { role = "spectator", password, invite = this.invited } = {}) {
    this.invited = invite;
    return this.#mirror(await this.#get("join", { room, role, password, invite }));
  }

  /**
   * The key with which others come into a closed room of ours.
   * @param {string} room
   * @param {Role} role
   * @returns {Promise<string>}
   */
  async invite(room, role) {
    /** @type {Invited} */
    const invited = await this.#get("invite", { room, role });
    return invited.invite;
  }

  /**
   * Follow a room no longer; a player gives the seat up.
   * @param {string} room
   * @returns {Promise<Ok>}
   */
  leave(room) {
    return this.#get("leave", { room });
  }

  /**
   * Make a move: in the game's own notation, or by what is dragged where.
   * @param {string} room
   * @param {string | Dragged} move
   * @param {number} [expect]  the event whose position it is meant for
   * @returns {Promise<Ok>}
   */
  move(room, move, expect) {
    const what = typeof move === "string" ? { move } : { ...move };
    return this.#get("move", { room, ...what, expect });
  }

  /**
   * @param {string} room
   * @returns {Promise<Ok>}
   */
  undo(room) {
    return this.#get("undo", { room });
  }

  /**
   * @param {string} room
   * @returns {Promise<Ok>}
   */
  redo(room) {
    return this.#get("redo", { room });
  }

  /**
   * @param {string} room
   * @returns {Promise<Ok>}
   */
  restart(room) {
    return this.#get("restart", { room });
  }

  /**
   * @param {string} room
   * @returns {Promise<Ok>}
   */
  resign(room) {
    return this.#get("resign", { room });
  }

  /**
   * Write a comment.
   * @param {string} room
   * @param {string} text
   * @returns {Promise<Ok>}
   */
  say(room, text) {
    return this.#get("say", { room, text });
  }

  /**
   * The legal moves, best first.
   * @param {string} room
   * @returns {Promise<MoveList>}
   */
  moves(room) {
    return this.#get("moves", { room });
  }

  /**
   * What a strong bot would play on one's own board, or whether that can still be won; once it is
   * found out.
   * @param {string} room
   * @param {"move" | "chances"} what
   * @returns {Promise<Advice>}
   */
  async advise(room, what) {
    for (;;) {
      /** @type {Advice} */
      const advice = await this.#get("advise", { room, what });
      if (advice.retry_ms === undefined) return advice;
      await new Promise((done) => setTimeout(done, advice.retry_ms));
    }
  }

  /**
   * The moves that win one's own game without a thought; none, if it does not play itself.
   * @param {string} room
   * @returns {Promise<string[]>}
   */
  async finish(room) {
    return (await this.#get("finish", { room })).moves;
  }

  /**
   * The save text of the whole position; or the same for another program.
   * @param {string} room
   * @param {{format?: string}} [how]  `solvitaire`, `klondike-solver` or `fc-solve`
   * @returns {Promise<string>}
   */
  async save(room, { format } = {}) {
    /** @type {Saved} */
    const saved = await this.#get("save", { room, format });
    return saved.text;
  }

  /**
   * The position with all cards open, where the room allows it.
   * @param {string} room
   * @returns {Promise<View>}
   */
  async cheat(room) {
    /** @type {Position} */
    const position = await this.#get("cheat", { room });
    return position.view;
  }

  /**
   * The past events from number `from` on, all of them.
   * @param {string} room
   * @param {{from?: number, to?: number, open?: boolean}} [which]  open: with all cards known
   * @returns {Promise<Event[]>}
   */
  async history(room, { from = 1, to, open } = {}) {
    /** @type {Event[]} */
    const events = [];
    /** @type {number | undefined} */
    let next = from;
    while (next !== undefined) {
      /** @type {EventList} */
      const page = await this.#get("history", { room, from: next, to, open, limit: PAGE });
      events.push(...page.events);
      next = page.next !== undefined && page.next > next ? page.next : undefined;
    }
    return events;
  }

  /**
   * A replay text or a save text, played by the server's rules.
   * @param {string} text
   * @returns {Promise<Replayed>}
   */
  replay(text) {
    return this.#get("replay", { text });
  }

  /**
   * @param {string} t
   * @param {Record<string, unknown>} fields  those that are undefined are left out
   * @returns {Promise<any>}
   */
  #get(t, fields) {
    return this.request({ t, ...fields });
  }

  /** @param {Joined} joined */
  #mirror(joined) {
    const mirror = this.session.mirrors.get(joined.room);
    if (mirror === undefined) {
      throw new Error(`room ${joined.room} was left`);
    }
    return mirror;
  }
}
