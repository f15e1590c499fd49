/**
 * What a room page shows: a room on the server or a recording, alike. Types only.
 *
 * @import {Past} from "../client/past.js"
 * @import {Playback} from "../client/playback.js"
 * @import {Event, GameInfo, Policy, Presence, Seat, Status, View} from "../protocol/messages.js"
 */

export {};

/**
 * `taken`: he had a seat, and the operator has taken it; `until`: Unix ms.
 * @typedef {{taken: boolean, message: string, until: number}} Unseated
 */

/**
 * Events: `event` (detail: what happened), `reset` (another position without what led there, or
 * another role), `known` (the past is complete), `presence`, `thought` (detail: what a player thinks), `lost` (detail: why).
 *
 * `view`: how it stands now; `board`: index of the visitor's own board in a race, else of the
 * first; `own`: the same, if this is a race and he has one; `fresh`: what happens is told at once;
 * `gone`: the room is lost; `unseated`: why the visitor may not sit here, as far as he was told; `mine`: he has a seat;
 * `plays`: and a board that can be played on; `free`: there is a seat to be taken; `made`: he made the room; `hasBots`: he says which bots of the server's play; `address`: the room's id. `recorded`: the room in which the game was played, if this one shows it; then there
 * are `playback`, led by others, `remarks` made here, and a `notice` of who leads. `from`: the room
 * of the game that would have been won so.
 * @typedef {EventTarget & {
 *   past: Past,
 *   game: string,
 *   info: GameInfo,
 *   view: View,
 *   board: number,
 *   own: number | null,
 *   started: number,
 *   status: Status,
 *   seats: Seat[],
 *   presence: Presence | null,
 *   policy: Policy | null,
 *   fresh: boolean,
 *   gone: boolean,
 *   unseated?: Unseated | null,
 *   mine: boolean,
 *   plays: boolean,
 *   free: boolean,
 *   canOpen: boolean,
 *   made?: boolean,
 *   hasBots?: boolean,
 *   address: string | null,
 *   recorded?: string,
 *   playback?: Playback,
 *   remarks?: Event[],
 *   from?: string,
 *   notice?(embed: boolean): [text: string, choices: [what: string, label: string][]] | undefined,
 *   opened(): Promise<Past>,
 *   close(): void,
 * }} Source
 */
