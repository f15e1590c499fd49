/**
 * The badge of a game: verified by this browser, from what the server gives and from nothing else.
 *
 * It is loaded when somebody asks, and the verifier runs beside the page. Promises: what fails is
 * said loudly and first, what cannot be known yet, or ever, is not called verified; every check is
 * there in words. Never: a rule, a hash.
 */

import { announce } from "../shell/announce.js";
import { closeDialogs, openDialog } from "../shell/dialog.js";
import { h } from "../shell/dom.js";
import { promiseOf } from "../shell/promises.js";
import { sheet } from "../shell/sheet.js";
import { fetched } from "./files.js";
import { reading } from "./recorded.js";

/** @import { Context } from "../shell/context.js" */
/** @import { Check } from "../proof/fault.js" */
/** @import { Name, Verdict } from "../proof/verify.js" */
/** @import { Question } from "../proof/worker.js" */
/** @import { Source } from "./source.js" */

/** The checks in the order in which they are told. @type {[Name, string][]} */
const NAMES = [
  ["deal", "The deal"],
  ["openings", "The open cards"],
  ["rules", "The moves"],
  ["chain", "The history"],
  ["file", "The file"],
];
/** @type {Record<Check["status"], string>} */
const SIGNS = { ok: "✓", failed: "✗", open: "…" };
const NEVER = "–";
/** @type {Record<Check["status"], string>} */
const WORDS = { ok: "verified", failed: "not verified", open: "not known yet" };

const LEADS = {
  ok: "The cards lay there from the first, and every move is by the rules.",
  open: "Nothing is wrong as far as it can be known now.",
  never: "Nothing is wrong with it, but nobody can check where its cards came from.",
};
const WORKER = new URL("../proof/worker.js", import.meta.url).href;
/** The page starts this script and no other. */
const trusted = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("kibitz-worker", {
  createScriptURL(/** @type {string} */ url) {
    if (url !== WORKER) throw new TypeError("That is not the verifier.");
    return url;
  },
});

/** Badges that say something of a game that goes on. @type {WeakSet<Element>} */
const following = new WeakSet();

/**
 * Verify a game and show what came of it.
 * @param {Context} context
 * @param {Source} source
 */
export async function prove(context, source) {
  const badge = /** @type {HTMLElement} */ (document.querySelector("kibitz-room .badge"));
  badge.setAttribute("aria-busy", "true");
  try {
    const [verdict] = await Promise.all([proved(context, source), sheet("proof")]);
    if (!badge.isConnected) return;
    const { status, label } = summary(verdict);
    badge.textContent = label;
    badge.dataset.status = status;
    follow(badge, source);
    show(verdict, label, status);
  } finally {
    badge.removeAttribute("aria-busy");
  }
}

/** What is said of a running game says nothing of its end. @param {HTMLElement} badge @param {Source} source */
function follow(badge, source) {
  if (following.has(badge)) return;
  following.add(badge);
  source.addEventListener("event", (event) => {
    const { kind } = /** @type {CustomEvent} */ (event).detail;
    if (kind !== "ended" || badge.dataset.status === "failed") return;
    badge.textContent = "Verify";
    delete badge.dataset.status;
  });
}

/** @param {Context} context @param {Source} source @returns {Promise<Verdict>} */
async function proved({ client, settings }, source) {
  const room = source.recorded ?? source.address;
  if (!room) return answered({ text: reading.text });
  const mirror = client.session.mirrors.get(room);
  const head = mirror && { seq: mirror.seq, hash: mirror.hash };
  const text = await fetched(room, "replay.json", settings.token, client.invited);
  return answered({ text, known: { head, own: promiseOf(room) } });
}

/** What the verifier says. @param {Question} question @returns {Promise<Verdict>} */
function answered(question) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(trusted?.createScriptURL(WORKER) ?? WORKER, { type: "module" });
    worker.onmessage = ({ data }) => {
      worker.terminate();
      resolve(data);
    };
    worker.onerror = () => {
      worker.terminate();
      reject(new Error("The verifier cannot be loaded just now: try again."));
    };
    worker.postMessage(question);
  });
}

/**
 * In a few words.
 * @param {Verdict} verdict
 * @returns {{status: Check["status"], label: string}}
 */
export function summary({ checks, over, promised }) {
  const all = Object.values(checks);
  const failed = firstOf(all);
  if (failed) return { status: "failed", label: `Not verified${placeOf(failed)}` };
  if (all.every(({ status, moot }) => moot || status === "ok"))
    return { status: "ok", label: "Verified" };
  if (!over && promised) return { status: "open", label: "Verified so far" };
  const moves = checks.rules.status === "ok";
  return { status: "open", label: moves ? "Moves verified" : "Nothing to verify" };
}

/** The failure that comes first in the game. @param {Check[]} checks */
function firstOf(checks) {
  const failed = checks.filter(({ status }) => status === "failed");
  const at = (/** @type {Check} */ { event, line }) => event ?? line ?? Infinity;
  return failed.sort((a, b) => at(a) - at(b)).at(0);
}

/** @param {Check} check */
function placeOf({ event, line }) {
  return event ? `: event ${event}` : line ? `: line ${line}` : "";
}

/** @param {Verdict} verdict @param {string} label @param {Check["status"]} status */
function show({ checks, own }, label, status) {
  const failed = firstOf(Object.values(checks));
  const never = status === "open" && checks.deal.word !== undefined;
  const told = failed ? failed.why : LEADS[never ? "never" : /** @type {"ok" | "open"} */ (status)];
  const rows = NAMES.map(([name, title]) => {
    const { status, why, word, ...where } = checks[name];
    return h(
      "li",
      { dataset: { status } },
      h("span", { class: "sign", "aria-hidden": "true" }, word ? NEVER : SIGNS[status]),
      h("b", {}, `${title}: ${word ?? WORDS[status]}${placeOf({ status, why, ...where })}`),
      h("span", { class: "why" }, why),
    );
  });
  const promise =
    own &&
    checks.deal.status !== "failed" &&
    h(
      "p",
      {},
      "The server had fixed its part of the deal before it knew the number that this ",
      "browser added to it: nobody could choose these cards.",
    );
  closeDialogs();
  openDialog(
    label,
    h("p", { class: failed ? "bad" : "", role: failed ? "alert" : null }, told),
    h("ul", { class: "proof", role: "list" }, ...rows),
    promise,
    h("p", { class: "muted small" }, "Worked out in this browser from the replay alone."),
  );
  announce(`${label}. ${told}`);
}
