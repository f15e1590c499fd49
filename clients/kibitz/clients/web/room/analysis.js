/**
 * What became of a game that has ended: whether its deal could be won, with which move it was lost,
 * and what would have won; the server has searched.
 *
 * It is loaded when somebody asks. Promises: says the same as `kibitz solve`, with the same numbers,
 * which are those that the table counts; a move that was played in the words of the log, one that
 * was not in the game's notation; marks the move that lost the game on the timeline; what failed is
 * told. Never: a search, a rule.
 */

import { signed } from "../cards/names.js";
import { openDialog } from "../shell/dialog.js";
import { said, toast } from "../shell/announce.js";
import { h } from "../shell/dom.js";
import { href } from "../shell/router.js";
import { sheet } from "../shell/sheet.js";
import { share } from "./timeline.js";

/** @import { Context } from "../shell/context.js" */
/** @import { Past } from "../client/past.js" */
/** @import { Source } from "./source.js" */
/** @import { Timeline } from "./timeline.js" */

/**
 * As the server tells it: `moves` and `line` in the game's notation, positions counted from 0;
 * `commands`: which command of the board each of the moves was, from 1 on.
 * @typedef {{deal: "win" | "lost" | "unknown", winnable: number | null, lost: number | null,
 *   mistake: number | null, length: number, moves: string[], commands: number[],
 *   line: string[], given_up?: boolean}} Analysed
 */

/** Events that are commands of a board. */
const COMMANDS = new Set(["move", "undo", "redo", "restart", "resigned"]);
/** Moves that a sentence names, by number and perhaps in the game's notation. */
const MOVES = /\b(moves? (\d+)(?: to \d+)?)(: .+)?/;
/** The status of what is not there yet. */
const ACCEPTED = 202;
const WAITS = "The server looks for what would have won. That takes a while.";

/**
 * Ask what became of a board, and show it.
 * @param {Context} context
 * @param {Source} source
 * @param {number} board
 */
export async function analyse(context, source, board) {
  const { client, settings } = context;
  await sheet("analysis");
  const room = source.recorded ?? source.address ?? "";
  const timeline = /** @type {Timeline} */ (document.querySelector("kibitz-room kibitz-timeline"));
  const words = h("div", { class: "words", "aria-live": "polite" });
  const body = h("div", { class: "analysis stack", "aria-busy": "true" }, words);
  const dialog = openDialog("Analysis", body);
  const closed = new AbortController();
  dialog.addEventListener("close", () => closed.abort());
  words.replaceChildren(h("p", {}, WAITS));
  try {
    const wishes = { invite: client.invited, board };
    const found = await waited(room, settings.token, wishes, closed.signal);
    const way = { room, timeline, dialog, past: source.past, seqs: commandsOf(source.past, board) };
    mark(found, board, way);
    const line = runs(found.line, (found.winnable ?? 0) + 1).map(({ move, times, from }) =>
      h("li", { "data-number": from }, times > 1 ? `${move} ×${times}` : move),
    );
    words.replaceChildren(
      ...told(found).map((sentence) => h("p", {}, ...linked(sentence, found, way))),
    );
    if (line.length) body.append(winning(line, context, { room, board }, found, dialog));
  } catch (problem) {
    if (closed.signal.aborted) return;
    const away = problem instanceof TypeError;
    const why = away ? "The server cannot be reached just now: try again." : said(problem);
    words.replaceChildren(h("p", { class: "bad" }, why));
  } finally {
    body.removeAttribute("aria-busy");
  }
}

/**
 * The moves that would have won, and the way to see them on the table.
 * @param {Node[]} line
 * @param {Context} context
 * @param {{room: string, board: number}} which
 * @param {Analysed} found
 * @param {HTMLDialogElement} dialog
 */
function winning(line, context, which, found, dialog) {
  const show = async () => {
    dialog.close();
    try {
      await (await import("./winning.js")).show(context, which, found);
    } catch (problem) {
      toast(said(problem), { kind: "bad" });
    }
  };
  return h(
    "div",
    { class: "stack" },
    h("button", { type: "button", onClick: show }, "Show it on the table"),
    h("ol", { class: "winning", "aria-label": "Moves", tabindex: "0" }, ...line),
  );
}

/**
 * The analysis, as soon as the server has it.
 * @param {string} room
 * @param {string} token
 * @param {{invite?: string, board: number}} wishes
 * @param {AbortSignal} signal
 * @returns {Promise<Analysed>}
 */
async function waited(room, token, wishes, signal) {
  const headers = token ? { Authorization: `Bearer ${token}` } : undefined;
  const url = new URL(`rooms/${room}/analysis.json`, document.baseURI);
  for (const [key, wish] of Object.entries(wishes))
    if (wish !== undefined) url.searchParams.set(key, String(wish));
  for (;;) {
    const answer = await fetch(url, { headers, signal });
    if (!answer.ok) throw new Error((await answer.text()).trim());
    if (answer.status !== ACCEPTED) return answer.json();
    const seconds = Number(answer.headers.get("Retry-After") ?? 1);
    await new Promise((done) => setTimeout(done, seconds * 1000));
    signal.throwIfAborted();
  }
}

