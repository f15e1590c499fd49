/**
 * Rooms that this browser makes: their deal is fixed before the server knows what is mixed into it.
 *
 * The server pledges itself to a secret, then is told a nonce; the deck follows from both. Promises:
 * what was pledged is remembered for this visit, so that it can be compared later. Never: a request
 * of its own, a secret.
 */

const KEPT = "kibitz-promises";
/** The most rooms that are remembered. */
const MOST = 50;
/** Bytes of a nonce. */
const SIZE = 16;
/** A pledge is lost with its connection: so often another one is asked for. */
const TRIES = 3;

/**
 * What was promised of a room, and what was asked for.
 * @typedef {{pledge: string, nonce: string, deal?: string, loaded: boolean, winnable?: boolean}} Promised
 */
/** @typedef {{deal?: string, save?: string, winnable?: boolean, [key: string]: unknown}} Settings */

/**
 * A new room.
 * @template {{room: string}} M
 * @template {Settings} S
 * @param {{pledge(): Promise<string>,
 *   create(game: string, settings: S & {nonce: string, pledge: string}): Promise<M>}} client
 * @param {string} game
 * @param {S} settings
 * @returns {Promise<M>}
 */
export async function create(client, game, settings) {
  for (let tries = 1; ; tries++) {
    const [pledge, nonce] = [await client.pledge(), newNonce()];
    try {
      const mirror = await client.create(game, { ...settings, nonce, pledge });
      const { deal, save, winnable } = settings;
      keep(mirror.room, { pledge, nonce, deal, loaded: save !== undefined, winnable });
      return mirror;
    } catch (problem) {
      const { code, message } = /** @type {{code?: string, message: string}} */ (problem);
      const lost = code === "bad-option" && /\bpledge\b/.test(message);
      if (!lost || tries === TRIES) throw problem;
    }
  }
}

/** What this browser was promised of a room, if it made it. @param {string} room @returns {Promised | undefined} */
export function promiseOf(room) {
  return new Map(kept()).get(room);
}

/** @param {string} room @param {Promised} promised */
function keep(room, promised) {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify([[room, promised], ...kept()].slice(0, MOST)));
  } catch {
    /* storage is full or forbidden: then there is nothing to compare with */
  }
}

/** @returns {[string, Promised][]} */
function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
  } catch {
    return [];
  }
}

function newNonce() {
  const bytes = crypto.getRandomValues(new Uint8Array(SIZE));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
