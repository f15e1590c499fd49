/**
 * SHA-256 (FIPS 180-4), at once and without `crypto.subtle`.
 *
 * Promises: the digest of any bytes. Never for secrets: it is not made to hide how long it takes.
 */

/** The first 32 bits of the fractional parts of roots of the first primes. */
const { starts: STARTS, rounds: ROUNDS } = constants();
const WORDS = new Int32Array(64);

/**
 * @param {Uint8Array} bytes
 * @returns {Uint8Array} 32 bytes
 */
export function sha256(bytes) {
  const blocks = (bytes.length + 9 + 63) >> 6;
  const padded = new Uint8Array(blocks * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const state = STARTS.slice();
  for (let at = 0; at < padded.length; at += 64) {
    compress(state, view, at);
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, n) => digest.setInt32(n * 4, word));
  return new Uint8Array(digest.buffer);
}

/**
 * Let one block of 64 bytes change the state.
 * @param {Int32Array} state
 * @param {DataView} view
 * @param {number} at
 */
function compress(state, view, at) {
  for (let n = 0; n < 16; n++) {
    WORDS[n] = view.getInt32(at + n * 4);
  }
  for (let n = 16; n < 64; n++) {
    const [x, y] = [WORDS[n - 15], WORDS[n - 2]];
    const s0 = turned(x, 7) ^ turned(x, 18) ^ (x >>> 3);
    const s1 = turned(y, 17) ^ turned(y, 19) ^ (y >>> 10);
    WORDS[n] = WORDS[n - 16] + s0 + WORDS[n - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let n = 0; n < 64; n++) {
    const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const one = (h + s1 + ((e & f) ^ (~e & g)) + ROUNDS[n] + WORDS[n]) | 0;
    const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

/**
 * A word turned right.
 * @param {number} word
 * @param {number} by
 */
function turned(word, by) {
  return (word >>> by) | (word << (32 - by));
}

/** The numbers of the standard, from the primes that they are made of. */
function constants() {
  /** @type {number[]} */
  const primes = [];
  for (let n = 2; primes.length < 64; n++) {
    if (primes.every((prime) => n % prime)) {
      primes.push(n);
    }
  }
  return {
    starts: Int32Array.from(primes.slice(0, 8), (prime) => fraction(prime, 2)),
    rounds: Int32Array.from(primes, (prime) => fraction(prime, 3)),
  };
}

/**
 * 32 bits of the fractional part of a root, exactly: the largest r with r^n <= prime * 2^(32n).
 * @param {number} prime
 * @param {number} n
 */
function fraction(prime, n) {
  const goal = BigInt(prime) << BigInt(32 * n);
  let root = 0n;
  for (let bit = 1n << 36n; bit > 0n; bit >>= 1n) {
    if ((root + bit) ** BigInt(n) <= goal) {
      root += bit;
    }
  }
  return Number(BigInt.asIntN(32, root));
}
