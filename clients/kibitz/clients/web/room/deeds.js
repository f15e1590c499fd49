/**
 * What the buttons of a room do: take back, give up, save, share, go on.
 *
 * Promises: what cannot be taken back is asked first; what failed is said. Never: draws.
 */

import { ending, said, toast } from "../shell/announce.js";
import { openDialog } from "../shell/dialog.js";
import { h } from "../shell/dom.js";
import { href } from "../shell/router.js";
import { KEYS } from "../table/keys.js";
import { download, fetched, share } from "./files.js";
import { nextOf } from "./frame.js";
import { clockOf } from "./people.js";

/** @import { Refused } from "../client/client.js" */
/** @import { Context } from "../shell/context.js" */
/** @import { Route } from "../shell/router.js" */
/** @import { Player } from "./player.js" */
/** @import { Source } from "./source.js" */
/** @import { Race } from "./race.js" */
/** @import { Result } from "./win.js" */
/** @import { Role } from "../protocol/messages.js" */

/**
 * `move`: which one; `seq` and `board`: what is looked at; `deal`: the event with which its cards were dealt.
 * @typedef {{move?: string, seq: number, board: number, deal: number, live: boolean}} Where
 */

export class Deeds {
  #context;
  #source;
  #player;
  #race;
  #muted = { why: "", until: 0 };

  /**
   * @param {Context} context
   * @param {Source} source
   * @param {Player} player
   * @param {Race | null} race
   */
  constructor(context, source, player, race) {
    this.#race = race;
    this.#context = context;
    this.#source = source;
    this.#player = player;
  }

