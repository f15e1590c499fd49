/**
 * One pile on the screen: a list of cards, bottom to top, and an empty place under them.
 *
 * Promises: what is drawn is what the cells say; a reader of the list hears the same. Knows kinds
 * of piles (how they are spread), no game.
 */

import { back, face } from "../cards/faces.js";
import { nameOf, pileName } from "../cards/names.js";
import { h } from "../shell/dom.js";
import { flip } from "./glide.js";

/** @import { LayoutPlace } from "../protocol/messages.js" */

const HIDDEN_STEP = 0.42;
/** How many of the last cards of a waste are spread. */
const SPREAD = 3;
const SLOT_SIGNS = /** @type {Record<string, string>} */ ({
  Spades: "♠",
  Hearts: "♥",
  Diamonds: "♦",
  Clubs: "♣",
  Stock: "○",
});

/** Whether a cell lies face up. @param {string} cell */
export const isUp = (cell) => cell.length === 2 && cell !== "??";

/** The card of a cell, `??` if nobody may know. @param {string} cell */
export const cardOf = (cell) => cell.slice(0, 2);

/** A card that is not on any pile yet. @returns {HTMLLIElement} */
export function newCard() {
  const button = h(
    "button",
    { class: "card", type: "button", tabindex: "-1" },
    h("span", { class: "spoken" }),
  );
  return /** @type {HTMLLIElement} */ (h("li", { class: "place" }, button));
}

/** The button in a place. @param {Element} place */
export const buttonIn = (place) => /** @type {HTMLButtonElement} */ (place.firstElementChild);

/**
 * Let a card show a cell.
 * @param {HTMLLIElement} place
 * @param {string} cell
 * @param {number} ms  how long turning over takes
 */
export function dress(place, cell, ms) {
  const button = buttonIn(place);
  if (button.dataset.cell === cell) return;
  const turned = button.dataset.cell !== undefined && ms > 0;
  button.dataset.cell = cell;
  button.dataset.code = cardOf(cell);
  button.toggleAttribute("data-up", isUp(cell));
  button.toggleAttribute("data-known", cell.endsWith("-"));
  const drawn = cell === "??" ? back() : face(cardOf(cell));
  button.querySelector("svg")?.remove();
  button.prepend(drawn);
  if (turned) flip(drawn, ms);
}

export class Pile {
  /** @param {LayoutPlace} layout */
  constructor({ pile, kind, column, row }) {
    this.name = pile;
    this.kind = kind;
    this.column = column;
    this.row = row;
    /** @type {HTMLLIElement[]} */
    this.places = [];
    /** @type {string[]} */
    this.cells = [];
    const sign = SLOT_SIGNS[pile] ?? (kind === "foundation" ? "A" : "");
    this.slot = h(
      "button",
      { class: "slot", type: "button", tabindex: "-1" },
      h("span", { class: "sign", "aria-hidden": "true" }, sign),
      h("span", { class: "spoken" }),
    );
    this.element = h(
      "ul",
      { class: "pile", "data-pile": pile, "data-kind": kind, role: "list" },
      h("li", {}, this.slot),
    );
    this.element.style.setProperty("--column", String(column));
    this.element.style.setProperty("--row", String(row));
  }

  get stacked() {
    return this.kind === "stock" || this.kind === "foundation" || this.kind === "waste";
  }

  /**
   * How many cards would be taken by the one at an index, 0 where none can be.
   * @param {number} index
   */
  liftable(index) {
    if (index < 0 || index >= this.cells.length) return 0;
    if (this.stacked && index < this.cells.length - 1) return 0;
    return this.cells.slice(index).every(isUp) ? this.cells.length - index : 0;
  }

  /**
   * Show these cells with these places, which may come from other piles.
   * @param {string[]} cells
   * @param {HTMLLIElement[]} places
   * @param {number} ms
   */
  show(cells, places, ms) {
    this.cells = cells;
    this.places = places;
    places.forEach((place, n) => dress(place, cells[n], ms));
    const [slot, ...drawn] = this.element.children;
    const same = drawn.length === places.length && places.every((place, n) => place === drawn[n]);
    if (!same) this.element.replaceChildren(slot, ...places);
    this.#spread();
    this.#name();
  }

  #spread() {
    let at = 0;
    const first = this.kind === "waste" ? Math.max(0, this.places.length - SPREAD) : 0;
    this.places.forEach((place, n) => {
      place.style.setProperty("--at", String(Math.round(at * 100) / 100));
      place.style.setProperty("--z", String(n));
      if (this.kind === "fan") at += isUp(this.cells[n]) ? 1 : HIDDEN_STEP;
      else if (this.kind === "waste" && n >= first) at += 1;
    });
    const last = this.places.at(-1)?.style.getPropertyValue("--at") ?? "1";
    this.element.style.setProperty("--span", String(Math.max(1, Number(last))));
    this.element.dataset.count = String(this.cells.length);
  }

  #name() {
    const name = pileName(this.name);
    const hidden = this.cells.filter((cell) => !isUp(cell)).length;
    const some = this.cells.length === 1 ? "1 card" : `${this.cells.length} cards`;
    const parts = [name, this.cells.length ? some : "empty"];
    if (hidden) parts.push(`${hidden} face down`);
    this.element.setAttribute("aria-label", parts.join(", "));
    const empty = this.cells.length === 0;
    this.slot.toggleAttribute("data-covered", !empty);
    this.slot.toggleAttribute("inert", !empty);
    const slot = /** @type {Element} */ (this.slot.parentElement);
    empty ? slot.removeAttribute("aria-hidden") : slot.setAttribute("aria-hidden", "true");
    /** @type {Element} */ (this.slot.lastElementChild).textContent = `${name}, empty`;
    const top = this.places.length - 1;
    this.places.forEach((place, n) => {
      const button = buttonIn(place);
      const covered = n < top && (this.stacked || !isUp(this.cells[n]));
      place.toggleAttribute("aria-hidden", false);
      if (covered) place.setAttribute("aria-hidden", "true");
      const card = this.cells[n] === "??" ? "face-down card" : nameOf(cardOf(this.cells[n]));
      const where = n === top ? (this.kind === "row-cell" ? name : `${name}, top`) : name;
      /** @type {Element} */ (button.lastElementChild).textContent = `${card}, ${where}`;
    });
  }
}
