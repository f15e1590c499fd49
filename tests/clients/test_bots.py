"""Strategies without a server: they play by what everybody may see."""

from collections import Counter
from collections.abc import Awaitable
from random import Random

import pytest
from positions import DATA, command

from kibitz.clients.bots import STRATEGIES, Strategy
from kibitz.clients.bots.greedy import PATIENCE, PREFERENCES, Greedy
from kibitz.clients.bots.thinker import Thinker
from kibitz.engine.deals import deck_of
from kibitz.engine.game import moves, play
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.notation import write_piles
from kibitz.engine.saves import read
from kibitz.engine.table import Table, redact_table
from kibitz.engine.thinking import Strength
from kibitz.protocol.views import BoardView

MOST = 5000
"""Moves after which a strategy goes round in circles."""

_START = (DATA / "B48.txt").read_text().split("START\n")[1].split("COMMANDS")[0]
B48 = read("".join(line.removeprefix("| ") + "\n" for line in _START.splitlines()))


def look(game: str, table: Table, made: int) -> tuple[BoardView, list[str]]:
    """What a strategy is given."""
    seen = redact_table(table)
    rules = GAMES[game]
    legal = [TEXTS[game].write(move) for move in moves(rules, seen)]
    counters = dict(seen.counters)
    return BoardView(write_piles(seen), "open", made, rules.score(seen), counters), legal


def play_out(game: str, table: Table, choose: Strategy, rng: Random) -> list[str]:
    """The moves until the strategy gives up or has won; every one must be legal."""
    line: list[str] = []
    while not GAMES[game].is_won(table):
        assert len(line) < MOST
        view, legal = look(game, table, len(line))
        move = choose(view, legal)
        if move is None:
            break
        assert isinstance(move, str)
        assert move in legal
        table = play(GAMES[game], table, command(game, move), rng).table
        line.append(move)
    return line


def deal(game: str, number: int) -> Table:
    return GAMES[game].deal(deck_of(str(number)))


@pytest.mark.parametrize("game", GAMES)
def test_greedy_plays_legal_moves_and_ends(game: str) -> None:
    for number in range(4):
        assert play_out(game, deal(game, number), Greedy(GAMES[game]), Random(number))


@pytest.mark.parametrize("game", GAMES)
def test_the_same_cards_are_played_the_same_way(game: str) -> None:
    for name, most in {"greedy": 200, "random": 200, "fast": 5}.items():
        make = STRATEGIES[name]
        lines = [
            play_out_at_most(most, game, make(GAMES[game], Random(5)), Random(9)) for _ in range(2)
        ]
        assert lines[0] == lines[1], name


def play_out_at_most(most: int, game: str, choose: Strategy, rng: Random) -> list[str]:
    def choose_at_most(view: BoardView, legal: list[str]) -> str | Awaitable[str | None] | None:
        return choose(view, legal) if view.moves < most else None

    return play_out(game, deal(game, 3), choose_at_most, rng)


def test_another_seed_plays_another_way() -> None:
    make = STRATEGIES["random"]
    lines = {
        tuple(play_out_at_most(20, "montana", make(GAMES["montana"], Random(seed)), Random(9)))
        for seed in range(5)
    }
    assert len(lines) > 1


def test_greedy_wins_where_foresight_is_not_needed() -> None:
    won = Counter[str]()
    for game in ("klondike", "thumb-and-pouch"):
        for number in range(6):
            line = play_out(game, deal(game, number), Greedy(GAMES[game]), Random(number))
            end = deal(game, number)
            for move in line:
                end = play(GAMES[game], end, command(game, move), Random(number)).table
            won[game] += GAMES[game].is_won(end)
    assert all(won[game] >= 2 for game in ("klondike", "thumb-and-pouch")), won


def test_b48_a_shuttle_is_not_played_for_ever() -> None:
    _, legal = look("klondike", B48.table, 0)
    assert legal == ["move 1 2"]
    assert play_out("klondike", B48.table, Greedy(GAMES["klondike"]), Random(0)) == ["move 1 2"]


def test_nothing_is_tried_twice_in_one_position() -> None:
    greedy = Greedy(GAMES["klondike"])
    view, legal = look("klondike", deal("klondike", 1), 0)
    choices = [greedy(view, legal) for _ in range(len(legal) + 1)]
    tried = [choice for choice in choices if choice is not None]
    assert len(set(tried)) == len(tried)
    assert choices[-1] is None


def test_without_progress_the_game_is_given_up() -> None:
    greedy = Greedy(GAMES["klondike-single"])
    table = deal("klondike-single", 1)
    answers = [greedy(*turned(table, n)) for n in range(PATIENCE + 2)]
    assert answers[PATIENCE] is not None
    assert answers[PATIENCE + 1] is None


def turned(table: Table, n: int) -> tuple[BoardView, list[str]]:
    """Always the same cards, but never the same position."""
    view, legal = look("klondike-single", table, n)
    return BoardView(view.piles, "open", n, 0, {"n": n}), legal


def test_every_game_has_its_preferences() -> None:
    assert set(PREFERENCES) == set(GAMES)


def test_who_thinks_says_what_was_thought() -> None:
    rules = GAMES["klondike"]
    thinker, table = Thinker(rules, Strength.FAST, Random(1)), deal("klondike", 1)
    while not thinker.explain():
        view, legal = look("klondike", table, 0)
        move = thinker(view, legal)
        assert move is not None
        table = play(rules, table, command("klondike", move), Random(1)).table
    values = thinker.explain()
    assert set(values) <= set(legal)
    assert list(values.values()) == sorted(values.values(), reverse=True)
