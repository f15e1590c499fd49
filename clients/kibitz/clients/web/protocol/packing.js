/**
 * Plain values as canonical msgpack: the one form in which events are hashed.
 *
 * Promises: the shortest form of every number, text, list and map; map keys sorted by code points
 * at every level; keys whose value is undefined left out. Never reads msgpack.
 */

const UTF8 = new TextEncoder();

/**
 * @param {unknown} value
 * @returns {Uint8Array}
 * @throws {TypeError} It is nothing that JSON can say.
 */
export function pack(value) {
  const packer = new Packer();
  packer.add(value);
  return packer.bytes;
}

/** Bytes that grow. */
class Packer {
  #bytes = new Uint8Array(512);
  #view = new DataView(this.#bytes.buffer);
  #size = 0;

  get bytes() {
    return this.#bytes.subarray(0, this.#size);
  }

  /** @param {unknown} value */
  add(value) {
    if (value === null) {
      this.#byte(0xc0);
    } else if (typeof value === "string") {
      this.#text(value);
    } else if (typeof value === "number") {
      this.#number(value);
    } else if (typeof value === "boolean") {
      this.#byte(value ? 0xc3 : 0xc2);
    } else if (Array.isArray(value)) {
      this.#head(value.length, 0x90, 16, 0, 0xdc, 0xdd);
      value.forEach((item) => this.add(item));
    } else if (typeof value === "object") {
      this.#map(/** @type {Record<string, unknown>} */ (value));
    } else {
      throw new TypeError(`cannot pack a ${typeof value}`);
    }
  }

  /** @param {Record<string, unknown>} map */
  #map(map) {
    const keys = Object.keys(map).filter((key) => map[key] !== undefined);
    keys.sort(byCodePoints);
    this.#head(keys.length, 0x80, 16, 0, 0xde, 0xdf);
    for (const key of keys) {
      this.#text(key);
      this.add(map[key]);
    }
  }

  /** @param {string} text */
  #text(text) {
    const bytes = UTF8.encode(text);
    this.#head(bytes.length, 0xa0, 32, 0xd9, 0xda, 0xdb);
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#size);
    this.#size += bytes.length;
  }

  /** @param {number} n */
  #number(n) {
    if (!Number.isInteger(n) || Object.is(n, -0)) {
      this.#byte(0xcb);
      this.#room(8);
      this.#view.setFloat64(this.#size, n);
      this.#size += 8;
    } else if (n >= 0) {
      n < 0x80 ? this.#byte(n) : this.#sized(n, 0xcc, 0xcd, 0xce, 0xcf);
    } else if (n >= -32) {
      this.#byte(n + 0x100);
    } else {
      const [size, code] =
        n >= -0x80
          ? [1, 0xd0]
          : n >= -0x8000
            ? [2, 0xd1]
            : n >= -0x80000000
              ? [4, 0xd2]
              : [8, 0xd3];
      this.#byte(code);
      this.#big(n, size);
    }
  }

  /**
   * The head of a text, a list or a map.
   * @param {number} count
   * @param {number} fixed  the code of a short one
   * @param {number} below  what is short
   * @param {number} c8  0: there is no such form
   * @param {number} c16
   * @param {number} c32
   */
  #head(count, fixed, below, c8, c16, c32) {
    count < below ? this.#byte(fixed + count) : this.#sized(count, c8, c16, c32, 0);
  }

  /**
   * @param {number} n
   * @param {number} c8
   * @param {number} c16
   * @param {number} c32
   * @param {number} c64
   */
  #sized(n, c8, c16, c32, c64) {
    const [size, code] =
      c8 && n < 0x100 ? [1, c8] : n < 0x10000 ? [2, c16] : n < 2 ** 32 ? [4, c32] : [8, c64];
    this.#byte(code);
    this.#big(n, size);
  }

  /**
   * An integer in so many bytes, big end first.
   * @param {number} n
   * @param {number} size
   */
  #big(n, size) {
    this.#room(size);
    if (size === 8) {
      this.#view.setBigInt64(this.#size, BigInt.asIntN(64, BigInt(n)));
    } else {
      for (let at = size - 1, left = n; at >= 0; at--, left = Math.floor(left / 256)) {
        this.#bytes[this.#size + at] = left & 0xff;
      }
    }
    this.#size += size;
  }

  /** @param {number} code */
  #byte(code) {
    this.#room(1);
    this.#bytes[this.#size++] = code;
  }

  /** @param {number} more */
  #room(more) {
    const needed = this.#size + more;
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      larger.set(this.#bytes);
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
  }
}

/**
 * Order of code points, which UTF-16 units do not have beyond U+FFFF.
 * @param {string} a
 * @param {string} b
 */
function byCodePoints(a, b) {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x !== y) {
      const [high, low] = [isSurrogate(x), isSurrogate(y)];
      return high === low ? x - y : high ? 1 : -1;
    }
  }
  return a.length - b.length;
}

/** @param {number} unit */
function isSurrogate(unit) {
  return unit >= 0xd800 && unit <= 0xdfff;
}
