/**
 * The page's start: settings, the connection, the router and a page for every route.
 *
 * Promises: one page at a time in `<main>`; a page that fails leaves a sentence and a way back.
 * Never shows a game itself; keeps the identity token only outside frames.
 */

// First of all: what reads the address does not see the token.
import { brought } from "./shell/brought.js";
import { Client } from "./client/client.js";
import { notice, said, toast } from "./shell/announce.js";
import { closeDialogs, icon } from "./shell/dialog.js";
import { clear, h } from "./shell/dom.js";
import { later } from "./shell/later.js";
import { showLink } from "./lobby/link.js";
import { askName } from "./lobby/naming.js";
import { isArchived, opened, pickFile } from "./room/opening.js";
import { Router } from "./shell/router.js";
import { settings } from "./shell/settings.js";
import { reading } from "./room/recorded.js";
import { dropping, fetched } from "./room/files.js";
import "./lobby/lobby.js";
import "./room/page.js";

/** @import { Context, Page } from "./shell/context.js" */
/** @import { Route } from "./shell/router.js" */

/** @type {Record<Route["page"], string>} */
const ELEMENTS = {
  lobby: "kibitz-lobby",
  start: "kibitz-start",
  room: "kibitz-room",
  file: "kibitz-room",
  tv: "kibitz-tv",
};
/** Pages that are loaded with their first use. @type {{[page: string]: () => Promise<unknown>}} */
const SELDOM = {
  start: () => import("./lobby/start.js"),
  tv: () => import("./tv/page.js"),
};
/** A shorter wait is not worth a word, ms. */
const WORTH = 1000;
const SLIDERS =
  "M3 7h9m5 0h4M3 17h3m5 0h10M14.5 4.5a2.5 2.5 0 100 5 2.5 2.5 0 000-5zM8.5 14.5a2.5 2.5 0 100 5 2.5 2.5 0 000-5z";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const whoami = /** @type {HTMLElement} */ (document.getElementById("whoami"));
const options = /** @type {HTMLElement} */ (document.getElementById("options"));

const socket = new URL("ws", document.baseURI);
socket.search = socket.hash = "";
socket.protocol = socket.protocol.replace("http", "ws");
const client = new Client(socket.href, {
  name: settings.name || undefined,
  token: brought || settings.token || undefined,
});
const router = new Router();

/** @type {Context} */
const context = {
  client,
  settings,
  router,
  async named() {
    if (settings.name || settings.embed) return Boolean(settings.name);
    const name = await askName();
    if (name) settings.set({ name });
    return Boolean(name);
  },
  async openText(text) {
    try {
      await opened(text, context);
    } catch (problem) {
      toast(said(problem), { kind: "bad" });
    }
  },
  pickFile() {
    pickFile(context.openText);
  },
  titled(title) {
    document.title = title ? `${title} · kibitz` : "kibitz";
  },
};

/** @type {Page | null} */
let page = null;
let shown = "";

/** Show the page of the route there is now. */
async function follow() {
  const route = router.route;
  const key = `${route.page} ${route.page === "file" ? reading.number : (route.room ?? "")}`;
  try {
    if (page && key === shown) {
      page.update(route);
      return;
    }
    const moved = shown !== "";
    page?.close();
    closeDialogs();
    shown = key;
    page = null;
    clear(main);
    if (route.page !== "lobby" && !client.welcome) {
      // These pages need to know the games.
      await new Promise((done) => client.addEventListener("welcome", done, { once: true }));
      if (key !== shown) return;
    }
    if (SELDOM[route.page]) {
      await SELDOM[route.page]();
      if (key !== shown) return;
    }
    const next = /** @type {Page} */ (document.createElement(ELEMENTS[route.page]));
    page = next;
    next.context = context;
    main.append(next);
    document.documentElement.dataset.page = route.page;
    if (moved) {
      scrollTo(0, 0);
      main.focus({ preventScroll: true });
    }
    await next.open(route);
  } catch (problem) {
    if (key !== shown) return;
    if (route.room && isArchived(problem, route.room)) return archived(route.room, key);
    failed(problem);
  }
}

/**
 * In the place of a room that the server has archived: what is left of it, its replay.
 * @param {string} room
 * @param {string} key
 */
async function archived(room, key) {
  page = null;
  try {
    const text = await fetched(room, "replay.txt", settings.token);
    if (key === shown) await opened(text, context);
  } catch (problem) {
    if (key === shown) failed(problem);
  }
}

/**
 * In the place of a page: what went wrong, and the way back.
 * @param {unknown} problem
 */
function failed(problem) {
  // What the server refused is for the visitor; what is broken, for who looks into it.
  const refused = typeof (/** @type {any} */ (problem)?.code) === "string";
  if (!refused) console.error(problem);
  page = null;
  context.titled("Something went wrong");
  clear(main).append(
    h(
      "section",
      { class: "page stack" },
      h("h1", null, "That did not work"),
      h("p", null, said(problem)),
      h(
        "p",
        { class: "row" },
        h("a", { class: "button primary", href: "?" }, "Back to the lobby"),
        h(
          "button",
          {
            type: "button",
            onclick: () => {
              shown = " ";
              follow();
            },
          },
          "Try again",
        ),
      ),
    ),
  );
}

function greet() {
  const name = settings.name;
  whoami.hidden = !name;
  whoami.setAttribute("aria-label", `Your name: ${name}`);
  clear(whoami).append(
    icon("M12 12a4 4 0 100-8 4 4 0 000 8zM5 20c.6-4 3.4-5.5 7-5.5s6.4 1.5 7 5.5"),
    h("span", null, name),
  );
}

addEventListener("unhandledrejection", (event) => {
  // What was asked when the talk ended for good: why it did is told above the page.
  if (event.reason?.name === "Closed") event.preventDefault();
  // What the server refused is for the visitor; what is broken, for who looks into it.
  if (typeof event.reason?.code !== "string") return;
  event.preventDefault();
  toast(said(event.reason), { kind: "bad" });
});

/** The settings, loaded with their first use: once, however often that is asked for. */
async function prefer() {
  if (preferring) return;
  preferring = true;
  const { signal } = new AbortController();
  const { openPreferences } = await later(client, () => import("./lobby/preferences.js"), signal);
  preferring = false;
  openPreferences(context);
}
let preferring = false;

options.append(icon(SLIDERS));
for (const button of [options, whoami]) button.addEventListener("click", prefer);
settings.addEventListener("change", () => {
  greet();
  client.introduce(settings.name, settings.token);
});
client.addEventListener("push", (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  if (detail.t === "notice") notice(detail.text);
});
client.addEventListener("waits", (event) => {
  const { message, retry_ms = 0 } = /** @type {CustomEvent} */ (event).detail;
  if (retry_ms >= WORTH) toast(`${said(message)} It is tried again by itself.`);
});
client.addEventListener("state", () => {
  if (client.state !== "open" || !client.welcome || settings.embed) return;
  const { token, you } = client.welcome;
  // Whoever gave us the token may have given us a name with it.
  const given = (brought || !settings.name) && !you.name.startsWith("guest-");
  const name = given ? you.name : settings.name;
  if (token !== settings.token || name !== settings.name) settings.set({ token, name });
});
router.addEventListener("route", follow);

dropping(
  (text) => void context.openText(text),
  (why) => toast(why, { kind: "bad" }),
);
greet();
showLink(context, main);
client.open();
follow();
