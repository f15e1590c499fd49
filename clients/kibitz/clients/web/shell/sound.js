/**
 * Four short clicks, made on the spot.
 *
 * Promises: silent unless the visitor switched sound on. Never loads a file.
 */

import { settings } from "./settings.js";

/** @type {Record<string, [number, number, number][]>}  name: [hertz, starts at, lasts] in s */
const CLICKS = {
  move: [[420, 0, 0.05]],
  flip: [[780, 0, 0.04]],
  no: [[170, 0, 0.12]],
  win: [
    [523, 0, 0.16],
    [659, 0.12, 0.16],
    [784, 0.24, 0.3],
  ],
};

/** @type {AudioContext | undefined} */
let audio;

/** @param {"move" | "flip" | "win" | "no"} name */
export function play(name) {
  if (!settings.sound || !globalThis.AudioContext) return;
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume().catch(() => {});
  const now = audio.currentTime;
  for (const [hertz, at, length] of CLICKS[name]) {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.type = "triangle";
    tone.frequency.setValueAtTime(hertz, now + at);
    volume.gain.setValueAtTime(0.16, now + at);
    volume.gain.exponentialRampToValueAtTime(0.001, now + at + length);
    tone.connect(volume).connect(audio.destination);
    tone.start(now + at);
    tone.stop(now + at + length);
  }
}
