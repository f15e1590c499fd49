/**
 * A game from a file: a replay as JSON, or a text that the server has read for us.
 *
 * Promises: looks to the page like a finished room. Nothing of it leaves this browser but the text
 * that the server is asked to read.
 */

import { Past } from "../client/past.js";

/** @import { Event as Happening, GameInfo, Seat } from "../protocol/messages.js" */

/**
 * `from`: the room of the game that would have been won so.
 * @typedef {{game: string, events: Happening[], open?: Happening[], fault?: string,
 *   from?: string}} Recording
 */

const KEPT = "kibitz-file";

/** The recording that is looked at, kept for a reload of this tab. */
export const reading = {
  /** @type {Recording | null} */
  last: null,
  /** What it was read from. */
  text: "",
  /** How many there were: another file is another page at the same address. */
  number: 0,

  /** @param {Recording} recording @param {string} text  that it was read from */
  keep(recording, text) {
    this.last = recording;
    this.text = text;
    this.number += 1;
    try {
      // What is JSON already is not kept twice.
      const json = text.trimStart().startsWith("{");
      sessionStorage.setItem(KEPT, json ? text : JSON.stringify({ recording, text }));
    } catch {
      /* too large or forbidden: it is there until the next reload */
    }
  },

  /** @returns {Recording | null} */
  take() {
    try {
      const kept = this.last ? null : sessionStorage.getItem(KEPT);
      if (kept !== null) {
        const { recording, text = kept, ...replay } = JSON.parse(kept);
        this.last = recording ?? replay;
        this.text = text;
      }
    } catch {
      /* nothing was kept */
    }
    return this.last;
  },
};

export class Recorded extends EventTarget {
  presence = null;
  /** A file is never live. */
  fresh = false;
  gone = false;
  mine = false;
  plays = false;
  free = false;
  board = 0;
  own = null;
  policy = null;
  address = null;
  #open;

  /** @param {Recording} recording @param {GameInfo} info */
  constructor({ game, events, open, fault, from }, info) {
    super();
    this.from = from;
    this.game = game;
    this.info = info;
    this.fault = fault;
    this.past = Past.of(events);
    this.started = events[0]?.started ?? 0;
    this.view = this.past.at(this.past.last).view;
    this.status = this.view.status;
    this.#open = open;
    const players = new Map(events.filter((e) => e.kind === "joined").map((e) => [e.seat, e]));
    /** @type {Seat[]} */
    this.seats = [...players.values()].map((e) => ({ seat: e.seat ?? 1, id: e.by, name: e.name }));
  }

  /** Whether the file says where all cards lay. */
  get canOpen() {
    return Boolean(this.#open?.length);
  }

  /** @returns {[text: string, choices: [what: string, label: string][]] | undefined} */
  notice() {
    if (this.from) return ["This is what would have won.", [["game", "Back to the game"]]];
  }

  async opened() {
    return Past.of(this.#open ?? []);
  }

  close() {}
}
