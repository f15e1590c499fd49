/**
 * The list of rooms in the lobby: `<kibitz-rooms>`.
 *
 * Promises: numbers change in place at once; rows come, go and change places only while nobody
 * points at the list. Knows nothing of the connection: it is given rooms.
 */

import { clear, h } from "../shell/dom.js";
import { href } from "../shell/router.js";

/** @import { GameInfo, RoomInfo } from "../protocol/messages.js" */

/** @typedef {{game: string, status: string, words: string, order: string}} Sieve */

/** @type {Record<string, string>} */
const STATUS = {
  open: "Playing",
  won: "Won",
  resigned: "Given up",
  timeout: "Time up",
  closed: "Closed",
};
/** What a mark means, where that is not plain. @type {Record<string, string>} */
const TOLD = {
  masked: "Nobody sees the boards before the race is over",
  "winnable deal": "A line that wins was found before it was dealt, with all cards known",
};
const MINUTE = 60_000;

/** @param {number} count @param {string} one @param {string} [many] */
export const counted = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/**
 * How long ago, as one says it.
 * @param {number} ms
 */
export function ago(ms) {
  const minutes = Math.floor(Math.max(0, ms) / MINUTE);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return counted(Math.floor(minutes / 1440), "day") + " ago";
}

export class Rooms extends HTMLElement {
  /** @type {Record<string, GameInfo>} */
  games = {};
  /** The server's clock minus ours, ms. */
  skew = 0;
  /** Whether the visitor may take a seat anywhere. */
  canSit = true;
  /** @type {Sieve} */
  sieve = { game: "", status: "open", words: "", order: "newest" };

