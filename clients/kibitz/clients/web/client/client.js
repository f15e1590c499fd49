/**
 * The page's client: rooms as mirrors, requests as methods.
 *
 * Promises: what a method returns has happened and is durable; a mirror is up to date with every
 * answer that was returned. Every method throws `Refused` where the server says no and `Closed`
 * when the talk is over. Never: rules, the DOM.
 */

/**
 * @import {Dragged, Event, EventList, Filters, Joined, MoveList, Ok, Position, Replayed, Role,
 *   RoomList, Saved, Settings, View} from "../protocol/messages.js"
 */
/** @import {Mirror} from "../protocol/mirror.js" */

import { Connection } from "./connection.js";

export { Closed, Refused } from "./connection.js";

/** Events asked for at once. */
const PAGE = 500;

/** A connection with a method for every request. */
export class Client extends Connection {
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
   * A new room.
   * @param {string} game
   * @param {Settings} [settings]
   * @returns {Promise<Mirror>}
   */
  async create(game, settings = {}) {
    return this.#mirror(await this.#get("create", { game, ...settings }));
  }

  /**
   * A new room that begins with a position of a finished game.
   * @param {string} room
   * @param {number} [at]  the event whose position it is: 1, the start
   * @returns {Promise<Mirror>}
   */
  async fork(room, at) {
    return this.#mirror(await this.#get("fork", { room, at }));
  }

  /**
   * Follow a room, or take a seat in it.
   * @param {string} room
   * @param {{role?: Role, password?: string}} [how]
   * @returns {Promise<Mirror>}
   */
  async join(room, { role = "spectator", password } = {}) {
    return this.#mirror(await this.#get("join", { room, role, password }));
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
   * The save text of the whole position.
   * @param {string} room
   * @returns {Promise<string>}
   */
  async save(room) {
    /** @type {Saved} */
    const saved = await this.#get("save", { room });
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
