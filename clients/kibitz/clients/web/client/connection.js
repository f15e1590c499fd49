/**
 * One lasting talk with a server, over as many connections as it takes.
 *
 * Promises: every request gets its answer or an error, once; what was asked when a connection
 * broke is asked again on the next, and changes carry names so that none is done twice; every room
 * followed goes on where it was, without gap or duplicate; nothing is left behind after `close`.
 * Never: rules of games, the DOM, a second connection beside the first.
 */

/** @import {Answer, Id, Push, Request, Welcome} from "../protocol/messages.js" */

import { ClientSession } from "../protocol/session.js";
import { Asked, CHANGES } from "./asked.js";
import { Delays } from "./delays.js";
import { BROKEN, Closed, FINAL, PROTOCOL, REPLACED, Refused, TOO_BIG } from "./ends.js";
import { Following } from "./following.js";
import { Heart } from "./heart.js";
import { Line } from "./line.js";
import { Saving } from "./saving.js";
import { onWake } from "./waking.js";

export { Closed, Refused };

/** Milliseconds that a connection may take, with its first answer. */
const DIAL_TIMEOUT = 10_000;

/** @typedef {"connecting" | "open" | "away" | "replaced" | "ended"} State */
/** @typedef {{name?: string, token?: string, WebSocket?: typeof WebSocket}} Options */

/**
 * Events: `state` (detail `{state, reason, code}`), `welcome` (detail: what the server said first,
 * with the token to keep) and `push` (detail: an event, presence, a lobby room, `view`: a room
 * that begins anew, `joined`: a room taken up again after a break, `lost`: one that could not be);
 * `waits` (detail: a refusal that only means later; what was asked is asked again by itself);
 * `saving`, when that has changed.
 */
export class Connection extends EventTarget {
  /** The rooms followed are `session.mirrors`. */
  session = new ClientSession();
  /** What the server said first on the newest connection. @type {Welcome | null} */
  welcome = null;
  /** How far the server's clock was before ours when it greeted us, ms. */
  ahead = 0;
  /** @type {State} */
  state = "connecting";
  /** Whether something that was done here waits long for the server to have written it down. */
  saving = false;

