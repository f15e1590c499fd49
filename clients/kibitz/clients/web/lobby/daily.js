/**
 * `<kibitz-daily>`: the deal of the day: play it, see how everybody did, and yesterday's games.
 *
 * Promises: one game at a time; what is shown is at most a minute old. Never: names a card.
 */

import { said, toast } from "../shell/announce.js";
import { clear, h } from "../shell/dom.js";
import { href } from "../shell/router.js";
import { sheet } from "../shell/sheet.js";
import { counted } from "./rooms.js";

/** @import { Context } from "../shell/context.js" */
/** @import { DailyRow, DailyTable, GameInfo } from "../protocol/messages.js" */

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
/** Rows of a table; one's own is shown wherever it is. */
const ROWS = 10;
/** @type {Record<string, string>} */
const RESULT = { open: "playing", won: "won", resigned: "given up" };

export class Daily extends HTMLElement {
  /** @type {Context} */
  context = /** @type {any} */ (null);
  /** @type {Record<string, GameInfo>} */
  #games = {};
  #game = "";
  /** @type {DailyTable | null} */
  #today = null;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;
  #asked = 0;
  #until = h("p", { class: "muted until" });
  #choice = h("div", { class: "row", role: "group", "aria-label": "Game of the day" });
  #play = h("button", { type: "button", class: "primary large", onclick: () => this.#enter() });
  #tables = h("div", { class: "tables" });

  /** Show it, once its looks are there. */
  async open() {
    await sheet("daily");
    this.#games = this.context.client.welcome?.games ?? {};
    this.#game ||= Object.keys(this.#games)[0] ?? "";
    this.replaceChildren(
      h(
        "section",
        { "aria-labelledby": "daily" },
        h("div", { class: "daily-head" }, h("h2", { id: "daily" }, "Deal of the day"), this.#until),
        this.#choice,
        h("p", { hidden: !this.context.client.may("player") }, this.#play),
        this.#tables,
      ),
    );
    this.#choose(this.#game);
  }

  connectedCallback() {
    this.#timer = setInterval(() => this.refresh(), MINUTE);
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
  }

  /** @param {string} game */
  #choose(game) {
    this.#game = game;
    const buttons = Object.entries(this.#games).map(([name, { title }]) =>
      h(
        "button",
        {
          type: "button",
          "aria-pressed": String(name === game),
          onclick: () => this.#choose(name),
          dataset: { game: name },
        },
        title,
      ),
    );
    const held = this.#choice.contains(document.activeElement);
    this.#choice.replaceChildren(...buttons);
    if (held) buttons.find((each) => each.dataset.game === game)?.focus();
    this.#play.textContent = `Play today's ${this.#games[game].title}`;
    this.refresh();
  }

  /** Ask how it stands. */
  async refresh() {
    const { client } = this.context;
    const asked = ++this.#asked;
    if (client.state !== "open" || !this.#game) return;
    const today = await client.daily(this.#game);
    const before = new Date(Date.parse(today.date) - DAY).toISOString().slice(0, 10);
    const yesterday = await client.daily(this.#game, before);
    if (asked !== this.#asked || !this.isConnected) return;
    this.#today = today;
    this.#draw(today, yesterday);
  }

  /** @param {DailyTable} today @param {DailyTable} yesterday */
  #draw(today, yesterday) {
    const { client } = this.context;
    const { title } = this.#games[this.#game];
    const own = today.rows.find(({ id }) => id === client.welcome?.you.id);
    const word = !own ? "Play" : own.status === "open" ? "Go on with" : "Look at";
    this.#play.textContent = `${word} today's ${title}`;
    this.#until.textContent = `New deals in ${span(today.until - Date.now() - client.ahead)}`;
    clear(this.#tables).append(
      this.#table("Today", today, "Nobody has played it yet. Be the first."),
      this.#table("Yesterday", yesterday, "Nobody played it."),
    );
  }

  /** @param {string} title @param {DailyTable} table @param {string} none */
  #table(title, { rows, total = rows.length }, none) {
    const mine = this.context.client.welcome?.you.id;
    const shown = rows.filter(({ id }, n) => n < ROWS || id === mine);
    const more = total - shown.length;
    return h(
      "section",
      { class: "panel", "aria-label": title },
      h("h3", null, title),
      rows.length
        ? h(
            "table",
            null,
            h(
              "thead",
              null,
              h(
                "tr",
                null,
                ...["Place", "Player", "Result", "Score", "Moves"].map((name) =>
                  h("th", { scope: "col" }, name),
                ),
              ),
            ),
            h("tbody", null, ...shown.map((row) => line(row, row.id === mine))),
          )
        : h("p", { class: "muted" }, none),
      more > 0 && h("p", { class: "muted small" }, `and ${counted(more, "other")}`),
    );
  }

  /** To one's own room of today. */
  async #enter() {
    const { client, router, named } = this.context;
    if (!(await named())) return;
    this.#play.disabled = true;
    try {
      const { room } = await client.create(this.#game, { daily: true });
      router.go({ page: "room", room });
    } catch (problem) {
      toast(said(problem), { kind: "bad" });
    } finally {
      this.#play.disabled = false;
    }
  }
}

/** @param {DailyRow} row @param {boolean} mine */
function line({ place, name, id, status, score, moves, ms, room }, mine) {
  const who = h("bdi", null, name || id);
  const took = status === "won" && ms ? ` in ${clock(ms)}` : "";
  return h(
    "tr",
    { class: mine && "mine" },
    h("td", null, place),
    h("th", { scope: "row" }, room ? h("a", { href: href({ room }) }, who) : who, mine && " (you)"),
    h("td", null, `${RESULT[status] ?? status}${took}`),
    h("td", null, score),
    h("td", null, moves),
  );
}

/** `1:02:03` @param {number} ms */
function clock(ms) {
  const [seconds, minutes, hours] = [1, 60, 3600].map((unit) => Math.floor(ms / 1000 / unit));
  const two = (/** @type {number} */ n) => String(n % 60).padStart(2, "0");
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds)}`;
}

/** `14 h 33 min` @param {number} ms */
function span(ms) {
  const minutes = Math.max(1, Math.ceil(ms / MINUTE));
  const hours = Math.floor(minutes / 60);
  return hours ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
}

customElements.define("kibitz-daily", Daily);
