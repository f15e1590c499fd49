/**
 * `<kibitz-thoughts>`: what a bot thinks of its moves, as bars. It is loaded with the first thought.
 *
 * Promises: it is closed at first, and draws nothing while it is; moves are only ever text.
 */

import { h } from "../shell/dom.js";
import { sheet } from "../shell/sheet.js";

/** So few digits behind the point. */
const DIGITS = 2;

/** The bars, above the log. @param {HTMLElement} log */
export async function thoughts(log) {
  await sheet("thoughts");
  const there = log.parentElement?.querySelector("kibitz-thoughts");
  if (there) return /** @type {Thoughts} */ (there);
  const made = new Thoughts();
  log.before(made);
  return made;
}

export class Thoughts extends HTMLElement {
  /** @type {[move: string, value: number][]} */
  #moves = [];
  #title = h("summary", {});
  #list = h("ol", { "aria-label": "Moves and what they are worth" });
  #fold = h("details", { ontoggle: () => this.#draw() }, this.#title, this.#list);

  connectedCallback() {
    this.replaceChildren(this.#fold);
  }

  /** Something else is thought. @param {[move: string, value: number][]} moves @param {string} name */
  take(moves, name) {
    this.#moves = moves;
    const title = `What ${name || "the player"} thinks`;
    if (this.#title.textContent !== title) this.#title.textContent = title;
    this.#draw();
  }

  #draw() {
    if (!this.#fold.open) return;
    const values = this.#moves.map(([, value]) => value);
    const [low, high] = [Math.min(0, ...values), Math.max(...values)];
    this.#list.replaceChildren(
      ...this.#moves.map(([move, value]) => {
        const share = high > low ? (value - low) / (high - low) : 1;
        const bar = h("span", { class: "bar", "aria-hidden": "true" });
        bar.style.inlineSize = `${Math.round(share * 100)}%`;
        return h("li", {}, bar, h("span", {}, move), h("b", {}, value.toFixed(DIGITS)));
      }),
    );
  }
}

customElements.define("kibitz-thoughts", Thoughts);
