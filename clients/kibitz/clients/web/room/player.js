/**
 * Playing: what the hand wants becomes a request, what the server says becomes words.
 *
 * Promises: nothing is done here that the server has not said; a refusal is told in the game's own
 * words and puts the cards back. Never: rules, drawing.
 */

import { nameOf, pileName } from "../cards/names.js";
import { announce, toast } from "../shell/announce.js";
import { play } from "../shell/sound.js";
import { duration } from "../table/glide.js";
import { Hand } from "../table/hand.js";
import { Keys } from "../table/keys.js";
import { buttonIn } from "../table/pile.js";
import { Pointer } from "../table/pointer.js";

/** @import { Client } from "../client/client.js" */
/** @import { Drag, Dragged, MoveList, Policy } from "../protocol/messages.js" */
/** @import { Legal } from "../table/hand.js" */
/** @import { Stage } from "../table/stage.js" */

/** @typedef {Legal & {undo: boolean, redo: boolean}} Possible */

/** How long a hint stays, ms. */
const HINT = 5000;
/** So long something is held before it is told, ms. */
const TELL = 420;
/** After so long it is said that the bot thinks, ms. */
const THINKS = 800;
const NO_MOVES = { moves: [], drags: [], undo: false, redo: false };

export class Player extends EventTarget {
  #client;
  #stage;
  #hand;
  #pointer;
  #keys;
  #room = "";
  /** The event whose position is on the table. */
  #seq = 0;
  /** @type {Policy | null} */
  #policy = null;
  #alone = true;
  /** Requests that are not answered yet. */
  #doing = 0;
  /** Whether it is asked what can be done. */
  #awaited = false;
  /** How many hints were given here; -1: the next one is a bot's. */
  #hinted = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #hintEnds;
  /** Whether the game plays itself from here on. */
  ends = false;
  /** What the server last said can be done; `null`: it does not say. @type {Possible | null} */
  possible = NO_MOVES;

