/**
 * A replay room: a finished game, shown to all who are here at the same moment of it.
 *
 * Promises: looks to the page like a finished room whose playback is led by whoever holds the
 * controls; what is said here stands at the moment at which it was said. Leaving hands the controls
 * over. Never: the DOM.
 */

import { Led } from "../client/led.js";
import { Past } from "../client/past.js";
import { positionAt } from "../client/playhead.js";

/** @import { Client } from "../client/client.js" */
/** @import { Event as Happening, Recorded, View } from "../protocol/messages.js" */
/** @import { LiveRoom } from "./live.js" */

/**
 * The game that a replay room shows, ready to be looked at.
 * @param {Client} client
 * @param {LiveRoom} live  the room itself, open
 */
export async function presented(client, live) {
  const { room, seq } = /** @type {Recorded} */ (live.view.recorded);
  await client.join(room);
  const events = await client.history(room, { to: seq });
  return new Presented(client, live, events);
}

export class Presented extends EventTarget {
  board = 0;
  own = null;
  fresh = false;
  mine = false;
  plays = false;
  free = false;
  canOpen = true;
  #client;
  #live;
  #events;
  /** @type {Promise<Past> | null} */
  #opened = null;
  #off = new AbortController();

  /** @param {Client} client @param {LiveRoom} live @param {Happening[]} events */
  constructor(client, live, events) {
    super();
    this.#client = client;
    this.#live = live;
    this.#events = events;
    this.past = Past.of(events);
    const last = this.past.at(this.past.last);
    this.seats = last.view.seats;
    this.status = last.view.status === "open" ? "resigned" : last.view.status;
    this.started = events[0]?.started ?? 0;
    this.playback = new Led(
      this.past,
      () => /** @type {Recorded} */ (live.view.recorded),
      events.map(({ at }) => at),
      () => Date.now() + client.ahead - live.started,
      () => live.mine && live.status === "open" && !this.#off.signal.aborted,
      (control) => client.control(live.address, control),
    );
    const { signal } = this.#off;
    live.addEventListener("event", (event) => this.#told(/** @type {CustomEvent} */ (event)), {
      signal,
    });
    live.addEventListener("known", () => this.dispatchEvent(new Event("known")), { signal });
    for (const name of ["presence", "reset"])
      live.addEventListener(name, () => this.#moved(), { signal });
    live.addEventListener(
      "lost",
      (event) => this.dispatchEvent(new CustomEvent("lost", /** @type {CustomEvent} */ (event))),
      { signal },
    );
  }

  get address() {
    return this.#live.address;
  }
  /** The room whose game this is. */
  get recorded() {
    return this.#live.view.recorded?.room;
  }
  get game() {
    return this.#live.game;
  }
  get info() {
    return this.#live.info;
  }
  get gone() {
    return this.#live.gone;
  }
  get policy() {
    return this.#live.policy;
  }

  /** Who watches; the seats are those of the game, and nobody sits on them now. */
  get presence() {
    const { presence } = this.#live;
    return presence && { ...presence, players: /** @type {any} */ (null) };
  }

  /** @returns {View} the game at its end, but what there is to be said here */
  get view() {
    const { view } = this.past.at(this.past.last);
    return { ...view, comments: this.#live.view.comments, next: undefined };
  }

  /** Remarks made here, each at the moment of the game that was shown. */
  get remarks() {
    const said = [];
    for (const event of this.#live.past.events)
      if (event.kind === "say") said.push(this.#at(event));
    return said;
  }

  /** @param {Happening} said @returns {Happening} */
  #at(said) {
    const before = this.#live.past;
    const recorded = before.has(said.seq) ? before.at(said.seq).view.recorded : null;
    const times = this.#events.map(({ at }) => at);
    const seq = recorded ? positionAt(recorded, times, said.at) : this.playback.seq;
    return { ...said, seq, at: this.past.event(seq)?.at ?? 0 };
  }

  /** @param {CustomEvent<Happening>} event */
  #told({ detail }) {
    if (detail.kind === "say")
      this.dispatchEvent(new CustomEvent("event", { detail: this.#at(detail) }));
    this.#moved();
  }

  /** The room stands otherwise than before. */
  #moved() {
    this.playback.follow();
    this.dispatchEvent(new Event("presence"));
  }

  /**
   * Who is at the controls, and what can be done about that.
   * @param {boolean} embed  in a frame of another page: nothing
   * @returns {[text: string, choices: [what: string, label: string][]]}
   */
  notice(embed) {
    const { seats, mine, presence, status } = this.#live;
    const [{ seat, id, name }] = seats;
    /** @type {[what: string, label: string][]} */
    const alone = embed ? [] : [["alone", "Look by yourself"]];
    if (status !== "open") return ["This showing is over.", alone];
    if (mine)
      return [
        "You are at the controls: all see what you see.",
        [
          ["stand", "Hand over"],
          ["close", "End it"],
        ],
      ];
    if (!id)
      return ["Nobody is at the controls.", embed ? [] : [["sit", "Take the controls"], ...alone]];
    const away = presence && !presence.players.includes(seat) ? ", but away" : "";
    return [`${name || id} is at the controls${away}.`, alone];
  }

  async sit() {
    await this.#live.sit();
  }

  async stand() {
    await this.#live.stand();
  }

  /** The game with all cards known. */
  opened() {
    const { room, seq } = /** @type {Recorded} */ (this.#live.view.recorded);
    this.#opened ??= this.#client.history(room, { to: seq, open: true }).then(Past.of);
    this.#opened.catch(() => {
      this.#opened = null;
    });
    return this.#opened;
  }

  close() {
    this.#off.abort();
    this.playback.rest();
    const unheard = () => {};
    if (this.recorded) this.#client.leave(this.recorded).catch(unheard);
    // As a player: the controls are free then.
    if (this.#live.mine) this.#client.leave(this.address).catch(unheard);
    this.#live.close();
  }
}
