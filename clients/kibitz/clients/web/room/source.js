/**
 * What a room page shows: a room on the server or a recording, alike. Types only.
 *
 * @import {Past} from "../client/past.js"
 * @import {GameInfo, Policy, Presence, Seat, Status} from "../protocol/messages.js"
 */

export {};

/**
 * Events: `event` (detail: what happened), `reset` (another position without what led there, or
 * another role), `known` (the past is complete), `presence`, `lost` (detail: why).
 * @typedef {EventTarget & {
 *   past: Past,
 *   game: string,
 *   info: GameInfo,
 *   started: number,
 *   status: Status,
 *   seats: Seat[],
 *   presence: Presence | null,
 *   policy: Policy | null,
 *   fresh: boolean,
 *   gone: boolean,
 *   mine: boolean,
 *   free: boolean,
 *   canOpen: boolean,
 *   address: string | null,
 *   opened(): Promise<Past>,
 *   close(): void,
 * }} Source  `fresh`: what happens is told at once; `gone`: the room is lost; `mine`: the visitor has a seat; `free`: there is a seat to be taken;
 *   `address`: the room's id
 */
