/**
 * `<kibitz-racers>`: the table of a race: place, name, score, moves, time; the best on top.
 *
 * Promises: it shows what its property `info` says, drawn at most once a frame; a row that moves is
 * the same row as before and keeps the focus. Asks to see a board by `look` {board}. A hundred rows
 * scroll within it; arrows go from one to the next.
 *
 * @import {Standing} from "../protocol/messages.js"
 */

import { h, whenLetGo } from "../shell/dom.js";
import { clockOf } from "./lines.js";

/**
 * `shown`: index of the board that is looked at; `own`: the visitor's, if any; `hidden`: of the
 * boards that he may not see; `bots`: of those of bots; `note`: what there is to say about that.
 * @typedef {{rows: readonly Standing[], shown: number, own: number | null,
 *   hidden: ReadonlySet<number>, bots: ReadonlySet<number>, note: string}} Table
 */

/** @type {Record<string, string>} */
const HOW = { resigned: "gave up", timeout: "time up", open: "" };

export class Racers extends HTMLElement {
  /** @type {Table | null} */
  #info = null;
  #due = 0;
  /** @type {Map<number, Row>} rows by seat */
  #rows = new Map();
  #body = h("tbody", {});
  #list = h(
    "div",
    { class: "list", role: "group", tabindex: "0", "aria-label": "Racers" },
    h(
      "table",
      {},
      h("caption", { class: "spoken" }, "Standings"),
      h("thead", {}, h("tr", {}, ...["", "Name", "Score", "Moves", "Time"].map(head))),
      this.#body,
    ),
  );
  #note = h("p", { class: "muted small" });

  connectedCallback() {
    if (this.firstChild) return;
    this.append(this.#list, this.#note);
    this.#list.addEventListener("click", ({ target }) => {
      const row = target instanceof Element ? target.closest("tr") : null;
      const button = row?.querySelector("button");
      if (button) this.#look(Number(row?.dataset.board));
    });
    this.#list.addEventListener("keydown", (event) => this.#key(event));
  }

  disconnectedCallback() {
    cancelAnimationFrame(this.#due);
    this.#due = 0;
  }

  /** @param {Table} info */
  set info(info) {
    this.#info = info;
    this.#due ||= requestAnimationFrame(() => whenLetGo(this, () => this.#draw()));
  }

  /** @param {number} board */
  #look(board) {
    this.dispatchEvent(new CustomEvent("look", { detail: { board } }));
  }

  #draw() {
    this.#due = 0;
    if (!this.#info) return;
    const { rows, shown, own, hidden, bots, note } = this.#info;
    this.#note.textContent = note;
    this.#note.hidden = !note;
    const wanted = rows.map((standing) => {
      const { seat } = standing;
      const row = this.#rows.get(seat) ?? new Row(seat);
      this.#rows.set(seat, row);
      const board = seat - 1;
      row.show(standing, {
        shown: board === shown,
        own: board === own,
        hidden: hidden.has(board),
        bot: bots.has(board),
      });
      return row.element;
    });
    const focused = document.activeElement;
    wanted.forEach((element, n) => {
      const there = this.#body.children[n];
      if (there !== element) this.#body.insertBefore(element, there ?? null);
    });
    while (this.#body.children.length > wanted.length) this.#body.lastElementChild?.remove();
    if (focused instanceof HTMLElement && this.contains(focused))
      focused.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { key, target } = event;
    const steps = /** @type {Record<string, number>} */ ({ ArrowDown: 1, ArrowUp: -1 });
    if (!(key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
    const buttons = [...this.#body.querySelectorAll("button")];
    if (!buttons.length) return;
    event.preventDefault();
    event.stopPropagation();
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (target));
    const next = at < 0 ? 0 : Math.max(0, Math.min(buttons.length - 1, at + steps[key]));
    buttons[next].focus();
  }
}

/** One racer. */
class Row {
  #place = h("td", { class: "place" });
  #name = h("th", { scope: "row" });
  #score = h("td", {});
  #moves = h("td", {});
  #time = h("td", { class: "time" });
  #called = "";

  /** @param {number} seat */
  constructor(seat) {
    const cells = [this.#place, this.#name, this.#score, this.#moves, this.#time];
    this.element = h("tr", { "data-board": seat - 1 }, ...cells);
  }

  /**
   * @param {Standing} standing
   * @param {{shown: boolean, own: boolean, hidden: boolean, bot: boolean}} how
   */
  show({ place, seat, name, status, score, moves, ms }, { shown, own, hidden, bot }) {
    this.#call(name || `seat ${seat}`, own, hidden, bot);
    this.element.toggleAttribute("data-own", own);
    this.element.dataset.status = status;
    if (shown && !hidden) this.element.setAttribute("aria-current", "true");
    else this.element.removeAttribute("aria-current");
    write(this.#place, place);
    write(this.#score, score);
    write(this.#moves, moves);
    write(this.#time, status === "won" ? clockOf(ms ?? 0) : HOW[status]);
  }

  /** @param {string} name @param {boolean} own @param {boolean} hidden @param {boolean} bot */
  #call(name, own, hidden, bot) {
    const called = JSON.stringify([name, own, hidden, bot]);
    if (called === this.#called) return;
    this.#called = called;
    const mark = bot ? [" ", h("span", { class: "bot" }, "bot")] : [];
    const text = [h("bdi", {}, name), own && " (you)", ...mark];
    const button = h(
      "button",
      { type: "button", tabindex: "-1", title: "Look at this board" },
      text,
    );
    this.#name.replaceChildren(hidden ? h("span", {}, text) : button);
  }
}

/** @param {string} text */
const head = (text) =>
  h(
    text ? "th" : "td",
    text ? { scope: "col" } : {},
    text || h("span", { class: "spoken" }, "Place"),
  );

/** @param {HTMLElement} cell @param {string | number} text */
function write(cell, text) {
  if (cell.textContent !== String(text)) cell.textContent = String(text);
}

customElements.define("kibitz-racers", Racers);
