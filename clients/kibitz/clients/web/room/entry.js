/**
 * The way into a room page: from an address to something that can be shown.
 *
 * Promises: a room with a password asks for it, a room that is not there says so with a way back.
 */

import { said, toast } from "../shell/announce.js";
import { openDialog } from "../shell/dialog.js";
import { h } from "../shell/dom.js";
import { LiveRoom } from "./live.js";
import { reading, Recorded } from "./recorded.js";

/** @import { Context } from "../shell/context.js" */
/** @import { Route } from "../shell/router.js" */
/** @import { Source } from "./source.js" */

/** A room that shows nothing yet is asked again after so long, ms. */
const LONGEST = 10_000;

/** Nothing is broken: what was asked for is not there. */
class Gone extends Error {
  code = "gone";
}

/**
 * What the address stands for; `null` if the visitor would rather not.
 * @param {Context} context
 * @param {Route} route
 * @param {AbortSignal} signal
 * @returns {Promise<Source | null>}
 */
export async function enter(context, route, signal) {
  if (route.page === "file") return recorded(context);
  const seat = Boolean(route.seat);
  if (seat && !(await context.named())) {
    forgetSeat(context, route);
    return null;
  }
  let password;
  for (;;) {
    const room = new LiveRoom(context.client, route.room ?? "");
    try {
      await room.open({ seat, password, invite: route.invite, watch: route.embed });
      if (seat && !room.unseated) forgetSeat(context, route); // else a reload asks again
      if (!room.view.recorded) return room;
      return await (await import("./presented.js")).presented(context.client, room);
    } catch (error) {
      room.close();
      const { code, message, retry_ms } =
        /** @type {{code?: string, message: string, retry_ms?: number}} */ (error);
      if (signal.aborted) return null;
      if (code === "forbidden" && retry_ms) {
        await due(message, retry_ms);
        if (signal.aborted) return null;
        continue;
      }
      if (code !== "forbidden" || !/password/.test(message)) throw error;
      password = await askPassword(password !== undefined);
      if (password === null) {
        context.router.go({ page: "lobby" });
        return null;
      }
    }
  }
}

/**
 * What happens there is shown later than it happens, and nothing of it is due yet.
 * @param {string} message
 * @param {number} ms
 */
async function due(message, ms) {
  toast(said(message));
  await new Promise((done) => setTimeout(done, Math.min(ms, LONGEST)));
}

/**
 * After sitting down the address is the room's own.
 * @param {Context} context
 * @param {Route} route
 */
function forgetSeat({ router }, route) {
  router.go({ ...route, seat: false }, { replace: true });
}

/** @param {Context} context */
function recorded({ client }) {
  const recording = reading.take();
  const games = client.welcome?.games ?? {};
  if (!recording) throw new Gone("There is no file here any more: drop it again.");
  if (!Object.hasOwn(games, recording.game)) throw new Gone(`No game here is ${recording.game}.`);
  const info = games[recording.game];
  return new Recorded(recording, info);
}

/**
 * @param {boolean} again
 * @returns {Promise<string | null>}
 */
function askPassword(again) {
  return new Promise((resolve) => {
    /** @type {string | null} */
    let given = null;
    const field = h("input", {
      id: "room-password",
      type: "password",
      autocomplete: "off",
      required: true,
    });
    const send = (/** @type {Event} */ event) => {
      event.preventDefault();
      given = field.value;
      dialog.close();
    };
    const form = h(
      "form",
      { class: "stack", onSubmit: send },
      h(
        "div",
        { class: "field" },
        h("label", { for: "room-password" }, again ? "That was not it. Password" : "Password"),
        field,
      ),
      h("div", { class: "row" }, h("button", { class: "primary" }, "Enter")),
    );
    const dialog = openDialog("This room has a password", form);
    field.focus();
    dialog.addEventListener("close", () => resolve(given));
  });
}