/**
 * What was found, in sentences; a terminal says the same.
 * @param {Analysed} found
 * @returns {string[]}
 */
export function told({ deal, winnable, lost, mistake, length, moves, line, given_up }) {
  if (winnable === length && !line.length) return [`This was won, in ${count(length, "move")}.`];
  if (deal === "lost") return ["This deal could not be won, whatever was played."];
  const sentences = [
    deal === "win"
      ? "This deal could be won."
      : "Whether this deal could be won was not found out.",
  ];
  if (mistake !== null) sentences.push(`It was lost with move ${mistake}: ${moves[mistake - 1]}`);
  else if (lost !== null)
    sentences.push(`It was lost with one of the moves ${(winnable ?? 0) + 1} to ${lost}.`);
  else if (winnable === length)
    sentences.push(
      `No move lost it: it could still be won when it ${given_up ? "was given up" : "ended"}.`,
    );
  else if (winnable !== null)
    sentences.push(`After move ${winnable} it could still be won; what came then is not known.`);
  if (line.length && winnable !== null) {
    const at = winnable ? `after move ${winnable}` : "from the start";
    sentences.push(`What would have won ${at}, in ${count(line.length, "move")}:`);
  }
  return sentences;
}

/** @param {number} n @param {string} what */
function count(n, what) {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}

/**
 * The events of a board that are commands, the first one first; none, while not all are known.
 * @param {Past} past
 * @param {number} board
 */
function commandsOf(past, board) {
  const its = past.events.filter(({ kind, board: at = 0 }) => COMMANDS.has(kind) && at === board);
  return past.complete ? its.map(({ seq }) => seq) : [];
}

/** How to get to a moment. @typedef {{room: string, past: Past, timeline: Timeline, dialog: HTMLDialogElement, seqs: number[]}} Way */

/**
 * The event that was a move.
 * @param {Analysed} found
 * @param {number | null} move  the first one is 1
 * @param {Way} way
 * @returns {number | undefined}
 */
function seqOf({ commands }, move, { seqs }) {
  return move ? seqs[commands[move - 1] - 1] : undefined;
}

/**
 * What each timeline shows of what lost the game, by board.
 * @type {WeakMap<Timeline, Map<number, {link: HTMLElement, seq: number}>>}
 */
const marks = new WeakMap();

/** Let the timeline show what lost the game. @param {Analysed} found @param {number} board @param {Way} way */
function mark(found, board, way) {
  const { timeline } = way;
  const seq = seqOf(found, found.mistake, way);
  if (seq === undefined) return;
  const name = `Lost with move ${found.mistake}: ${wordsAt(seq, way)}`;
  const its = marks.get(timeline) ?? new Map();
  its.get(board)?.link.remove();
  const link = linkTo(seq, way, { class: "mistake", title: name, "aria-label": name });
  timeline.querySelector(".way")?.append(link);
  marks.set(timeline, its.set(board, { link, seq }));
  timeline.more = () => {
    for (const [its, { link, seq }] of marks.get(timeline) ?? []) {
      link.hidden = timeline.board !== its;
      link.style.setProperty("--at", String(share(timeline, seq)));
    }
  };
}

/**
 * A link to a moment; here one goes there at once.
 * @param {number} seq
 * @param {Way} way
 * @param {Record<string, string>} props
 * @param {string} [text]
 */
function linkTo(seq, { room, timeline, dialog }, props, text) {
  const go = (/** @type {MouseEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    dialog.close();
    timeline.dispatchEvent(new CustomEvent("seek", { detail: { seq } }));
  };
  return h("a", { ...props, href: href({ page: "room", room, moment: seq }), onClick: go }, text);
}

/** An event that was a move, in the words of the log. @param {number} seq @param {Way} way */
function wordsAt(seq, { past }) {
  const event = past.event(seq);
  return event ? signed(event) || event.move : "";
}

/**
 * A sentence, with a link to the moment after the move that it names, and that in the log's words.
 * @param {string} sentence
 * @param {Analysed} found
 * @param {Way} way
 */
function linked(sentence, found, way) {
  const named = MOVES.exec(sentence);
  const seq = seqOf(found, Number(named?.[2] ?? 0), way);
  if (!named || !seq) return [sentence];
  const link = linkTo(seq, way, {}, named[1]);
  const what = named[3] ? `: ${wordsAt(seq, way)}` : "";
  const rest = sentence.slice(named.index + named[0].length);
  return [sentence.slice(0, named.index), link, what, rest];
}

/**
 * Moves one after the other, the same ones together; `from`: the number of the first of these.
 * @param {string[]} moves
 * @param {number} first  the number of the first of all
 */
function runs(moves, first) {
  /** @type {{move: string, times: number, from: number}[]} */
  const made = [];
  for (const [n, move] of moves.entries()) {
    const last = made.at(-1);
    if (last?.move === move) last.times++;
    else made.push({ move, times: 1, from: first + n });
  }
  return made;
}
