/**
 * What has been asked and not been answered yet, in the order in which it was asked.
 *
 * Promises: every request ends once; what was open when a connection broke is asked again on the
 * next; what comes too soon for the server is asked again, in order, when it allows, unless that is
 * long: then it is refused; an answer to a change is handed over when its events have been applied,
 * so that no mirror is behind an answer.
 */

/** @import {Answer, Id, Ok, Request} from "../protocol/messages.js" */
/** @import {ClientSession} from "../protocol/session.js" */

/** Requests that change something: named for good, done once however often they are asked. */
export const CHANGES = new Set(
  "create fork rematch present move undo redo restart resign ready comments control say save cheat".split(
    " ",
  ),
);
/** Refusals that only mean later. */
const NOT_NOW = new Set(["rate-limited", "draining"]);
/** Requests that wait for their answers at the same time; more wait to be sent. */
const MOST_AT_ONCE = 64;
/** What is waited at least before something is asked again, in milliseconds. */
const LEAST_WAIT = 50;
/** Who asks is not kept waiting longer for what came too soon, in milliseconds. */
const MOST_WAIT = 5000;
/** So long after a refusal changes go one by one, or a later one might be taken before it, ms. */
const CALM = 5000;
/** The same where the server made a mistake while a room was taken up again. */
const LONG_WAIT = 1000;

/** @typedef {Request & {i: Id}} Named */
/**
 * @typedef {{request: Named, done: (answer: Answer) => void, fail: (end: Error) => void,
 *   kept: boolean, sent: boolean, answer: Answer | null}} Open
 */

export class Asked {
  #session;
  #waits;
  /** @type {Open[]} */
  #open = [];
  /** @type {((request: Named) => void) | null} */
  #send = null;
  #atOnce = MOST_AT_ONCE;
  /** When something came too soon. */
  #refused = -Infinity;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #pause;

  /**
   * @param {ClientSession} session
   * @param {(refusal: Answer) => void} waits  told of a refusal that only means later
   */
  constructor(session, waits) {
    this.#session = session;
    this.#waits = waits;
  }

  /**
   * One more request.
   * @param {Request} request
   * @param {(answer: Answer) => void} done  given the answer, a refusal too
   * @param {(end: Error) => void} fail
   */
  add(request, done, fail) {
    const i = request.i ?? (CHANGES.has(request.t) ? newName() : undefined);
    const named = this.#session.number({ ...request, i });
    if (this.#open.some((one) => one.request.i === named.i)) {
      throw new RangeError(`request ${named.i} is open`);
    }
    this.#open.push({ request: named, done, fail, kept: true, sent: false, answer: null });
    this.#pump();
  }

  /**
   * A request of the connection itself, before all others; the next connection forgets it.
   * @param {Request} request
   * @param {(answer: Answer) => void} done
   */
  addFirst(request, done) {
    const named = this.#session.number(request);
    const at = this.#open.findIndex((one) => one.kept);
    const one = { request: named, done, fail() {}, kept: false, sent: false, answer: null };
    this.#open.splice(at < 0 ? this.#open.length : at, 0, one);
    this.#pump();
  }

  /**
   * There is a connection: ask everything on it.
   * @param {(request: Named) => void} send
   */
  start(send) {
    this.#send = send;
    this.#atOnce = MOST_AT_ONCE;
    this.#pump();
  }

  /** There is none any more. */
  stop() {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#send = null;
    this.#open = this.#open.filter((one) => one.kept);
    for (const one of this.#open) {
      one.sent = false;
    }
  }

  /**
   * No answer will come to any of them.
   * @param {Error} end
   */
  fail(end) {
    this.stop();
    for (const one of this.#open.splice(0)) {
      one.fail(end);
    }
  }

  /** Take out the largest request on its way: the server will not read it. */
  takeLargest() {
    const size = (/** @type {Open} */ one) => JSON.stringify(one.request).length;
    const sent = this.#open.filter((one) => one.kept && one.sent && one.answer === null);
    const largest = sent.sort((a, b) => size(b) - size(a)).at(0);
    this.#open = this.#open.filter((one) => one !== largest);
    return largest;
  }

  /**
   * An answer has come; one that nobody waits for is none of ours.
   * @param {Answer} answer
   */
  answered(answer) {
    const one = this.#open.find((each) => each.sent && each.request.i === answer.i);
    if (one === undefined || one.answer !== null) {
      return;
    }
    const wait = waitOf(one, answer);
    if (wait > 0) {
      this.#waits(answer);
      this.#refused = performance.now();
      one.sent = false;
      this.#atOnce = 1;
      clearTimeout(this.#pause);
      this.#pause = setTimeout(() => {
        this.#pause = undefined;
        this.#pump();
      }, wait);
      return;
    }
    this.#atOnce = Math.min(this.#atOnce + 1, MOST_AT_ONCE);
    one.answer = answer;
    this.deliver();
    this.#pump();
  }

  /**
   * Hand over the answers whose events have been applied.
   * @param {string} [room]  a room that was just taken up again: it is as far as it can be
   */
  deliver(room) {
    const ready = this.#open.filter((one) => one.answer && this.#isHere(one, room));
    this.#open = this.#open.filter((one) => !ready.includes(one));
    for (const one of ready) {
      one.done(/** @type {Answer} */ (one.answer));
    }
  }

  /**
   * @param {Open} one
   * @param {string | undefined} room
   */
  #isHere({ request, answer }, room) {
    if (answer?.t !== "ok" || answer.seq === undefined || request.t === "leave") {
      return true;
    }
    const mirror = this.#session.mirrors.get(answer.room ?? "");
    return mirror === undefined || mirror.seq >= answer.seq || mirror.room === room;
  }

  /** Send what may be sent now. */
  #pump() {
    if (this.#pause !== undefined) {
      return;
    }
    const sent = this.#open.filter((one) => one.sent && one.answer === null);
    const hurried = performance.now() - this.#refused < CALM;
    let [waiting, changing] = [sent.length, sent.some(isChange)];
    for (const one of this.#open) {
      if (this.#send === null || waiting >= this.#atOnce) {
        return;
      }
      if (!one.sent && one.answer === null) {
        if (hurried && changing && isChange(one)) {
          return;
        }
        one.sent = true;
        waiting++;
        changing ||= isChange(one);
        this.#send(one.request);
      }
    }
  }
}

/** @param {Open} one */
const isChange = ({ request }) => CHANGES.has(request.t);

/**
 * Milliseconds after which something has to be asked again; 0: this is the answer.
 * @param {Open} one
 * @param {Answer} answer
 */
function waitOf(one, answer) {
  if (answer.t !== "error") {
    return 0;
  }
  if (NOT_NOW.has(answer.code)) {
    const wait = Math.max(answer.retry_ms ?? 0, LEAST_WAIT);
    return one.kept && wait > MOST_WAIT ? 0 : wait;
  }
  return !one.kept && answer.code === "internal" ? Math.max(answer.retry_ms ?? 0, LONG_WAIT) : 0;
}

/** A name that no other request has. `randomUUID` is missing on plain HTTP in a LAN. */
function newName() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
