/**
 * The fold for a race in the form for a new game, and what it asks for.
 *
 * Promises: it begins by agreement unless a time is given; watchers see nothing before the end
 * unless they may see it late.
 */

import { h } from "../shell/dom.js";
import { labelled } from "./form.js";

/** @import { Settings } from "../protocol/messages.js" */

const MINUTE = 60;
/** What watchers may see, in the words of the form. */
const MASKED = "Only scores until the end";
const LATE = "All boards, with a delay";
/** The delay of a race that is shown late, s. */
const USUAL_DELAY = 60;

/** The fold, closed. */
export function raceFields() {
  const watchers = h(
    "select",
    { name: "race-watchers" },
    h("option", { value: "masked" }, MASKED),
    h("option", { value: "delay" }, LATE),
  );
  const delay = labelled(
    "race-delay",
    "Delay, in seconds",
    number("race-delay", 1, 86_400, USUAL_DELAY),
  );
  delay.hidden = true;
  watchers.addEventListener("change", () => {
    delay.hidden = watchers.value !== "delay";
  });
  return h(
    "details",
    { class: "panel race" },
    h("summary", null, "Race"),
    h(
      "p",
      { class: "muted" },
      "The same deal for everybody, each on a board of their own: who is first?",
    ),
    h(
      "div",
      { class: "fields" },
      labelled("race-seats", "Racers at most", number("race-seats", 2, 100, 2)),
      labelled("race-limit", "Time limit, in minutes", number("race-limit", 1, 1440, 60)),
      labelled("race-countdown", "Countdown, in seconds", number("race-countdown", 0, 60, 5)),
      labelled(
        "race-begins",
        "Start at",
        h("input", { name: "race-begins", type: "datetime-local" }),
        "Empty: when all who sit are ready.",
      ),
      labelled("race-watchers", "Watchers see", watchers),
      delay,
    ),
    h("p", null, h("button", { class: "primary" }, "Start a race")),
  );
}

/** @param {string} name @param {number} min @param {number} max @param {number} value */
function number(name, min, max, value) {
  return h("input", { name, type: "number", min, max, value, inputmode: "numeric" });
}

/**
 * What the fold asks for.
 * @param {(name: string) => string} text  what a field says
 * @returns {Settings}
 */
export function raceWish(text) {
  const begins = Date.parse(text("race-begins"));
  const late = text("race-watchers") === "delay";
  return {
    mode: "race",
    seats: Number(text("race-seats") || 2),
    limit: Math.round(Number(text("race-limit") || MINUTE) * MINUTE),
    countdown: Number(text("race-countdown") || 0),
    ...(Number.isFinite(begins) && { begins }),
    ...(late && { policy: { delay: Number(text("race-delay") || USUAL_DELAY) } }),
  };
}