  /** @type {Map<string, RoomInfo>} */
  #rooms = new Map();
  /** @type {Map<string, HTMLLIElement>} */
  #rows = new Map();
  #list = h("ul", { class: "rooms", role: "list" });
  #fresh = h("button", {
    type: "button",
    class: "fresh",
    hidden: true,
    onclick: () => this.arrange(),
  });
  #clock = 0;

  connectedCallback() {
    this.replaceChildren(this.#fresh, this.#list);
    this.addEventListener("pointerleave", () => this.#settle());
    this.addEventListener("focusout", () => setTimeout(() => this.#settle()));
    this.#clock = setInterval(() => {
      for (const room of this.#rooms.values()) this.#fill(room);
    }, MINUTE / 2);
  }

  disconnectedCallback() {
    clearInterval(this.#clock);
  }

  /** @returns {number} rows in sight */
  get shown() {
    return this.#list.childElementCount;
  }

  /**
   * Begin anew with these rooms, or add them.
   * @param {RoomInfo[]} rooms
   * @param {{more?: boolean}} [how]
   */
  show(rooms, { more = false } = {}) {
    if (!more) {
      this.#rooms.clear();
      this.#rows.clear();
    }
    for (const room of rooms) this.#rooms.set(room.id, room);
    this.arrange();
  }

  /**
   * One room, as it is now.
   * @param {RoomInfo} room
   */
  take(room) {
    const isNew = !this.#rooms.has(room.id);
    if (isNew && !this.#belongs(room)) return;
    this.#rooms.set(room.id, room);
    this.#fill(room);
    if (isNew || !this.#fits(room)) this.#settle();
  }

  /** Rows as they should stand, now. */
  arrange() {
    for (const room of this.#rooms.values()) {
      if (this.#belongs(room)) continue;
      this.#rooms.delete(room.id);
      this.#rows.delete(room.id);
    }
    const rooms = [...this.#rooms.values()].filter((room) => this.#fits(room));
    const watched = this.sieve.order === "watched";
    const rank = (/** @type {RoomInfo} */ room) => (watched ? room.spectators : 0);
    // Who waits for others comes first.
    rooms.sort(
      (a, b) =>
        Number(b.waiting ?? 0) - Number(a.waiting ?? 0) ||
        rank(b) - rank(a) ||
        b.started - a.started,
    );
    this.#list.replaceChildren(...rooms.map((room) => this.#row(room)));
    this.#fresh.hidden = true;
    this.dispatchEvent(new Event("arranged"));
  }

  /** Arrange, or offer to if somebody is pointing at the list. */
  #settle() {
    if (!this.matches(":hover, :focus-within")) {
      this.arrange();
      return;
    }
    const waiting = [...this.#rooms.values()].filter(
      (room) => this.#fits(room) && !this.#rows.get(room.id)?.isConnected,
    ).length;
    this.#fresh.hidden = !waiting;
    this.#fresh.textContent = `Show ${counted(waiting, "new game")}`;
  }

  /** @param {RoomInfo} room */
  #belongs({ game, status }) {
    const { sieve } = this;
    return (
      (!sieve.game || game === sieve.game) &&
      (!sieve.status || (status === "open") === (sieve.status === "open"))
    );
  }

  /** @param {RoomInfo} room */
  #fits(room) {
    if (!this.#belongs(room)) return false;
    const text = `${room.players.join(" ")} ${this.#title(room)} ${room.id}`.toLowerCase();
    return this.sieve.words
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word));
  }

  /** @param {RoomInfo} room */
  #title(room) {
    return this.games[room.game]?.title ?? room.game;
  }

  /** @param {RoomInfo} room */
  #row(room) {
    let row = this.#rows.get(room.id);
    if (!row) {
      row = h("li", null, h("a", { href: href({ room: room.id }) }));
      this.#rows.set(room.id, row);
      this.#fill(room);
    }
    return row;
  }

  /** @param {RoomInfo} room */
  #fill(room) {
    const link = this.#rows.get(room.id)?.firstElementChild;
    if (!link) return;
    const { mode, waiting, masked, status } = room;
    const counts = !waiting && mode !== "replay" && !(masked && status === "open");
    clear(link).append(
      h("span", { class: "game" }, this.#title(room)),
      " ",
      h(
        "span",
        { class: "who" },
        h("bdi", null, room.players.join(", ") || "Nobody yet"),
        ...marksOf(room).map((mark) => h("span", { class: "mark", title: TOLD[mark] }, mark)),
      ),
      " ",
      h("span", { class: "watching" }, room.spectators ? `${room.spectators} watching` : ""),
      " ",
      h("span", { class: "score" }, counts ? `Score ${room.score}` : ""),
      " ",
      h("span", { class: "events" }, counts ? counted(room.seq, "event") : ""),
      " ",
      h("span", { class: "when" }, ago(Date.now() + this.skew - room.started)),
      " ",
      h(
        "span",
        { class: "status", dataset: { status: waiting ? "waiting" : status } },
        stateOf(room),
      ),
    );
    this.#offer(room);
  }

  /** The way to a seat in a race that waits. @param {RoomInfo} room */
  #offer({ id, waiting, players, seats, game }) {
    const row = this.#rows.get(id);
    const there = row?.querySelector(".seat");
    if (!waiting || players.length >= seats || !this.canSit) there?.remove();
    else if (!there) {
      const label = `Take a seat in the race of ${this.games[game]?.title ?? game}`;
      const address = href({ room: id, seat: true });
      row?.append(
        h("a", { class: "button seat", href: address, "aria-label": label }, "Take a seat"),
      );
    }
  }
}

/** @param {RoomInfo} room */
function stateOf({ mode, waiting, status }) {
  if (waiting) return "Waiting";
  if (mode === "replay") return "Replay";
  return mode === "race" && status === "open" ? "Racing" : (STATUS[status] ?? status);
}

/** What is special about a room, in a word each. @param {RoomInfo} room */
function marksOf({ mode, waiting, players, seats, status, masked, delay, ...more }) {
  const { daily, winnable, password } = more;
  const free = seats - players.length;
  return [
    waiting && `race, ${players.length} of ${counted(seats, "seat")}`,
    !waiting && mode === "coop" && status === "open" && free > 0 && counted(free, "free seat"),
    mode === "race" && !waiting && "race",
    masked && status === "open" && "masked",
    delay && `${delay} s late`,
    daily && "deal of the day",
    winnable && "winnable deal",
    password && "password",
  ].filter((mark) => typeof mark === "string");
}

customElements.define("kibitz-rooms", Rooms);
