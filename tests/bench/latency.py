"""From a move to its ok on SQLite (durable commits), for 1, 50 and 500 rooms at the same time."""

import argparse
import asyncio
import tempfile
import time
from itertools import count
from statistics import quantiles

from bench.processes import started
from websockets.asyncio.client import connect

from kibitz.protocol.replies import Joined, Ok
from kibitz.protocol.requests import Create, Hello, Move, RequestBase
from kibitz.protocol.wire import Encoding, decode_reply, encode

URL = "ws://127.0.0.1:{}/ws"


async def player(port: int, until: float, ready: asyncio.Barrier, times: list[float]) -> None:
    """Draw a card, wait for the ok, draw the next."""
    protocol = Encoding.MSGPACK.value
    async with connect(URL.format(port), subprotocols=[protocol], compression=None) as socket:  # type: ignore[list-item]
        numbers = count(1)

        async def ask(request: RequestBase, i: int) -> object:
            await socket.send(encode(request, Encoding.MSGPACK))
            while True:
                reply = decode_reply(await socket.recv())
                if getattr(reply, "i", None) == i:
                    return reply

        await ask(Hello(i=0), 0)
        joined = await ask(Create(i=0, game="klondike-single"), 0)
        assert isinstance(joined, Joined)
        await ready.wait()
        end = time.perf_counter() + until
        while (begun := time.perf_counter()) < end:
            i = next(numbers)
            ok = await ask(Move(i=i, room=joined.room, move="sw"), i)
            assert isinstance(ok, Ok), ok
            times.append(time.perf_counter() - begun)


async def measure(port: int, rooms: int, seconds: float) -> list[float]:
    """The seconds from move to ok, of every move of all rooms."""
    times: list[float] = []
    ready = asyncio.Barrier(rooms)
    await asyncio.gather(*(player(port, seconds, ready, times) for _ in range(rooms)))
    return times


def main() -> None:
    """Print a row a number of rooms."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rooms", type=int, nargs="*", default=[1, 50, 500])
    chosen = parser.parse_args()
    print(f"{'rooms':>6}{'moves/s':>12}{'p50 ms':>10}{'p99 ms':>10}{'server us/move':>16}")
    for rooms in chosen.rooms:
        with tempfile.TemporaryDirectory() as folder, started("kibitz", f"{folder}/k.db") as server:
            cpu = server.cpu()
            times = asyncio.run(measure(server.port, rooms, chosen.seconds))
            cpu = server.cpu() - cpu
        cuts = quantiles(times, n=100)
        print(
            f"{rooms:>6}{len(times) / chosen.seconds:>12,.0f}{cuts[49] * 1e3:>10.2f}"
            f"{cuts[98] * 1e3:>10.2f}{cpu / len(times) * 1e6:>16.0f}"
        )


if __name__ == "__main__":
    main()
