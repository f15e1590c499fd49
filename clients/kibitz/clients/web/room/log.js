/**
 * `<kibitz-log>`: what happened, line by line, and what was said about it at that moment.
 *
 * Promises: one line an event that has something to tell; text from others is only ever text. A click or Enter on a line asks
 * for its moment (`seek` {seq}); a remark is handed on (`say` {text}). It stays at its end for who
 * reads there, scrolls nothing but its own list, and takes long logs in pieces.
 * Never: speaks. The page's live region does that.
 *
 * @import {Event as Happening} from "../protocol/messages.js"
 * @import {Line} from "./lines.js"
 */

import { h } from "../shell/dom.js";
import { Lines } from "./lines.js";

/** Lines that are made at once; the others follow, as many again every frame. */
const PIECE = 250;
/** The longest remark, as the protocol has it. */
const MAX_SAY = 500;
/** So close to its end the list counts as being there, px. */
const NEAR = 24;

export class Log extends HTMLElement {
  #list = h("ol", { tabindex: "0", "aria-label": "Moves and comments", "aria-live": "off" });
  #input = h("input", {
    type: "text",
    maxlength: MAX_SAY,
    "aria-label": "Comment",
    placeholder: "Say something",
    autocomplete: "off",
    enterkeyhint: "send",
  });
  #form = h("form", { hidden: true }, this.#input, h("button", { type: "submit" }, "Send"));
  #lines = new Lines();
  /** Whether an event has its line here: of a race those of one board do. */
  #tells = (/** @type {number} */ _seq) => true;
  /** The line of every event, or the one before it. @type {(HTMLElement | undefined)[]} */
  #made = [];
  /** @type {HTMLElement | undefined} */
  #latest;
  #note = h("p", { class: "muted", hidden: true });
  /** @type {Happening[]} events that have no line yet */
  #waiting = [];
  #due = 0;
  #said = 0;
  #marked = 0;
  #atEnd = true;
  /** Whether the list is new, and the line whose moment is shown has not been looked for. */
  #fresh = false;
  #sizes = new ResizeObserver(() => this.#settle());

  connectedCallback() {
    if (!this.firstChild) {
      this.append(this.#list, this.#form, this.#note);
      this.#list.addEventListener("click", (event) => this.#click(event));
      this.#list.addEventListener("keydown", (event) => this.#key(event));
      this.#list.addEventListener("scroll", () => this.#look(), { passive: true });
      this.#form.addEventListener("submit", (event) => this.#say(event));
    }
    this.#sizes.observe(this.#list);
    if (this.#waiting.length) this.#later();
  }

  disconnectedCallback() {
    this.#sizes.disconnect();
    cancelAnimationFrame(this.#due);
    this.#due = 0;
  }

  /** Whether remarks can be made here. */
  get canSay() {
    return !this.#form.hidden;
  }

  set canSay(can) {
    this.#form.hidden = !can;
  }

  /** Why there can be none. @param {string} why */
  set note(why) {
    this.#note.textContent = why;
    this.#note.hidden = !why;
  }

  /** What has been typed and not been sent: to be given back if a remark was refused. */
  get draft() {
    return this.#input.value;
  }

  set draft(text) {
    this.#input.value = text;
  }

  /**
   * Show these events and no others.
   * @param {Iterable<Happening>} events one after the other, from any number on; then what was said
   *   about them later, with the number of the event it is about
   * @param {Record<string, string>} [names] display names by identity
   * @param {(seq: number) => boolean} [tells] of one of several boards: whether an event is
   */
  set(events, names = {}, tells) {
    this.#lines = new Lines(names, !tells);
    this.#tells = tells ?? (() => true);
    this.#made = [];
    this.#latest = undefined;
    this.#waiting = [...events];
    this.#list.replaceChildren();
    this.#atEnd = this.#fresh = true;
    this.#piece();
  }

  /** Show what has just happened. @param {Happening} event */
  add(event) {
    this.#waiting.push(event);
    if (!this.#due) this.#piece();
  }

  /** Mark the line whose moment is shown. @param {number} seq */
  mark(seq) {
    const before = this.#line(this.#marked);
    const line = this.#line(seq);
    const step = Math.abs(seq - this.#marked) === 1 || line === before;
    const follow = !step || !before || this.#inView(before);
    before?.removeAttribute("aria-current");
    this.#marked = seq;
    if (!line) return;
    line.setAttribute("aria-current", "step");
    if (follow) this.#show(line);
  }

  /** Make some of the lines that are due. */
  #piece() {
    this.#due = 0;
    const made = document.createDocumentFragment();
    for (const event of this.#waiting.splice(0, PIECE)) {
      const tells = event.kind === "say" || this.#tells(event.seq);
      const line = tells ? this.#lines.read(event) : null;
      const there = this.#made[event.seq];
      if (there) {
        if (line) this.#insert(this.#draw(line), there);
        continue;
      }
      if (line) made.append((this.#latest = this.#draw(line)));
      this.#made[event.seq] = this.#latest;
      if (line?.undone) this.#strike(line.undone, true);
      if (line?.redone) this.#strike(line.redone, false);
    }
    const stay = this.#atEnd;
    this.#list.append(made);
    const marked = this.#line(this.#marked);
    if (this.#fresh && marked && marked !== this.#latest) {
      this.#fresh = false;
      this.#show(marked);
    } else if (stay) this.#toEnd();
    if (this.#waiting.length) this.#later();
    else this.#fresh = false;
  }

  /** Said later about a moment: it stands there, and the moment keeps its line.
   * @param {HTMLElement} said @param {HTMLElement} there */
  #insert(said, there) {
    let last = /** @type {Element} */ (there);
    for (let next = last.nextElementSibling; next; next = next.nextElementSibling) {
      if (next.getAttribute("data-seq") !== said.dataset.seq) break;
      last = next;
    }
    last.after(said);
    if (this.#list.contains(there) && this.#inView(there)) this.#show(said);
  }

  #later() {
    this.#due ||= requestAnimationFrame(() => this.#piece());
  }

  /** @param {Line} line */
  #draw({ seq, number: count, kind, text, cards, who, time }) {
    const name = who && h("bdi", { class: "who" }, who);
    const said = h("span", { class: "text", dir: kind === "say" ? "auto" : null }, text);
    const number = h("b", null, count ?? "");
    const head = h("button", { type: "button", tabindex: "-1" }, number);
    const line = h("li", { class: kind, "data-seq": seq }, head);
    if (kind === "say") {
      said.id = `said-${++this.#said}`;
      head.setAttribute("aria-describedby", said.id);
      head.append(name || "");
      line.append(said);
    } else {
      const code = h("span", { class: "cards" }, text);
      head.append(...(cards ? [h("span", { class: "text" }, cards), code] : [said]), name || "");
    }
    line.append(h("time", null, time));
    if (seq === this.#marked && !this.#made[seq]) line.setAttribute("aria-current", "step");
    return /** @type {HTMLElement} */ (line);
  }

  /** @param {number} seq @param {boolean} undone */
  #strike(seq, undone) {
    const line = this.#line(seq);
    line?.classList.toggle("undone", undone);
    const head = line?.firstElementChild;
    if (undone) head?.setAttribute("title", "taken back");
    else head?.removeAttribute("title");
  }

  /** The line of an event, or the last one before it. @param {number} seq */
  #line(seq) {
    return this.#made[seq];
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const line = /** @type {Element} */ (event.target).closest("li");
    if (!line || (event.detail > 0 && getSelection()?.type === "Range")) return;
    const detail = { seq: Number(line.dataset.seq) };
    this.dispatchEvent(new CustomEvent("seek", { detail }));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = /** @type {Element} */ (event.target).closest("li") ?? this.#line(this.#marked);
    /** @type {Element | null | undefined} */
    let to = null;
    const back = event.key === "ArrowUp" || event.key === "End";
    if (event.key === "ArrowDown") to = at?.nextElementSibling;
    else if (event.key === "ArrowUp") to = at?.previousElementSibling;
    else if (event.key === "Home") to = this.#list.firstElementChild;
    else if (event.key === "End") to = this.#list.lastElementChild;
    else return;
    event.preventDefault();
    event.stopPropagation();
    while (to && getComputedStyle(to).display === "none") {
      to = back ? to.previousElementSibling : to.nextElementSibling;
    }
    if (!(to instanceof HTMLElement)) return;
    /** @type {HTMLElement} */ (to.firstElementChild).focus({ preventScroll: true });
    this.#show(to);
  }

  /** @param {SubmitEvent} event */
  #say(event) {
    event.preventDefault();
    const text = this.draft.trim();
    if (!text) return;
    this.draft = "";
    this.dispatchEvent(new CustomEvent("say", { detail: { text } }));
  }

  /** @param {HTMLElement} line */
  #inView(line) {
    const { scrollTop, clientHeight } = this.#list;
    const top = line.offsetTop - scrollTop;
    return top > -line.offsetHeight && top < clientHeight;
  }

  /** Scroll the list, and nothing else, to show a line. @param {HTMLElement} line */
  #show(line) {
    const { scrollTop, clientHeight } = this.#list;
    const [top, end] = [line.offsetTop, line.offsetTop + line.offsetHeight];
    if (top < scrollTop) this.#list.scrollTop = top - clientHeight / 4;
    else if (end > scrollTop + clientHeight) this.#list.scrollTop = end - clientHeight;
    this.#look();
  }

  #toEnd() {
    this.#list.scrollTop = this.#list.scrollHeight;
  }

  /** See whether the reader is at the end. A list that is not shown has none. */
  #look() {
    const { scrollHeight, scrollTop, clientHeight } = this.#list;
    if (clientHeight) this.#atEnd = scrollHeight - scrollTop - clientHeight < NEAR;
  }

  /** The list has another size, or is shown again: be where one was. */
  #settle() {
    const line = this.#line(this.#marked);
    if (this.#atEnd) this.#toEnd();
    else if (line) this.#show(line);
  }
}

customElements.define("kibitz-log", Log);
