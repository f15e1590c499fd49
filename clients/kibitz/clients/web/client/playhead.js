/**
 * Where a replay is: the number of the event of the recorded game that is to be seen now.
 *
 * Promises: follows from the control and the time alone, so that all who look are in step, however
 * late they came; the same as the server's own `playhead`. Never: a clock, cards.
 */

/** @import {Recorded} from "../protocol/messages.js" */

const PERCENT = 100;

/**
 * The number of the event that is to be seen.
 * @param {Recorded} recorded
 * @param {readonly number[]} times  when each event of the recorded game happened, `times[n - 1]`
 *   for event n, ms
 * @param {number} now  on the clock of `recorded.since`, ms
 */
export function positionAt({ control, seq, since }, times, now) {
  const last = Math.min(seq, times.length);
  const at = Math.min(control.at, last);
  if (!control.playing || at < 1) return at;
  const passed = Math.max(now - since, 0);
  if (control.beat !== undefined) return Math.min(at + Math.floor(passed / control.beat), last);
  const reached = times[at - 1] + Math.floor((passed * (control.speed ?? PERCENT)) / PERCENT);
  let [low, high] = [0, last];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= reached) low = middle + 1;
    else high = middle;
  }
  return Math.max(at, low);
}

/**
 * When the event of that number is first to be seen, ms on the same clock; `null`: never.
 * @param {Recorded} recorded
 * @param {readonly number[]} times
 * @param {number} number
 */
export function dueAt({ control, seq, since }, times, number) {
  const { at, playing, speed = PERCENT, beat } = control;
  if (!playing || at >= number || number > Math.min(seq, times.length)) return null;
  if (beat !== undefined) return since + (number - at) * beat;
  const ahead = Math.max(times[number - 1] - times[at - 1], 0);
  return since + Math.ceil((ahead * PERCENT) / speed);
}
