"""Whoever plays: legal moves, an end, the same again by the same chance, nothing hidden used."""

from random import Random

import pytest

from kibitz.engine.deals import Drawn, deck_of
from kibitz.engine.game import NO_CHANCE, Game, Move, Shuffle, moves, play
from kibitz.engine.games import GAMES
from kibitz.engine.games.montana.rules import Montana
from kibitz.engine.solving import Budget
from kibitz.engine.solving.montana import farthest
from kibitz.engine.table import Table, redact_table
from kibitz.engine.thinking import Policy, Strength, policy
from kibitz.engine.thinking.aces import GONE, Playout, as_move
from kibitz.engine.thinking.choosing import EFFORTS
from kibitz.engine.thinking.montana import Planner
from kibitz.engine.thinking.weighing import FAR

MOST = 1000


def play_out(game: Game, who: Policy, deal: str, most: int = MOST) -> tuple[list[Move], Table]:
    table, line, chance = game.deal(deck_of(deal)), list[Move](), Drawn(deal.encode())
    while len(line) < most and (move := who.choose(redact_table(table))) is not None:
        assert move in moves(game, redact_table(table))
        table = play(game, table, move, chance).table
        line.append(move)
        if game.is_won(table):
            break
    return line, table


@pytest.mark.parametrize("name", GAMES)
def test_a_fast_player_comes_to_an_end_and_is_repeated(name: str) -> None:
    game = GAMES[name]
    line, _ = play_out(game, policy(game, Strength.FAST, Random(7)), "4")
    assert 10 < len(line) < MOST
    again, _ = play_out(game, policy(game, Strength.FAST, Random(7)), "4", most=20)
    assert again == line[:20]


def test_a_strong_player_thinks_longer() -> None:
    assert EFFORTS[Strength.STRONG].worlds > EFFORTS[Strength.FAST].worlds
    assert EFFORTS[Strength.STRONG].nodes > EFFORTS[Strength.FAST].nodes
    for name in GAMES:
        assert policy(GAMES[name], Strength.STRONG, Random(1)).values == {}


def test_nobody_plays_a_game_of_somebody_else() -> None:
    with pytest.raises(TypeError, match="nobody plays"):
        policy(type("Other", (), {"name": "other"})(), Strength.FAST, Random(1))


def test_every_step_in_aces_up_is_a_move_of_the_game() -> None:
    game, won = GAMES["aces-up"], 0
    for deal in range(150):
        table = game.deal(deck_of(str(deal)))
        playout = Playout(table, Random(deal))
        while (step := playout.step()) is not None:
            move = as_move(step)
            assert move in moves(game, table)
            table = play(game, table, move, NO_CHANCE).table
        assert playout.home == game.score(table)
        assert (playout.home == GONE) == game.is_won(table)
        won += game.is_won(table)
    assert won


def test_montana_is_searched_once_between_two_shuffles(monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAMES["montana"]
    assert isinstance(game, Montana)
    searched: list[Table] = []

    def counted(table: Table, budget: Budget, seed: int) -> tuple[Move, ...]:
        searched.append(table)
        return farthest(table, budget, seed)

    monkeypatch.setattr("kibitz.engine.thinking.montana.farthest", counted)
    line, _ = play_out(game, Planner(game, 2000, Random(1)), "2")
    shuffles = line.count(Shuffle())
    assert shuffles <= game.shuffles
    assert len(searched) in (shuffles + 1, shuffles + 2), "at the end it looks once more"


def test_montana_goes_as_far_as_it_can_before_a_shuffle() -> None:
    game = GAMES["montana"]
    table = game.deal(deck_of("1"))
    for move in farthest(table, Budget(5000)):
        assert move in moves(game, table)
        table = play(game, table, move, NO_CHANCE).table
    assert game.score(table) > 8
    assert farthest(table, Budget(1)) == ()


def test_montana_says_how_far_its_way_goes() -> None:
    game, thought = GAMES["montana"], list[float]()
    assert isinstance(game, Montana)
    who, table, chance = Planner(game, 2000, Random(1)), game.deal(deck_of("2")), Drawn(b"2")
    assert who.values == {}
    while (move := who.choose(redact_table(table))) is not None:
        if isinstance(move, Shuffle):
            assert thought[-1] == FAR * game.score(table) / 48
            assert who.values == {}
        else:
            assert list(who.values) == [move]
            thought.append(who.values[move])
        table = play(game, table, move, chance).table
        if game.is_won(table):
            assert thought[-1] == 1 + FAR
            break
    assert who.values == {} or game.is_won(table)
    assert 1 < len(set(thought)) <= game.shuffles + 1
