/**
 * What is taken up again on a new connection: the rooms that are followed, the lobby and TV.
 *
 * Promises: a room goes on where it was, or begins anew with a whole position, or is told to be
 * lost; passwords and invites are kept here, in memory, and nowhere else.
 */

/** @import {Answer, Pong, Push, Request, Resume} from "../protocol/messages.js" */
/** @import {ClientSession} from "../protocol/session.js" */
/** @import {Asked} from "./asked.js" */

export class Following {
  #session;
  #asked;
  #push;
  /** What is told without a room. */
  #on = { lobby: false, tv: false };
  /** What was shown at the door. @type {Map<string, {password?: unknown, invite?: unknown}>} */
  #shown = new Map();
  /** Rooms that are being taken up. @type {Set<string>} */
  #resuming = new Set();
  /** Rooms that were behind the server when last compared, and its number. */
  #behind = new Map();

  /**
   * @param {ClientSession} session
   * @param {Asked} asked
   * @param {(push: Push) => void} push
   */
  constructor(session, asked, push) {
    this.#session = session;
    this.#asked = asked;
    this.#push = push;
  }

  /** Ask for everything on a new connection. */
  start() {
    this.#resuming.clear();
    this.#behind.clear();
    for (const resume of this.#session.resumes()) {
      this.resume(resume);
    }
    for (const [t, on] of Object.entries(this.#on)) {
      if (on) this.#asked.addFirst({ t, on }, () => {});
    }
  }

  /**
   * Get what was missed in a room, unless that has been asked.
   * @param {Resume} resume
   */
  resume(resume) {
    const { room } = resume;
    if (this.#resuming.has(room)) {
      return;
    }
    this.#resuming.add(room);
    const request = { ...resume, ...this.#shown.get(room) };
    this.#asked.addFirst(request, (answer) => this.#resumed(room, answer));
  }

  /**
   * Note what a request that was granted says about later connections.
   * @param {Request} request
   * @param {Answer} answer
   */
  granted(request, answer) {
    if (request.t === "lobby" || request.t === "tv") {
      this.#on[request.t] = request.on !== false;
    } else if (answer.t === "joined") {
      const { password, invite } = { ...this.#shown.get(answer.room), ...defined(request) };
      if (password !== undefined || invite !== undefined) {
        this.#shown.set(answer.room, { password, invite });
      }
    } else if (request.t === "leave" && request.room !== undefined) {
      this.#forget(request.room);
    }
  }

  /**
   * Compare how far the server's rooms are with how far the mirrors are.
   * @param {Pong} pong
   * @returns {boolean} whether to compare again soon: events may be on their way
   */
  compare(pong) {
    const before = this.#behind;
    this.#behind = new Map();
    for (const [room, mirror] of this.#session.mirrors) {
      const [seq, hash] = pong.heads[room] ?? [-1, ""];
      const isFork = seq === mirror.seq && hash !== mirror.hash;
      if (seq < 0 || isFork || mirror.seq < (before.get(room) ?? -1)) {
        this.resume(this.#session.resume(room));
      } else if (seq > mirror.seq) {
        this.#behind.set(room, seq);
      }
    }
    return this.#behind.size > 0;
  }

  /**
   * @param {string} room
   * @param {Answer} answer
   */
  #resumed(room, answer) {
    this.#resuming.delete(room);
    if (!this.#session.mirrors.has(room)) {
      return;
    }
    if (answer.t === "joined") {
      const { view, seq, hash } = answer;
      if (view) {
        this.#push({ t: "view", room, seq, hash, view });
      }
      this.#asked.deliver(room);
      this.#push(answer);
    } else if (answer.t === "error") {
      this.#forget(room);
      this.#asked.deliver();
      const { code, message, retry_ms } = answer;
      this.#push({ t: "lost", room, code, message, retry_ms });
    }
  }

  /** @param {string} room */
  #forget(room) {
    this.#session.forget(room);
    this.#shown.delete(room);
  }
}

/**
 * What a request says.
 * @param {Request} request
 * @returns {{[key: string]: unknown}}
 */
function defined(request) {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined));
}
