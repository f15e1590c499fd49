/**
 * A board or a game that ends while it is looked at: the win is seen first, then what came of it.
 *
 * Promises: who has turned to something else meanwhile is left there. Never: a request.
 */

import { duration } from "../table/glide.js";

/** @import { Playback } from "../client/playback.js" */
/** @import { Event } from "../protocol/messages.js" */
/** @import { Stage } from "../table/stage.js" */
/** @import { Race } from "./race.js" */
/** @import { Source } from "./source.js" */

/** How long a win is looked at before its result is shown, ms. */
const LEAP = 1400;
/** After the last event the game is looked at for so long, ms. */
const BREATH = 700;

/** Without a server to bring it there is no feast. @param {Stage} stage */
const celebrate = (stage) =>
  import("./win.js").then(
    (win) => win.celebrate(stage),
    () => {},
  );

/**
 * Let an event end what it ends.
 * @param {Event} event
 * @param {{source: Source, playback: Playback, race: Race | null, stage: Stage,
 *   following: boolean, signal: AbortSignal, look: (board: number) => void,
 *   results: () => void}} room  `following`: the event is what is shown now
 */
export function finish(event, { source, playback, race, stage, following, signal, look, results }) {
  const { kind, board = 0 } = event;
  if (kind === "won" && source.own === board) celebrate(stage);
  if (!following) return;
  /** @type {(ms: number, act: () => void) => void} */
  const later = (ms, act) => setTimeout(() => !signal.aborted && playback.following && act(), ms);
  const turn = (/** @type {number} */ ms) => {
    const chosen = race?.chosen;
    later(ms, () => race && chosen === race.chosen && look(race.preferred));
  };
  if (race?.leaves(event, playback.board)) turn(LEAP);
  if (kind !== "ended") return;
  const won = source.status === "won";
  if (!source.mine) {
    turn(BREATH);
    if (won) later(BREATH, () => celebrate(stage));
  } else {
    if (won && !race) later(BREATH, () => celebrate(stage));
    const shown = () => source.view.next || results();
    later(BREATH + (won && duration() ? LEAP : 0), shown);
  }
}
