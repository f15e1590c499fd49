"""`Board.copy`: it stands as the other does, and each goes its own way."""

from random import Random

import pytest
from positions import VARIANTS

from kibitz.engine.board import KINDS, Board, Kind
from kibitz.engine.deals import deck_of
from kibitz.engine.game import moves, play
from kibitz.engine.games import GAMES
from kibitz.engine.table import Fact


def facts_of(board: Board, kind: Kind, name: str, rng: Random) -> tuple[Fact, ...] | None:
    """The facts of such a change now; ``None`` where there is none."""
    match kind:
        case "undo":
            return board.to_undo()
        case "redo":
            return board.to_redo()
        case "restart":
            return board.to_restart()
        case "move":
            game = VARIANTS[name]
            legal = moves(game, board.table)
            return play(game, board.table, rng.choice(legal), rng).facts if legal else None


def stands(board: Board) -> tuple[object, ...]:
    """Everything a board can be asked."""
    counts = [board.moves_after(kind) for kind in KINDS]
    return board.start, board.table, board.moves, board.to_undo(), board.to_redo(), *counts


def step(board: Board, name: str, rng: Random) -> None:
    kind = rng.choice((*KINDS[:3], "move", "move", *KINDS))
    facts = facts_of(board, kind, name, rng)
    if facts is not None:
        board.apply(kind, facts)


@pytest.mark.parametrize("name", VARIANTS)
def test_copies_at_any_moment_stay_as_they_were(name: str) -> None:
    rng = Random(f"copies of {name}")
    board = Board(VARIANTS[name].deal(deck_of("5")))
    kept = []
    for _ in range(150):
        copy = board.copy()
        assert stands(copy) == stands(board)
        kept.append((copy, stands(copy)))
        step(board, name, rng)
    for copy, before in kept:
        assert stands(copy) == before


@pytest.mark.parametrize("name", GAMES)
def test_a_copy_goes_on_as_the_board_does(name: str) -> None:
    """The same changes lead to the same position, back to the start and forth again."""
    board = Board(GAMES[name].deal(deck_of("5")))
    first = Random(1)
    for _ in range(40):
        step(board, name, first)
    copy = board.copy()
    rngs = Random(2), Random(2)
    for _ in range(60):
        for one, rng in zip((board, copy), rngs, strict=True):
            step(one, name, rng)
        assert stands(copy) == stands(board)
    while (facts := copy.to_undo()) is not None:
        copy.apply("undo", facts)
    assert copy.table == copy.start
    for one in (board, copy):
        while (facts := one.to_redo()) is not None:
            one.apply("redo", facts)
    assert stands(copy) == stands(board)
