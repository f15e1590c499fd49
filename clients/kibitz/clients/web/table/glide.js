/**
 * Cards glide from where they were to where they are.
 *
 * Promises: what is under way is overtaken, never queued; nothing moves where people asked for
 * quiet. Never: decides where a card lies.
 */

/** @type {Record<string, number>} */
const SPEEDS = { off: 0, fast: 110, normal: 190 };

/** How long a move takes, in milliseconds; 0 where nothing may move. */
export function duration() {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return 0;
  return SPEEDS[document.documentElement.dataset.motion ?? "normal"] ?? SPEEDS.normal;
}

/**
 * Where things are on the screen now, gliding ones included.
 * @param {Iterable<HTMLElement>} elements
 * @returns {Map<HTMLElement, DOMRect>}
 */
export function places(elements) {
  const found = new Map();
  for (const element of elements) found.set(element, element.getBoundingClientRect());
  return found;
}

/**
 * Let everything that changed its place go there from where it was.
 * @param {Map<HTMLElement, DOMRect>} before  what `places` said before the change
 * @param {number} ms  how long
 */
export function glide(before, ms) {
  for (const element of before.keys()) settle(element);
  const now = places([...before.keys()].filter((element) => element.isConnected));
  for (const [element, is] of now) {
    const was = /** @type {DOMRect} */ (before.get(element));
    const [x, y] = [was.left - is.left, was.top - is.top];
    if (!was.width || (Math.abs(x) <= 1 && Math.abs(y) <= 1)) continue;
    element.classList.add("gliding");
    const frames = [{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }];
    const run = element.animate(frames, { duration: ms, easing: "cubic-bezier(.2,.7,.2,1)" });
    run.id = "glide";
    run.onfinish = () => element.classList.remove("gliding");
  }
}

/**
 * Be where one belongs, at once.
 * @param {HTMLElement} element
 */
export function settle(element) {
  if (!element.classList.contains("gliding")) return;
  for (const run of element.getAnimations()) if (run.id === "glide") run.cancel();
  element.classList.remove("gliding");
}

/**
 * Turn a card over.
 * @param {Element} face
 * @param {number} ms
 */
export function flip(face, ms) {
  face.animate([{ transform: "scaleX(.1)" }, { transform: "none" }], { duration: ms });
}
