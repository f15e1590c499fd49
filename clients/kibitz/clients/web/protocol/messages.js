/**
 * Every message of the wire, v1, as a type: what `protocol/README.md` says, in JSDoc.
 *
 * Promises: nothing happens here. Keys that are not listed may come and are kept.
 */

export {};

/** @typedef {"solo" | "coop"} Mode */
/** @typedef {"player" | "spectator"} Role */
/** @typedef {"public" | "unlisted" | "private"} Visibility */
/** @typedef {"open" | "won" | "resigned"} Status */
/** @typedef {number | string} Id  what ties an answer to its request */
/** @typedef {Record<string, string[]>} Piles  cells by pile, bottom to top: `Qh` `??` `Qh-` */

/**
 * One fact about cards: `["mv", from, to, cells]` `["up", pile, card]` `["dn", pile, cell?]`
 * `["set", pile, cells]` `["count", name, n]`.
 * @typedef {[kind: string, ...rest: any[]]} Fact
 */

/**
 * @typedef {{undo: boolean, save: boolean, cheat: boolean, hints: boolean, say: boolean,
 *   delay?: number}} Policy
 */
/** @typedef {{seat: number, id?: string, name?: string}} Seat  no `id`: it is free */
/**
 * @typedef {{piles: Piles, status: Status, moves: number, score: number,
 *   counters: Record<string, number>}} BoardView
 */
/**
 * @typedef {{game: string, options: Record<string, string>, mode: Mode, boards: BoardView[],
 *   seats: Seat[], status: Status, policy: Policy}} View
 */
/**
 * What a finished game lays open.
 * @typedef {{start: Piles, counters: Record<string, number>, seed: string, deal?: string}} Opened
 */

/**
 * One numbered fact of a room's history; `kind` says which of the keys are there.
 * @typedef {{
 *   t: "event", room: string, seq: number, at: number, by?: string, kind: string, board?: number,
 *   move?: string, fx?: Fact[], moves?: number, score?: number, name?: string, seat?: number,
 *   text?: string, ms?: number, result?: Status, game?: string, options?: Record<string, string>,
 *   mode?: Mode, seats?: number, policy?: Policy, started?: number, opened?: Opened,
 * }} Event
 */

/** @typedef {"stock" | "waste" | "foundation" | "fan" | "row-cell"} PlaceKind */
/** @typedef {{pile: string, kind: PlaceKind, column: number, row: number}} LayoutPlace */
/** @typedef {{move: string, label: string}} Action  a command that is no drag */
/**
 * @typedef {{title: string, options: Record<string, string>, layout: LayoutPlace[], help: string,
 *   actions?: Action[]}} GameInfo
 */
/**
 * A room in the lobby; `players` are names.
 * @typedef {{id: string, game: string, mode: Mode, players: string[], seats: number,
 *   spectators: number, seq: number, score: number, status: Status, started: number,
 *   visibility: Visibility}} RoomInfo
 */
/** @typedef {{mode: Mode, visibility: Visibility, started: number, policy: Policy}} Info */

/* Answers */

/**
 * @typedef {{t: "welcome", i?: Id, you: {id: string, name: string}, token: string, server: string,
 *   now: number, games: Record<string, GameInfo>, limits: Record<string, number>}} Welcome
 */
/** @typedef {{t: "pong", i?: Id, now: number, heads: Record<string, [number, string]>}} Pong */
/**
 * @typedef {{t: "joined", i?: Id, room: string, role: Role, seat?: number, board?: number,
 *   seq: number, hash: string, info: Info, view?: View, events?: Event[], fork?: boolean,
 *   already?: boolean}} Joined
 */
/** @typedef {{t: "ok", i?: Id, room?: string, seq?: number, hash?: string}} Ok */
/** @typedef {{t: "rooms", i?: Id, rooms: RoomInfo[], next?: string}} RoomList */
/** @typedef {[from: string, to: string, cards: number]} Drag */
/**
 * @typedef {{t: "moves", i?: Id, room: string, seq: number, moves: string[],
 *   drags?: (Drag | null)[], undo?: boolean, redo?: boolean}} MoveList
 */
/** @typedef {{t: "saved", i?: Id, room: string, text: string}} Saved */
/** @typedef {{t: "view", i?: Id, room: string, seq: number, hash: string, view: View}} Position */
/** @typedef {{t: "history", i?: Id, room: string, events: Event[], next?: number}} EventList */
/**
 * @typedef {{t: "replayed", i?: Id, game: string, options: Record<string, string>,
 *   events: Event[], open: Event[], fault?: string}} Replayed
 */
/**
 * @typedef {{t: "error", i?: Id, code: string, message: string, room?: string, seq?: number,
 *   retry_ms?: number}} Refusal
 */

/* Pushes */

/** @typedef {{t: "presence", room: string, spectators: number, players: number[]}} Presence */
/** @typedef {{t: "lobby", room: RoomInfo}} LobbyRoom */
/**
 * A room that could not be taken up again: told by this client, not by the server.
 * @typedef {{t: "lost", room: string, code: string, message: string}} Lost
 */

/**
 * @typedef {Welcome | Pong | Joined | Ok | RoomList | MoveList | Saved | Position | EventList
 *   | Replayed | Refusal} Answer
 */
/** @typedef {Event | Presence | LobbyRoom | Position | Joined | Lost} Push */
/** @typedef {Answer | Event | Presence | LobbyRoom} Reply */

/* Requests */

/**
 * What may be asked: `t` says what, the other keys are the request's own.
 * @typedef {{t: string, i?: Id, room?: string, [key: string]: unknown}} Request
 */
/** @typedef {{t: "join", i?: Id, room: string, role: Role, from?: number, hash?: string}} Resume */
/** @typedef {{from: string, to: string, cards?: number}} Dragged */
/**
 * The other keys of `create`.
 * @typedef {{options?: Record<string, string | number | boolean>, mode?: Mode, seats?: number,
 *   deal?: string, save?: string, visibility?: Visibility, password?: string,
 *   policy?: Partial<Policy>, seat?: boolean}} Settings
 */
/** @typedef {{game?: string, status?: Status, after?: string, limit?: number}} Filters */
