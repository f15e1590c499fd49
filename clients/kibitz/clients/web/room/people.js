/**
 * `<kibitz-people>`: who plays, who watches, how long, how far.
 *
 * Promises: it shows what its property `info` says; the clock runs by itself while the game does
 * and this is on the page. Names are only ever text. Never: asks anybody for anything.
 *
 * @import {Seat, Series} from "../protocol/messages.js"
 */

import { h } from "../shell/dom.js";
import { clockOf } from "./lines.js";

export { clockOf };

/**
 * `standing`: how a race stands, in the place of the seats; `counts` and `timed`: whether there
 * are moves and a score to be told, and a time; `series`: what there was before;
 * `daily`: the day whose deal it is; `winnable`: it was known to be; `limit`: the time there is, ms, `null` for ever; `late`: so many seconds later than it happened is this
 * shown. `here`: seats whose player is connected; `here` and `spectators` are `null` where that is not
 * known. `started`: Unix ms by the server's clock. `ended`: ms after that when the game ended,
 * `null` while it runs. `at`: ms at the moment that is shown, where that is not now.
 * @typedef {{seats: readonly Seat[], here: readonly number[] | null, spectators: number | null,
 *   started: number, ended?: number | null, at?: number | null, moves: number, score: number,
 *   status: string, standing?: string | null, series?: Series, daily?: string, winnable?: boolean, limit?: number | null,
 *   late?: number, counts?: boolean, timed?: boolean}} Info
 */

/** @type {Record<string, string>} */
const RESULTS = { won: "won", resigned: "given up", timeout: "time up", closed: "closed" };

export class People extends HTMLElement {
  /** @type {Info | null} */
  #info = null;
  #now = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #seats = h("ul", { class: "seats", "aria-label": "Players" });
  #watching = h("span", { class: "watching" });
  #moves = h("b");
  #score = h("b");
  #time = h("b");
  #left = h("b");
  #standing = h("p", { class: "standing" });
  #tally = h("span", { class: "tally" });
  #late = h("span");
  #status = h("span", { class: "status" });
  #facts = h(
    "p",
    { class: "facts" },
    h("span", null, this.#time, " time"),
    h("span", { hidden: true }, this.#left, " left"),
    h("span", null, this.#moves, " moves"),
    h("span", null, this.#score, " score"),
    this.#tally,
    this.#watching,
    this.#late,
    this.#status,
  );

  connectedCallback() {
    if (!this.firstChild) this.append(this.#seats, this.#standing, this.#facts);
    this.#tick();
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
  }

  get info() {
    return this.#info;
  }

  set info(info) {
    this.#info = info;
    this.#draw();
    this.#tick();
  }

  /** How far the server's clock is ahead of this one, ms. */
  get now() {
    return this.#now;
  }

  set now(ahead) {
    this.#now = ahead;
    this.#tick();
  }

  #draw() {
    const info = this.#info;
    if (!info) return;
    const standing = info.standing ?? null;
    this.#seats.hidden = standing !== null;
    this.#standing.hidden = !standing;
    this.#standing.textContent = standing;
    this.#tally.textContent = tallyOf(info);
    this.#tally.hidden = !this.#tally.textContent;
    this.#late.textContent = `shown ${info.late} s late`;
    this.#late.hidden = !info.late;
    this.#seats.replaceChildren(
      ...(standing === null ? info.seats : []).map((seat) => {
        const away = info.here && !info.here.includes(seat.seat);
        const how = !seat.id ? "free" : away ? "away" : info.here ? "here" : "";
        return h(
          "li",
          { class: how || null, title: how || null },
          h("span", { class: "dot", "aria-hidden": "true" }),
          h("bdi", null, seat.id ? (seat.name ?? seat.id) : `seat ${seat.seat}`),
          h("span", { class: how === "here" ? "spoken" : null }, how),
        );
      }),
    );
    this.#watching.textContent = `${info.spectators} watching`;
    this.#watching.hidden = info.spectators === null;
    const { counts = true, timed = true } = info;
    for (const [what, told] of /** @type {[HTMLElement, boolean][]} */ ([
      [this.#moves, counts],
      [this.#score, counts],
      [this.#time, timed],
    ]))
      /** @type {HTMLElement} */ (what.parentElement).hidden = !told;
    this.#moves.textContent = String(info.moves);
    this.#score.textContent = String(info.score);
    this.#status.textContent = RESULTS[info.status] ?? "";
    this.#status.hidden = !RESULTS[info.status];
  }

  /** Show the time, and come again with the next second where it goes on. */
  #tick() {
    clearTimeout(this.#timer);
    if (!this.#info || !this.isConnected) return;
    const { started, ended, at, limit = null } = this.#info;
    const since = Math.max(0, Date.now() + this.#now - started);
    const stands = at ?? ended;
    this.#time.textContent = clockOf(stands ?? since);
    /** @type {HTMLElement} */ (this.#left.parentElement).hidden = limit === null;
    if (limit !== null) this.#left.textContent = clockOf(limit - since);
    if (typeof stands === "number") return;
    this.#timer = setTimeout(() => this.#tick(), 1000 - (since % 1000) + 5);
  }
}

/** How a series stands: "Game 3 · Ann 2, Bob 0"; "" where there is none. @param {Info} info */
function tallyOf({ series, seats, daily, winnable }) {
  if (daily) return `Deal of the day, ${daily}`;
  const deal = winnable ? "Winnable deal" : "";
  if (!series) return deal;
  const wins = seats
    .filter(({ id }) => id)
    .map(({ seat, name }) => ({ name, won: series.tally[seat - 1] ?? 0 }))
    .sort((a, b) => b.won - a.won);
  const shown = wins.length > 3 ? wins.filter(({ won }) => won).slice(0, 3) : wins;
  const table = shown.map(({ name, won }) => `${name} ${won}`).join(", ");
  const game = `Game ${series.number}${table && wins.length > 1 ? ` · ${table}` : ""}`;
  return deal ? `${game} · ${deal}` : game;
}

customElements.define("kibitz-people", People);
