/**
 * `<kibitz-controls>`: everything one can do in a room that is no drag, as buttons.
 *
 * Promises: what is not possible now is disabled, what is not allowed here is not shown. Says what
 * was asked for by an event `do` {what, move?}, by `menu` {open} that its menu lies over the table,
 * by `left` that the button with the focus is gone; does nothing itself.
 */

import { icon } from "../shell/dialog.js";
import { h, whenLetGo } from "../shell/dom.js";

/** @import { Action } from "../protocol/messages.js" */

/**
 * @typedef {{
 *   plays: boolean, may: boolean, over: boolean, closed: boolean, canSit: boolean, canInvite: boolean, file: boolean,
 *   shown: boolean, canTry: boolean, canGoOn: boolean, canPresent: boolean, rematch: boolean, alone: boolean,
 *   comments: boolean | null, actions: Action[], legal: Set<string> | null, undo: boolean,
 *   redo: boolean, ends: boolean,
 *   policy: {undo: boolean, save: boolean, hints: boolean, say: boolean, casual?: boolean},
 * }} State  `may`: have games of his own here; `comments`: whether they are on, where the visitor may say so; `alone`: one seat;
 *   `shown`: to many, by whoever holds the controls; `ends`: the game plays itself from here on
 */

const UNDO = "M9 7L4 12l5 5M4.5 12H14a6 5 0 010 10h-2";
const REDO = "M15 7l5 5-5 5M19.5 12H10a6 5 0 000 10h2";
/** @type {Record<string, string>} */
const KEYS = { undo: "u", redo: "y" };

/** The letter that does the same while the table has the focus. @param {Action} action */
export const keyOf = (action) => action.label[0].toLowerCase();

export class Controls extends HTMLElement {
  #items = h("ul", { role: "list" });
  #menu = h(
    "details",
    { class: "menu", onToggle: () => this.#toggled() },
    h("summary", { "aria-label": "More" }, h("span", { "aria-hidden": "true" }, "⋯")),
    this.#items,
  );
  /** @type {State | null} */
  #state = null;
  #drawn = "";
  /** The move whose button is a hint. @type {string | null} */
  #pointed = null;
  #off = new AbortController();

