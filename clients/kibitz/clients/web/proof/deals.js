/**
 * Decks: what a deal number names, and what a seed shuffles.
 *
 * Chance is drawn from SHA-256 in counter mode: 32-bit words, big-endian, eight from each hash of
 * seed and block number; words past the last full turn are skipped. Promises: the same for ever.
 */

import { sha256 } from "../protocol/sha256.js";
import { bytesOf, joined } from "./bytes.js";

export const RANKS = "A23456789TJQK";
const SUITS = "cdhs";
/** A new deck: each suit from the ace to the king. */
export const DECK = [...SUITS].flatMap((suit) => [...RANKS].map((rank) => rank + suit));
export const CARDS = new Set(DECK);

const DEAL = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Deals that have the numbers of the Microsoft generator. */
const MICROSOFT = /^ms([0-9]+)$/;
const MOST = 32_000;

/**
 * The deck of a deal number, first dealt first.
 * @param {string} deal
 * @returns {string[]}
 * @throws {RangeError} It is none.
 */
export function deckOf(deal) {
  if (!DEAL.test(deal)) throw new RangeError(`not a deal number: ${deal.slice(0, 64)}`);
  const number = MICROSOFT.exec(deal)?.[1];
  if (number === undefined) return shuffled(DECK, bytesOf(`kibitz deal 1\0${deal}`));
  if (!(Number(number) >= 1 && Number(number) <= MOST))
    throw new RangeError(`Microsoft deals run from ms1 to ms${MOST}`);
  return microsoft(Number(number));
}

/**
 * A list in an order that the seed gives: from the last place down, each is swapped with one of
 * those up to it.
 * @template T
 * @param {readonly T[]} list
 * @param {Uint8Array} seed
 * @returns {T[]}
 */
export function shuffled(list, seed) {
  const [cards, words] = [[...list], wordsOf(seed)];
  for (let last = cards.length - 1; last > 0; last--) {
    const pick = below(last + 1, words);
    [cards[last], cards[pick]] = [cards[pick], cards[last]];
  }
  return cards;
}

/** @param {Uint8Array} seed @returns {Generator<number, never>} */
function* wordsOf(seed) {
  for (let block = 0; ; block++) {
    const count = new DataView(new ArrayBuffer(8));
    count.setUint32(4, block);
    const digest = new DataView(sha256(joined(seed, new Uint8Array(count.buffer))).buffer);
    for (let at = 0; at < digest.byteLength; at += 4) yield digest.getUint32(at);
  }
}

/** @param {number} bound @param {Generator<number, never>} words */
function below(bound, words) {
  const limit = 2 ** 32 - (2 ** 32 % bound);
  for (;;) {
    const word = words.next().value;
    if (word < limit) return word % bound;
  }
}

/** @param {number} number */
function microsoft(number) {
  const rest = [...RANKS].flatMap((rank) => [...SUITS].map((suit) => rank + suit));
  const dealt = [];
  for (let state = number; rest.length;) {
    state = (state * 214_013 + 2_531_011) % 2 ** 31;
    const pick = (state >> 16) % rest.length;
    const card = rest[pick];
    rest[pick] = rest[rest.length - 1];
    rest.pop();
    dealt.push(card);
  }
  return dealt;
}
