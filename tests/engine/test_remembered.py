"""What is remembered of a board was seen there, and says nothing of cards that were not."""

from random import Random

import pytest
from positions import VARIANTS

from kibitz.engine.board import KINDS, Board, Kind
from kibitz.engine.deals import deck_of
from kibitz.engine.game import NO_CHANCE, Game, Shuffle, moves, play
from kibitz.engine.notation import write_piles
from kibitz.engine.table import Cell, Fact, Table, fold, redact, redact_table

Done = tuple[Kind, tuple[Fact, ...]]


def cells(table: Table) -> list[Cell]:
    return [cell for pile in table.piles.values() for cell in pile]


def step(game: Game, board: Board, rng: Random) -> Done | None:
    """Something that was done to a board by chance; ``None``: nothing can be."""
    kind: Kind = rng.choice((*KINDS[1:3], *KINDS[:1] * 9))
    kind = "restart" if rng.random() < 0.01 else kind
    facts: tuple[Fact, ...] | None
    match kind:
        case "undo":
            facts = board.to_undo()
        case "redo":
            facts = board.to_redo()
        case "restart":
            facts = board.to_restart()
        case _:
            legal = [m for m in moves(game, board.table) if not isinstance(m, Shuffle)]
            facts = play(game, board.table, rng.choice(legal), NO_CHANCE).facts if legal else None
    if facts is None:
        return None
    board.apply(kind, facts)
    return kind, facts


@pytest.mark.parametrize("name", VARIANTS)
def test_a_card_is_known_once_it_lay_open_or_is_the_only_one_left(name: str) -> None:
    game, rng = VARIANTS[name], Random(name)
    for deal in range(3):
        board, shown = Board(game.deal(deck_of(str(deal)))), set[str]()
        for _ in range(150):
            shown |= {cell.text for cell in cells(board.table) if cell.up}
            assert board.seen == shown
            seen = board.remembered()
            assert redact_table(seen) == redact_table(board.table)
            hidden = {c.known.code for c in cells(board.table)} - shown
            named = {cell.card.code for cell in cells(seen) if cell.card}
            expected = shown if len(hidden) > 1 else shown | hidden
            assert named == expected & {c.known.code for c in cells(board.table)}
            assert board.copy().remembered() == seen
            step(game, board, rng)


@pytest.mark.parametrize("name", ["klondike", "klondike-single", "thumb-and-pouch", "aces-up"])
def test_two_deals_that_look_the_same_are_remembered_alike(name: str) -> None:
    game, rng = VARIANTS[name], Random(name)
    board, done = Board(game.deal(deck_of("8"))), list[Done]()
    for _ in range(60 if name != "aces-up" else 12):
        if (change := step(game, board, rng)) is not None:
            done.append(change)
    never = [c.known for c in cells(board.start) if c.known.code not in board.seen]
    assert len(never) > 2
    other_order = dict(zip(never, [*never[1:], never[0]], strict=True))

    def other(cell: Cell) -> Cell:
        return Cell(other_order.get(cell.known, cell.known), cell.up)

    piles = {pile: tuple(map(other, those)) for pile, those in board.start.piles.items()}
    twin = Board(Table(piles, board.start.counters))
    for kind, facts in done:
        match kind:
            case "undo":
                same = twin.to_undo()
            case "redo":
                same = twin.to_redo()
            case "restart":
                same = twin.to_restart()
            case _:
                same = next(
                    after.facts
                    for move in moves(game, twin.table)
                    if list(map(redact, (after := play(game, twin.table, move, NO_CHANCE)).facts))
                    == list(map(redact, facts))
                )
        assert same is not None
        twin.apply(kind, same)
    assert write_piles(twin.table) != write_piles(board.table)
    assert twin.remembered() == board.remembered()
    ways = [
        [[redact(fact) for fact in facts] for facts in each.way_back(99)] for each in (board, twin)
    ]
    assert ways[0] == ways[1]


def test_the_way_back_leads_to_the_start() -> None:
    game, rng = VARIANTS["klondike"], Random(4)
    board = Board(game.deal(deck_of("8")))
    for _ in range(40):
        step(game, board, rng)
    assert len(board.way_back(3)) == 3
    table = board.table
    for facts in board.way_back(1000):
        table = fold(facts, table)
    assert table == board.start
