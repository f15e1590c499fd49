"""A compiled wheel beside the same source as it is: the same results, and how much sooner?

    KIBITZ_COMPILED=1 pip wheel --no-deps -w WHEELS ..
    python -m bench.compiled WHEELS/kibitz-*.whl [--rounds 3] [WORK ...]

Processes with the one engine and with the other take turns, round after round, at the same deals
with the same seeds. What they find must be the same to the last position and move, or this ends
with exit code 1. Seconds are of the processor; a ratio is that of one pair.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from statistics import median

from bench.games import game_of
from bench.table import aligned

from kibitz.engine.deals import deck_of
from kibitz.engine.game import NO_CHANCE, Move, Shuffle, moves, play
from kibitz.engine.games import written
from kibitz.engine.solving import Budget, answers, solve
from kibitz.engine.table import redact_table
from kibitz.engine.thinking import Strength, policy

SOURCE = Path(__file__).parents[2] / "engine"
MOST_MOVES = 300
"""Moves of one game that is played."""


def solved(name: str, deals: int, nodes: int) -> Iterator[object]:
    """What the solver finds."""
    game = game_of(name)
    for deal in range(1, deals + 1):
        answer = solve(game, game.deal(deck_of(str(deal))), Budget(nodes))
        yield answer.verdict.value, answer.nodes, [str(move) for move in answer.line]


def thought(name: str, strength: Strength, deals: int) -> Iterator[object]:
    """What a bot plays."""
    game = game_of(name)
    for deal in range(1, deals + 1):
        table, line = game.deal(deck_of(str(deal))), list[Move]()
        bot = policy(game, strength, Random(deal))
        while len(line) < MOST_MOVES and not game.is_won(table):
            if (move := bot.choose(redact_table(table))) is None:
                break
            table = play(game, table, move, Random(f"{deal}:{len(line)}")).table
            line.append(move)
        yield game.score(table), written(game, line)


def wandered(name: str, deals: int) -> Iterator[object]:
    """Moves by chance."""
    game = game_of(name)
    for deal in range(1, deals + 1):
        table, rng = game.deal(deck_of(str(deal))), Random(deal)
        for _ in range(MOST_MOVES):
            legal = [move for move in moves(game, table) if not isinstance(move, Shuffle)]
            if not legal:
                break
            table = play(game, table, rng.choice(legal), NO_CHANCE).table
        yield game.score(table)


STRONG, FAST = Strength.STRONG, Strength.FAST
WORK: dict[str, Callable[[], Iterator[object]]] = {
    "solve thumb-and-pouch": lambda: solved("thumb-and-pouch", 40, 5_000),
    "solve klondike": lambda: solved("klondike alternate_colours=on", 40, 5_000),
    "solve klondike-single": lambda: solved("klondike-single", 8, 8_000),
    "solve control": lambda: solved("control", 15, 5_000),
    "solve aces-up": lambda: solved("aces-up", 8, 100_000),
    "solve montana": lambda: solved("montana", 2, 300_000),
    "strong thumb-and-pouch": lambda: thought("thumb-and-pouch", STRONG, 1),
    "strong klondike": lambda: thought("klondike", STRONG, 1),
    "fast klondike-single": lambda: thought("klondike-single", FAST, 6),
    "strong aces-up": lambda: thought("aces-up", STRONG, 6),
    "strong montana": lambda: thought("montana", STRONG, 2),
    "random klondike-single": lambda: wandered("klondike-single", 150),
    "random montana": lambda: wandered("montana", 800),
}


def slice_of(folder: Path, work: str) -> tuple[float, str, bool]:
    """Processor seconds of some work, what came of it, whether the engine there is compiled."""
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "bench.compiled", "--slice", work]
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    seconds, came, compiled = json.loads(done.stdout)
    return seconds, came, compiled


def compare(wheel: Path, names: list[str], rounds: int) -> int:
    """Print how they compare; how many pairs did not find the same."""
    rows: list[tuple[str, ...]] = []
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        compiled = Path(folder)
        zipfile.ZipFile(wheel).extractall(compiled)
        for name in names:
            pairs = []
            for number in range(rounds):
                order = [SOURCE, compiled] if number % 2 else [compiled, SOURCE]
                said = {engine: slice_of(engine, name) for engine in order}
                (slow, came, is_compiled), (quick, same, was_compiled) = (
                    said[engine] for engine in (SOURCE, compiled)
                )
                assert (is_compiled, was_compiled) == (False, True), "the wheel is a compiled one"
                pairs.append((slow, quick))
                if came != same:
                    different += 1
                    print(f"{name}: not the same results", file=sys.stderr)
            ratios = sorted(slow / quick for slow, quick in pairs)
            numbers = (median(column) for column in (*zip(*pairs, strict=True), ratios))
            rows.append((name, *(f"{n:.2f}" for n in (*numbers, ratios[0], ratios[-1]))))
    print(aligned(("work", "pure, s", "compiled, s", "times as fast", "least", "most"), rows))
    return different


def main() -> int:
    """Read the arguments; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", nargs="?", type=Path)
    parser.add_argument("work", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slice", choices=WORK)
    chosen = parser.parse_intermixed_args()
    if chosen.slice:
        began = time.process_time()
        came = json.dumps(list(WORK[chosen.slice]()))
        seconds = time.process_time() - began
        print(json.dumps([seconds, came, not answers.__file__.endswith(".py")]))
        return 0
    if chosen.wheel is None:
        parser.error("which wheel?")
    names = [name for name in WORK if not chosen.work or any(w in name for w in chosen.work)]
    return 1 if compare(chosen.wheel, names, chosen.rounds) else 0


if __name__ == "__main__":
    sys.exit(main())
