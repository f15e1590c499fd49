/**
 * Every message of the wire, v1, as a type: what `protocol/README.md` says, in JSDoc.
 *
 * Promises: nothing happens here. Keys that are not listed may come and are kept.
 */

export {};

/** @typedef {"solo" | "coop" | "race" | "replay"} Mode */
/** @typedef {"player" | "spectator"} Role */
/** @typedef {"public" | "unlisted" | "private"} Visibility */
/**
 * `empty`: nobody's board; `closed`: by the operator, before the game had ended.
 * @typedef {"open" | "won" | "resigned" | "timeout" | "empty" | "closed"} Status
 */
/** @typedef {number | string} Id  what ties an answer to its request */
/** @typedef {Record<string, string[]>} Piles  cells by pile, bottom to top: `Qh` `??` `Qh-` */

/**
 * One fact about cards: `["mv", from, to, cells]` `["up", pile, card]` `["dn", pile, cell?]`
 * `["set", pile, cells]` `["count", name, n]`.
 * @typedef {[kind: string, ...rest: any[]]} Fact
 */

/**
 * @typedef {{undo: boolean, save: boolean, cheat: boolean, hints: boolean, say: boolean,
 *   advice?: boolean, casual?: boolean, masked?: boolean, delay?: number}} Policy  `advice`: players
 *   are told what a bot would play; `casual`: whether it can still be won; `masked`: watchers of a race see no board before it
 *   is over; `delay`: they see everything so many seconds later
 */
/** @typedef {{strategy: string, pace: number}} Bot  one of the server's; `pace`: ms from move to move */
/** @typedef {{seat: number, id?: string, name?: string, bot?: Bot}} Seat  no `id`: it is free */
/**
 * One board as a viewer may see it; a `hidden` one has no piles and no counters. `ms`: the time it
 * took, of a board of a race that is done.
 * @typedef {{piles: Piles, status: Status, moves: number, score: number,
 *   counters: Record<string, number>, hidden?: boolean, ms?: number}} BoardView
 */
/**
 * How a race stands: `countdown` and `limit` in seconds; `begins` and `started` in ms since the
 * room's creation, where that is agreed or has come; `ready`: the seats that are, in order.
 * @typedef {{countdown: number, limit: number, begins?: number, started?: number,
 *   ready?: number[]}} Race
 */
/** @typedef {{first: string, number: number, tally: number[]}} Series  `tally`: wins by seat */
/**
 * Where a replay room is: at event `at` of the recorded game when this was said; `speed` in
 * percent, `beat` in ms.
 * @typedef {{at: number, playing?: boolean, speed?: number, beat?: number}} Control
 */
/**
 * What a replay room shows; `since`: when the control was said, ms since its creation.
 * @typedef {{room: string, seq: number, control: Control, since: number}} Recorded
 */
/**
 * A row of the table of a race; equals share a place.
 * @typedef {{place: number, seat: number, name: string, id: string, status: Status, moves: number,
 *   score: number, ms?: number}} Standing
 */
/**
 * @typedef {{game: string, options: Record<string, string>, mode: Mode, boards: BoardView[],
 *   seats: Seat[], status: Status, policy: Policy, race?: Race, series?: Series,
 *   recorded?: Recorded, comments?: boolean, daily?: string, next?: string,
 *   winnable?: boolean}} View  `comments` is false where they are off; `next`: the room where the
 *   series goes on; `winnable`: the deal was known to be
 */
/**
 * What a finished game lays open.
 * @typedef {{start: Piles, counters: Record<string, number>, seed: string, deal?: string,
 *   secret?: string}} Opened
 */
/**
 * What a room promised before its first move: the root of a tree over its cards, what stands for
 * the server's secret, what the player added to that; `loaded`: it starts from a given position.
 * @typedef {{root: string, pledge: string, nonce?: string, loaded?: boolean,
 *   numbered?: boolean}} Fair
 */

/**
 * One numbered fact of a room's history; `kind` says which of the keys are there.
 * @typedef {{
 *   t: "event", room: string, seq: number, at: number, by?: string, kind: string, board?: number,
 *   move?: string, fx?: Fact[], moves?: number, score?: number, name?: string, seat?: number,
 *   bot?: Bot, text?: string, ms?: number, result?: Status, game?: string, options?: Record<string, string>,
 *   mode?: Mode, seats?: number, policy?: Policy, started?: number, opened?: Opened,
 *   origin?: {room: string, seq: number, board?: number}, countdown?: number, limit?: number,
 *   begins?: number, boards?: Fact[][], results?: Standing[], series?: Series, daily?: string,
 *   next?: string, on?: boolean, control?: Control, salt?: string, commit?: string, fair?: Fair,
 *   winnable?: boolean,
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
 * A room in the lobby; `players` are names, times are Unix ms. `waiting`: a race that has not
 * begun; `due`: when something happens by itself.
 * @typedef {{id: string, game: string, mode: Mode, players: string[], seats: number,
 *   spectators: number, seq: number, score: number, status: Status, started: number,
 *   visibility: Visibility, updated?: number, waiting?: boolean, due?: number, daily?: string,
 *   owner?: string, moves?: number, ms?: number, masked?: boolean, delay?: number,
 *   password?: boolean, winnable?: boolean}} RoomInfo
 */
/**
 * @typedef {{mode: Mode, visibility: Visibility, started: number, policy: Policy,
 *   fair?: Fair}} Info
 */

