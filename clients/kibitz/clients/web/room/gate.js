/**
 * `<kibitz-gate>`: before the start of a race: who sits, who is ready, and how long it is.
 *
 * Promises: it shows what its property `info` says, and counts down by itself while this is on the
 * page; asks for all else by `do` {what, move}: `ready`, `unready`, `sit`, `stand`, `invite`, `bot`, `close`;
 * with `move`, the bot on that seat is to go.
 * Never: speaks; no second is read out.
 *
 * @import {Seat} from "../protocol/messages.js"
 */

import { countOf } from "../cards/names.js";
import { h, whenLetGo } from "../shell/dom.js";
import { clockOf } from "./lines.js";

/**
 * `ready`: seats; `own`: the visitor's; `begins`: Unix ms by the server's clock, where that is
 * agreed; `fixed`: it does not wait for those who sit to be ready; `limit` in seconds;
 * `canBot`: the visitor says which bots play; `canClose`: he may call it off while he is alone.
 * @typedef {{seats: readonly Seat[], here: readonly number[] | null, ready: readonly number[],
 *   own: number | null, begins: number | null, fixed: boolean, limit: number, ahead: number,
 *   canSit: boolean, canInvite: boolean, canBot: boolean, canClose: boolean}} Waiting
 */

/** From here on the seconds are shown in large figures. */
const SOON = 60_000;

export class Gate extends HTMLElement {
  /** @type {Waiting | null} */
  #info = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #drawn = "";
  #clock = h("p", { class: "count", role: "timer" });
  #title = h("h2", {});
  #seats = h("ul", { role: "list", tabindex: "0", "aria-label": "Racers" });
  #facts = h("p", { class: "small" });
  #todo = h("div", { class: "row" });

  connectedCallback() {
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", "Before the start");
    this.replaceChildren(this.#title, this.#clock, this.#seats, this.#facts, this.#todo);
    this.#tick();
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
  }

  /** @param {Waiting} info */
  set info(info) {
    this.#info = info;
    whenLetGo(this, () => this.#draw());
  }

  #draw() {
    if (!this.#info) return;
    this.#tick();
    const drawn = JSON.stringify({ ...this.#info, ahead: 0 });
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const { seats, here, ready, own, fixed, limit, canSit, canInvite, canBot, canClose } =
      this.#info;
    const taken = seats.filter((seat) => seat.id);
    const gone = (/** @type {number} */ seat) => here?.includes(seat) === false;
    const free = seats.length - taken.length;
    this.#seats.replaceChildren(
      ...taken.map(({ seat, name, id, bot }) => {
        const absent = bot ? "coming" : "away";
        const how = ready.includes(seat) ? "ready" : gone(seat) ? absent : "";
        return h(
          "li",
          { class: how || null },
          h("bdi", null, name || id),
          bot ? [" ", h("span", { class: "bot" }, "bot")] : seat === own && " (you)",
          h("i", {}, how),
          bot && canBot && this.#away(seat, name ?? ""),
        );
      }),
      ...(free ? [h("li", { class: "muted" }, countOf(free, "free seat"))] : []),
    );
    const time = limit % 60 ? countOf(limit, "second") : countOf(limit / 60, "minute");
    const is = own !== null && ready.includes(own);
    const last = own !== null && !is && !fixed && taken.length > 1;
    const waits = last && ready.length === taken.length - 1;
    const begin = waits ? " It begins when you press “I am ready”." : "";
    this.#facts.textContent = `Everybody plays the same deal, for ${time} at most.${begin}`;
    const alone = own !== null && taken.every(({ seat, bot }) => bot || seat === own || gone(seat));
    this.#keep([
      own !== null && !fixed && !is && ["ready", "I am ready", "primary large"],
      own !== null && !fixed && is && ["unready", "Not ready", "large"],
      canSit && ["sit", "Take a seat", "primary large"],
      canInvite && ["invite", "Copy link for a racer", ""],
      canBot && free > 0 && ["bot", "Add a bot", ""],
      own !== null && ["stand", "Only watch", ""],
      canClose && alone && ["close", "Call it off", ""],
    ]);
  }

  /** What sends a bot away. @param {number} seat @param {string} name */
  #away(seat, name) {
    const detail = { what: "bot", move: String(seat) };
    const tell = () => this.dispatchEvent(new CustomEvent("do", { detail }));
    const props = { type: "button", class: "quiet small", "aria-label": `Send ${name} away` };
    return h("button", { ...props, onClick: tell }, "✕");
  }

  /** The buttons; the focus stays on the one in the same place. @param {(false | string[])[]} all */
  #keep(all) {
    const at = [...this.#todo.children].indexOf(/** @type {Element} */ (document.activeElement));
    const shown = all.filter((each) => Array.isArray(each));
    this.#todo.replaceChildren(
      ...shown.map(([what, label, kind]) => {
        const tell = () => this.dispatchEvent(new CustomEvent("do", { detail: { what } }));
        const props = { type: "button", "data-do": what, class: kind || null, onClick: tell };
        return h("button", props, label);
      }),
    );
    const again = this.#todo.children[at];
    if (again instanceof HTMLElement) again.focus();
  }

  /** Show how long it is, and come again with the next second. */
  #tick() {
    clearTimeout(this.#timer);
    if (!this.#info || !this.isConnected) return;
    const { begins, ahead } = this.#info;
    const left = Math.max(0, (begins ?? 0) - Date.now() - ahead);
    this.#title.textContent = titleOf(this.#info, left);
    this.#clock.hidden = begins === null;
    if (begins === null) return;
    this.#clock.classList.toggle("soon", left <= SOON);
    this.#clock.textContent = left <= SOON ? String(Math.ceil(left / 1000)) : clockOf(left);
    if (left) this.#timer = setTimeout(() => this.#tick(), (left % 1000) + 5);
  }
}

/** @param {Waiting} info @param {number} left  ms to the start */
function titleOf({ seats, ready, begins, fixed }, left) {
  const seated = seats.filter(({ id }) => id).length;
  if (seated < 2 && !left) return "Waiting for a second racer";
  if (begins === null) return `${ready.length} of ${seated} ready`;
  if (!fixed || left <= SOON) return "The race begins in";
  const when = new Date(begins).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  return `The race begins on ${when}`;
}

customElements.define("kibitz-gate", Gate);
