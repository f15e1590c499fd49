/**
 * Playing cards as SVG, drawn here from path data.
 *
 * Promises: `face(code)` and `back()` give a new element each time, a copy of one made before, of
 * at most 25 nodes. Colours, themes and sizes are left to style/cards.css.
 * Never: text, fonts, ids, styles, or anything outside the element that is given.
 */

import { COURTS, FRAME, SASH } from "./courts.js";
import { RANKS, SUITS, put } from "./marks.js";

/** @import { Layer } from "./courts.js" */

/** Where pips stand. @type {Record<string, number[][]>} */
const PIPS = (() => {
  const left = 29,
    right = 71;
  const pairs = (/** @type {number[]} */ ...rows) =>
    rows.flatMap((y) => [
      [left, y],
      [right, y],
    ]);
  return {
    2: [
      [50, 34],
      [50, 106],
    ],
    3: [
      [50, 34],
      [50, 70],
      [50, 106],
    ],
    4: pairs(34, 106),
    5: [...pairs(34, 106), [50, 70]],
    6: pairs(34, 70, 106),
    7: [...pairs(34, 70, 106), [50, 52]],
    8: [...pairs(34, 70, 106), [50, 52], [50, 88]],
    9: [...pairs(34, 58, 82, 106), [50, 70]],
    T: [...pairs(34, 58, 82, 106), [50, 46], [50, 94]],
  };
})();

/** @type {Map<string, SVGElement>} */
const made = new Map();

/** A new element of SVG. @param {string} tag @param {string} kind  its class */
function element(tag, kind) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  node.setAttribute("class", kind);
  return /** @type {SVGElement} */ (node);
}

/** @param {string} layer @param {string} data */
function shape(layer, data) {
  const path = element("path", layer);
  path.setAttribute("d", data);
  return path;
}

/** @param {string} kind @param {Layer[]} layers */
function group(kind, layers) {
  const node = element("g", kind);
  node.append(...layers.map(([layer, data]) => shape(layer, data)));
  return node;
}

/**
 * A copy of the drawing of that name, which is made when it is first asked for.
 * @param {string} name
 * @param {() => SVGElement[]} parts
 */
function copy(name, parts) {
  let drawing = made.get(name);
  if (!drawing) {
    drawing = element("svg", name ? `face ${name[1]}` : "back");
    drawing.setAttribute("viewBox", "0 0 100 140");
    drawing.setAttribute("aria-hidden", "true");
    drawing.append(...parts());
    made.set(name, drawing);
  }
  return /** @type {SVGSVGElement} */ (drawing.cloneNode(true));
}

/**
 * The face of a card.
 * @param {string} code  `Qh`
 * @returns {SVGSVGElement}
 */
export function face(code) {
  return copy(code, () => {
    const [rank, suit] = code;
    const wide = rank === "T" ? 0.8 : 0.9;
    const index = (/** @type {1 | -1} */ way) =>
      group(way > 0 ? "index" : "index far", [
        ["rank", put(RANKS[rank], 50 - way * 39.5, 70 - way * 57, way * wide, way * 0.9)],
        ["pip", put(SUITS[suit], 50 - way * 25.6, 70 - way * 57, way * 0.72)],
      ]);
    const big = shape("big pip", put(SUITS[suit], 50, 86, 4));
    return [picture(rank, suit), index(1), index(-1), big];
  });
}

/**
 * What a card shows between its two indexes.
 * @param {string} rank
 * @param {string} suit
 */
function picture(rank, suit) {
  const sign = SUITS[suit];
  if (rank === "A") return group("ace", ace(sign));
  const pips = PIPS[rank];
  if (pips) {
    const placed = pips.map(([x, y]) => put(sign, x, y, y > 70 ? -1.05 : 1.05));
    return group("pips", [["pip", placed.join("")]]);
  }
  const twice = (/** @type {string} */ data) => put(data, 50, 70) + put(data, 50, 70, -1);
  const drawn = [...COURTS[rank], ...SASH].map(([layer, data]) => [layer, twice(data)]);
  return group("court", [
    ["frame", put(FRAME, 50, 70)],
    .../** @type {Layer[]} */ (drawn),
    ["pip", put(sign, 23, 37.5, 0.85) + put(sign, 77, 102.5, -0.85)],
  ]);
}

/**
 * A large sign in a wreath of rays.
 * @param {string} sign
 * @returns {Layer[]}
 */
function ace(sign) {
  let rays = "",
    dots = "";
  for (let n = 0; n < 48; n += 1) {
    const turn = (n * Math.PI) / 24,
      x = Math.cos(turn),
      y = Math.sin(turn);
    const end = n % 2 ? 37 : 40;
    rays += `M${50 + 33.5 * x} ${70 + 33.5 * y}L${50 + end * x} ${70 + end * y}`;
    if (n % 2 === 0) dots += put("M0 0o.9", 50 + 43 * x, 70 + 43 * y);
  }
  return [
    ["rays", rays],
    ["dots", dots],
    ["pip", put(sign, 50, 70, 2.5)],
    ["inlay", put(sign, 50, 70, 1.95)],
    ["pip", put(sign, 50, 70, 1.75)],
  ];
}

/** The back of a card. @returns {SVGSVGElement} */
export function back() {
  return copy("", () => {
    let lattice = "",
      dots = "";
    for (let y = 13; y <= 127; y += 9.5)
      for (let x = 12; x <= 88; x += 9.5) {
        dots += put("M0 0o1.1", x, y);
        if (x < 88 && y < 127) lattice += `M${x + 4.75} ${y}l4.75 4.75l-4.75 4.75l-4.75-4.75z`;
      }
    return [
      group("weave", [
        ["field", "M7 8h86v124h-86z"],
        ["lattice", lattice],
        ["knots", dots],
      ]),
    ];
  });
}
