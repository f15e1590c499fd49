"""What a search has found, in words and for programs."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from kibitz.engine.game import Game
from kibitz.engine.games import written
from kibitz.engine.solving import Answer, Verdict
from kibitz.protocol.analysed import Analysed

from ..arena.figures import Estimate
from ..telling import number_of
from .deals import Tally

WIDTH = 78
"""Columns of a line of moves."""
GROUPS = (10, 5, 4, 3, 2, 1)
"""So many moves or runs of one stand in a line: the most of these that fit."""
LONGER = "--seconds gives more time, --nodes more positions"


def answer_told(game: Game, answer: Answer) -> Iterator[str]:
    """Whether a position can be won, and how."""
    looked = number_of(answer.nodes, "position")
    match answer.verdict:
        case Verdict.WIN if answer.line:
            yield f"This can be won, in {number_of(len(answer.line), 'move')}:"
            yield numbered(written(game, answer.line))
        case Verdict.WIN:
            yield "This is won."
        case Verdict.LOST:
            yield f"This cannot be won: everything has been tried ({looked})."
        case Verdict.UNKNOWN:
            yield f"Whether this can be won was not found out ({looked}); {LONGER}."


def analysis_told(found: Analysed) -> Iterator[str]:
    """Whether the deal could be won, where the game was lost, and what would have won.

    The page says the same, in ``web/room/analysis.js``.
    """
    if found.winnable == found.length and not found.line:
        yield f"This was won, in {number_of(found.length, 'move')}."
        return
    match found.deal:
        case "lost":
            yield "This deal could not be won, whatever was played."
            return
        case "win":
            yield "This deal could be won."
        case "unknown":
            yield f"Whether this deal could be won was not found out; {LONGER}."
    if found.mistake is not None:
        yield f"It was lost with move {found.mistake}: {found.moves[found.mistake - 1]}"
    elif found.lost is not None:
        first = 1 if found.winnable is None else found.winnable + 1
        yield f"It was lost with one of the moves {first} to {found.lost}."
    elif found.winnable == found.length:
        ended = "was given up" if found.given_up else "ended"
        yield f"No move lost it: it could still be won when it {ended}."
    elif found.winnable is not None:
        yield f"After move {found.winnable} it could still be won; what came then is not known."
    if found.line and found.winnable is not None:
        at = f"after move {found.winnable}" if found.winnable else "from the start"
        yield f"What would have won {at}, in {number_of(len(found.line), 'move')}:"
        yield numbered(found.line, found.winnable + 1)


def tally_told(counts: Tally) -> Iterator[str]:
    """The counts of many deals."""
    yield (
        f"{number_of(counts.deals, 'deal')}: {counts.win} can be won, {counts.lost} cannot, "
        f"{counts.unknown} not found out"
    )
    median, p95 = counts.median_seconds, counts.p95_seconds
    yield (
        f"at least {_percent(counts.at_least)} can be won, at most {_percent(counts.at_most)}; "
        f"half of them within {median:.2f} s, 95 % within {p95:.2f} s"
    )


def _percent(part: Estimate) -> str:
    return f"{100 * part.value:.1f} % ({100 * part.low:.1f} .. {100 * part.high:.1f})"


def answer_json(game: Game, answer: Answer) -> dict[str, Any]:
    """The same for programs."""
    line = written(game, answer.line)
    return {"verdict": answer.verdict.value, "line": line, "nodes": answer.nodes}


def numbered(moves: Sequence[str], first: int = 1) -> str:
    """Moves in lines of a few, each with the number of its first one; ``first``: that of all.

    A run of one move stands there once, ``sw ×16``, as on the page.
    """
    told, numbers = [], []
    for move, run in groupby(moves):
        times = len(list(run))
        told.append(f"{move} ×{times}" if times > 1 else move)
        numbers.append(first)
        first += times
    count = next(each for each in GROUPS if each == 1 or _is_narrow(told, each))
    rows = range(0, len(told), count)
    width = max((len(str(numbers[at])) for at in rows), default=0)
    return "\n".join(f"{numbers[at]:>{width}}. {', '.join(told[at : at + count])}" for at in rows)


def _is_narrow(told: Sequence[str], count: int) -> bool:
    """Whether any so many of them in a row fit in a line."""
    longest = max(map(len, told), default=0) + len(", ")
    return count * longest + len("1000. ") <= WIDTH
