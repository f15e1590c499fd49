"""`view at` any number of a long room over the socket, beside the same at event 100, in one run.

The room is played on one server and looked at on a second one that reads it from the file, in
turns: a number by chance, then event 100.
"""

import argparse
import contextlib
import json
import tempfile
import time
from collections.abc import Iterator
from random import Random
from statistics import median, quantiles

from bench.processes import started
from plays import endless
from websockets.sync.client import ClientConnection, connect

GOAL_MS = 20.0
EARLY = 100
PIPELINE = 100
"""Moves that are on their way at the same time while the room is played."""


def ask(player: ClientConnection, **request: object) -> dict[str, object]:
    """The answer to a request; events are passed over."""
    player.send(json.dumps({"i": 1, **request}))
    while True:
        answer: dict[str, object] = json.loads(player.recv())
        if "i" in answer:
            assert answer["t"] != "error", answer
            return answer


@contextlib.contextmanager
def connected(port: int) -> Iterator[ClientConnection]:
    """A connection that has said hello."""
    with connect(f"ws://127.0.0.1:{port}/ws", compression=None, max_size=None) as player:
        ask(player, t="hello")
        yield player


def play(player: ClientConnection, events: int) -> str:
    """A room with so many events."""
    room = str(ask(player, t="create", game="klondike", deal="1")["room"])
    commands = endless(Random(1))
    for _ in range(0, events, PIPELINE):
        for number in range(PIPELINE):
            t, move = next(commands)
            wish = {"move": move} if move else {}
            player.send(json.dumps({"t": t, "i": number, "room": room, **wish}))
        waiting = PIPELINE
        while waiting:
            answer = json.loads(player.recv())
            waiting -= "i" in answer
            assert answer["t"] != "error", answer
    return room


def looks(player: ClientConnection, room: str, numbers: Iterator[int]) -> Iterator[float]:
    """The milliseconds until each answer."""
    for number in numbers:
        begun = time.perf_counter()
        ask(player, t="view", room=room, at=number)
        yield (time.perf_counter() - begun) * 1e3


def row(name: str, times: list[float]) -> None:
    """Print one line."""
    late = quantiles(times, n=20)[-1]
    print(f"{name:>16}{median(times):>12.2f}{late:>10.2f}{max(times):>10.2f}")


def main() -> None:
    """Print two rows and what they have to do with each other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=5000)
    parser.add_argument("--looks", type=int, default=1000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/k.db"
        with started("kibitz", path) as server, connected(server.port) as player:
            room = play(player, chosen.events)
        with started("kibitz", path) as server, connected(server.port) as player:
            begun = time.perf_counter()
            last = int(str(ask(player, t="join", room=room)["seq"]))
            loaded = (time.perf_counter() - begun) * 1e3
            rng = Random(2)
            chances = looks(player, room, iter(lambda: rng.randint(1, last), 0))
            early = looks(player, room, iter(lambda: EARLY, 0))
            pairs = [(next(chances), next(early)) for _ in range(chosen.looks)]
    anywhere, there = [a for a, _ in pairs], [b for _, b in pairs]
    print(
        f"a room of {last:,} events, {chosen.looks:,} looks of each kind; read in {loaded:.0f} ms"
    )
    print(f"{'view at':>16}{'median ms':>12}{'p95 ms':>10}{'max ms':>10}")
    row("any number", anywhere)
    row(f"event {EARLY}", there)
    print(f"ratio of medians {median(anywhere) / median(there):.2f}")
    over = sum(ms > GOAL_MS for ms in anywhere)
    print(f"{over} of {len(anywhere):,} took longer than the goal of {GOAL_MS:.0f} ms")


if __name__ == "__main__":
    main()