  connectedCallback() {
    this.setAttribute("role", "toolbar");
    this.setAttribute("aria-label", "Game controls");
    this.append(this.#menu);
    // A press with the mouse leaves the focus where it was: on the table, whose keys go on.
    this.addEventListener("mousedown", (event) => {
      if (event.target instanceof Node && !this.#menu.contains(event.target))
        event.preventDefault();
    });
    this.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.#menu.hasAttribute("open")) return;
      this.#shut();
      this.#menu.querySelector("summary")?.focus();
    });
    const outside = (/** @type {Event} */ { target }) => {
      if (target instanceof Node && !this.#menu.contains(target)) this.#shut();
    };
    this.#off = new AbortController();
    addEventListener("pointerdown", outside, { signal: this.#off.signal });
  }

  disconnectedCallback() {
    this.#off.abort();
  }

  #toggled() {
    this.dispatchEvent(new CustomEvent("menu", { detail: { open: this.#menu.open } }));
  }

  #shut() {
    this.#menu.removeAttribute("open");
  }

  /** @param {State} state */
  show(state) {
    this.#state = state;
    whenLetGo(this, () => this.#draw());
  }

  #draw() {
    const state = this.#state;
    if (!state) return;
    const { legal, ...rest } = state;
    const drawn = JSON.stringify([rest, legal && [...legal]]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const focused = document.activeElement?.getAttribute("data-do");
    while (this.firstElementChild !== this.#menu) this.firstElementChild?.remove();
    this.prepend(...(state.plays ? this.#player(state) : this.#viewer(state)));
    this.#items.replaceChildren(...this.#more(state));
    this.point(this.#pointed);
    if (!focused || this.contains(document.activeElement)) return;
    const again = this.querySelector(`[data-do="${focused}"]:enabled`);
    if (again instanceof HTMLElement) again.focus();
    else this.dispatchEvent(new CustomEvent("left"));
  }

  /** The button of a move. @param {string} move */
  buttonOf(move) {
    return this.querySelector(`[data-move="${CSS.escape(move)}"]`);
  }

  /** Ring the button of a move, and no other; its name. @param {string | null} move */
  point(move) {
    this.#pointed = move;
    for (const button of this.querySelectorAll("[data-move]"))
      button.classList.toggle("hinted", button.getAttribute("data-move") === move);
    return move && (this.buttonOf(move)?.textContent ?? move);
  }

  /** @param {State} state */
  #player({ actions, legal, undo, redo, ends, policy }) {
    const main = actions.map((action) =>
      this.#button(`act-${action.move}`, action.label, {
        class: "big action",
        "data-move": action.move,
        "aria-keyshortcuts": keyOf(action),
        disabled: legal !== null && !legal.has(action.move),
        onClick: () => this.#say("act", action.move),
      }),
    );
    const back = policy.undo
      ? [this.#back("undo", "Undo", undo, UNDO), this.#back("redo", "Redo", redo, REDO)]
      : [];
    const hint = ends
      ? [this.#button("finish", "Finish", { class: "big action" })]
      : policy.hints
        ? [this.#button("hint", "Hint", { class: "big", "aria-keyshortcuts": "h" })]
        : [];
    return [h("div", { class: "main" }, ...main), h("div", { class: "back" }, ...back, ...hint)];
  }

  /** @param {State} state */
  #viewer({ may, canSit, canGoOn, over, closed, file, shown, rematch, alone }) {
    const sit = canSit ? [this.#button("sit", "Take a seat", { class: "big action" })] : [];
    const word = alone ? "Next deal" : "Rematch";
    const series = rematch ? [this.#button("rematch", word, { class: "big action" })] : [];
    const kind = rematch ? "big" : "big action";
    const fresh =
      may && (over || file) && !shown ? [this.#button("new", "New game", { class: kind })] : [];
    const deal = may && over && !closed && !file && !shown;
    const again = deal ? [this.#button("again", "Play this deal", { class: "big" })] : [];
    if (canGoOn && !file) again.push(this.#button("onward", "Play on from here", { class: "big" }));
    const share = file ? [] : [this.#button("share", "Share", { class: "big" })];
    return [h("div", { class: "main" }, ...sit, ...series, ...fresh, ...again, ...share)];
  }

  /** @param {State} state */
  #more({
    plays,
    may,
    over,
    closed,
    policy,
    file,
    shown,
    canInvite,
    canTry,
    canPresent,
    comments,
  }) {
    const can = [
      plays && policy.casual && ["chances", "Can it still be won?"],
      plays && policy.undo && ["restart", "Restart"],
      may && (plays || shown) && ["new", "New game"],
      may && shown && ["again", "Play this deal"],
      plays && ["resign", "Give up"],
      canTry && ["onward", "Try from here in a new room"],
      canPresent && ["present", "Show it to others"],
      ((plays && policy.save) || (over && !closed)) && !file && ["save", "Save position"],
      over && !file && ["text", "Download replay (text)"],
      !file && ["json", "Download replay (JSON)"],
      plays && ["share", "Share link"],
      canInvite && ["invite", "Copy link for a player"],
      !file && ["embed", "Copy embed code"],
      comments !== null && ["comments", comments ? "Comments off" : "Comments on"],
      ["rules", "Rules and keys"],
    ].filter((each) => Array.isArray(each));
    return can.map(([what, label]) => h("li", {}, this.#button(what, label, {})));
  }

  /** @param {string} what @param {string} label @param {boolean} can @param {string} drawing */
  #back(what, label, can, drawing) {
    const props = {
      class: "big",
      disabled: !can,
      "aria-keyshortcuts": KEYS[what],
      "aria-label": label,
    };
    const made = this.#button(what, "", props);
    made.append(icon(drawing), h("span", {}, label));
    return made;
  }

  /** @param {string} what @param {string} label @param {Record<string, any>} props */
  #button(what, label, props) {
    const click = () => this.#say(what);
    return h("button", { type: "button", "data-do": what, onClick: click, ...props }, label);
  }

  /** @param {string} what @param {string} [move] */
  #say(what, move) {
    this.#shut();
    this.dispatchEvent(new CustomEvent("do", { detail: { what, move } }));
  }
}

customElements.define("kibitz-controls", Controls);
