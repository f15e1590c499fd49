/**
 * Cards, piles and events in words, as a screen reader or a log says them.
 *
 * Promises: pure; what is said is known to everybody who has the event; an event is one short
 * sentence, long ones are summed up. Never: the page, rules of a game.
 */

/** @import { Event, Fact } from "../protocol/messages.js" */

const RANKS = /** @type {Record<string, string>} */ ({
  A: "ace",
  T: "10",
  J: "jack",
  Q: "queen",
  K: "king",
});
const SUITS = /** @type {Record<string, string>} */ ({
  c: "clubs",
  d: "diamonds",
  h: "hearts",
  s: "spades",
});
const SIGNS = /** @type {Record<string, string>} */ ({ c: "♣", d: "♦", h: "♥", s: "♠" });
/** How many things one sentence tells apart. */
const FEW = 4;
/** The `text` of the `closed` of a race to which nobody came: who made it has closed it himself. */
export const CALLED_OFF = "who made this race has called it off";

/**
 * A card: `Qh` or `Qh-` is "queen of hearts".
 * @param {string} code
 */
export function nameOf(code) {
  const suit = SUITS[code[1]];
  return suit ? `${RANKS[code[0]] ?? code[0]} of ${suit}` : "face-down card";
}

/**
 * A pile: `COLUMN-3` is "column 3", `2.13` is "row 2, column 13".
 * @param {string} pile
 */
export function pileName(pile) {
  const place = /^(\d+)\.(\d+)$/.exec(pile);
  if (place) return `row ${place[1]}, column ${place[2]}`;
  return pile.toLowerCase().replaceAll("-", " ");
}

/**
 * A number of things: "1 move", "2 moves".
 * @param {number} count
 * @param {string} noun
 */
export const countOf = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/**
 * An event in one sentence; "" for one that has nothing to tell. Where more than one person is
 * named, moves begin with who made them.
 * @param {Event} event
 * @param {Record<string, string>} [names]  display names by identity
 */
export function spoken(event, names = {}) {
  const who = event.name || names[event.by ?? ""] || event.by || "the server";
  const by = event.by && Object.keys(names).length > 1 ? `${who}: ` : "";
  const fx = event.fx ?? [];
  switch (event.kind) {
    case "created":
      if (event.mode === "race") return `${event.by ? who : "somebody"} called a race`;
      return event.by ? `${who} dealt a new game` : "a new game was dealt";
    case "move":
      return by + (happened(fx, false) || event.move || "");
    case "undo":
    case "redo": {
      const what = happened(fx, event.kind === "undo");
      return by + event.kind + (what && `: ${what}`);
    }
    case "restart":
      return `${by}back to the start of the game`;
    case "say":
      return `${who}: ${event.text ?? ""}`;
    case "joined":
      return `${who} took seat ${event.seat}${event.bot ? " (bot)" : ""}`;
    case "left":
      return `seat ${event.seat} is free`;
    case "saved":
      return "the position was saved";
    case "cheated":
      return "somebody looked at all cards";
    case "stuck":
      return "no legal move is left that changes anything";
    case "won":
      return `${by && `${who} `}won in ${countOf(event.moves ?? 0, "move")}`;
    case "resigned":
      return by ? `${who} gave up` : "the game was given up";
    case "timeout":
      return "the time is up";
    case "ended":
      if (event.boards) return "the race is over; the cards are laid open";
      return fx.length ? "the game is over; the hidden cards are laid open" : "the game is over";
    case "closed":
      if (event.text === CALLED_OFF) return CALLED_OFF;
      return `the room was closed${event.text ? `: ${event.text}` : ""}`;
    case "ready":
      return `${who} is ready`;
    case "unready":
      return `${who} is not ready`;
    case "countdown":
      return event.begins === undefined
        ? "the start is called off"
        : `the race begins in ${countOf(Math.round((event.begins - event.at) / 1000), "second")}`;
    case "started":
      return "the race has begun";
    case "comments":
      return `${who} switched comments ${event.on ? "on" : "off"}`;
    case "rematch":
      return `${who} goes on with the next deal`;
    default:
      return "";
  }
}

