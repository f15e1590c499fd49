/**
 * `<kibitz-timeline>`: where in the game one stands, and the way to everywhere else in it.
 *
 * Promises: it shows what its properties say and asks for all else by events: `seek` {seq}, `play`,
 * `pause`, `step` {by}, `speed` {speed}, `live`, `view` {open}. A drag asks at most once a frame.
 * Keys while the focus is inside: left, right, Home, End, space, + and -. Never: a clock.
 *
 * @import {Speed} from "../client/playback.js"
 */

import { SPEEDS } from "../client/playback.js";
import { h, svg } from "../shell/dom.js";

/** Names and icons of the buttons; an icon is drawn in a field of 24 by 24. */
const BUTTONS = {
  first: ["First event", "M6 5v14M19 5.5v13L9 12z"],
  back: ["One event back", "M16.5 5.5v13L7 12z"],
  play: ["Play", "M8 5v14l11-7z"],
  pause: ["Pause", "M8.5 5.5v13M15.5 5.5v13"],
  forward: ["One event forward", "M7.5 5.5v13l9.5-6.5z"],
  last: ["Last event", "M18 5v14M5 5.5v13L15 12z"],
};

/** The marks that find room beside each other. */
const MARKS = 200;

export class Timeline extends HTMLElement {
  /** The event whose position is shown, and the first and the last one can go to. */
  seq = 0;
  first = 1;
  last = 0;
  /** Whether what is shown happens now; whether the game is over, so that nothing does. */
  live = false;
  over = false;
  /** Whether there is a form with all cards open, and whether it is shown. */
  canOpen = false;
  open = false;
  playing = false;
  speed = /** @type {Speed} */ (1);
  /** What happened at this event, in words. */
  caption = "";
  /** What is to be seen on the track: `say`, `undo`, `restart`, `won`, ... */
  marks = /** @type {readonly {seq: number, kind: string}[]} */ ([]);

  /** The index of the board that is looked at. */
  board = 0;
  /** Called when it was drawn: what others add to it. */
  more = () => {};

