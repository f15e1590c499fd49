/**
 * Files in and out: a replay or a save dropped on the page, a text to be kept, an address to be
 * passed on.
 *
 * Promises: what comes in is read as text, is never too long, and is only told apart here; the
 * server plays it. Every way out has one that works without https. Never: a socket.
 */

import { h } from "../shell/dom.js";

/** @import {Event as Happening} from "../protocol/messages.js" */

/** The longest file that is read, in bytes: as long as the longest replay the server reads. */
export const MAX_FILE = 2 ** 24;
/** The most boards and seats of a room. */
const MAX_SEATS = 100;
const JSON_FORMAT = "kibitz-replay-json-1";
const TEXT_FORMAT = "kibitz-replay-1";

/** A replay as JSON. @typedef {{game: string, events: Happening[], open?: Happening[]}} Told */
/**
 * `text`: as it was, but for a byte order mark.
 * @typedef {{kind: "json", replay: Told, text: string}
 *   | {kind: "replay" | "save", text: string}} Dropped
 */

/**
 * What a text is: a replay as JSON, a replay text, or else a save.
 * @param {string} text
 * @returns {Dropped}
 */
export function readDropped(text) {
  const clean = text.replace(/^\ufeff/, "");
  if (clean.trimStart().startsWith("{")) {
    const replay = parsed(clean);
    if (replay?.format === JSON_FORMAT)
      return { kind: "json", replay: checked(replay), text: clean };
  }
  return { kind: headers(clean).format === TEXT_FORMAT ? "replay" : "save", text: clean };
}

/**
 * The game that a save is of: it says so, except those of klondike and of other programs.
 * @param {string} text
 * @param {string} [usual]  the one that it is taken for then
 * @returns {string}
 */
export function gameOf(text, usual = "klondike") {
  return headers(text.replace(/^\ufeff/, "")).game ?? usual;
}

/**
 * Take files that are dropped anywhere on the page, or picked.
 * @param {(text: string, name: string) => void} take
 * @param {(why: string) => void} refuse
 * @returns {() => void} takes none from then on
 */
export function dropping(take, refuse) {
  const overlay = h(
    "div",
    { class: "dropping", hidden: true },
    h("p", null, "Drop a replay or a saved game"),
  );
  document.body.append(overlay);
  let depth = 0;
  const show = (/** @type {boolean} */ on) => (overlay.hidden = !on);
  /** @type {Record<string, (event: DragEvent) => void>} */
  const on = {
    dragenter: () => show(++depth > 0),
    dragover: () => {},
    dragleave: () => show(--depth > 0),
    drop: (event) => {
      show((depth = 0) > 0);
      const file = event.dataTransfer?.files[0];
      if (file)
        void readFile(file).then(
          (text) => take(text, file.name),
          (e) => refuse(e.message),
        );
    },
  };
  const stop = new AbortController();
  for (const [name, act] of Object.entries(on)) {
    addEventListener(
      name,
      (event) => {
        if (!(event instanceof DragEvent) || !event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        act(event);
      },
      { signal: stop.signal },
    );
  }
  return () => {
    stop.abort();
    overlay.remove();
  };
}

/**
 * The text of a file.
 * @param {File} file
 * @returns {Promise<string>}
 * @throws {Error} It is too long, or no text; the message is for people.
 */
export async function readFile(file) {
  if (file.size > MAX_FILE) throw new Error(`${file.name} is longer than ${MAX_FILE >> 20} MB`);
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${file.name} is not a text`);
  }
}

/**
 * A page of a room on the server, as this visitor may see it.
 * @param {string} room
 * @param {string} name
 * @param {string} token
 * @param {string} [invite]  of a closed room
 * @param {number} [board]  of a race
 * @returns {Promise<string>}
 * @throws {Error} The server says no.
 */
export async function fetched(room, name, token, invite, board) {
  const headers = token ? { Authorization: `Bearer ${token}` } : undefined;
  const url = new URL(`rooms/${room}/${name}`, document.baseURI);
  if (invite) url.searchParams.set("invite", invite);
  if (board) url.searchParams.set("board", String(board));
  const answer = await fetch(url, { headers });
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await answer.arrayBuffer());
  if (!answer.ok) throw new Error(text.trim());
  return text;
}

/**
 * Let the browser keep a text as a file.
 * @param {string} name
 * @param {string} text
 */
export function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * Pass an address on: by the system's own dialog, by the clipboard, or shown to be copied by hand.
 * @param {string} url
 * @param {string} [title]
 * @returns {Promise<"shared" | "copied" | "shown" | "stopped">} what came of it
 */
export async function share(url, title = document.title) {
  const phone = matchMedia("(pointer: coarse)").matches;
  if (phone && navigator.share) {
    try {
      await navigator.share({ title, url });
      return "shared";
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return "stopped";
    }
  }
  try {
    await navigator.clipboard.writeText(url);
    return "copied";
  } catch {
    return copy(url);
  }
}

/** Copy the old way, or leave the text to be copied by hand. @param {string} text */
function copy(text) {
  const area = h("textarea", { readonly: true, rows: "2", "aria-label": "Address" }, text);
  const close = h("button", { type: "submit" }, "Close");
  const box = h(
    "dialog",
    { class: "copy", "aria-label": "Copy this address" },
    h("form", { method: "dialog" }, area, close),
  );
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  area.select();
  if (!document.execCommand("copy")) return "shown";
  box.close();
  return "copied";
}

/** What the `# key: value` lines at the start of a text say. @param {string} text */
function headers(text) {
  /** @type {{format?: string, game?: string}} */
  const said = {};
  for (const line of text.split("\n")) {
    const found = /^# (format|game): (\S.*?)\s*$/.exec(line);
    if (found) said[/** @type {"format" | "game"} */ (found[1])] ??= found[2];
    else if (!line.startsWith("#")) break;
  }
  return said;
}

/**
 * A replay as JSON, as far as this page relies on its shape.
 * @param {any} replay
 * @returns {Told}
 * @throws {Error} It is not one.
 */
function checked(replay) {
  const right = isTold(replay.events) && (replay.open === undefined || isTold(replay.open));
  if (!right || typeof replay.game !== "string") throw new Error("This is no replay of kibitz.");
  return replay;
}

/** Whether these are events 1, 2, 3, ... of a game. @param {unknown} events */
function isTold(events) {
  return Array.isArray(events) && events.length > 0 && events.every(isEvent);
}

/** @param {any} event @param {number} n */
function isEvent(event, n) {
  if (event?.seq !== n + 1 || typeof event.kind !== "string") return false;
  const { at, moves = 0, score = 0, fx = [], result = "won", move = "", name = "" } = event;
  const { board = 0, seats = 1, boards = [] } = event;
  return (
    [at, moves, score].every(Number.isFinite) &&
    ["open", "won", "resigned", "timeout"].includes(result) &&
    board >= 0 &&
    seats >= 1 &&
    [board, seats].every((n) => Number.isInteger(n) && n <= MAX_SEATS) &&
    [move, name].every((text) => typeof text === "string") &&
    [fx, boards].every((list) => Array.isArray(list) && list.every(Array.isArray))
  );
}

/** @param {string} text @returns {any} the value, or nothing if it is no JSON */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
