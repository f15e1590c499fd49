/**
 * A promise about many things that can be kept for each of them by itself: a Merkle tree.
 *
 * Its shape is that of RFC 6962: the left part holds the largest power of two that leaves something
 * for the right one. Promises: a leaf leads to the root by exactly one path. Never: a secret.
 */

import { sha256 } from "../protocol/sha256.js";
import { bytesOf, joined } from "./bytes.js";

const NODE = Uint8Array.of(1);

/**
 * What stands for an item in the tree.
 * @param {Uint8Array} salt
 * @param {number} position
 * @param {string} item
 */
export function leafOf(salt, position, item) {
  return sha256(joined(salt, Uint8Array.of(position >> 8, position & 0xff), bytesOf(item)));
}

/**
 * @param {readonly Uint8Array[]} leaves  one at least
 * @returns {Uint8Array}
 */
export function rootOf(leaves) {
  if (leaves.length === 1) return leaves[0];
  const left = leftOf(leaves.length);
  return node(rootOf(leaves.slice(0, left)), rootOf(leaves.slice(left)));
}

/**
 * The root to which a leaf leads.
 * @param {Uint8Array} leaf
 * @param {number} position  its number, from 0
 * @param {number} size  how many leaves there are
 * @param {readonly Uint8Array[]} path  the siblings, from the leaf up
 * @returns {Uint8Array | null} null: the path is too short or too long
 */
export function climbed(leaf, position, size, path) {
  if (size === 1) return path.length ? null : leaf;
  const last = path.at(-1);
  if (!last) return null;
  const [left, rest] = [leftOf(size), path.slice(0, -1)];
  if (position < left) {
    const here = climbed(leaf, position, left, rest);
    return here && node(here, last);
  }
  const here = climbed(leaf, position - left, size - left, rest);
  return here && node(last, here);
}

/** The largest power of two below a number. @param {number} size */
function leftOf(size) {
  let left = 1;
  while (left * 2 < size) left *= 2;
  return left;
}

/** @param {Uint8Array} left @param {Uint8Array} right */
const node = (left, right) => sha256(joined(NODE, left, right));
