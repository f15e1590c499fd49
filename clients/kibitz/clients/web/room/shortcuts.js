/**
 * Keys of a room beside those of the table itself.
 *
 * Promises: letters do something only while the table has the focus, so that they spoil no screen
 * reader's or speech program's own; typing in a field and dialogs are left alone.
 */

/** @import { Playback } from "../client/playback.js" */
/** @import { Action } from "../protocol/messages.js" */

/** What letters do on the table, beside those of the game's own buttons. */
const LETTERS = /** @type {Record<string, string>} */ ({
  u: "undo",
  y: "redo",
  h: "hint",
  "?": "rules",
});
/** With the control or command key, anywhere on the page. */
const CHORDS = /** @type {Record<string, string>} */ ({ z: "undo", Z: "redo", y: "redo" });

/**
 * Let a key do what it stands for.
 * @param {KeyboardEvent} event
 * @param {{plays: boolean, table: Node, actions: Action[], playback: Playback,
 *   todo: (what: string, move?: string) => void}} room
 */
export function shortcut(event, { plays, table, actions, playback, todo }) {
  const { target, key } = event;
  if (event.defaultPrevented || event.altKey || !(target instanceof Element)) return;
  if (target.closest("dialog, input, select, textarea")) return;
  const done =
    event.ctrlKey || event.metaKey
      ? plays && told(CHORDS[key], todo)
      : table.contains(target)
        ? onTable(key.toLowerCase(), { plays, actions, todo })
        : !plays && !target.closest("button, a, summary, [tabindex='0']") && step(key, playback);
  if (done) event.preventDefault();
}

/** @param {string | undefined} what @param {(what: string) => void} todo */
function told(what, todo) {
  if (what) todo(what);
  return Boolean(what);
}

/**
 * @param {string} key
 * @param {{plays: boolean, actions: Action[], todo: (what: string, move?: string) => void}} room
 */
function onTable(key, { plays, actions, todo }) {
  const action = plays && actions.find(({ label }) => label[0].toLowerCase() === key);
  if (action) todo("act", action.move);
  else return (plays || key === "?") && told(LETTERS[key], todo);
  return true;
}

/** Whoever watches steps through the game. @param {string} key @param {Playback} playback */
function step(key, playback) {
  if (key === "ArrowLeft") playback.step(-1);
  else if (key === "ArrowRight") playback.step(1);
  else if (key === "Home") playback.home();
  else if (key === "End") playback.end();
  else if (key === " ") playback.playing ? playback.pause() : playback.play();
  else return false;
  return true;
}
