/**
 * One socket, from dialling to its end.
 *
 * Promises: tells of its end once, and of nothing after it was dropped, whatever still comes.
 */

/** @import {Request} from "../protocol/messages.js" */

const SUBPROTOCOL = "kibitz.v1.json";
/** A socket's `readyState`. */
const OPEN = 1;

/** Half of a character is no text that can be sent. @param {string} _ @param {unknown} value */
const whole = (_, value) => (typeof value === "string" ? value.replace(LONE, "\ufffd") : value);
/** A surrogate without its other half. */
const LONE = /\p{Surrogate}/gu;

/**
 * @typedef {{opened: () => void, heard: (frame: unknown) => void,
 *   ended: (code: number, reason: string) => void}} Listener
 */

export class Line {
  #socket;

  /**
   * @param {string | URL} url
   * @param {typeof WebSocket} Socket
   * @param {Listener} listener
   * @throws {DOMException} There can be no socket at such an address.
   */
  constructor(url, Socket, listener) {
    this.#socket = new Socket(url, SUBPROTOCOL);
    this.#socket.onopen = () => listener.opened();
    this.#socket.onmessage = ({ data }) => listener.heard(data);
    this.#socket.onclose = ({ code, reason }) => {
      this.drop(1000);
      listener.ended(code, reason);
    };
  }

  /** @param {Request} request  lost, like anything on its way, if the other end has begun to close */
  send(request) {
    if (this.#socket.readyState === OPEN) {
      this.#socket.send(JSON.stringify(request, whole));
    }
  }

  /**
   * Nothing more of this one.
   * @param {number} code
   */
  drop(code) {
    this.#socket.onopen = this.#socket.onmessage = this.#socket.onclose = null;
    this.#socket.close(code);
  }
}
