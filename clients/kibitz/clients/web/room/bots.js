/**
 * Which bot is to sit down in a race, asked in a dialog; and which is to go. It is loaded with its first use.
 *
 * Promises: what the server does not grant is said in the dialog, which stays. Never: knows how a
 * bot plays.
 */

import { said } from "../shell/announce.js";
import { seatBot, sendBotAway, STRATEGIES } from "../shell/bots.js";
import { openDialog } from "../shell/dialog.js";
import { h } from "../shell/dom.js";

/** @import { Client } from "../client/client.js" */

/** Milliseconds from one move to the next. @type {[pace: number, label: string][]} */
const PACES = [
  [2000, "At leisure: a move in 2 seconds"],
  [700, "Steady: 3 moves in 2 seconds"],
  [250, "Quick: 4 moves a second"],
];
const USUAL = 700;

/**
 * Have a bot come, or one go.
 * @param {Client} client
 * @param {string} room
 * @param {string | undefined} seat  of the one that is to go
 */
export async function bot(client, room, seat) {
  if (seat) await sendBotAway(client, room, Number(seat));
  else ask(client, room);
}

/** @param {Client} client @param {string} room */
function ask(client, room) {
  const wrong = h("p", { class: "bad", role: "alert", hidden: true });
  const choices = STRATEGIES.map(([value, label, about], n) =>
    h(
      "label",
      { class: "tick" },
      h("input", { type: "radio", name: "strategy", value, checked: n === 0 }),
      h("span", null, h("b", null, label), `: ${about}`),
    ),
  );
  const pace = h(
    "select",
    { name: "pace", id: "bot-pace" },
    ...PACES.map(([value, label]) => h("option", { value, selected: value === USUAL }, label)),
  );
  const form = h(
    "form",
    { class: "stack" },
    h(
      "fieldset",
      null,
      h("legend", null, "How it plays"),
      h("div", { class: "choice" }, ...choices),
    ),
    h("div", { class: "field" }, h("label", { for: pace.id }, "How quickly"), pace),
    h("p", { class: "muted small" }, "It sees what you see of your own board, and no hidden card."),
    wrong,
    h("p", null, h("button", { class: "primary" }, "Add it")),
  );
  const dialog = openDialog("Add a bot", form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const data = new FormData(form);
    const how = { strategy: String(data.get("strategy")), pace: Number(data.get("pace")) };
    try {
      await seatBot(client, room, how);
      dialog.close();
    } catch (problem) {
      wrong.textContent = said(/** @type {Error} */ (problem));
      wrong.hidden = false;
    }
  });
}
