"""Games, commands and positions that many tests need."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from random import Random

from kibitz.engine import saves
from kibitz.engine.cards import CARDS
from kibitz.engine.deals import deck_of
from kibitz.engine.game import Game, IllegalMove, Move, moves, play
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.notation import read_pile, write_fact
from kibitz.engine.table import Table, lay
from kibitz.engine.text import Request
from kibitz.protocol.views import Event, Policy

GOLDEN = Path(__file__).parent / "golden"
DATA = Path(__file__).parent / "cases" / "data"

VARIANTS: dict[str, Game] = {
    **GAMES,
    "montana, no shuffles": GAMES["montana"].with_options({"shuffles": "0"}),
    "klondike, colours": GAMES["klondike"].with_options({"alternate_colours": "on"}),
    "klondike-single, no redeals": GAMES["klondike-single"].with_options({"redeals": "0"}),
    "klondike-single, 2 redeals": GAMES["klondike-single"].with_options({"redeals": "2"}),
}
"""The five games, and again with other options."""

_FOUR, _SEVEN, _THIRTEEN = range(1, 5), range(1, 8), range(1, 14)


def command_lines(name: str) -> list[str]:
    """Every command of a game's grammar that could move a card."""
    places = [f"{row} {column}" for row in _FOUR for column in _THIRTEEN]
    single = [
        "sw",
        *(f"wf {n}" for n in _FOUR),
        *(f"wt {c}" for c in _SEVEN),
        *(f"tf {c} {n}" for c in _SEVEN for n in _FOUR),
    ]
    pairs = [f"{a} {b}" for a in _SEVEN for b in _SEVEN]
    match name:
        case "montana":
            return ["s", *(f"{a} {b}" for a in places for b in places)]
        case "aces-up":
            return [
                "d",
                *(f"f {x}" for x in _FOUR),
                *(f"t {x} {y}" for x in _FOUR for y in _FOUR),
            ]
        case "klondike-single":
            return [*single, *(f"tt {pair}" for pair in pairs)]
        case "thumb-and-pouch":
            return [*single, *(f"tt {pair} {n}" for pair in pairs for n in _THIRTEEN)]
        case _:
            sources = ["stock", *map(str, _SEVEN)]
            targets = ["suit", *map(str, _SEVEN)]
            return ["discard", "reset", *(f"move {s} {t}" for s in sources for t in targets)]


@cache
def every_move(name: str) -> tuple[Move, ...]:
    """What those lines mean."""
    return tuple(command(name, line) for line in command_lines(name))


def command(name: str, line: str) -> Move:
    """The move that a line means."""
    move = TEXTS[name].parse(line)
    assert not isinstance(move, Request)
    return move


def do(game: Game, table: Table, *lines: str) -> Table:
    """The table after some commands, all of them legal."""
    for line in lines:
        table = play(game, table, command(game.name, line), Random(0)).table
    return table


def refused(game: Game, table: Table, line: str) -> str:
    """The game's own text against a command; fails if it is accepted."""
    move = command(game.name, line)
    try:
        play(game, table, move, Random(0))
    except IllegalMove as error:
        return TEXTS[game.name].refusal(move, error.objection)
    raise AssertionError(f"{line} was accepted")


def lay_out(game: Game, piles: Mapping[str, str], **counters: int) -> Table:
    """A position of few cards, bottom to top, ``Qh-`` face down; other piles are empty."""
    given = {name: read_pile(cells.split()) for name, cells in piles.items()}
    assert given.keys() <= {place.pile for place in game.layout}
    return Table({p.pile: given.get(p.pile, ()) for p in game.layout}, counters)


def foundation(suit: str, top: str) -> str:
    """A foundation from the ace up to a rank, as :func:`lay_out` takes it."""
    codes = [code for code in CARDS if code[1] == suit]
    return " ".join(codes[: codes.index(top + suit) + 1])


def rows_of(text: str, **counters: int) -> Table:
    """A Montana board from its four rows, ``2C 10H --``."""
    tokens = [line.split() for line in text.strip().splitlines()]
    piles = {
        f"{r}.{c}": read_pile([] if t == "--" else [t.replace("10", "T")[0] + t[-1].lower()])
        for r, row in enumerate(tokens, 1)
        for c, t in enumerate(row, 1)
    }
    return Table(piles, counters)


def playout(game: Game, deal: str, steps: int, seed: int = 0) -> Iterator[Table]:
    """The positions of a game played by chance, the start first."""
    rng = Random(f"{deal}:{seed}")
    table = game.deal(deck_of(deal))
    yield table
    for _ in range(steps):
        legal = moves(game, table)
        if not legal:
            return
        table = play(game, table, rng.choice(legal), rng).table
        yield table


def shown(table: Table, pile: str) -> str:
    """The cards of a pile, bottom to top."""
    return " ".join(map(str, table.piles[pile]))


def follow(name: str) -> list[Table]:
    """Play a fixture: the position before every command and at the end; answers are checked."""
    klondike = GAMES["klondike"]
    lines = (DATA / f"{name}.txt").read_text().splitlines()
    at = lines.index("COMMANDS")
    position = [line[2:] for line in lines[lines.index("START") + 1 : at]]
    table = saves.read("\n".join(position)).table
    tables = [table]
    body = lines[at + 1 :]
    starts = [n for n, line in enumerate(body) if line.startswith("> ")]
    for start, end in zip(starts, [*starts[1:], len(body)], strict=True):
        line, answer, *after = (text[2:] for text in body[start:end])
        if answer in ("ok", "won"):
            assert klondike.is_won(table) is False
            table = do(klondike, table, line)
            assert saves.pile_lines(klondike, table) == after
            assert klondike.is_won(table) is (answer == "won")
        else:
            assert refused(klondike, table, line).endswith(answer)
        tables.append(table)
    return tables


def begun(game: Game, table: Table, by: str | None = None) -> Event:
    """The first event of a room for one that starts from a position."""
    return Event(
        seq=1,
        at=0,
        kind="created",
        by=by,
        game=game.name,
        options=dict(game.options),
        mode="solo",
        seats=1,
        policy=Policy(),
        started=0,
        fx=[write_fact(fact) for fact in lay(table)],
    )