  #url;
  #WebSocket;
  #hello;
  #asked = new Asked(this.session, (refusal) =>
    this.dispatchEvent(new CustomEvent("waits", { detail: refusal })),
  );
  #following = new Following(this.session, this.#asked, (push) => this.#push(push));
  #saving = new Saving((saving) => {
    this.saving = saving;
    this.dispatchEvent(new Event("saving"));
  });
  #heart = new Heart(
    () => this.#send({ t: "ping" }),
    () => this.#broken("the server does not answer"),
  );
  /** @type {Line | null} */
  #line = null;
  /** The `i` of what this connection asked last for itself: `hello`, then every `ping`. */
  #own = /** @type {Id} */ (0);
  #delays = new Delays();
  #greeted = false;
  /** Ends the wake-ups; null: the talk has not begun, or is over. @type {(() => void) | null} */
  #running = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {Error | null} */
  #end = null;

  /**
   * Prepare; nothing is sent before `open`.
   * @param {string | URL} url  `ws://host/ws`
   * @param {Options} [options]
   */
  constructor(url, { name, token, WebSocket = globalThis.WebSocket } = {}) {
    super();
    this.#url = url;
    this.#hello = { t: "hello", name: name || undefined, token: token || undefined };
    this.#WebSocket = WebSocket;
  }

  /** Connect, and come back again and again until `close`. */
  open() {
    if (this.#running === null) {
      this.#running = onWake((isNewNetwork) => this.#wake(isNewNetwork));
      this.#end = null;
      this.#delays.reset();
      this.#dial();
      this.#tell(this.#line === null ? this.state : "connecting", "");
    }
  }

  /**
   * Go by another name, from now on; with another token as somebody else.
   * @param {string} [name]
   * @param {string} [token]  empty: still the same identity
   */
  introduce(name, token) {
    const before = this.#hello;
    this.#hello = { t: "hello", name: name || undefined, token: token || before.token };
    if (this.#greeted && JSON.stringify(before) !== JSON.stringify(this.#hello)) {
      this.#drop(1000);
      this.#tell("away", "");
      this.#dial();
    }
  }

  /** The talk is over; who still waits for an answer is told. */
  close() {
    if (this.state !== "ended") {
      this.#finish("ended", "the connection is closed", 1000);
    }
  }

  /** Take the seat back that another window took. */
  takeOver() {
    if (this.state === "replaced") {
      this.open();
    }
  }

  /**
   * Ask, and wait for the answer, over as many connections as it takes.
   * @param {Request} message
   * @returns {Promise<Answer>} never a refusal
   * @throws {Refused} The server says no.
   * @throws {Closed} The talk is over.
   */
  request(message) {
    return new Promise((resolve, reject) => {
      if (this.#end !== null) {
        throw this.#end;
      }
      const saved = CHANGES.has(message.t) && !message.winnable ? this.#saving.begin() : () => {};
      const done = (/** @type {Answer} */ answer) => {
        saved();
        if (answer.t === "error") {
          reject(new Refused(answer));
        } else {
          this.#following.granted(message, answer);
          resolve(answer);
        }
      };
      const fail = (/** @type {Error} */ end) => {
        saved();
        reject(end);
      };
      this.#asked.add(message, done, fail);
    });
  }

  #dial() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#broken("the server does not answer"), DIAL_TIMEOUT);
    try {
      this.#line = new Line(this.#url, this.#WebSocket, {
        opened: () => this.#send(this.#hello),
        heard: (frame) => this.#take(frame),
        ended: (code, reason) => this.#closed(code, reason),
      });
    } catch (error) {
      this.#finish("ended", String(error), 0);
    }
  }

  /** @param {Request} request  one of this connection itself */
  #send(request) {
    const numbered = this.session.number(request);
    this.#own = numbered.i;
    this.#line?.send(numbered);
  }

  /**
   * Let one frame of the server happen.
   * @param {unknown} frame
   */
  #take(frame) {
    let met;
    try {
      met = this.session.receive(frame);
    } catch (error) {
      this.#broken(String(error), PROTOCOL);
      return;
    }
    this.#heart.heard();
    if (met?.kind === "pushed") {
      this.#push(met.reply);
    } else if (met?.kind === "missed") {
      this.#following.resume(met.resume);
    } else if (met?.kind === "answered") {
      met.events.forEach((event) => this.#push(event));
      met.reply.i === this.#own ? this.#answered(met.reply) : this.#asked.answered(met.reply);
    }
    this.#asked.deliver();
  }

  /**
   * The answer to `hello` or `ping`.
   * @param {Answer} answer
   */
  #answered(answer) {
    if (answer.t === "welcome") {
      this.#greet(answer);
    } else if (answer.t === "pong") {
      this.#heart.answered(this.#following.compare(answer));
    } else if (this.#greeted) {
      this.#heart.answered(); // too many questions for now; but it is there
    } else if (answer.t === "error" && !["rate-limited", "draining"].includes(answer.code)) {
      this.#finish("ended", answer.message, answer.code === "auth" ? 4401 : PROTOCOL);
    } else {
      this.#broken("the server is not ready");
    }
  }

  /** @param {Welcome} welcome */
  #greet(welcome) {
    const line = this.#line;
    clearTimeout(this.#timer);
    this.#greeted = true;
    this.#delays.greeted();
    this.welcome = welcome;
    this.ahead = welcome.now - Date.now();
    this.#hello.token = welcome.token;
    this.dispatchEvent(new CustomEvent("welcome", { detail: welcome }));
    this.#tell("open", "");
    if (this.#line !== line) {
      return; // a listener closed it
    }
    this.#following.start();
    this.#asked.start((request) => this.#line?.send(request));
    this.#heart.start();
  }

  /**
   * @param {number} code
   * @param {string} reason
   */
  #closed(code, reason) {
    this.#line = null;
    if (FINAL.has(code)) {
      this.#finish(code === REPLACED ? "replaced" : "ended", reason, code);
      return;
    }
    if (code === TOO_BIG) {
      const refusal = { code: "too-large", message: "that is more than the server reads" };
      this.#asked.takeLargest()?.fail(new Refused(refusal));
    }
    this.#broken(reason || "there is no connection", code);
  }

  /**
   * Give this connection up; make another one after a while.
   * @param {string} reason
   * @param {number} [code]
   */
  #broken(reason, code = BROKEN) {
    this.#drop(code);
    this.#timer = setTimeout(() => this.#dial(), this.#delays.next(code, reason));
    this.#tell(this.welcome === null ? "connecting" : "away", reason, code);
  }

  /** @param {number} code  nothing of this line, and nothing that was to happen on it */
  #drop(code) {
    this.#line?.drop(code);
    this.#line = null;
    this.#greeted = false;
    clearTimeout(this.#timer);
    this.#heart.stop();
    this.#asked.stop();
  }

  /**
   * @param {"replaced" | "ended"} state
   * @param {string} reason
   * @param {number} code
   */
  #finish(state, reason, code) {
    this.#running?.();
    this.#running = null;
    this.#end = new Closed(code, reason);
    this.#drop(1000);
    this.#asked.fail(this.#end);
    this.#tell(state, reason, code);
  }

  /** @param {boolean} isNewNetwork  a connection that is being made goes the old way */
  #wake(isNewNetwork) {
    if (this.#greeted) {
      this.#heart.askNow();
    } else if (this.#line === null || isNewNetwork) {
      this.#delays.reset();
      this.#drop(BROKEN);
      this.#dial();
    }
  }

  /**
   * @param {State} state
   * @param {string} reason
   * @param {number} [code]
   */
  #tell(state, reason, code) {
    if (state !== this.state || state === "connecting") {
      this.state = state;
      this.dispatchEvent(new CustomEvent("state", { detail: { state, reason, code } }));
    }
  }

  /** @param {Push} push */
  #push(push) {
    this.dispatchEvent(new CustomEvent("push", { detail: push }));
  }
}
