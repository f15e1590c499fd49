/**
 * A client's end of one talk, without a socket: feed a frame, take what it means.
 *
 * Promises: numbers requests, matches answers and keeps a mirror of every room, over any number of
 * connections. Never: waits, sends, knows time.
 */

/**
 * @import {Answer, Event, Id, Joined, LobbyRoom, Notice, Position, Presence, Resume, Searching, Thought,
 *   TvRoom}
 *   from "./messages.js"
 */

import { Gap, Mirror } from "./mirror.js";

/** The server does not speak this protocol. */
export class WireError extends Error {
  name = "WireError";
}

/** @typedef {{kind: "answered", reply: Answer, events: Event[]}} Answered */
/** @typedef {{kind: "pushed", reply: Event | Presence | Thought | LobbyRoom | TvRoom | Searching | Notice | Position}} Pushed */
/** @typedef {{kind: "missed", resume: Resume}} Missed */

const ANSWERS = new Set(
  "welcome pong pledged joined invited ok rooms moves advice finish saved view history replayed daily error".split(
    " ",
  ),
);

/** What a client makes of a server's frames. */
export class ClientSession {
  /** The rooms followed, by id. @type {Map<string, Mirror>} */
  mirrors = new Map();
  /** Rooms whose mirror cannot go on from where it is. @type {Set<string>} */
  #spoilt = new Set();
  #last = 0;

  /**
   * The request with an `i` of its own, if it has none.
   * @template {{i?: Id}} R
   * @param {R} request
   * @returns {R & {i: Id}}
   */
  number(request) {
    return { ...request, i: request.i ?? ++this.#last };
  }

  /** What to ask on a new connection, a request for every room followed. */
  resumes() {
    return [...this.mirrors.keys()].map((room) => this.resume(room));
  }

  /**
   * The request that gets what was missed in a room.
   * @param {string} room
   * @returns {Resume}
   */
  resume(room) {
    const mirror = this.mirrors.get(room);
    if (mirror === undefined) {
      throw new RangeError(`room ${room} is not followed`);
    }
    /** @type {Resume} */
    const join = { t: "join", room, role: mirror.role };
    return this.#spoilt.has(room) ? join : { ...join, from: mirror.seq, hash: mirror.hash };
  }

  /**
   * Follow a room no longer.
   * @param {string} room
   */
  forget(room) {
    this.mirrors.delete(room);
    this.#spoilt.delete(room);
  }

  /**
   * What a frame means; null for nothing new.
   * @param {unknown} frame
   * @returns {Answered | Pushed | Missed | null}
   * @throws {WireError} The server does not speak this protocol.
   */
  receive(frame) {
    const reply = read(frame);
    switch (reply.t) {
      case "event":
        return this.#event(reply);
      case "presence":
      case "thought":
      case "lobby":
      case "tv":
      case "searching":
      case "notice":
        return { kind: "pushed", reply };
      case "joined":
        return { kind: "answered", reply, events: this.#joined(reply) };
      case "view":
        if (reply.i === undefined) {
          this.#reset(reply);
          return { kind: "pushed", reply };
        }
        return { kind: "answered", reply, events: [] };
      default:
        return ANSWERS.has(reply.t) ? { kind: "answered", reply, events: [] } : null;
    }
  }

  /**
   * @param {Event} event
   * @returns {Pushed | Missed | null}
   */
  #event(event) {
    const mirror = this.mirrors.get(event.room);
    if (mirror === undefined) {
      return null;
    }
    try {
      return mirror.apply(event) ? { kind: "pushed", reply: event } : null;
    } catch (error) {
      this.#spoil(event.room, error);
      return { kind: "missed", resume: this.resume(event.room) };
    }
  }

  /**
   * @param {Joined} joined
   * @returns {Event[]}
   */
  #joined(joined) {
    const mirror = this.mirrors.get(joined.room);
    try {
      if (mirror === undefined) {
        this.mirrors.set(joined.room, new Mirror(joined));
        return [];
      }
      const events = mirror.rejoin(joined);
      if (joined.view) {
        this.#spoilt.delete(joined.room);
      }
      return events;
    } catch (error) {
      this.#spoil(joined.room, error);
      throw new WireError(`room ${joined.room} cannot be followed: ${error}`);
    }
  }

  /** @param {Position} position */
  #reset(position) {
    try {
      this.mirrors.get(position.room)?.reset(position);
      this.#spoilt.delete(position.room);
    } catch (error) {
      throw new WireError(`no position: ${error}`);
    }
  }

  /**
   * A gap can be filled; after anything else a room only goes on with a whole view.
   * @param {string} room
   * @param {unknown} error
   */
  #spoil(room, error) {
    if (!(error instanceof Gap) && this.mirrors.has(room)) {
      this.#spoilt.add(room);
    }
  }
}

/**
 * What a frame says, if it is a message at all.
 * @param {unknown} frame
 * @returns {any}
 */
function read(frame) {
  if (typeof frame !== "string") {
    throw new WireError("not a text frame");
  }
  let plain;
  try {
    plain = JSON.parse(frame);
  } catch (error) {
    throw new WireError(`not JSON: ${error}`);
  }
  if (!isMap(plain) || typeof plain.t !== "string") {
    throw new WireError("a message is a map with a key t");
  }
  if (SHAPES.get(plain.t)?.(plain) === false) {
    throw new WireError(`a ${plain.t} out of shape`);
  }
  return plain;
}

/** What must be there for a mirror to look at it. @type {Map<string, (plain: any) => boolean>} */
const SHAPES = new Map([
  ["event", (/** @type {any} */ e) => isRoom(e) && isWhole(e.seq) && typeof e.kind === "string"],
  ["presence", isRoom],
  ["thought", (plain) => isRoom(plain) && Array.isArray(plain.moves)],
  ["searching", (plain) => Number.isInteger(plain.deals)],
  ["notice", (plain) => typeof plain.text === "string"],
  ["joined", (plain) => isAt(plain) && isMap(plain.info) && isView(plain.view ?? null)],
  ["view", (plain) => isAt(plain) && isView(plain.view)],
  ["pong", (plain) => isMap(plain.heads)],
  ["welcome", (plain) => isMap(plain.you) && isMap(plain.games) && typeof plain.token === "string"],
  ["error", (plain) => typeof plain.code === "string"],
]);

/** @param {any} plain */
function isRoom(plain) {
  return typeof plain.room === "string";
}

/** @param {any} plain */
function isAt(plain) {
  return isRoom(plain) && isWhole(plain.seq) && typeof plain.hash === "string";
}

/** @param {any} view */
function isView(view) {
  return view === null || (isMap(view) && Array.isArray(view.boards) && Array.isArray(view.seats));
}

/** @param {any} value */
function isMap(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** @param {unknown} value */
function isWhole(value) {
  return Number.isSafeInteger(value);
}