  /** The room's id. */
  get #room() {
    return this.#source.address ?? "";
  }

  /** Whether a finished game is shown here, led by whoever holds the controls. */
  get #shown() {
    return this.#source.recorded !== undefined;
  }

  /** The id of the room in which the game was played. */
  get #played() {
    return this.#source.recorded ?? this.#room;
  }

  /** @param {string} what @param {Where} where */
  async do(what, { move, seq, board, deal, live }) {
    try {
      switch (what) {
        case "act":
          return await this.#player.act(move ?? null);
        case "undo":
        case "redo":
          return await this.#player.change(what);
        case "finish":
          return await this.#player.finish();
        case "chances":
          return await (await import("./advice.js")).chances(this.#context.client, this.#room);
        case "restart":
          if (
            await sure(
              "Start again?",
              "The same deal from its start. Undo brings this back.",
              "Restart",
            )
          )
            await this.#player.change(what);
          return;
        case "resign":
          if (await sure("Give up?", this.#givenUp, "Give up")) await this.#player.change(what);
          return;
        case "ready":
        case "unready":
          return void (await this.#context.client.ready(this.#room, what === "ready"));
        case "bot":
          return await (await import("./bots.js")).bot(this.#context.client, this.#room, move);
        case "sit":
          return await this.#sit();
        case "stand":
          return await this.#live.stand();
        case "comments":
          return void (await this.#context.client.comments(this.#room, !this.#takesComments));
        case "rematch":
          return this.#enter(await this.#context.client.rematch(this.#room));
        case "save":
          return download(`${this.#name}.save.txt`, await this.#context.client.save(this.#played));
        case "text":
          return await this.#fetch("replay.txt");
        case "json":
          return await this.#fetch("replay.json");
        case "verify":
          return await (await import("./proof.js")).prove(this.#context, this.#source);
        case "analyse":
          return await (await import("./analysis.js")).analyse(this.#context, this.#source, board);
        case "present":
          return await this.#present();
        case "close":
          return void (await this.#context.client.resign(this.#room));
        case "alone":
          return this.#context.router.go({ page: "room", room: this.#played, moment: seq });
        case "game":
          return this.#context.router.go({ page: "room", room: this.#source.from });
        case "share":
          return await this.#pass(
            this.#link({
              moment: live || this.#shown ? undefined : seq,
              invite: await this.#key("spectator"),
            }),
          );
        case "invite":
          return await this.#pass(this.#link({ seat: true, invite: await this.#key("player") }));
        case "embed":
          return await this.#embed();
        case "copy":
          return await this.#pass(this.#line());
        case "rules":
          return void this.#rules();
        case "new":
          return this.#context.router.go({ page: "start", game: this.#source.game });
        case "again":
          return await this.#fork(this.#race ? deal : 1, board);
        case "onward":
          return await this.#fork(seq, board);
      }
    } catch (error) {
      toast(/** @type {Error} */ (error).message, { kind: "bad" });
    }
  }

  /** @param {string} text @returns {Promise<boolean>} whether it was said */
  async say(text) {
    try {
      if (!(await this.#context.named())) return false;
      await this.#context.client.say(this.#room, text);
      return true;
    } catch (error) {
      const { code, message, retry_ms } = /** @type {Refused} */ (error);
      if (code === "forbidden")
        this.#muted = { why: said(message), until: Date.now() + (retry_ms ?? Infinity) };
      toast(said(message), { kind: "bad" });
      return false;
    }
  }

  /** Why the visitor may not comment here, as far as he has been told; "" if he may. */
  get muted() {
    const { why, until } = this.#muted;
    if (until <= Date.now()) return "";
    return why + ending(until);
  }

  async #sit() {
    if (await this.#context.named()) await this.#live.sit();
  }

  get #live() {
    return /** @type {import("./live.js").LiveRoom} */ (this.#source);
  }

  get #takesComments() {
    return this.#source.view.comments !== false;
  }

  /** What giving up means here. */
  get #givenUp() {
    return this.#source.view.race
      ? "Your part of the race ends here; the others go on."
      : "The game ends and all cards are opened.";
  }

  get #name() {
    return `${this.#source.game}-${this.#played}`;
  }

  /** A page of this room on the server, as a file. @param {string} name */
  async #fetch(name) {
    const { client, settings } = this.#context;
    const text = await fetched(this.#played, name, settings.token, client.invited);
    download(`${this.#name}.${name}`, text);
  }

  /** The address of the room, or of a moment in it. @param {Partial<Route>} [more] */
  #link(more = {}) {
    return new URL(href({ page: "room", room: this.#room, ...more }), document.baseURI).href;
  }

  /**
   * What lets others in who have the address: a key, where the room is private.
   * @param {Role} role
   */
  async #key(role) {
    const { client } = this.#context;
    const mirror = client.session.mirrors.get(this.#room);
    if (mirror?.info.visibility !== "private") return undefined;
    const { mine } = this.#source;
    return mine ? await client.invite(this.#room, role) : client.invited;
  }

  /** Hand a text on, and say what came of it. @param {string} text */
  async #pass(text) {
    if ((await share(text)) === "copied") toast("Copied.", { kind: "good" });
  }

  async #embed() {
    const title = this.#source.info.title;
    const source = this.#link({ embed: true, invite: await this.#key("spectator") });
    const frame = `<iframe src="${source}" width="640" height="480" title="${title}"></iframe>`;
    await this.#pass(frame);
  }

  /** How the game ended. @returns {Result} */
  result() {
    const { past, seats, info, status } = this.#source;
    const end = past.at(past.last);
    const who =
      seats
        .map((seat) => seat.name)
        .filter(Boolean)
        .join(" and ") || "Somebody";
    return {
      won: status === "won",
      who,
      title: info.title,
      moves: end.moves,
      score: end.score,
      time: clockOf(end.at),
      deal: past.event(past.last)?.opened?.deal,
      next: nextOf(this.#source),
      alone: seats.length < 2,
      analysed: this.#context.client.analyses,
    };
  }

  /** The result in one line, to be sent to friends. */
  #line() {
    if (this.#race) return `${this.#race.line} ${this.#link()}`;
    const { won, who, title, moves, time, score } = this.result();
    const did = won ? `won ${title} in ${moves} moves` : `gave up ${title} at score ${score}`;
    return `${who} ${did}, ${time}. ${this.#link()}`;
  }

  /** A room of one's own that goes on from an event. @param {number} at @param {number} board */
  async #fork(at, board) {
    if (!(await this.#context.named())) return;
    const which = this.#race ? { at, board } : { at };
    this.#enter(await this.#context.client.fork(this.#played, which));
  }

  /** Show the game to others, from here on at the controls. */
  async #present() {
    if (!(await this.#context.named())) return;
    this.#enter(await this.#context.client.present(this.#room));
  }

  /** @param {{room: string}} mirror */
  #enter({ room }) {
    this.#context.router.go({ page: "room", room });
  }

  #rules() {
    const keys = KEYS.map(([key, does]) =>
      h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, does)),
    );
    const { title, help } = this.#source.info;
    const [rules, ...commands] = help.split("\n\n");
    openDialog(
      title,
      h("p", {}, rules.replaceAll("\n", " ")),
      h("h3", {}, "Keys, while the table has the focus"),
      h("table", { class: "keys" }, h("tbody", {}, ...keys)),
      h(
        "details",
        {},
        h("summary", {}, "Moves as the log and the terminal write them"),
        h("pre", { class: "rules" }, commands.join("\n\n")),
      ),
    );
  }
}

/**
 * @param {string} title
 * @param {string} text
 * @param {string} yes
 * @returns {Promise<boolean>}
 */
function sure(title, text, yes) {
  return new Promise((resolve) => {
    let answer = false;
    const agree = () => {
      answer = true;
      dialog.close();
    };
    const dialog = openDialog(
      title,
      h("p", {}, text),
      h(
        "div",
        { class: "row" },
        h("button", { type: "button", class: "primary", onClick: agree }, yes),
        h("button", { type: "button", onClick: () => dialog.close() }, "Cancel"),
      ),
    );
    dialog.addEventListener("close", () => resolve(answer));
  });
}