/**
 * The cards an event moved, in signs for a list: "Q♥ +2 → column 5"; "" where none moved.
 * @param {Event} event
 */
export function signed({ fx = [] }) {
  let moved = fx.filter(([kind]) => kind === "mv");
  // A stock made anew before the draw: what counts is the card that was drawn.
  if (new Set(moved.map(([, from]) => from)).size > 1 && moved.at(-1)?.[1] === moved[0][2])
    moved = moved.slice(-1);
  const cards = cardsOf(moved);
  if (!cards.length) return "";
  const targets = new Set(moved.map(([, , to]) => to));
  const more = cards.length > 1 ? ` +${cards.length - 1}` : "";
  const what = cards[0] === "??" ? countOf(cards.length, "card") : signOf(cards[0]) + more;
  return targets.size === 1 ? `${what} → ${pileName([...targets][0])}` : `${what} dealt`;
}

/** A card in signs: "10♥". @param {string} code */
const signOf = ([rank, suit]) => (rank === "T" ? "10" : rank) + SIGNS[suit];

/**
 * What the facts of an event come to.
 * @param {Fact[]} facts
 * @param {boolean} back  whether they take something back
 */
function happened(facts, back) {
  const counted = facts.flatMap(([kind, name, count]) =>
    kind === "count" && count !== null ? `${countOf(count, name.replace(/s$/, ""))} left` : [],
  );
  if (facts.some(([kind]) => kind === "set")) {
    return [back ? "the cards lie as before" : "the cards were shuffled", ...counted].join("; ");
  }
  const ups = facts.filter(([kind]) => kind === "up");
  const turned = ups.map(([, , card]) => `${nameOf(card)} turned up`);
  const moved = facts.filter(([kind]) => kind === "mv");
  const told = [...carried(moved), ...turned, ...counted];
  return told.length > FEW ? `${countOf(cardsOf(moved).length, "card")} moved` : told.join("; ");
}

/** All cards of moves. @param {Fact[]} moved @returns {string[]} */
const cardsOf = (moved) => moved.flatMap(([, , , cards]) => cards);

/**
 * Moves in words; what leaves one pile, or goes to one, is told together.
 * @param {Fact[]} moved
 * @returns {string[]}
 */
function carried(moved) {
  const targets = new Set(moved.map(([, , to]) => to));
  const sources = new Set(moved.map(([, from]) => from));
  const cards = cardsOf(moved);
  if (sources.size === 1 && targets.size > 1) {
    const few = cards.length <= FEW && !cards.includes("??");
    return [`dealt ${few ? cards.map(nameOf).join(", ") : countOf(cards.length, "card")}`];
  }
  if (sources.size > 1 && targets.size === 1) {
    return [`${countOf(cards.length, "card")} to ${pileName([...targets][0])}`];
  }
  const [from] = sources,
    [to] = targets;
  if (sources.size === 1 && moved.length > 1) return [path(from, to, cards)];
  return moved.map(([, source, target, few]) => path(source, target, few));
}

/**
 * Cards that go from pile to pile, named by the one that lies lowest.
 * @param {string} from
 * @param {string} to
 * @param {string[]} cards
 */
function path(from, to, cards) {
  const drawn = from === "Stock" && to === "Waste" && cards.length === 1;
  if (drawn && cards[0] !== "??") return `drew the ${nameOf(cards[0])}`;
  const more = cards.length > 1 ? ` and ${cards.length - 1} more` : "";
  const what = cards.includes("??") ? countOf(cards.length, "card") : nameOf(cards[0]) + more;
  return `${what} from ${pileName(from)} to ${pileName(to)}`;
}
