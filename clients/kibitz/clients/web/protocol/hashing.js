/**
 * The hash chain over a room's events: same number and hash, same history seen.
 *
 * `h(n) = SHA-256(h(n-1) || c(n))` cut to 16 bytes, `h(0)` empty, with `c(n)` the SHA-256 of the
 * msgpack of event n without `t` and `room`, map keys sorted at every level. The `salt` of an event
 * is put before those bytes and is not among them; `commit` is `c(n)` itself, told in its place.
 *
 * Promises: byte for byte what the Python side makes. An event is hashed as it came, with keys
 * that are not known here too. Never waits: `crypto.subtle` is missing on plain HTTP in a LAN.
 */

/** @import {Event} from "./messages.js" */

import { pack } from "./packing.js";
import { sha256 } from "./sha256.js";

/** Bytes of a hash. */
export const HASH_SIZE = 16;

/**
 * What stands for the event in the chain, 32 bytes.
 * @param {Event} event
 */
export function commitment(event) {
  if (event.commit !== undefined) {
    return fromHex(event.commit);
  }
  const { t: _t, room: _room, salt = "", ...hashed } = event;
  return sha256(joined(fromHex(salt), pack(hashed)));
}

/**
 * The hash after one more event.
 * @param {Uint8Array} before
 * @param {Event} event
 */
export function chain(before, event) {
  return sha256(joined(before, commitment(event))).slice(0, HASH_SIZE);
}

/** @param {Uint8Array} one @param {Uint8Array} other */
function joined(one, other) {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/**
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @param {string} text
 * @returns {Uint8Array}
 * @throws {RangeError} It is no even number of hex digits.
 */
export function fromHex(text) {
  if (!/^(?:[0-9a-f]{2})*$/i.test(text)) {
    throw new RangeError(`not hex: ${text.slice(0, 40)}`);
  }
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
