"""Moves and lists of legal moves a second, for every game, on random games."""

import time
from random import Random
from statistics import median

from kibitz.engine.deals import deck_of
from kibitz.engine.game import Game, Move, moves, play
from kibitz.engine.games import GAMES
from kibitz.engine.table import Table

DEALS, STEPS, ROUNDS = 30, 100, 5


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


def main() -> None:
    """Print a row a game."""
    print(f"{'game':<18}{'positions':>10}{'moves/s':>12}{'legal lists/s':>16}{'legal moves/s':>16}")
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
        print(
            f"{game.name:<18}{len(steps):>10}{median(played):>12,.0f}{a_list:>16,.0f}"
            f"{a_list * legal / len(steps):>16,.0f}"
        )


if __name__ == "__main__":
    main()
