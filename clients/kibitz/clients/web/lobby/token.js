/**
 * Asking for the token that a server wants of everybody. It is loaded when somebody has one.
 *
 * Promises: it goes into this browser's settings and nowhere else; what is there before is kept
 * until another one is entered.
 */

import { openDialog } from "../shell/dialog.js";
import { h } from "../shell/dom.js";
import { labelled } from "./form.js";

/** @import { Context } from "../shell/context.js" */

/** @param {Pick<Context, "client" | "settings">} context */
export function askToken({ client, settings }) {
  const field = h("input", {
    type: "password",
    required: true,
    autofocus: true,
    autocomplete: "off",
    spellcheck: "false",
    maxlength: "4096",
  });
  const use = (/** @type {Event} */ event) => {
    event.preventDefault();
    settings.set({ token: field.value.trim() });
    client.close();
    location.reload();
  };
  openDialog(
    "Your token",
    h(
      "form",
      { class: "stack", onsubmit: use },
      labelled(
        "token",
        "Token",
        field,
        "Whoever runs this server gives it to you. Show it to nobody.",
      ),
      h("div", { class: "row" }, h("button", { class: "primary" }, "Come in")),
    ),
  );
}
