/**
 * A game's table in miniature, drawn from its layout.
 *
 * Promises: the same picture for the same layout, of any game; decoration only, never spoken.
 */

import { svg } from "../shell/dom.js";

/** @import { LayoutPlace } from "../protocol/messages.js" */

const WIDTH = 10;
const HEIGHT = 14;
const APART = 12.5;
const FAN = 4;
/** Cards of a fan: enough to look like a game that has begun. */
const FANNED = [2, 4, 3, 5, 3, 4, 2];

/**
 * The picture of a layout.
 * @param {LayoutPlace[]} layout
 * @returns {SVGSVGElement}
 */
export function emblem(layout) {
  let across = 0;
  let down = 0;
  const fans = layout.filter(({ kind }) => kind === "fan");
  const cards = layout.flatMap(({ kind, column, row }, n) => {
    const at = column * APART;
    const top = row * (HEIGHT + 3);
    const count = kind === "fan" ? FANNED[fans.findIndex((f) => f.column === column) % 7] : 1;
    across = Math.max(across, at + WIDTH);
    down = Math.max(down, top + HEIGHT + (count - 1) * FAN);
    const looks =
      kind === "stock" && !column
        ? "back"
        : kind === "foundation" || (kind === "row-cell" && (n * 5) % 13 === 7)
          ? "place"
          : "front";
    return Array.from({ length: count }, (_, i) =>
      svg("rect", {
        class: i < count - 1 && row > 0 ? "back" : looks,
        x: at,
        y: top + i * FAN,
        width: WIDTH,
        height: HEIGHT,
        rx: 1.6,
      }),
    );
  });
  return svg(
    "svg",
    {
      class: "emblem",
      viewBox: `-1 -1 ${across + 2} ${down + 2}`,
      "aria-hidden": "true",
    },
    cards,
  );
}
