/**
 * From one deal to the next with the same seats: the offer, and who is taken along.
 *
 * Promises: whoever has a seat is asked; whoever watches what happens now goes along after some
 * seconds unless he stays; who looks back stays where he is. Never: draws but the question.
 */

import { announce } from "../shell/announce.js";
import { closeDialogs, openDialog } from "../shell/dialog.js";
import { h } from "../shell/dom.js";

/** @import { Context } from "../shell/context.js" */
/** @import { Source } from "./source.js" */

/** After so long those who watch go along, ms. */
const ALONG = 6000;

export class Series {
  #context;
  #source;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** Whether the visitor goes along by himself soon. */
  going = false;

  /** @param {Context} context @param {Source} source */
  constructor(context, source) {
    this.#context = context;
    this.#source = source;
  }

  /**
   * Somebody goes on with the next deal.
   * @param {string} said  that in words
   * @param {boolean} live  whether the visitor looks at what happens now
   */
  offered(said, live) {
    if (this.#source.mine) this.#ask(said);
    else if (live) {
      announce("The next deal: you are taken along.");
      this.going = true;
      this.#timer = setTimeout(() => this.go(), ALONG);
    }
  }

  /** @param {string} said */
  #ask(said) {
    closeDialogs();
    const go = () => {
      box.close();
      this.go();
    };
    const box = openDialog(
      `${said}.`,
      h(
        "div",
        { class: "row" },
        h(
          "button",
          { type: "button", class: "primary large", autofocus: true, onClick: go },
          "Play",
        ),
        h("button", { type: "button", onClick: () => box.close() }, "Stay here"),
      ),
    );
  }

  /** To the room where the series goes on. */
  go() {
    this.stay();
    const { router } = this.#context;
    const room = this.#source.view.next;
    if (room) router.go({ ...router.route, room, moment: undefined });
  }

  /** Go along no more. */
  stay() {
    clearTimeout(this.#timer);
    this.going = false;
  }

  /** @returns {[text: string, choices: [what: string, label: string][]] | null} */
  notice() {
    if (!this.#source.view.next) return null;
    /** @type {[what: string, label: string]} */
    const go = ["next", "Go to the next deal"];
    return this.going
      ? ["The next deal begins: you are taken along.", [go, ["stay", "Stay here"]]]
      : ["The same players go on with the next deal.", [go]];
  }
}
