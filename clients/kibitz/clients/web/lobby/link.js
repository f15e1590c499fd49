/**
 * How the connection is doing, and whether the server takes long, in plain words above the page.
 *
 * Promises: nothing is shown while all is well; `<main data-link>` says it to style sheets.
 */

import { brought } from "../shell/brought.js";
import { announce } from "../shell/announce.js";
import { clear, h } from "../shell/dom.js";

/** @import { Context } from "../shell/context.js" */

const PATIENCE = 500;
/** The code with which it says that it does not know us. */
const UNKNOWN = 4401;
/** What it says then to who has shown no token at all. */
const NONE = /\bwants a token\b/;

/** @type {Record<string, string>} */
const WORDS = {
  connecting: "Connecting…",
  saving: "Saving…",
  away: "The server is away: trying again. What you see may be old.",
  replaced: "This seat was taken over in another tab or on another device.",
  ended: "The server closed the connection",
  unknown: "The server does not let you in",
  token:
    "Only who has a token comes in here. Open the link that you were given by whoever runs this server, or enter your token.",
  old: "Ask whoever gave it to you for a new one.",
};

/**
 * Show the state of a client's connection from now on.
 * @param {Context} context
 * @param {HTMLElement} main
 */
export function showLink({ client, settings }, main) {
  const bar = /** @type {HTMLElement} */ (document.getElementById("link"));
  let timer = 0;
  let shown = "";
  let code = 0;

  /** @param {string} state @param {string} [reason] */
  function show(state, reason) {
    clear(bar);
    bar.hidden = state === "open" && !client.saving;
    if (state === "open") {
      if (shown) announce("Connected again.");
      shown = "";
      if (client.saving) bar.append(h("span", null, WORDS.saving));
      return;
    }
    shown = state;
    const why = reason ? `: ${reason}` : "";
    const unknown = state === "ended" && code === UNKNOWN;
    const none = unknown && NONE.test(reason ?? "");
    let words = state === "ended" ? `${WORDS.ended}${why}.` : WORDS[state];
    if (unknown) words = none ? WORDS.token : `${WORDS.unknown}${why}. ${brought ? WORDS.old : ""}`;
    bar.append(h("span", null, words));
    if (unknown) bar.append(button("Enter a token", enter));
    if (state === "replaced") bar.append(button("Play here", () => client.takeOver()));
    if (state === "ended" && !none) bar.append(button("Connect again", again));
    if (state !== "connecting") announce(words);
  }

  async function enter() {
    (await import("./token.js")).askToken({ client, settings });
  }

  function again() {
    // A key the server does not take is of no use: without it one is somebody new.
    if (code === UNKNOWN && !brought) settings.set({ token: "" });
    location.reload();
  }

  /** @param {string} [reason] */
  function follow(reason) {
    const state = client.state;
    main.dataset.link = state === "connecting" && main.dataset.link === "away" ? "away" : state;
    clearTimeout(timer);
    // A short break is not worth a word.
    if (state === "connecting" || state === "away") {
      if (!shown) timer = setTimeout(() => show(state), PATIENCE);
      else if (state === "away") show(state);
    } else show(state, reason);
  }

  client.addEventListener("state", (event) => {
    const { detail } = /** @type {CustomEvent} */ (event);
    code = detail.code;
    follow(detail.reason);
  });
  client.addEventListener("saving", () => {
    if (client.state !== "open") return;
    show("open");
    if (client.saving) announce(WORDS.saving);
  });
  follow();
}

/** @param {string} words @param {() => void} act */
function button(words, act) {
  return h("button", { type: "button", onclick: act }, words);
}
