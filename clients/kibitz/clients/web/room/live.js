/**
 * A room on the server, followed: its past, its present, and what may be done in it.
 *
 * Promises: `past` always reaches to what the server told last; whoever has a seat here sits on
 * it; a break in the connection leaves no gap. Never: the DOM.
 */

import { isWaiting, Past } from "../client/past.js";

/** @import { Client } from "../client/client.js" */
/** @import { Event as Happening, Presence } from "../protocol/messages.js" */
/** @import { Mirror } from "../protocol/mirror.js" */
/** @import { Unseated } from "./source.js" */

export class LiveRoom extends EventTarget {
  past = new Past();
  /** @type {Presence | null} */
  presence = null;
  #client;
  /** @type {Mirror | null} */
  #mirror = null;
  /** @type {Promise<Past> | null} */
  #opened = null;
  /** Whether all that has happened is told: not from a break on until the room is taken up again. */
  fresh = false;
  gone = false;
  /** @type {Unseated | null} */
  #unseated = null;
  #listening = new AbortController();
  /** How often the past was begun anew: an answer about another one is too late. */
  #begun = 0;

  /** @param {Client} client @param {string} room */
  constructor(client, room) {
    super();
    this.#client = client;
    this.address = room;
  }

  /**
   * Begin to follow; sit down where that is asked for, or where one's own seat is.
   * @param {{seat?: boolean, password?: string, invite?: string, watch?: boolean}} wish  `watch`:
   *   never sit
   * @throws {import("../client/client.js").Refused} The server says no.
   */
  async open({ seat = false, password, invite, watch = false } = {}) {
    const client = this.#client;
    const shown = { password, invite };
    const role = watch || client.may("spectator") ? "spectator" : "player";
    let mirror = await client.join(this.address, { ...shown, role });
    const own = mirror.view.seats.some((each) => each.id === client.welcome?.you.id);
    const sits = own || (seat && mirror.view.status === "open");
    if (!watch && client.may("player") && sits && mirror.role !== "player")
      mirror = await client.join(this.address, { ...shown, role: "player" }).catch((error) => {
        this.#refused(error);
        return mirror;
      });
    if (invite) client.lookOn = mirror.role === "player" ? undefined : invite;
    const { signal } = this.#listening;
    if (signal.aborted) return;
    this.#take(mirror);
    client.addEventListener("state", () => this.#broken(), { signal });
    client.addEventListener(
      "push",
      (event) => this.#push(/** @type {CustomEvent} */ (event).detail),
      { signal },
    );
    this.#learn();
  }

  /** @param {Mirror} mirror */
  #take(mirror) {
    this.#mirror = mirror;
    this.#begin();
  }

  #begin() {
    this.#begun++;
    this.past.start(this.#room.view, this.#room.seq);
    this.fresh = true;
  }

  #broken() {
    if (this.#client.state !== "open") this.fresh = false;
  }

