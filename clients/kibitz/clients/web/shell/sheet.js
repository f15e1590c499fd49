/**
 * Style sheets of what is seldom seen: they come with the first use.
 *
 * Promises: one link for each sheet; when the answer comes it is in force, or could not be had: then
 * it is asked for again with the next use.
 */

import { h } from "./dom.js";

/** @type {Map<string, Promise<unknown>>} */
const asked = new Map();

/** @param {"analysis" | "daily" | "proof" | "race" | "thoughts" | "tv"} name  of a file in `style/` */
export function sheet(name) {
  let loaded = asked.get(name);
  if (!loaded) {
    const link = h("link", {
      rel: "stylesheet",
      href: new URL(`../style/${name}.css`, import.meta.url).href,
    });
    loaded = new Promise((done) => {
      link.onload = done;
      link.onerror = (event) => {
        asked.delete(name);
        link.remove();
        done(event);
      };
    });
    asked.set(name, loaded);
    document.head.append(link);
  }
  return loaded;
}
