"""Events of one room to its spectators, beside the plain library broadcast() of the same bytes.

Both servers are up at the same time and take turns, slice by slice; what counts is the ratio of
server processor time a delivered message.
"""

import argparse
import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from bench.processes import Process, started
from websockets.sync.client import ClientConnection, connect

SLICES = 5
HELLO = '{"t":"hello","i":1,"name":"crowd"}'


class Crowd:
    """The spectators of one server."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin, process.stdout
        self._expect("ready")

    def _expect(self, word: str) -> None:
        said = self._out.readline().strip()
        assert said == word, f"the crowd said {said!r}"

    def expect(self, frames: int) -> None:
        """Begin to wait for so many more frames everywhere."""
        self._in.write(f"{frames}\n")
        self._in.flush()

    def wait(self) -> None:
        """Wait until they have come."""
        self._expect("done")


@contextlib.contextmanager
def crowd(port: int, count: int, *greetings: str) -> Iterator[Crowd]:
    """So many spectators."""
    command = [sys.executable, str(Path(__file__).parent / "crowd.py"), str(port), str(count)]
    pipe = subprocess.PIPE
    with subprocess.Popen([*command, *greetings], stdin=pipe, stdout=pipe, text=True) as process:
        try:
            yield Crowd(process)
        finally:
            process.terminate()


def ask(player: ClientConnection, **request: object) -> dict[str, object]:
    """The answer to a request; events are passed over."""
    player.send(json.dumps({"i": 1, **request}))
    while True:
        answer: dict[str, object] = json.loads(player.recv())
        if "i" in answer:
            assert answer["t"] != "error", answer
            return answer


def timed(
    server: Process, people: Crowd, events: int, send: Callable[[int], None]
) -> tuple[float, float]:
    """Processor seconds of the server and wall seconds for some events."""
    people.expect(events)
    cpu, wall = server.cpu(), time.perf_counter()
    for number in range(events):
        send(number)
    people.wait()
    return server.cpu() - cpu, time.perf_counter() - wall


def compare(count: int, events: int) -> None:
    """Print a row: one size of crowd."""
    with (
        started("kibitz") as ours,
        started("plain") as plain,
        connect(f"ws://127.0.0.1:{ours.port}/ws", compression=None) as player,
        connect(f"ws://127.0.0.1:{plain.port}/ws", compression=None) as sender,
    ):
        ask(player, t="hello")
        room = str(ask(player, t="create", game="klondike-single", deal="1")["room"])
        join = f'{{"t":"join","i":2,"room":"{room}"}}'
        player.send(json.dumps({"t": "move", "room": room, "move": "sw"}))
        event = next(text for text in map(str, iter(player.recv, None)) if '"kind":"move"' in text)

        def move(number: int) -> None:
            ask(player, t="move", room=room, move="sw")

        def send(number: int) -> None:
            sender.send(event)
            sender.recv()

        with crowd(ours.port, count, HELLO, join) as a, crowd(plain.port, count) as b:
            time.sleep(1.5)
            pairs = [
                (timed(ours, a, events, move), timed(plain, b, events, send)) for _ in range(SLICES)
            ]
    messages = count * events
    mine, theirs = (median(pair[n][0] for pair in pairs) for n in (0, 1))
    ratio = median(pair[1][0] / max(pair[0][0], 1e-9) for pair in pairs)
    rate = messages / median(pair[0][1] for pair in pairs)
    print(
        f"{count:>10,}{mine / messages * 1e6:>16.2f}{theirs / messages * 1e6:>16.2f}"
        f"{ratio:>10.2f}{rate:>14,.0f}"
    )


def main() -> None:
    """Print a row a size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=200)
    parser.add_argument("--sizes", type=int, nargs="*", default=[100, 1000, 5000])
    chosen = parser.parse_args()
    head = ("spectators", "kibitz us/msg", "plain us/msg", "ratio", "messages/s")
    print(f"{head[0]:>10}{head[1]:>16}{head[2]:>16}{head[3]:>10}{head[4]:>14}")
    for size in chosen.sizes:
        compare(size, max(20, chosen.events * 100 // max(size, 100)))


if __name__ == "__main__":
    main()