/* Answers */

/**
 * @typedef {{t: "welcome", i?: Id, you: {id: string, name: string}, token: string, server: string,
 *   now: number, games: Record<string, GameInfo>, limits: Record<string, number>,
 *   roles?: string[]}} Welcome  `roles`: what this identity may do, if not what a guest may
 */
/** @typedef {{t: "pong", i?: Id, now: number, heads: Record<string, [number, string]>}} Pong */
/** @typedef {{t: "pledged", i?: Id, pledge: string}} Pledged */
/**
 * @typedef {{t: "joined", i?: Id, room: string, role: Role, seat?: number, board?: number,
 *   seq: number, hash: string, info: Info, view?: View, events?: Event[], fork?: boolean,
 *   already?: boolean}} Joined
 */
/** @typedef {{t: "invited", i?: Id, room: string, role: Role, invite: string}} Invited */
/** @typedef {{t: "ok", i?: Id, room?: string, seq?: number, hash?: string}} Ok */
/** @typedef {{t: "rooms", i?: Id, rooms: RoomInfo[], next?: string}} RoomList */
/** @typedef {[from: string, to: string, cards: number]} Drag */
/**
 * @typedef {{t: "moves", i?: Id, room: string, seq: number, moves: string[],
 *   drags?: (Drag | null)[], undo?: boolean, redo?: boolean}} MoveList
 */
/**
 * `retry_ms`: it is not known yet, ask again then. `proved`: so it is, whatever lies hidden.
 * @typedef {{t: "advice", i?: Id, room: string, seq: number, what: "move" | "chances",
 *   retry_ms?: number, move?: string, drag?: Drag, worlds?: number, winnable?: number,
 *   lost?: number, proved?: "win" | "lost"}} Advice
 */
/** @typedef {{t: "finish", i?: Id, room: string, seq: number, moves: string[]}} Finishing */
/** @typedef {{t: "saved", i?: Id, room: string, text: string}} Saved */
/** @typedef {{t: "view", i?: Id, room: string, seq: number, hash: string, view: View}} Position */
/** @typedef {{t: "history", i?: Id, room: string, events: Event[], next?: number}} EventList */
/**
 * @typedef {{t: "replayed", i?: Id, game: string, options: Record<string, string>,
 *   events: Event[], open: Event[], fault?: string}} Replayed
 */
/**
 * A row of a day's table; `room` is there once the day is over.
 * @typedef {{place: number, name: string, id: string, status: Status, score: number, moves: number,
 *   ms?: number, room?: string}} DailyRow
 */
/**
 * `until`: when the day is over, Unix ms. `rows`: the best ones and one's own, of `total`.
 * @typedef {{t: "daily", i?: Id, game: string, date: string, until: number,
 *   rows: DailyRow[], total?: number}} DailyTable
 */
/**
 * @typedef {{t: "error", i?: Id, code: string, message: string, room?: string, seq?: number,
 *   retry_ms?: number, limit?: string}} Refusal  `limit`: what there is too much of
 */

/* Pushes */

/**
 * What the player of a board thinks of its moves at an event: the best first, a larger value is better.
 * @typedef {{t: "thought", room: string, board: number, seq: number, moves: [string, number][]}} Thought
 */
/** @typedef {{t: "presence", room: string, spectators: number, players: number[]}} Presence */
/** @typedef {{t: "lobby", room: RoomInfo}} LobbyRoom */
/** @typedef {{t: "tv", room: RoomInfo | null}} TvRoom  the room most worth watching, if any is */
/** @typedef {{t: "searching", deals: number}} Searching  so many were drawn for a winnable one */
/** @typedef {{t: "notice", text: string}} Notice  what the operator has to say to everybody */
/**
 * A room that could not be taken up again: told by this client, not by the server.
 * @typedef {{t: "lost", room: string, code: string, message: string, retry_ms?: number}} Lost
 */

/**
 * @typedef {Welcome | Pong | Pledged | Joined | Invited | Ok | RoomList | MoveList | Advice
 *   | Finishing | Saved | Position | EventList | Replayed | DailyTable | Refusal} Answer
 */
/**
 * @typedef {Event | Presence | Thought | LobbyRoom | TvRoom | Searching | Notice | Position | Joined
 *   | Lost} Push
 */
/** @typedef {Answer | Event | Presence | Thought | LobbyRoom | TvRoom | Searching | Notice} Reply */

/* Requests */

/**
 * What may be asked: `t` says what, the other keys are the request's own.
 * @typedef {{t: string, i?: Id, room?: string, [key: string]: unknown}} Request
 */
/** @typedef {{t: "join", i?: Id, room: string, role: Role, from?: number, hash?: string}} Resume */
/** @typedef {{from: string, to: string, cards?: number}} Dragged */
/**
 * The other keys of `create`: `countdown` and `limit` of a race in seconds, `begins` in Unix ms.
 * @typedef {{options?: Record<string, string | number | boolean>, mode?: Mode, seats?: number,
 *   deal?: string, save?: string, visibility?: Visibility, password?: string,
 *   policy?: Partial<Policy>, seat?: boolean, countdown?: number, limit?: number,
 *   begins?: number, daily?: boolean, nonce?: string, pledge?: string, winnable?: boolean}} Settings
 */
/** @typedef {{game?: string, status?: Status, after?: string, limit?: number}} Filters */
