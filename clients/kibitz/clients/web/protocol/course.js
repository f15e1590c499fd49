/**
 * How a room goes on, all but the cards: seats, statuses, the race, the series, the controls.
 *
 * Promises: follows from the events alone; views are never changed. Never: cards, who may see
 * them, a clock.
 */

/** @import {BoardView, Event, Race, Seat, Standing, View} from "./messages.js" */

const DEFAULT_COUNTDOWN = 5;
const DEFAULT_LIMIT = 3600;

/** @type {BoardView} */
const BARE = { piles: {}, status: "open", moves: 0, score: 0, counters: {} };
const ALLOWED = { undo: true, save: true, cheat: false, hints: true, say: true };

/**
 * A room that was just created, as its first event tells, without cards.
 * @param {Event} created
 * @returns {View}
 */
export function begun(created) {
  const { game = "", options = {}, mode = "solo", seats = 1, policy = ALLOWED } = created;
  const { countdown = DEFAULT_COUNTDOWN, limit = DEFAULT_LIMIT, begins, series, daily } = created;
  const { origin, control, at, winnable } = created;
  /** @type {View} */
  const view = {
    game,
    options,
    mode,
    boards: Array(mode === "race" ? seats : 1).fill(BARE),
    seats: Array.from({ length: seats }, (_, n) => ({ seat: n + 1 })),
    status: "open",
    policy,
    ...(series && { series }),
    ...(daily && { daily }),
    ...(winnable && { winnable }),
  };
  if (mode === "race") view.race = { countdown, limit, ...(begins !== undefined && { begins }) };
  if (origin && control) {
    view.recorded = { room: origin.room, seq: origin.seq, control, since: at };
    view.boards = [];
  }
  return view;
}

/**
 * The view after one more event, all but the cards.
 * @param {View} view
 * @param {Event} event
 * @returns {View}
 * @throws {RangeError} There is no such seat.
 */
export function course(view, event) {
  const { race, recorded } = view;
  const { kind, seat, begins } = event;
  switch (kind) {
    case "joined":
      return seat === undefined ? view : seated(view, taken(seat, event));
    case "left":
      return seat === undefined ? view : seated(ready(view, seat, false), { seat });
    case "ready":
    case "unready":
      return seat === undefined ? view : ready(view, seat, kind === "ready");
    case "countdown": {
      if (!race) return view;
      const { begins: _, ...rest } = race;
      return { ...view, race: begins === undefined ? rest : { ...rest, begins } };
    }
    case "started":
      return race ? started(view, race, event.at) : view;
    case "won":
    case "resigned":
    case "timeout":
      return done(view, event, kind);
    case "ended":
      return { ...view, status: event.result ?? view.status };
    case "closed":
      return closed(view);
    case "comments": {
      const { comments: _, ...rest } = view;
      return event.on === false ? { ...rest, comments: false } : rest;
    }
    case "rematch":
      return event.next ? { ...view, next: event.next } : view;
    case "control":
      if (!recorded || !event.control) return view;
      return { ...view, recorded: { ...recorded, control: event.control, since: event.at } };
    default:
      return view;
  }
}

/** @param {number} seat @param {Event} event @returns {Seat} */
function taken(seat, { by, name, bot }) {
  return {
    seat,
    ...(by !== undefined && { id: by }),
    ...(name !== undefined && { name }),
    ...(bot && { bot }),
  };
}

/** @param {View} view @param {Seat} seat @returns {View} */
function seated(view, seat) {
  if (!(seat.seat >= 1 && seat.seat <= view.seats.length)) {
    throw new RangeError(`there is no seat ${seat.seat}`);
  }
  return { ...view, seats: view.seats.with(seat.seat - 1, seat) };
}

/** @param {View} view @param {number} seat @param {boolean} on @returns {View} */
function ready(view, seat, on) {
  if (!view.race) return view;
  const { ready: before = [], ...race } = view.race;
  const others = before.filter((each) => each !== seat);
  const now = on ? [...others, seat].sort((a, b) => a - b) : others;
  return { ...view, race: now.length ? { ...race, ready: now } : race };
}

/** @param {View} view @param {Race} race @param {number} at @returns {View} */
function started(view, { ready: _, ...race }, at) {
  const boards = view.boards.map((board, n) =>
    view.seats[n]?.id ? board : { ...board, status: /** @type {const} */ ("empty") },
  );
  return { ...view, race: { ...race, started: at }, boards };
}

/**
 * A board is done; of a `timeout`, every one that is still open.
 * @param {View} view
 * @param {Event} event
 * @param {"won" | "resigned" | "timeout"} status
 * @returns {View}
 */
function done(view, { board: about = 0, at }, status) {
  const since = view.race?.started;
  const boards = view.boards.map((board, n) => {
    if (status === "timeout" ? board.status !== "open" : n !== about) return board;
    return { ...board, status, ...(since !== undefined && { ms: at - since }) };
  });
  return { ...view, boards };
}

/** Nothing can be played any more, not on any board that is open. @param {View} view @returns {View} */
function closed(view) {
  const status = /** @type {const} */ ("closed");
  const boards = view.boards.map((each) => (each.status === "open" ? { ...each, status } : each));
  return { ...view, status, boards };
}

/** Whether a room is a race that has not begun. @param {View} view */
export const isWaiting = ({ race }) => race !== undefined && race.started === undefined;

/**
 * The table of a race: winners by time, then the others by score; equals share a place.
 * @param {readonly BoardView[]} boards  in the order of the seats
 * @param {readonly Seat[]} seats
 * @returns {Standing[]}
 */
export function standings(boards, seats) {
  const rows = boards
    .map((board, n) => {
      const won = board.status === "won";
      const rank = won ? [0, board.ms ?? 0] : [1, -board.score];
      return { board, seat: seats[n] ?? { seat: n + 1 }, rank };
    })
    .filter(({ board }) => board.status !== "empty")
    .sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1] || a.seat.seat - b.seat.seat);
  let place = 0;
  return rows.map(({ board, seat, rank }, n) => {
    const before = rows[n - 1]?.rank;
    if (before?.[0] !== rank[0] || before[1] !== rank[1]) place = n + 1;
    const { status, moves, score, ms } = board;
    const row = { place, seat: seat.seat, name: seat.name ?? "", id: seat.id ?? "" };
    return { ...row, status, moves, score, ...(ms !== undefined && { ms }) };
  });
}
