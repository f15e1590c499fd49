/**
 * `<kibitz-table>`: the piles of one board, drawn from `layout` and a table of cells.
 *
 * Promises: after `show` the page says exactly what the table says; a card that moved is the same
 * element as before, so that it glides and keeps the focus. Knows facts and piles, no game.
 */

import { h } from "../shell/dom.js";
import { duration, glide, places, settle } from "./glide.js";
import { buttonIn, cardOf, newCard, Pile } from "./pile.js";

/** @import { Fact, LayoutPlace } from "../protocol/messages.js" */
/** @import { Table } from "../protocol/table.js" */

/** Height of a row of fans, in cards. */
const FAN_ROWS = 2.7;
/** How wide a card may be to be drawn so, in CSS pixels; style/cards.css has the drawings. */
const SIZES = /** @type {[number, string][]} */ ([
  [38, "tiny"],
  [57.9, "small"],
  [88, "medium"],
]);
/** Positions that follow each other faster than this are jumped to, ms. */
const HASTE = 120;

export class Stage extends HTMLElement {
  /** @type {Map<string, Pile>} */
  piles = new Map();
  #grid = h("div", { class: "grid" });
  #sizing = new ResizeObserver(() => this.#size());
  #shown = -Infinity;

  connectedCallback() {
    this.#sizing.observe(this);
  }

  disconnectedCallback() {
    this.#sizing.disconnect();
  }

