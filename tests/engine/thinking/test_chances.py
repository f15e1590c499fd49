"""Whether a game can still be won is told from what was seen, and proved only where it is."""

import sys
from random import Random

from positions import foundation, lay_out
from small_decks import klondike, small_table

from kibitz.engine.cards import DECK
from kibitz.engine.deals import deck_of
from kibitz.engine.games import GAMES
from kibitz.engine.solving import Budget, Verdict, solve
from kibitz.engine.solving.courses import Patience
from kibitz.engine.table import UNKNOWN, Table, redact_table
from kibitz.engine.thinking.chances import MOST_WORLDS, Chances, chances
from kibitz.engine.thinking.knowledge import Knowledge

ALWAYS = Patience(lambda: 0.0, 1.0, nodes=2000)
"""A clock that stands: only positions are counted."""
SINGLE = GAMES["klondike-single"]
HOMES = {f"FOUNDATION-{n}": foundation(suit, "T") for n, suit in enumerate("cdhs", 1)}


def near_end(piles: dict[str, str]) -> Table:
    return lay_out(SINGLE.with_options({"redeals": "0"}), HOMES | piles, redeals=0)


def test_what_lies_open_is_won_lost_or_not_known() -> None:
    table = near_end({"COLUMN-1": "Kc Qc Jc", "COLUMN-2": "Kd Qd Jd", "COLUMN-3": "Kh Qh Jh"})
    table = Table({**table.piles, "COLUMN-4": near_end({"COLUMN-4": "Ks Qs Js"}).piles["COLUMN-4"]})
    assert chances(SINGLE, table, Random(1), ALWAYS) == Chances(1, 1, 0, True)
    rng, seen = Random(5), set[Verdict]()
    game = klondike("klondike-single redeals=0")
    for _ in range(20):
        small = small_table(game, rng, 5)
        found = chances(game, small, Random(1), ALWAYS)
        assert (found.worlds, found.all) == (1, True)
        assert found.proved is solve(game, small, Budget(2000)).verdict
        seen.add(found.proved)
    assert {Verdict.WIN, Verdict.LOST} <= seen


def partly(table: Table, rng: Random, hidden: int) -> Table:
    """The table without the names of some cards that lie face down."""
    down = [cell for pile in table.piles.values() for cell in pile if not cell.up]
    never = rng.sample(down, min(hidden, len(down)))
    piles = {
        name: tuple([UNKNOWN if cell in never else cell for cell in pile])
        for name, pile in table.piles.items()
    }
    return Table(piles, table.counters)


def test_a_loss_is_proved_only_if_every_world_is_lost() -> None:
    game, rng, proved = klondike("klondike-single redeals=0"), Random(9), list[Verdict]()
    for _ in range(30):
        table = partly(small_table(game, rng, 5), rng, 3)
        knowledge = Knowledge(game)
        knowledge.look(table)
        found = chances(game, table, Random(1), ALWAYS)
        verdicts = [solve(game, world, Budget(2000)).verdict for world in knowledge.worlds()]
        assert found.all
        assert found.worlds == len(verdicts)
        assert found.winnable == verdicts.count(Verdict.WIN)
        assert found.lost == verdicts.count(Verdict.LOST)
        all_lost = set(verdicts) == {Verdict.LOST}
        assert (found.proved is Verdict.LOST) == all_lost
        proved.append(found.proved)
    assert {Verdict.WIN, Verdict.LOST, Verdict.UNKNOWN} <= set(proved)


def test_some_worlds_prove_nothing() -> None:
    game = GAMES["thumb-and-pouch"]
    table = redact_table(game.deal(deck_of("3")))
    found = chances(game, table, Random(1), Patience(lambda: 0.0, 1.0, nodes=300))
    assert found.worlds == MOST_WORLDS
    assert not found.all
    assert found.proved is Verdict.UNKNOWN


def test_the_time_there_is_ends_it() -> None:
    ticks = iter(range(sys.maxsize))
    patience = Patience(lambda: float(next(ticks)), 10.0, nodes=50)
    game = GAMES["klondike-single"]
    found = chances(game, redact_table(game.deal(deck_of("3"))), Random(1), patience)
    assert 1 <= found.worlds < MOST_WORLDS
    stopped = Patience(lambda: 0.0, 1.0, nodes=50, stopped=lambda: True)
    found = chances(game, redact_table(game.deal(deck_of("3"))), Random(1), stopped)
    assert found.worlds == 1


def test_a_shuffle_to_come_is_no_loss() -> None:
    game = GAMES["montana"]
    kings, gaps = {"1.1": "Kc", "1.3": "Kd", "1.5": "Kh", "1.7": "Ks"}, {"1.2", "1.4", "1.6", "1.8"}
    piles = dict(lay_out(game, kings).piles)
    rest = [cell for pile in game.deal(DECK).piles.values() for cell in pile if cell.text[0] != "K"]
    for pile in piles.keys() - kings.keys() - gaps:
        piles[pile] = (rest.pop(),)
    assert chances(game, Table(piles, {"shuffles": 1}), Random(1), ALWAYS).proved is Verdict.UNKNOWN
    assert chances(game, Table(piles, {"shuffles": 0}), Random(1), ALWAYS).proved is Verdict.LOST
