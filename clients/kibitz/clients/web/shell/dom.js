/**
 * Elements from plain calls: `h("p", {class: "note"}, "text")`.
 *
 * Promises: text stays text; `null`, `undefined` and `false` among props and children are skipped.
 * Never parses markup, never writes a style attribute.
 */

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Child | Child[]} Children */
/** @typedef {Record<string, any>} Props  `class`, attributes, `dataset`, `on...` listeners */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {Element} node
 * @param {Props | null | undefined} props
 * @param {Children[]} children
 */
function fill(node, props, children) {
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function" && key.startsWith("on")) {
      node.addEventListener(key.slice(2).toLowerCase(), value);
    } else if (key === "dataset") {
      for (const [name, text] of Object.entries(value)) {
        if (text !== null && text !== undefined && text !== false) {
          /** @type {HTMLElement | SVGElement} */ (node).dataset[name] = text === true ? "" : text;
        }
      }
    } else {
      node.setAttribute(key, value === true ? "" : String(value));
    }
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
}

/**
 * An HTML element with its props and children.
 * @template {string} K
 * @param {K} tag
 * @param {Props | null} [props]
 * @param {...Children} children
 * @returns {K extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[K] : HTMLElement}
 */
export function h(tag, props, ...children) {
  const node = document.createElement(tag);
  fill(node, props, children);
  return /** @type {any} */ (node);
}

/**
 * An SVG element with its attributes and children.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Props | null} [attrs]
 * @param {...Children} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, attrs, ...children) {
  const node = document.createElementNS(SVG, tag);
  fill(node, attrs, children);
  return /** @type {any} */ (node);
}

/**
 * Take all children away.
 * @template {Element} T
 * @param {T} node
 * @returns {T}
 */
export function clear(node) {
  node.replaceChildren();
  return node;
}

/**
 * Draw, but not while something inside is pressed: what is pressed stays under the finger.
 * @param {Element} node
 * @param {() => void} draw
 */
export function whenLetGo(node, draw) {
  if (node.matches(":active")) requestAnimationFrame(() => whenLetGo(node, draw));
  else draw();
}
