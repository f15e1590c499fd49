"""The courses' sample sessions as data: what was typed, what was answered, how the cards lay then.

A file is UTF-8 text: ``key: value`` lines, ``START`` and a position, ``COMMANDS``, and then for
each command ``> the line as typed``, ``= an outcome`` (any number) and ``| a position line``
(after commands that change or show it). Positions look different in each game; :func:`lines_of`
writes a table the way its game's files do, so that both are compared as text. It never looks at
face-down cards (except for Klondike's ``cheat`` and saves), so a spectator's table will do.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from positions import rows_of

from kibitz.engine import saves
from kibitz.engine.cards import DECK, Card, read_card
from kibitz.engine.game import Game
from kibitz.engine.games import GAMES
from kibitz.engine.table import Cell, Pile, Table

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Step:
    """One command, what came of it, and how the cards lay afterwards (empty: not said)."""

    number: int
    command: str
    outcomes: tuple[str, ...]
    position: tuple[str, ...]

    @property
    def errors(self) -> list[str]:
        return [text.removeprefix("error: ") for text in self.outcomes if text[:6] == "error:"]

    @property
    def accepted(self) -> bool:
        return any(text.split()[0] == "ok" for text in self.outcomes)

    @property
    def cards(self) -> int | None:
        """How many cards moved, where it is said: ``ok moved 3``."""
        counts = re.search(r"ok (?:moved|discarded|reset) (\d+)", "\n".join(self.outcomes))
        return int(counts[1]) if counts else None

    @property
    def form(self) -> str:
        """How the position is written: ``board``, ``cheat``, or ``cards``."""
        words = {text.split()[0] for text in self.outcomes}
        return next((form for form in ("board", "cheat") if form in words), "cards")


@dataclass(frozen=True)
class Transcript:
    """A whole session."""

    name: str
    headers: dict[str, str]
    start: tuple[str, ...]
    steps: tuple[Step, ...]

    @property
    def game(self) -> Game:
        return GAMES[self.headers["game"]]

    @cached_property
    def table(self) -> Table:
        """The start position; cards that are never seen lie as the file's deck says, or anyhow."""
        if self.game.name == "montana":
            return rows_of("\n".join(self.start), shuffles=2)
        if self.game.name == "klondike":
            return saves.read("".join(line + "\n" for line in self.start)).table
        decks = [text for key, text in self.headers.items() if key.startswith("deck")]
        deck = [read_card(word) for word in decks[0].split()] if decks else self._shown_deck()
        return self.game.deal(deck)

    def _shown_deck(self) -> list[Card]:
        """A deck that deals the face-up cards of a seven-column start."""
        shown = [read_card(line.split()[-1]) for line in self.start if line[0] in "ts"]
        rest = iter(card for card in DECK if card not in shown)
        *columns, waste = shown
        dealt = [
            columns[column] if column == r else next(rest)
            for r in range(7)
            for column in range(r, 7)
        ]
        return [*dealt, waste, *rest]


def read(name: str) -> Transcript:
    """A session by the name of its file."""
    lines = (DATA / f"{name}.txt").read_text("utf-8").splitlines()
    begin = next(n for n, line in enumerate(lines) if line.startswith("START"))
    commands = lines.index("COMMANDS")
    headers = dict(line.split(": ", 1) for line in lines[:begin])
    start = tuple(line.removeprefix("| ") for line in lines[begin + 1 : commands])
    return Transcript(name, headers, start, tuple(_steps(lines, commands + 1)))


def _steps(lines: list[str], first: int) -> Iterator[Step]:
    begins = [n for n in range(first, len(lines)) if lines[n].startswith(">")] + [len(lines)]
    for begin, end in pairwise(begins):
        after = lines[begin + 1 : end]
        outcomes = tuple(line[2:] for line in after if line[0] == "=")
        position = tuple(line[1:] for line in after if line[0] == "|")
        yield Step(begin + 1, lines[begin][2:], outcomes, position)


