/**
 * `<kibitz-thoughts>`: what a bot thinks of its moves, as bars. It is loaded with the first thought.
 *
 * Promises: it is open until somebody closes it, which is remembered, and draws nothing while it is
 * closed; what it shows is about the position on the table or the move that led there, never about
 * an older one; moves are only ever text.
 */

import { signed } from "../cards/names.js";
import { h } from "../shell/dom.js";
import { settings } from "../shell/settings.js";
import { sheet } from "../shell/sheet.js";

/** @import { Past } from "../client/past.js" */
/** @import { Action, Event as Happening, Thought } from "../protocol/messages.js" */

/** So few digits behind the point. */
const DIGITS = 2;
/** What is left of the bar of the worst move, in percent. */
const LEAST = 6;
const CHANGES = new Set(["move", "undo", "redo", "restart"]);
const LEGEND =
  "Larger is better; of the server's bots 1.30 is a win in every world tried. " +
  "They leave the move they prefer only for one that is clearly better. " +
  "The bars run from the worst of these moves to the best.";

/**
 * What is looked at: a board, how it came about, and who plays there. `following`: as it is now.
 * @typedef {{board: number, following: boolean, past: Past, name: string,
 *   actions: readonly Action[]}} Looked
 */

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
  /** The last one of each board. @type {Map<number, Thought>} */
  #last = new Map();
  /** @type {Looked | null} */
  #looked = null;
  #drawn = "";
  #title = h("summary", { onclick: () => this.#folded() });
  #note = h("p", { class: "muted small" });
  #list = h("ol", { "aria-label": "Moves and what they are worth" });
  #fold = h(
    "details",
    { open: settings.thoughts, ontoggle: () => this.#draw() },
    this.#title,
    this.#list,
    this.#note,
  );

  connectedCallback() {
    this.replaceChildren(this.#fold);
  }

  /** Somebody opens or closes it; kept at once, for the event that tells of it may come too late. */
  #folded() {
    settings.set({ thoughts: !this.#fold.open });
  }

  /** Something else is thought. @param {Thought} thought */
  take(thought) {
    this.#last.set(thought.board, thought);
  }

  /** Show what belongs there: nothing, while one looks at the past. @param {Looked} looked */
  show(looked) {
    this.#looked = looked;
    this.hidden = !looked.following || !this.#last.has(looked.board);
    const title = `What ${looked.name || "the player"} thinks`;
    if (this.#title.textContent !== title) this.#title.textContent = title;
    this.#draw();
  }

  #draw() {
    const thought = this.#last.get(this.#looked?.board ?? 0);
    if (!this.#fold.open || this.hidden || !this.#looked || !thought) return;
    const { past, board, actions } = this.#looked;
    const made = since(past, board, thought.seq);
    const about = made.every(({ kind }) => kind === "move") && made.length < 2;
    const drawn = JSON.stringify([thought, made.map(({ seq }) => seq)]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const played = made.at(-1);
    this.#note.textContent = about ? LEGEND : unweighed(/** @type {Happening} */ (played));
    this.#list.hidden = !about;
    const names = new Map(actions.map(({ move, label }) => [move, label]));
    if (about && played?.move) names.set(played.move, signed(played) || played.move);
    this.#list.replaceChildren(...(about ? rows(thought.moves, names, played?.move) : []));
  }
}

/**
 * The moves, one a row.
 * @param {Thought["moves"]} moves
 * @param {ReadonlyMap<string, string>} names  what people call some of them
 * @param {string} [played]
 */
function rows(moves, names, played) {
  const values = moves.map(([, value]) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return moves.map(([move, value]) => {
    const share = high > low ? (value - low) / (high - low) : 1;
    const bar = h("span", { class: "bar", "aria-hidden": "true" });
    bar.style.inlineSize = `${Math.round(LEAST + share * (100 - LEAST))}%`;
    const is = move === played;
    return h(
      "li",
      { class: is ? "played" : null },
      bar,
      h("span", {}, names.get(move) ?? move),
      is && h("i", {}, "played"),
      h("b", {}, value.toFixed(DIGITS)),
    );
  });
}

/**
 * What has changed a board after an event, in order.
 * @param {Past} past @param {number} board @param {number} seq
 */
function since(past, board, seq) {
  /** @type {Happening[]} */
  const made = [];
  for (let at = Math.max(seq + 1, past.first); at <= past.last; at++) {
    const event = past.event(at);
    if (event && CHANGES.has(event.kind) && (event.board ?? 0) === board) made.push(event);
  }
  return made;
}

/** What is said of a change that nobody weighed. @param {Happening} event */
function unweighed(event) {
  const what = signed(event) || event.move;
  return event.kind === "move" && what
    ? `Played without weighing: ${what}.`
    : "Nothing has been weighed here yet.";
}

customElements.define("kibitz-thoughts", Thoughts);
