"""Drags: every transfer is one, no two are the same, and they know nothing of hidden cards."""

from random import Random

import pytest
from positions import VARIANTS, do, lay_out, playout

from kibitz.engine.cards import Card
from kibitz.engine.deals import deck_of
from kibitz.engine.drags import Drag, drag_of, move_of
from kibitz.engine.game import Game, IllegalMove, Transfer, Why, moves, play
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.table import Cell, Moved, Table, redact_table

ACTIONS = {
    "montana": [("s", "Shuffle")],
    "aces-up": [("d", "Deal")],
    "klondike": [("discard", "Discard"), ("reset", "Reset")],
    "klondike-single": [("sw", "Draw")],
    "thumb-and-pouch": [("sw", "Draw")],
}


def reshuffled(table: Table, rng: Random) -> Table:
    """The same table for everybody who looks, with other cards face down."""
    hidden = [cell.known for cells in table.piles.values() for cell in cells if not cell.up]
    rng.shuffle(hidden)
    cards = iter(hidden)

    def cell(old: Cell) -> Cell:
        card: Card = old.known if old.up else next(cards)
        return Cell(card, old.up)

    return Table({name: tuple(map(cell, p)) for name, p in table.piles.items()}, table.counters)


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("seed", range(3))
def test_a_drag_is_the_move_it_stands_for(name: str, seed: int) -> None:
    game, rng = VARIANTS[name], Random(seed)
    actions = {action.line for action in TEXTS[game.name].actions}
    for table in playout(game, str(seed), 60, seed):
        legal = moves(game, redact_table(table))
        drags = [drag_of(game, table, move) for move in legal]
        other = reshuffled(table, rng)
        assert drags == [drag_of(game, other, move) for move in legal]
        found = [drag for drag in drags if drag]
        assert len(set(found)) == len(found)
        for move, drag in zip(legal, drags, strict=True):
            if drag is None:
                assert TEXTS[game.name].write(move) in actions
                continue
            assert isinstance(move, Transfer)
            assert move_of(game, table, drag) == move
            carried = table.piles[drag.source][-drag.count :]
            facts = play(game, table, move, Random(0)).facts
            assert facts[0] == Moved(drag.source, drag.target, carried)
            assert all(cell.up for cell in carried)


@pytest.mark.parametrize("name", GAMES)
def test_every_action_has_a_label(name: str) -> None:
    assert [(action.line, action.label) for action in TEXTS[name].actions] == ACTIONS[name]


@pytest.mark.parametrize("name", GAMES)
def test_no_other_drag_means_a_move(name: str) -> None:
    """Every pair of piles and every number of cards: a legal drag, or an objection in words."""
    game = GAMES[name]
    *_, table = playout(game, "7", 12)
    piles, rng = list(table.piles), Random(name)
    legal = {drag_of(game, table, move) for move in moves(game, table)}
    other = reshuffled(table, rng)
    for _ in range(400):
        drag = Drag(rng.choice(piles), rng.choice(piles), rng.choice([1, 1, 2, 3, 13, 52]))
        if drag in legal:
            continue
        said = [against(game, place, drag) for place in (table, other)]
        assert said[0] == said[1] != ""


def against(game: Game, table: Table, drag: Drag) -> str:
    """The game's own words against a drag."""
    with pytest.raises(IllegalMove) as caught:
        move_of(game, table, drag)
    assert caught.value.objection.why is not Why.UNKNOWN
    wish = Transfer(drag.source, drag.target, drag.count)
    return TEXTS[game.name].refusal(wish, caught.value.objection)


@pytest.mark.parametrize(
    ("name", "drag", "words"),
    [
        ("aces-up", Drag("Stock", "COLUMN-1"), "Invalid move"),
        ("aces-up", Drag("Foundation", "COLUMN-1"), "Invalid move"),
        ("klondike", Drag("PILE-1", "Spades", 3), "move: illegal move"),
        ("klondike", Drag("Spades", "PILE-1"), "move: illegal move"),
        ("klondike-single", Drag("Stock", "Waste"), "Invalid move!"),
        (
            "thumb-and-pouch",
            Drag("COLUMN-1", "COLUMN-2", 5),
            "Error: insufficient number of cards to move",
        ),
        (
            "thumb-and-pouch",
            Drag("FOUNDATION-1", "COLUMN-2"),
            "Error: invalid move due to mismatched cards",
        ),
        ("montana", Drag("1.1", "1.2", 2), "Error: invalid move.  Please try again."),
    ],
)
def test_a_refusal_is_in_the_words_of_the_game(name: str, drag: Drag, words: str) -> None:
    assert against(GAMES[name], GAMES[name].deal(deck_of("1")), drag) == words


def test_where_the_rules_say_how_many_the_drag_must_agree() -> None:
    klondike = GAMES["klondike"]
    table = lay_out(klondike, {"PILE-1": "9h- 8s 7h", "PILE-2": "9c", "PILE-3": "8d"})
    assert move_of(klondike, table, Drag("PILE-1", "PILE-2", 2)) == Transfer("PILE-1", "PILE-2")
    for drag in (Drag("PILE-1", "PILE-2", 1), Drag("PILE-1", "PILE-2", 3)):
        with pytest.raises(IllegalMove) as caught:
            move_of(klondike, table, drag)
        assert caught.value.objection.why is Why.MISMATCH
    after = do(klondike, table, "move 1 2")
    assert redact_table(after).piles["PILE-2"] == after.piles["PILE-2"]


def test_a_suit_takes_its_own_cards_only() -> None:
    klondike = GAMES["klondike"]
    table = lay_out(klondike, {"PILE-1": "As"})
    assert move_of(klondike, table, Drag("PILE-1", "Spades")) == Transfer("PILE-1", "suit")
    assert against(klondike, table, Drag("PILE-1", "Hearts")) == "move: illegal move"
