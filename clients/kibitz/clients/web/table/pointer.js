/**
 * Mouse, touch and pen: drag cards, or press them.
 *
 * Promises: a drag begins after six pixels and ends on the pile it covers most; there the cards
 * wait until the table is drawn anew or `home` sends them back. While a drag lasts only the dragged
 * cards are moved, by transform.
 */

import { duration, glide, places, settle } from "./glide.js";

/** @import { Hand } from "./hand.js" */
/** @import { Pile } from "./pile.js" */
/** @import { Stage } from "./stage.js" */

/** A press becomes a drag when it has moved so far, in CSS pixels. */
const THRESHOLD = 6;

/**
 * `x` and `y`: where it began; `box`: where the first card lay, once it is a drag.
 * @typedef {{id: number, pile: Pile, index: number, x: number, y: number, cards: HTMLElement[],
 *   box: DOMRect | null}} Drag
 */

export class Pointer {
  #stage;
  #hand;
  /** @type {Drag | null} */
  #drag = null;
  /** Cards that were dropped and wait for what the server says. @type {Drag | null} */
  #resting = null;
  #dragged = false;

  /** @param {Stage} stage @param {Hand} hand */
  constructor(stage, hand) {
    this.#stage = stage;
    this.#hand = hand;
    stage.addEventListener("pointerdown", (event) => this.#down(event));
    stage.addEventListener("pointermove", (event) => this.#move(event));
    stage.addEventListener("pointerup", (event) => this.#up(event));
    stage.addEventListener("pointercancel", () => this.cancel());
    // A finger is captured by the card it touches first: only the loss of our own capture counts.
    stage.addEventListener("lostpointercapture", (event) => {
      if (event.target === stage) this.cancel();
    });
    stage.addEventListener("click", (event) => this.#click(event));
  }

  /** Whether cards are being dragged. */
  get dragging() {
    return this.#drag?.box != null;
  }

  /** Let go without a drop. */
  cancel() {
    const drag = this.#drag;
    this.#drag = null;
    if (!drag?.box) return;
    this.#release(drag);
    this.#hand.put();
  }

  /** @param {PointerEvent} event */
  #down(event) {
    this.#dragged = false;
    const at = this.#stage.at(event.target);
    if (!at || this.#drag || event.button !== 0 || !event.isPrimary) return;
    if (at.index < 0) return;
    const { pointerId: id, clientX: x, clientY: y } = event;
    this.#drag = { id, ...at, x, y, cards: [], box: null };
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const drag = this.#drag;
    if (!drag || event.pointerId !== drag.id) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.box) {
      if (Math.hypot(x, y) < THRESHOLD) return;
      if (!this.#hand.lift(drag.pile, drag.index)) {
        this.#drag = null;
        this.#hand.dispatchEvent(new Event("kept"));
        return;
      }
      drag.cards = drag.pile.places.slice(drag.index);
      for (const card of drag.cards) {
        settle(card);
        card.classList.add("dragged");
      }
      drag.box = drag.cards[0].getBoundingClientRect();
      this.#stage.setPointerCapture(drag.id);
    }
    for (const card of drag.cards) card.style.transform = `translate(${x}px, ${y}px)`;
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const drag = this.#drag;
    if (!drag || event.pointerId !== drag.id) return;
    this.#drag = null;
    if (!drag.box) return;
    this.#dragged = true;
    const goal = this.#under(drag.cards[0].getBoundingClientRect(), drag.pile);
    this.#resting = drag;
    if (goal && this.#hand.held) this.#hand.drop(goal);
    else {
      this.home();
      this.#hand.put();
    }
  }

  /** Let what was dropped glide home, unless the table was drawn anew since. */
  home() {
    const drag = this.#resting;
    this.#resting = null;
    if (drag?.cards.some((card) => card.style.transform)) this.#release(drag);
  }

  /** @param {Drag} drag */
  #release(drag) {
    const before = places(drag.cards);
    for (const card of drag.cards) {
      card.classList.remove("dragged");
      card.style.transform = "";
    }
    const ms = duration();
    if (ms) glide(before, ms);
  }

  /**
   * The pile that a dragged card covers most; a legal one before others.
   * @param {DOMRect} card
   * @param {Pile} from
   */
  #under(card, from) {
    /** @type {Pile | null} */
    let best = null;
    let most = card.width * card.height * 0.08;
    for (const pile of this.#stage.piles.values()) {
      if (pile === from) continue;
      const top = (pile.places.at(-1) ?? pile.slot).getBoundingClientRect();
      const first = pile.slot.getBoundingClientRect();
      const high = Math.min(first.top, top.top);
      const width = Math.min(card.right, first.right) - Math.max(card.left, first.left);
      const height = Math.min(card.bottom, top.bottom) - Math.max(card.top, high);
      if (width <= 0 || height <= 0) continue;
      const lit = pile.element.classList.contains("target") ? 3 : 1;
      if (width * height * lit > most) [best, most] = [pile, width * height * lit];
    }
    return best;
  }

  /** Taps, clicks and the Enter key all come as clicks. @param {MouseEvent} event */
  #click(event) {
    if (this.#dragged) {
      this.#dragged = false;
      return;
    }
    const at = this.#stage.at(event.target);
    if (at) this.#hand.press(at.pile, at.index, event.timeStamp);
    else this.#hand.put();
  }
}
