/** How a connection ends, and a request that gets no answer it wanted. */

/** @import {Refusal} from "../protocol/messages.js" */

/** Close codes: this side gives up, */
export const BROKEN = 4000;
/** the other side does not speak the protocol, */
export const PROTOCOL = 4400;
/** the same player is in another window, */
export const REPLACED = 4409;
/** a frame was too large to be looked at. */
export const TOO_BIG = 1009;
/** Closes after which nobody comes back by himself. */
export const FINAL = new Set([PROTOCOL, 4401, 4403, REPLACED, 4429]);

/** The server said no; nothing has changed. `message` is for people. */
export class Refused extends Error {
  name = "Refused";

  /** @param {Pick<Refusal, "code" | "message" | "room" | "seq" | "retry_ms">} refusal */
  constructor({ code, message, room, seq, retry_ms }) {
    super(message);
    this.code = code;
    this.room = room;
    this.seq = seq;
    this.retry_ms = retry_ms;
  }
}

/** The talk is over: closed here, ended by the server, or gone on in another window. */
export class Closed extends Error {
  name = "Closed";

  /**
   * @param {number} code  as a WebSocket is closed
   * @param {string} reason
   */
  constructor(code, reason) {
    super(reason);
    this.code = code;
  }
}