  /** @param {Client} client @param {Stage} stage */
  constructor(client, stage) {
    super();
    this.#client = client;
    this.#stage = stage;
    this.#hand = new Hand(stage);
    this.#pointer = new Pointer(stage, this.#hand);
    this.#keys = new Keys(stage, this.#hand);
    const on = (/** @type {string} */ name, /** @type {(detail: any) => void} */ then) =>
      this.#hand.addEventListener(name, (event) => then(/** @type {CustomEvent} */ (event).detail));
    on("drop", (drag) => this.#drop(drag));
    on("act", ({ move }) => this.act(move));
    on("held", () => this.#tell());
    on("kept", () => this.#kept());
    on("unsure", ({ places }) =>
      toast(places ? `It fits in ${places} places: choose one.` : "It fits nowhere now."),
    );
  }

  get free() {
    return this.#hand.free;
  }

  /**
   * The table shows another position, or somebody else may play.
   * @param {string} room
   * @param {number} seq
   * @param {{free: boolean, policy: Policy | null, alone: boolean}} may  alone: nobody else moves here
   */
  refresh(room, seq, { free, policy, alone }) {
    this.#alone = alone;
    const moved = room !== this.#room || seq !== this.#seq || free !== this.#hand.free;
    [this.#room, this.#seq, this.#policy] = [room, seq, policy];
    this.#hand.free = free;
    this.#stage.toggleAttribute("data-free", free);
    this.#keys.refresh();
    if (!moved) return;
    const held = this.#hand.held;
    if (held && (!free || held.pile.liftable(held.pile.cells.length - held.count) !== held.count))
      this.#hand.put();
    this.#unhint();
    this.#hinted = policy?.advice && this.#client.advises ? -1 : 0;
    if (free) {
      this.#ask();
      this.#askEnd();
    } else this.#hand.forget();
  }

  /** The position a move is meant for; whoever plays alone means the one there is. */
  get #expected() {
    return this.#alone ? undefined : this.#seq;
  }

  /** Ask what is possible. */
  async #ask() {
    this.#hand.wonder();
    this.#awaited = true;
    if (this.#policy?.hints === false) {
      this.#learn(null);
      return;
    }
    const seq = this.#seq;
    try {
      const said = await this.#client.moves(this.#room);
      if (seq === this.#seq) this.#learn(said.seq >= seq ? said : null);
    } catch {
      if (seq === this.#seq) this.#learn(null);
    }
  }

  /** @param {MoveList | null} said */
  #learn(said) {
    this.possible = said && {
      moves: said.moves,
      drags: said.drags ?? [],
      undo: said.undo ?? true,
      redo: said.redo ?? true,
    };
    this.#awaited = false;
    this.#hand.know(this.possible ?? NO_MOVES);
    this.dispatchEvent(new Event("possible"));
  }

  /** @param {Dragged} drag */
  async #drop(drag) {
    const { from, to, cards } = drag;
    await this.#do(() => this.#client.move(this.#room, { from, to, cards }, this.#expected));
  }

  /**
   * Do something that is no drag; without a move, what the stock would say.
   * @param {string | null} move
   */
  async act(move) {
    if (move) await this.#do(() => this.#client.move(this.#room, move, this.#expected));
    else {
      this.#pointer.home();
      toast("There is nothing to be drawn.");
    }
  }

  /** @param {"undo" | "redo" | "restart" | "resign"} what */
  async change(what) {
    await this.#do(() => this.#client[what](this.#room));
  }

  /** @param {() => Promise<unknown>} request */
  async #do(request) {
    this.#doing++;
    this.#hand.wonder();
    try {
      await request();
    } catch (error) {
      play("no");
      const refused = /** @type {{code?: string, message: string}} */ (error);
      const stale = refused.code === "stale";
      toast(stale ? "Somebody else moved first: look again." : refused.message, { kind: "bad" });
    } finally {
      this.#pointer.home();
      // Nothing has changed: what was possible still is.
      if (!--this.#doing && !this.#awaited) this.#hand.know(this.possible ?? NO_MOVES);
    }
  }

  /** Ask whether the game plays itself, where nothing unknown lies in a column. */
  async #askEnd() {
    const seq = this.#seq;
    const hidden = [...this.#stage.piles.values()].some(
      ({ kind, cells }) => kind === "fan" && cells.includes("??"),
    );
    const asks = this.#client.advises && !hidden;
    const moves = asks ? await this.#client.finish(this.#room).catch(() => []) : [];
    if (seq !== this.#seq || this.ends === moves.length > 0) return;
    this.ends = moves.length > 0;
    this.dispatchEvent(new Event("possible"));
  }

  /** Play the moves that win without a thought, one after the other. */
  async finish() {
    const room = this.#room;
    await this.#do(async () => {
      for (const move of await this.#client.finish(room)) {
        if (room !== this.#room || !this.free) return;
        await this.#client.move(room, move);
        await new Promise((done) => setTimeout(done, duration() / 2));
      }
    });
  }

  /**
   * Show the next thing that can be done: a card and where it goes, or a button. Where a bot gives
   * advice, its move comes first.
   */
  async hint() {
    this.#unhint();
    if (this.#awaited)
      await new Promise((known) => this.addEventListener("possible", known, { once: true }));
    const { moves, drags } = this.possible ?? NO_MOVES;
    if (!moves.length) {
      toast("There is no legal move now.");
      return;
    }
    const at = this.#hinted++ % moves.length;
    if (at < 0) await this.#advise();
    else this.#show(moves[at], drags[at]);
  }

  /** Show what the bot would play. */
  async #advise() {
    const seq = this.#seq;
    let away = () => {};
    const late = setTimeout(() => {
      away = toast("The bot thinks…");
    }, THINKS);
    try {
      const { move, drag } = await this.#client.advise(this.#room, "move");
      if (seq !== this.#seq) return;
      if (move) this.#show(move, drag);
      else toast("The bot sees no move that leads anywhere new.");
    } catch (problem) {
      toast(/** @type {Error} */ (problem).message, { kind: "bad" });
    } finally {
      away();
      clearTimeout(late);
    }
  }

  /** Point at a move. @param {string} move @param {Drag | null} [drag] */
  #show(move, drag) {
    if (drag) this.#point(drag);
    else this.dispatchEvent(new CustomEvent("pointed", { detail: { move } }));
    this.#hintEnds = setTimeout(() => this.#unhint(), HINT);
  }

  /** @param {[from: string, to: string, cards: number]} drag */
  #point([from, to, cards]) {
    const [source, target] = [this.#stage.piles.get(from), this.#stage.piles.get(to)];
    const card = source?.places.at(-cards);
    if (!card || !target) return;
    card.classList.add("hinted");
    target.element.classList.add("goal");
    const name = nameOf(buttonIn(card).dataset.code ?? "");
    announce(`Try the ${name} from ${pileName(from)} to ${pileName(to)}.`);
  }

  #unhint() {
    clearTimeout(this.#hintEnds);
    this.dispatchEvent(new CustomEvent("pointed", { detail: { move: null } }));
    for (const place of this.#stage.querySelectorAll(".hinted, .goal"))
      place.classList.remove("hinted", "goal");
  }

  /** Cards that were dragged cannot be: say why. */
  #kept() {
    if (this.#hand.free) toast("That card cannot be picked up.");
    else this.dispatchEvent(new Event("kept"));
  }

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #telling;

  /** Say what is held, unless it is put down at once: a double press says only what came of it. */
  #tell() {
    clearTimeout(this.#telling);
    if (this.#hand.held) this.#telling = setTimeout(() => this.#told(), TELL);
  }

  #told() {
    const held = this.#hand.held;
    if (!held) return;
    const first = buttonIn(held.pile.places[held.pile.cells.length - held.count]);
    const goals = this.#hand.drags(held.pile, held.count).map((drag) => pileName(drag?.[1] ?? ""));
    const more = held.count > 1 ? ` and ${held.count - 1} more` : "";
    const where = goals.length ? `It fits on ${goals.join(", ")}.` : "";
    announce(`Holding the ${nameOf(first.dataset.code ?? "")}${more}. ${where}`);
  }

  /** Everything that may move is put back. */
  rest() {
    this.#pointer.cancel();
    this.#pointer.home();
    this.#hand.put();
  }
}