  #stale = false;
  /** What the marks were drawn for. */
  #drawn = "";
  /** Where a drag has got to within this frame. @type {number | null} */
  #wanted = null;
  #range = h("input", { type: "range", "aria-label": "Event" });
  #track = h("div", { class: "track", "aria-hidden": "true" });
  #count = h("span", { class: "count", "aria-hidden": "true" });
  #first = this.#button("first", () => this.#ask("seek", { seq: this.first }));
  #back = this.#button("back", () => this.#ask("step", { by: -1 }));
  #play = this.#button("play", () => this.#toggle());
  #forward = this.#button("forward", () => this.#ask("step", { by: 1 }));
  #last = this.#button("last", () => this.#ask("seek", { seq: this.last }));
  #speed = h(
    "select",
    { "aria-label": "Speed", title: "Speed" },
    SPEEDS.map((speed) => h("option", { value: speed }, speed === "beat" ? speed : `${speed}×`)),
  );
  #behind = h("span");
  #live = h(
    "button",
    { type: "button", class: "live", onclick: () => this.#ask("live") },
    h("i", { class: "dot" }),
    "Live",
    this.#behind,
  );
  #asPlayed = h(
    "button",
    { type: "button", onclick: () => this.#ask("view", { open: false }) },
    "As played",
  );
  #allOpen = h(
    "button",
    { type: "button", onclick: () => this.#ask("view", { open: true }) },
    h("span", null, "All cards "),
    "open",
  );
  #views = h(
    "div",
    { class: "views", role: "group", "aria-label": "Cards" },
    this.#asPlayed,
    this.#allOpen,
  );

  constructor() {
    super();
    for (const key of /** @type {(keyof this)[]} */ (Object.keys(this))) {
      let value = this[key];
      const set = (/** @type {typeof value} */ other) => {
        value = other;
        this.#changed();
      };
      Object.defineProperty(this, key, { get: () => value, set });
    }
    this.#range.addEventListener("input", () => {
      if (this.#wanted === null) requestAnimationFrame(() => this.#seek());
      this.#wanted = Number(this.#range.value);
    });
    this.#speed.addEventListener("change", () => {
      this.#ask("speed", { speed: SPEEDS[this.#speed.selectedIndex] });
    });
    this.addEventListener("keydown", (event) => this.#key(event));
  }

  connectedCallback() {
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", "Timeline");
    this.replaceChildren(
      h(
        "div",
        { class: "bar" },
        h(
          "div",
          { class: "steps" },
          this.#first,
          this.#back,
          this.#play,
          this.#forward,
          this.#last,
        ),
        h("div", { class: "way" }, this.#track, this.#range),
        this.#count,
        h("div", { class: "pace" }, this.#speed, this.#live, this.#views),
      ),
    );
    this.#changed();
  }

  /** @param {keyof typeof BUTTONS} name @param {() => void} act */
  #button(name, act) {
    const button = h("button", { type: "button", class: "icon" });
    button.addEventListener("click", () => button.ariaDisabled === "true" || act());
    dress(button, name);
    return button;
  }

  #seek() {
    const seq = this.#wanted;
    this.#wanted = null;
    if (seq !== null && seq !== this.seq) this.#ask("seek", { seq });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || target === this.#speed) return;
    if (key === "ArrowLeft") this.#ask("step", { by: -1 });
    else if (key === "ArrowRight") this.#ask("step", { by: 1 });
    else if (key === "Home") this.#ask("seek", { seq: this.first });
    else if (key === "End") this.#ask("seek", { seq: this.last });
    else if (key === "+" || key === "=") this.#faster(1);
    else if (key === "-") this.#faster(-1);
    else if (key === " " && target === this.#range) this.#toggle();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #toggle() {
    this.#ask(this.playing ? "pause" : "play");
  }

  /** @param {number} by */
  #faster(by) {
    const most = SPEEDS.indexOf("beat") - 1;
    const now = SPEEDS.indexOf(this.speed === "beat" ? 1 : this.speed);
    this.#ask("speed", { speed: SPEEDS[Math.max(0, Math.min(most, now + by))] });
  }

  /** @param {string} name @param {object} [detail] */
  #ask(name, detail = {}) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** Draw once at the end of this task, however much changes until then. */
  #changed() {
    if (this.#stale || !this.isConnected) return;
    this.#stale = true;
    queueMicrotask(() => this.#draw());
  }

  #draw() {
    this.#stale = false;
    const { seq, first, last, live, open, playing } = this;
    const range = this.#range;
    range.min = String(first);
    range.max = String(last);
    if (this.#wanted === null) range.value = String(seq);
    const where = `event ${seq} of ${last}`;
    range.setAttribute("aria-valuetext", this.caption ? `${where}: ${this.caption}` : where);
    range.style.setProperty("--gone", String(share(this, seq)));
    this.#count.textContent = `event ${seq} / ${last}`;
    this.#first.ariaDisabled = this.#back.ariaDisabled = String(seq <= first);
    this.#last.ariaDisabled = this.#forward.ariaDisabled = String(seq >= last);
    this.#play.ariaDisabled = String(last <= first);
    dress(this.#play, playing ? "pause" : "play");
    this.#speed.value = String(this.speed);
    this.#live.hidden = this.over;
    this.#live.ariaPressed = String(live);
    this.#live.title = live ? "This is happening now" : "Go to what is happening now";
    this.#behind.textContent = live || seq >= last ? "" : `−${last - seq}`;
    this.#views.hidden = !this.canOpen;
    this.#asPlayed.ariaPressed = String(!open);
    this.#allOpen.ariaPressed = String(open);
    this.#drawMarks();
    this.more();
  }

  /** Marks, as many as can be told apart; a remark hides what took place beside it. */
  #drawMarks() {
    /** @type {Map<number, string>} */
    const kinds = new Map();
    for (const { seq, kind } of this.marks) {
      const at = Math.round(share(this, seq) * MARKS) / MARKS;
      if (kind !== "undo" || !kinds.has(at)) kinds.set(at, kind);
    }
    const drawn = JSON.stringify([...kinds]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#track.replaceChildren(
      ...Array.from(kinds, ([at, kind]) => {
        const mark = h("i", { class: kind });
        mark.style.setProperty("--at", String(at));
        return mark;
      }),
    );
  }
}

/** How much of the way an event is, from 0 to 1. @param {Timeline} line @param {number} seq */
export function share({ first, last }, seq) {
  return last > first ? Math.max(0, Math.min(1, (seq - first) / (last - first))) : 0;
}

/** Give a button its name and icon. @param {Element} button @param {keyof typeof BUTTONS} name */
function dress(button, name) {
  const [label, d] = BUTTONS[name];
  if (button.ariaLabel === label) return;
  button.ariaLabel = label;
  button.setAttribute("title", label);
  const drawing = svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d }));
  button.replaceChildren(drawing);
}

customElements.define("kibitz-timeline", Timeline);
