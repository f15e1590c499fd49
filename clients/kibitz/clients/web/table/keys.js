/**
 * The table by keyboard: one stop for Tab, arrows between piles and cards.
 *
 * Promises: letters do something only while the table has the focus; where one is stays where one
 * was when cards move. The keys themselves are a table, shown by `?`.
 */

import { buttonIn } from "./pile.js";

/** @import { Hand } from "./hand.js" */
/** @import { Pile } from "./pile.js" */
/** @import { Stage } from "./stage.js" */

/** Every key of the table and what it does, for the help. */
export const KEYS = [
  ["arrow keys", "go to another pile or card"],
  ["Enter or space", "pick up, put down"],
  ["+ and −", "take more or fewer cards"],
  ["F", "send the card to a foundation, or where alone it fits"],
  ["Esc", "hold nothing"],
  ["U, Y", "undo, redo"],
  ["H", "show what can move"],
  ["D, S, R", "draw, deal, discard, shuffle or reset: the letter on the button"],
  ["?", "this help"],
];

export class Keys {
  #stage;
  #hand;
  #pile = "";
  #index = -1;

  /** @param {Stage} stage @param {Hand} hand */
  constructor(stage, hand) {
    this.#stage = stage;
    this.#hand = hand;
    stage.addEventListener("keydown", (event) => this.#key(event));
    stage.addEventListener("focusin", (event) => this.#follow(event.target));
    stage.addEventListener("pointerdown", (event) => this.#follow(event.target));
  }

  /** After the table was drawn: one place that Tab can reach, the one where the player was. */
  refresh() {
    const pile = this.#stage.piles.get(this.#pile) ?? [...this.#stage.piles.values()][0];
    if (!pile) return;
    for (const reached of this.#stage.querySelectorAll("[tabindex='0']"))
      reached.setAttribute("tabindex", "-1");
    const last = pile.cells.length - 1;
    const index = pile.name === this.#pile ? Math.min(this.#index, last) : last;
    const at = last < 0 ? -1 : Math.max(index, this.#highest(pile));
    const button = at < 0 ? pile.slot : buttonIn(pile.places[at]);
    button.setAttribute("tabindex", "0");
    [this.#pile, this.#index] = [pile.name, at];
    const active = document.activeElement;
    const lost = active instanceof HTMLElement && this.#stage.contains(active) && active !== button;
    if (lost && active.getAttribute("tabindex") !== "0") button.focus({ preventScroll: true });
  }

  /** The lowest index a player can stand on: the first card that lies open, or the last one.
   * @param {Pile} pile */
  #highest(pile) {
    const last = pile.cells.length - 1;
    if (pile.stacked || last < 0) return last;
    let at = last;
    while (at > 0 && pile.liftable(at - 1)) at -= 1;
    return at;
  }

  /** @param {EventTarget | null} target */
  #follow(target) {
    const at = this.#stage.at(target);
    if (!at) return;
    [this.#pile, this.#index] = [at.pile.name, at.index];
    this.refresh();
  }

  /** @param {Pile | undefined} pile @param {number} [index] */
  #go(pile, index) {
    if (!pile) return;
    const last = pile.cells.length - 1;
    this.#pile = pile.name;
    this.#index = index ?? last;
    this.refresh();
    const button = this.#index < 0 ? pile.slot : buttonIn(pile.places[this.#index]);
    button.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const pile = this.#stage.piles.get(this.#pile);
    if (!pile) return;
    const index = this.#index;
    const steps = /** @type {Record<string, () => void>} */ ({
      ArrowLeft: () => this.#go(this.#beside(pile, -1)),
      ArrowRight: () => this.#go(this.#beside(pile, 1)),
      ArrowUp: () => this.#up(pile, index),
      ArrowDown: () => this.#down(pile, index),
      Home: () => this.#go([...this.#stage.piles.values()][0]),
      End: () => this.#go([...this.#stage.piles.values()].at(-1)),
      Escape: () => this.#hand.put(),
      "+": () => this.#more(1),
      "-": () => this.#more(-1),
      f: () => this.#hand.send(pile, index),
    });
    const step = steps[event.key] ?? steps[event.key.toLowerCase()];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    step();
  }

  /**
   * The next pile in the row, and from its end the next row's first.
   * @param {Pile} pile
   * @param {number} by
   */
  #beside(pile, by) {
    const order = [...this.#stage.piles.values()].sort(
      (a, b) => a.row - b.row || a.column - b.column,
    );
    return order[order.indexOf(pile) + by];
  }

  /** @param {Pile} pile @param {number} index */
  #up(pile, index) {
    if (!pile.stacked && index > this.#highest(pile)) this.#go(pile, index - 1);
    else this.#go(this.#near(pile, -1));
  }

  /** @param {Pile} pile @param {number} index */
  #down(pile, index) {
    if (!pile.stacked && index < pile.cells.length - 1) this.#go(pile, index + 1);
    else this.#go(this.#near(pile, 1));
  }

  /** The nearest pile in the next row that has any. @param {Pile} pile @param {number} by */
  #near(pile, by) {
    const away = (/** @type {Pile} */ each) => Math.abs(each.column - pile.column);
    return [...this.#stage.piles.values()]
      .filter((each) => each.row === pile.row + by)
      .sort((a, b) => away(a) - away(b))[0];
  }

  /** Hold more or fewer cards of the same pile. @param {number} by */
  #more(by) {
    const held = this.#hand.held;
    const pile = held?.pile ?? this.#stage.piles.get(this.#pile);
    if (!pile) return;
    const count = held ? held.count + by : 1;
    const index = pile.cells.length - count;
    if (count >= 1 && pile.liftable(index)) {
      this.#hand.lift(pile, index);
      this.#go(pile, index);
    }
  }
}