  /** The room could not be taken up as before: then perhaps as somebody who watches. */
  async #lost(/** @type {string} */ why) {
    this.fresh = false;
    try {
      await this.#watch();
    } catch {
      this.gone = true;
    }
    this.dispatchEvent(new CustomEvent("lost", { detail: why }));
  }

  /** Go on without a seat. */
  async #watch() {
    this.#take(await this.#client.join(this.address));
    this.dispatchEvent(new Event("reset"));
    this.#learn();
  }

  /** The operator has taken the seat away: from here on one watches, if one may. */
  async #unseat() {
    this.#unseated = { taken: true, message: "", until: Infinity };
    this.dispatchEvent(new Event("reset"));
    try {
      await this.#ask();
      await this.#watch();
    } catch {
      // The talk is over, or nobody may look on: what is shown stays as it is.
    }
  }

  /** Learn why there is no seat: that is said to whoever asks for one. */
  async #ask() {
    try {
      await this.#client.join(this.address, { role: "player" });
    } catch (error) {
      return this.#refused(error);
    }
    await this.#client.leave(this.address); // the seat was not to be had again without being asked
  }

  /**
   * Remember why the visitor may not sit here.
   * @param {any} problem
   * @throws what is another problem
   */
  #refused(problem) {
    const { code, message, retry_ms = Infinity } = problem;
    if (code !== "forbidden") throw problem;
    const taken = this.#unseated?.taken ?? false;
    this.#unseated = { taken, message, until: Date.now() + retry_ms };
  }

  /** Why the visitor may not sit here, as far as he was told. */
  get unseated() {
    return this.#unseated && this.#unseated.until > Date.now() ? this.#unseated : null;
  }

  /** The mirror, once the room is open. */
  get #room() {
    if (!this.#mirror) throw new Error("the room is not open");
    return this.#mirror;
  }

  get view() {
    return this.#room.view;
  }
  get game() {
    return this.view.game;
  }
  get seats() {
    return this.view.seats;
  }
  get status() {
    return this.view.status;
  }
  get board() {
    return this.#room.own;
  }
  get policy() {
    return this.#room.info.policy;
  }
  get started() {
    return this.#room.info.started;
  }
  get mine() {
    const { role, seat = 0 } = this.#room;
    return role === "player" && this.seats[seat - 1]?.id === this.#client.welcome?.you.id;
  }
  get own() {
    return this.view.race && this.mine ? this.board : null;
  }
  get plays() {
    const { view, mine, status } = this;
    const board = this.#room.board;
    return mine && status === "open" && !isWaiting(view) && board?.status === "open";
  }
  get free() {
    const { race, daily } = this.view;
    const sits = this.status === "open" && !daily && race?.started === undefined;
    return sits && !this.#looksOn && this.seats.some((seat) => !seat.id);
  }

  /** Whether the visitor may look on and no more. */
  get #looksOn() {
    const { invited, lookOn } = this.#client;
    const only = this.#room.info.visibility === "private" && Boolean(lookOn);
    return Boolean(this.unseated) || !this.#client.may("player") || (only && lookOn === invited);
  }

  get hasBots() {
    return Boolean(this.#client.welcome?.limits.bots) && this.made;
  }

  get made() {
    return this.past.event(1)?.by === this.#client.welcome?.you.id;
  }

  get info() {
    const info = this.#client.welcome?.games[this.game];
    if (!info) throw new Error(`the server does not know ${this.game}`);
    return info;
  }

  get canOpen() {
    return this.status !== "open" && this.status !== "closed";
  }

  /** Take a free seat. */
  async sit() {
    try {
      await this.#client.join(this.address, { role: "player" });
      this.#unseated = null;
    } catch (error) {
      this.#refused(error);
      throw error;
    } finally {
      this.dispatchEvent(new Event("reset"));
    }
  }

  /** Give the seat up, and watch. */
  async stand() {
    await this.#client.leave(this.address);
    await this.#watch();
  }

  /** The past with all cards known, of a finished game. */
  opened() {
    this.#opened ??= this.#client.history(this.address, { open: true }).then(Past.of);
    this.#opened.catch(() => {
      this.#opened = null;
    });
    return this.#opened;
  }

  /** Follow the room no longer. A seat is kept: whoever plays only looks away. */
  close() {
    this.#listening.abort();
    if (!this.#mirror || this.gone) return;
    const unheard = () => {};
    // Who leaves as a player gives the seat up; who watches does not.
    if (this.mine && !this.#client.may("spectator")) return;
    if (this.mine) this.#client.join(this.address).catch(unheard);
    this.#client.leave(this.address).catch(unheard);
  }

  /** Read what happened before we came. */
  async #learn() {
    const begun = this.#begun;
    try {
      const events = await this.#client.history(this.address, {});
      if (begun !== this.#begun) return;
      this.past.fill(events);
      this.dispatchEvent(new Event("known"));
    } catch (error) {
      if (!this.#listening.signal.aborted) console.info("the past is not there", error);
    }
  }

  /** @param {any} push */
  #push(push) {
    if (push.room !== this.address) return;
    switch (push.t) {
      case "event":
        if (!this.past.add(/** @type {Happening} */ (push))) break;
        this.dispatchEvent(new CustomEvent("event", { detail: push }));
        if (push.kind === "left" && !push.by && push.seat === this.#room.seat) this.#unseat();
        // What was masked while the race ran can be read now.
        if (push.kind === "ended" && this.view.race) this.#learn();
        break;
      case "thought":
        this.dispatchEvent(new CustomEvent("thought", { detail: push }));
        break;
      case "presence":
        this.presence = push;
        this.dispatchEvent(new Event("presence"));
        break;
      case "view":
        this.#begin();
        this.dispatchEvent(new Event("reset"));
        this.#learn();
        break;
      case "lost":
        if (push.code === "forbidden" && this.#room.role === "player") {
          this.#unseated = { taken: true, message: "", until: Infinity };
          this.#refused(push);
        }
        this.#lost(push.message);
        break;
      case "joined":
        this.fresh = true;
        this.dispatchEvent(new Event("presence"));
    }
  }
}
