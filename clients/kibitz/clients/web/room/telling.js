/**
 * What has happened, said and heard.
 *
 * Promises: one announcement for one event; a sound only where cards moved or a game was won.
 */

import { announce } from "../shell/announce.js";
import { play } from "../shell/sound.js";
import { wordsOf } from "./frame.js";

/** @import { Event } from "../protocol/messages.js" */
/** @import { Source } from "./source.js" */

/** @param {Event} event @param {Source} source */
export function tell(event, source) {
  const { race, seats } = source.view;
  if (event.kind === "ready" || event.kind === "unready") {
    const seated = seats.filter(({ id }) => id).length;
    announce(`${race?.ready?.length ?? 0} of ${seated} ready`);
    return;
  }
  announce(wordsOf(event, source));
  if (event.kind === "won") play("win");
  else if (event.fx?.length) play(event.fx.some(([kind]) => kind === "up") ? "flip" : "move");
}
