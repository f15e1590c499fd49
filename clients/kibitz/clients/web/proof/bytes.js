/**
 * Bytes of texts, and HMAC-SHA-256 (RFC 2104) over the page's own SHA-256.
 *
 * Promises: at once, also where `crypto.subtle` is missing. Never: a secret of this visitor.
 */

import { sha256 } from "../protocol/sha256.js";

/** Bytes that SHA-256 takes at once. */
const BLOCK = 64;
const encoder = new TextEncoder();

/** The bytes of a text. @param {string} text @returns {Uint8Array} */
export const bytesOf = (text) => encoder.encode(text);

/** @param {...Uint8Array} parts @returns {Uint8Array} one behind the other */
export function joined(...parts) {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/**
 * @param {Uint8Array} key
 * @param {Uint8Array} message
 * @returns {Uint8Array} 32 bytes
 */
export function hmac(key, message) {
  const block = new Uint8Array(BLOCK);
  block.set(key.length > BLOCK ? sha256(key) : key);
  const inner = sha256(
    joined(
      block.map((byte) => byte ^ 0x36),
      message,
    ),
  );
  return sha256(
    joined(
      block.map((byte) => byte ^ 0x5c),
      inner,
    ),
  );
}

/** Whether two values of JSON say the same. @param {any} one @param {any} other @returns {boolean} */
export function same(one, other) {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && same(one[key], other[key]))
  );
}
