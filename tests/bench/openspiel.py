"""Random play and expansion of Klondike, one card at a time, beside OpenSpiel's `solitaire`.

    python -m bench.openspiel [--rounds 7]

Both through Python. *play*: legal moves chosen by chance, moves/s (its chance nodes cost time and
do not count); *expand*: every legal move of a position of a random game is made, positions/s. They
take turns; seconds are of the processor, ratios those of one round.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from random import Random
from statistics import median
from typing import Any

import pyspiel
from bench.table import aligned

from kibitz.engine.deals import deck_of
from kibitz.engine.game import NO_CHANCE, Move, moves, play
from kibitz.engine.games import GAMES
from kibitz.engine.table import Table

GAME = GAMES["klondike-single"]
PLIES = 200
"""Moves after which a game is left."""
SECONDS = 1.0
"""For each of the two, each round."""

Step = Callable[[Random], Iterator[int]]
"""Games without an end, by chance: how much was done in each step."""


def _ours(rng: Random) -> Iterator[tuple[Table, list[Move]]]:
    """Tables of ours on which a player decides, by chance, and his moves."""
    while True:
        table = GAME.deal(deck_of(str(rng.randrange(1000))))
        for _ in range(PLIES):
            legal = moves(GAME, table)
            if not legal:
                break
            yield table, legal
            table = play(GAME, table, rng.choice(legal), NO_CHANCE).table


def ours_played(rng: Random) -> Iterator[int]:
    """Moves of ours."""
    for _ in _ours(rng):
        yield 1


def ours_expanded(rng: Random) -> Iterator[int]:
    """Positions of ours."""
    for table, legal in _ours(rng):
        yield len([play(GAME, table, move, NO_CHANCE).table for move in legal])


def _decisions(rng: Random) -> Iterator[Any]:
    """The peer's states in which a player decides, by chance."""
    game = pyspiel.load_game("solitaire")
    while True:
        state, plies = game.new_initial_state(), 0
        while not state.is_terminal() and plies < PLIES:
            if not state.is_chance_node():
                yield state
                plies += 1
            state.apply_action(rng.choice(state.legal_actions()))


def peers_played(rng: Random) -> Iterator[int]:
    """Moves of the peer."""
    for _ in _decisions(rng):
        yield 1


def peers_expanded(rng: Random) -> Iterator[int]:
    """Positions of the peer."""
    for state in _decisions(rng):
        yield len([state.child(action) for action in state.legal_actions()])


def rate(step: Step, seed: int) -> float:
    """How much of it is done in a second."""
    begun = time.process_time()
    done = 0
    for count in step(Random(seed)):
        done += count
        if time.process_time() > begun + SECONDS:
            break
    return done / (time.process_time() - begun)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=7)
    rounds = options.parse_args().rounds
    rows = []
    for what, ours, peers in (
        ("play", ours_played, peers_played),
        ("expand", ours_expanded, peers_expanded),
    ):
        both = [(rate(ours, seed), rate(peers, seed)) for seed in range(rounds)]
        times = sorted(one / other for one, other in both)
        each = (f"{median(rates):,.0f}" for rates in zip(*both, strict=True))
        rows.append((what, *each, f"{median(times):.2f} ({times[0]:.2f} to {times[-1]:.2f})"))
    print(aligned(("", "ours/s", "OpenSpiel/s", "ratio (min to max)"), rows))


if __name__ == "__main__":
    main()
