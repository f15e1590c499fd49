"""Moves and lists of legal moves a second, for every game, on random games.

And what a move costs a room before it is written down and told: deciding and applying it.
"""

import time
from random import Random
from statistics import mean, median

from positions import begun

from kibitz.engine.deals import deck_of
from kibitz.engine.game import Game, Move, moves, play
from kibitz.engine.games import GAMES
from kibitz.engine.table import Table
from kibitz.protocol import requests as ask
from kibitz.protocol.views import Event
from kibitz.server.identity import Identity
from kibitz.server.log.record import Record, Secret
from kibitz.server.room.decide import change
from kibitz.server.room.state import RoomState

DEALS, STEPS, ROUNDS = 30, 100, 5
ANN = Identity("ann", "Ann")


def record(game: Game) -> list[tuple[Table, Move]]:
    """Positions of random games, with the move made in each."""
    steps: list[tuple[Table, Move]] = []
    for deal in range(DEALS):
        rng, table = Random(deal), game.deal(deck_of(str(deal)))
        for _ in range(STEPS):
            legal = moves(game, table)
            if not legal:
                break
            steps.append((table, rng.choice(legal)))
            table = play(game, table, steps[-1][1], rng).table
    return steps


def room(game: Game, start: Table) -> RoomState:
    """A room in which Ann is about to play."""
    joined = Event(seq=2, at=0, kind="joined", by=ANN.id, name=ANN.name, seat=1)
    return RoomState(Record(events=[begun(game, start, ANN.id), joined], secret=Secret(seed="")))


def accept(game: Game) -> float:
    """Microseconds that a room takes to decide and apply a move of a random game."""
    taken = []
    for deal in range(DEALS):
        rng, state = Random(deal), room(game, game.deal(deck_of(str(deal))))
        for _ in range(STEPS):
            legal = moves(game, state.positions[0].board.table)
            if not legal:
                break
            request = ask.Move(room="r", move=state.text.write(rng.choice(legal)))
            begun = time.perf_counter()
            events = change(state, request, ANN, 0, {ANN.id})
            state.apply(Record(events=events, by=ANN.id))
            taken.append(time.perf_counter() - begun)
    return mean(taken) * 1e6


def main() -> None:
    """Print a row a game."""
    print(
        f"{'game':<18}{'positions':>10}{'moves/s':>12}{'legal lists/s':>16}{'legal moves/s':>16}"
        f"{'decide+apply us/move':>24}"
    )
    for game in GAMES.values():
        steps, rng = record(game), Random(0)
        played, listed, legal = [], [], 0
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            for table, move in steps:
                play(game, table, move, rng)
            played.append(len(steps) / (time.perf_counter() - begun))
            begun = time.perf_counter()
            legal = sum(len(moves(game, table)) for table, _ in steps)
            listed.append(len(steps) / (time.perf_counter() - begun))
        a_list = median(listed)
        accepted = min(accept(game) for _ in range(ROUNDS))
        print(
            f"{game.name:<18}{len(steps):>10}{median(played):>12,.0f}{a_list:>16,.0f}"
            f"{a_list * legal / len(steps):>16,.0f}{accepted:>24.1f}"
        )


if __name__ == "__main__":
    main()