def lines_of(game: Game, table: Table, form: str = "cards") -> tuple[str, ...]:
    """A table as position lines, as :attr:`Step.position` has them."""
    if game.name == "klondike" and form == "board":
        return tuple(f"{name:>8} {_pile(cells, _known)}" for name, cells in table.piles.items())
    return tuple(" " + line for line in _CARDS[game.name](table))


def _montana(table: Table) -> Iterator[str]:
    for row in range(1, 5):
        places = (table.piles[f"{row}.{column}"] for column in range(1, 14))
        yield " ".join(_code(place[0]) if place else "--" for place in places)


def _aces_up(table: Table) -> Iterator[str]:
    stock, top = table.piles["Stock"], table.piles["Foundation"][-1:]
    yield f"stock {len(stock)}  foundation-top {_codes(top)}"
    for n in range(1, 5):
        yield f" c{n}: {_codes(table.piles[f'COLUMN-{n}'])}"


def _columns(table: Table) -> Iterator[str]:
    tops = (table.piles[f"FOUNDATION-{n}"][-1:] for n in range(1, 5))
    yield "f " + " ".join(_codes(top) for top in tops)
    for n in range(1, 8):
        yield f"t{n} {_codes(table.piles[f'COLUMN-{n}'])}"
    yield f"stock {len(table.piles['Stock'])} waste {_codes(table.piles['Waste'])}"


def _klondike(table: Table) -> Iterator[str]:
    for name, cells in table.piles.items():
        yield f"{name} {_pile(cells, _flagged)}"


_CARDS: dict[str, Callable[[Table], Iterator[str]]] = {
    "montana": _montana,
    "aces-up": _aces_up,
    "klondike": _klondike,
    "thumb-and-pouch": _columns,
}


def _code(cell: Cell) -> str:
    return str(cell.card).replace("T", "10").upper() if cell.up else "XX"


def _codes(cells: Pile) -> str:
    return " ".join(map(_code, cells)) or "-"


def _known(cell: Cell) -> str:
    return str(cell.card) if cell.up else "??"


def _flagged(cell: Cell) -> str:
    return f"{cell.card}{'+' if cell.up else '-'}"


def _pile(cells: Pile, show: Callable[[Cell], str]) -> str:
    return "[ " + "".join(show(cell) + " " for cell in reversed(cells)) + "]"


@dataclass(frozen=True)
class Case:
    """A function test of one-card Klondike: a few cards, commands, and what they change."""

    title: str
    piles: dict[str, str]
    steps: tuple[tuple[str, bool, dict[str, str]], ...]
    """A command, whether it is accepted, the piles it changes; or ``push``, True, the waste."""


def read_cases() -> list[Case]:
    """The function tests; cards are written as ``positions.lay_out`` takes them."""
    text = (DATA / "klondike-single-function-tests.txt").read_text("utf-8")
    return [_case(block.splitlines()) for block in re.split(r"^CASE ", text, flags=re.M)[1:]]


def _case(lines: list[str]) -> Case:
    steps: list[tuple[str, bool, dict[str, str]]] = []
    for line in lines[2:]:
        if pushed := re.match(r"then the test pushes (\w+) on the waste", line):
            steps.append(("push", True, _piles(f"w: {pushed[1]}")))
        elif command := re.match(
            r"> (.*?) *= (ok|Invalid move!)([^(;]*(?:\(turned up\)[^(]*)*)", line
        ):
            steps.append((command[1], command[2] == "ok", _piles(command[3])))
        else:
            raise AssertionError(line)
    return Case(lines[0], _piles(lines[1].removeprefix("START ")), tuple(steps))


def _piles(text: str) -> dict[str, str]:
    names = {"t": "COLUMN-", "f": "FOUNDATION-", "w": "Waste"}
    found = re.findall(r"(?:^|\| *| )([tfw])(\d?): ([^|(]*)", text)
    return {names[kind] + n: _cells(cards) for kind, n, cards in found}


def _cells(cards: str) -> str:
    words = (re.fullmatch(r"(\w+)(-?)", word) for word in cards.split())
    return " ".join(f"{read_card(word[1])}{word[2]}" for word in words if word)