  /** Fit the cards to the room there is, and choose the drawings that can be read at that size. */
  #size() {
    this.#grid.style.setProperty("--width", `${this.clientWidth}px`);
    this.#grid.style.setProperty("--height", `${this.clientHeight}px`);
    const [pile] = this.piles.values();
    const wide = pile?.element.offsetWidth ?? 0;
    this.#grid.dataset.cards = SIZES.find(([most]) => wide <= most)?.[1] ?? "large";
  }

  /**
   * Set the piles up.
   * @param {LayoutPlace[]} layout
   * @param {string} title  the game's name, for those who do not see the table
   */
  lay(layout, title) {
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", `${title} table`);
    this.piles = new Map(layout.map((place) => [place.pile, new Pile(place)]));
    const columns = Math.max(...layout.map((place) => place.column)) + 1;
    const rows = Math.max(...layout.map((place) => place.row)) + 1;
    const fans = new Set(layout.filter((p) => p.kind === "fan").map((p) => p.row));
    const tracks = Array.from({ length: rows }, (_, row) => (fans.has(row) ? "1fr" : "auto"));
    this.#grid = h("div", { class: "grid" }, ...this.#inReadingOrder().map((p) => p.element));
    const set = (/** @type {string} */ name, /** @type {number | string} */ value) =>
      this.#grid.style.setProperty(name, String(value));
    set("--columns", columns);
    set("--rows", rows);
    set("--units", rows - fans.size + fans.size * FAN_ROWS);
    set("--tracks", tracks.join(" "));
    this.#grid.classList.toggle("many", columns > 8);
    this.replaceChildren(this.#grid);
    this.#size();
  }

  #inReadingOrder() {
    return [...this.piles.values()].sort((a, b) => a.row - b.row || a.column - b.column);
  }

  /** Every card on the table. */
  get cards() {
    return [...this.piles.values()].flatMap((pile) => pile.places);
  }

  /**
   * The pile and the index (of a card; -1 for the empty place) that an element belongs to.
   * @param {EventTarget | null} target
   * @returns {{pile: Pile, index: number} | null}
   */
  at(target) {
    const button = target instanceof Element ? target.closest(".card, .slot") : null;
    const list = button?.closest(".pile");
    const pile = this.piles.get(list?.getAttribute("data-pile") ?? "");
    if (!pile || !button) return null;
    const index = pile.places.findIndex((place) => place === button.parentElement);
    return { pile, index };
  }

  /**
   * Draw a table.
   * @param {Table} table
   * @param {Fact[]} facts  what led here from what is drawn now, if that is known
   */
  show(table, facts = []) {
    const now = performance.now();
    const ms = facts.length || now - this.#shown > HASTE ? duration() : 0;
    this.#shown = now;
    const before = ms ? places(this.cards) : null;
    const focused = document.activeElement;
    for (const place of this.querySelectorAll(".dragged")) {
      place.classList.remove("dragged");
      /** @type {HTMLElement} */ (place).style.transform = "";
    }
    for (const fact of facts) this.#trace(fact);
    this.settle();
    this.#match(table, ms);
    if (focused instanceof HTMLElement && this.contains(focused)) this.#refocus(focused);
    if (before) glide(before, ms);
  }

  /** Keep the focus where it was: on a card that moved, or on what now lies on an empty place.
   * @param {HTMLElement} focused */
  #refocus(focused) {
    if (focused === document.activeElement) return;
    focused.focus({ preventScroll: true });
    const top = focused.closest(".pile")?.lastElementChild?.firstElementChild;
    if (document.activeElement !== focused && top instanceof HTMLElement)
      top.focus({ preventScroll: true });
  }

  /** Take the focus, where the player was last. */
  enter() {
    const here = this.querySelector("[tabindex='0']");
    if (here instanceof HTMLElement) here.focus({ preventScroll: true });
  }

  /** Be where everything belongs, at once. */
  settle() {
    for (const card of this.cards) settle(card);
  }

  /** Let the elements go where the cards went, so that they are the same cards afterwards.
   * @param {Fact} fact */
  #trace(fact) {
    if (fact[0] === "up" || fact[0] === "dn") {
      const top = this.piles.get(fact[1])?.places.at(-1);
      if (top && fact[0] === "up") buttonIn(top).dataset.code = cardOf(fact[2]);
      return;
    }
    if (fact[0] !== "mv") return;
    const [from, to, cells] = /** @type {[string, string, string[]]} */ (fact.slice(1));
    const [source, target] = [this.piles.get(from), this.piles.get(to)];
    if (!source || !target) return;
    const moved = source.places.splice(source.places.length - cells.length);
    /** @type {(HTMLLIElement | undefined)[]} */
    const landed = cells.map((cell) => {
      const known = moved.findIndex((place) => buttonIn(place).dataset.code === cardOf(cell));
      return known < 0 || cell === "??" ? undefined : moved.splice(known, 1)[0];
    });
    cells.forEach((cell, n) => {
      const place = landed[n] ?? moved.shift();
      if (!place) return;
      buttonIn(place).dataset.code = cardOf(cell);
      target.places.push(place);
    });
  }

  /** Give every cell an element: the card's own, or one that showed nothing.
   * @param {Table} table
   * @param {number} ms */
  #match(table, ms) {
    /** @type {Map<string, HTMLLIElement>} */
    const known = new Map();
    /** @type {Map<string, HTMLLIElement[]>} */
    const blank = new Map();
    for (const pile of this.piles.values())
      for (const place of pile.places) {
        const code = buttonIn(place).dataset.code ?? "??";
        if (code !== "??") known.set(code, place);
        else blank.set(pile.name, [...(blank.get(pile.name) ?? []), place]);
      }
    const wanted = [...this.piles.keys()].map((name) => ({ name, cells: table.piles[name] ?? [] }));
    const found = wanted.map(({ name, cells }) =>
      cells.map((cell) => {
        const place = cell === "??" ? blank.get(name)?.shift() : known.get(cardOf(cell));
        if (cell !== "??") known.delete(cardOf(cell));
        return place;
      }),
    );
    const spare = [...[...blank.values()].flat(), ...known.values()];
    wanted.forEach(({ name, cells }, n) => {
      const all = found[n].map((place) => place ?? spare.shift() ?? newCard());
      this.piles.get(name)?.show(cells, all, ms);
    });
    for (const place of spare) if (!this.#holds(place)) place.remove();
  }

  /** @param {HTMLLIElement} place */
  #holds(place) {
    return [...this.piles.values()].some((pile) => pile.places.includes(place));
  }
}

customElements.define("kibitz-table", Stage);
