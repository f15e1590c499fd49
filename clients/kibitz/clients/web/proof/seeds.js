/**
 * What follows from the server's secret and the player's nonce.
 *
 * Promises: the pledge, the seed, the salts and the seeds of shuffles, as the format has them.
 */

/** @import { Table } from "../protocol/table.js" */
/** @import { Chance, Rules } from "./rules/rules.js" */
/** @import { Size } from "./openings.js" */

import { toHex } from "../protocol/hashing.js";
import { bytesOf, hmac } from "./bytes.js";
import { cardOf } from "./cards.js";
import { shuffled } from "./deals.js";
import { leafOf, rootOf } from "./tree.js";

const SALT = 16;

/** @param {Uint8Array} secret @param {string} nonce */
export const seedOf = (secret, nonce) => hmac(secret, bytesOf(`kibitz seed 1\0${nonce}`));

/** Of the n-th shuffle, from 1. @param {Uint8Array} seed @param {number} n */
export const shuffleSeed = (seed, n) => hmac(seed, bytesOf(`kibitz shuffle 1\0${n}`));

/** @param {Uint8Array} secret @param {string} nonce @param {number} position */
const saltOf = (secret, nonce, position) =>
  hmac(secret, bytesOf(`kibitz salt 1\0${nonce}\0${position}`)).slice(0, SALT);

/**
 * The root over a whole start.
 * @param {Uint8Array} secret
 * @param {string} nonce
 * @param {Rules} rules
 * @param {Table} start  all cards known
 * @param {Size} size
 */
export function rootFor(secret, nonce, rules, { piles }, { shuffles }) {
  const seed = seedOf(secret, nonce);
  const cards = rules.piles.flatMap((pile) => piles[pile].map(cardOf));
  const seeds = Array.from({ length: shuffles }, (_, n) => toHex(shuffleSeed(seed, n + 1)));
  const leaves = [...cards, ...seeds].map((item, at) =>
    leafOf(saltOf(secret, nonce, at), at, item),
  );
  return rootOf(leaves);
}

/**
 * The chance of one shuffle: it follows from its seed and from what is shuffled.
 * @param {Uint8Array} seed
 * @param {Rules} rules
 * @param {Table} table
 * @returns {Chance}
 */
export function chanceOf(seed, rules, { piles }) {
  const position = rules.piles.map((pile) => `${pile} ${piles[pile].join(" ")}\n`).join("");
  return (pool) => shuffled(pool, hmac(seed, bytesOf(position)));
}
