"""How long people wait for a deal that is known to be winnable: seconds of the processor.

    python -m bench.winnable [--deals 50] [--seconds 20] ["GAME NAME=VALUE" ...]

What a server's worker does for a room, one secret after the other, in this process: `none` had no
deal after `--seconds`.
"""

import argparse
import time
from collections.abc import Sequence
from statistics import fmean, median

from bench.hostile import percentile

from kibitz.server.dealing.drawing import Wish, first_winnable

GAMES = (
    *("montana", "montana shuffles=0", "aces-up", "klondike-single", "klondike-single redeals=0"),
    *("thumb-and-pouch", "klondike", "klondike alternate_colours=on"),
)


def seconds_for(name: str, number: int, most: float) -> tuple[float, int, bool]:
    """Seconds for one room, draws that were looked at, and whether one was found."""
    game, *options = name.split()
    wish = Wish(game, dict(each.split("=") for each in options), f"{number:064x}", "bench")
    draws, begun = list[int](), time.process_time()
    found = first_winnable(wish, lambda: time.process_time() - begun > most, draws.append)
    return time.process_time() - begun, len(draws), found is not None


def measure(names: Sequence[str], deals: int, most: float) -> None:
    """Measure and print."""
    print("| game | rooms | none | seconds: mean | median | 95 % | most | draws: mean |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in names:
        rows = [seconds_for(name, number, most) for number in range(1, deals + 1)]
        times = [row[0] for row in rows]
        none = sum(not row[2] for row in rows)
        said = f"{fmean(times):.2f} | {median(times):.2f} | {percentile(times, 95) / 1000:.2f}"
        draws = fmean(row[1] for row in rows)
        print(
            f"| {name} | {deals} | {none} | {said} | {max(times):.2f} | {draws:.1f} |", flush=True
        )


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=50, help="rooms for each game")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("games", nargs="*", metavar="GAME", help="with options, in one word each")
    chosen = parser.parse_args()
    measure(chosen.games or GAMES, chosen.deals, chosen.seconds)


if __name__ == "__main__":
    main()
