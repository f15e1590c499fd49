/**
 * What a player holds: which cards were picked up, where they may go, what a tap means.
 *
 * Promises: says what was wanted (`drop`, `act`), never whether it is right; legal places come
 * from the server's `moves`. A press whose meaning depends on them waits until they are known: it
 * is never lost, and never taken for what it would have meant before. Never: rules, sockets, pixels.
 */

import { isUp } from "./pile.js";

/** @import { Pile } from "./pile.js" */
/** @import { Stage } from "./stage.js" */
/** @typedef {[from: string, to: string, cards: number]} Drag */
/** @typedef {{moves: string[], drags: (Drag | null)[]}} Legal */

/** Two presses within so many milliseconds are a double one. */
const DOUBLE = 400;

export class Hand extends EventTarget {
  #stage;
  /** @type {{pile: Pile, count: number} | null} */
  held = null;
  /** Whether the table may be played on at all. */
  free = false;
  /** @type {Legal} */
  legal = { moves: [], drags: [] };
  #last = { pile: "", index: -2, at: -Infinity };
  /** Whether `legal` is about the position on the table. */
  #known = false;
  /** What is to be done once it is. @type {(() => void)[]} */
  #waiting = [];

  /** @param {Stage} stage */
  constructor(stage) {
    super();
    this.#stage = stage;
  }

  /** What may be done now. @param {Legal} legal */
  know(legal) {
    this.legal = legal;
    this.#known = true;
    if (this.held) this.#light();
    while (this.#known && this.#waiting.length) this.#waiting.shift()?.();
  }

  /** The position is another one, or soon will be: what may be done there is to be told yet. */
  wonder() {
    this.#known = false;
  }

  /** What waits is not wanted any more. */
  forget() {
    this.#waiting = [];
  }

  /** Do what depends on the legal places, once they are known. @param {() => void} act */
  #once(act) {
    if (this.#known && !this.#waiting.length) act();
    else this.#waiting.push(act);
  }

  /**
   * The legal drags of some cards.
   * @param {Pile} pile
   * @param {number} count
   */
  drags(pile, count) {
    return this.legal.drags.filter((drag) => drag?.[0] === pile.name && drag[2] === count);
  }

  /**
   * Pick the cards up from an index on.
   * @param {Pile} pile
   * @param {number} index
   * @returns {boolean} whether there is something to be held
   */
  lift(pile, index) {
    const count = this.free ? pile.liftable(index) : 0;
    this.put();
    if (!count) return false;
    this.held = { pile, count };
    for (const place of pile.places.slice(index)) place.classList.add("held");
    this.#light();
    this.dispatchEvent(new Event("held"));
    return true;
  }

  /** Hold nothing any more. */
  put() {
    if (!this.held) return;
    this.held = null;
    for (const place of this.#stage.querySelectorAll(".held")) place.classList.remove("held");
    this.#light();
    this.dispatchEvent(new Event("held"));
  }

  #light() {
    for (const pile of this.#stage.piles.values()) {
      const lit =
        this.held && this.drags(this.held.pile, this.held.count).some((d) => d?.[1] === pile.name);
      pile.element.classList.toggle("target", Boolean(lit));
    }
    for (const place of this.#stage.querySelectorAll(".place > .card"))
      place.classList.toggle("picked", place.parentElement?.classList.contains("held"));
  }

  /**
   * Put what is held on a pile, whether it may lie there or not.
   * @param {Pile} pile
   */
  drop(pile) {
    const held = this.held;
    this.put();
    if (!held || held.pile === pile) return;
    const [from, to, cards] = [held.pile.name, pile.name, held.count];
    const packs = [held.pile, pile].every((each) => each.kind === "stock");
    const legal = () => this.legal.drags.some((drag) => drag?.[0] === from && drag[1] === to);
    const send = () => this.dispatchEvent(new CustomEvent("drop", { detail: { from, to, cards } }));
    if (packs) this.#once(() => (legal() ? send() : this.act()));
    else send();
  }

  /** Do the first thing that is no drag: what a tap on the stock means. */
  act() {
    const at = this.legal.drags.indexOf(null);
    const detail = { move: this.legal.moves[at] ?? null };
    this.dispatchEvent(new CustomEvent("act", { detail }));
  }

  /**
   * A press on a card or an empty place: pick up, put down, play.
   * @param {Pile} pile
   * @param {number} index  of the card, -1 for the empty place
   * @param {number} now  ms
   */
  press(pile, index, now) {
    if (!this.free) return;
    const last = this.#last;
    this.#last = { pile: pile.name, index, at: now };
    const again = last.pile === pile.name && last.index === index && now - last.at < DOUBLE;
    if (!this.held && !this.#waiting.length && !isPack(pile)) return void this.lift(pile, index);
    const card = pile.cells[index];
    // The card may lie elsewhere in its pile by then.
    this.#once(() => this.#meant(pile, card ? pile.cells.lastIndexOf(card) : index, again));
  }

  /**
   * Do what a press means here and now.
   * @param {Pile} pile
   * @param {number} index
   * @param {boolean} again  the second one of a double press
   */
  #meant(pile, index, again) {
    if (!this.free) return;
    if (this.held) {
      const here = this.#isOn(pile, index);
      if (here && again) return this.#sent(pile, index);
      if (here) {
        this.put();
        if (pile.kind === "stock") this.act();
        return;
      }
      const legal = this.drags(this.held.pile, this.held.count).some((d) => d?.[1] === pile.name);
      const other = pile.liftable(index) && this.drags(pile, pile.liftable(index)).length > 0;
      if (legal || !other || pile.kind === "stock") return this.drop(pile);
    }
    if (isPack(pile)) this.act();
    else this.lift(pile, index);
  }

  /** @param {Pile} pile @param {number} index */
  #isOn(pile, index) {
    return this.held?.pile === pile && pile.liftable(index) === this.held.count;
  }

  /**
   * Send cards where they sensibly go: to a foundation, or to the one place that takes them.
   * @param {Pile} pile
   * @param {number} index
   */
  send(pile, index) {
    this.#once(() => this.#sent(pile, index));
  }

  /** @param {Pile} pile @param {number} index */
  #sent(pile, index) {
    const count = this.free ? pile.liftable(index) : 0;
    if (!count) return;
    const there = this.drags(pile, count).map((drag) => this.#stage.piles.get(drag?.[1] ?? ""));
    const home = there.find((each) => each?.kind === "foundation");
    const goal = home ?? (there.length === 1 ? there[0] : undefined);
    if (goal) {
      this.lift(pile, index);
      this.drop(goal);
    } else if (pile.kind === "stock") {
      this.put();
      this.act();
    } else {
      this.dispatchEvent(new CustomEvent("unsure", { detail: { places: there.length } }));
      if (there.length) this.lift(pile, index);
      else this.put();
    }
  }
}

/** Whether a press on a pile turns over what lies there. @param {Pile} pile */
function isPack({ cells, kind }) {
  const top = cells.at(-1);
  return (!top || !isUp(top)) && (kind === "stock" || kind === "waste");
}
