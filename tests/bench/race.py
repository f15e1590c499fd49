"""A race of many connections: how far apart they are told of the start, and the race to its end.

Beside the start, in turns, the plain library broadcast() of the same bytes to as many connections.
When a frame arrives is noted as its bytes are read, before anything is made of them. Then all play
greedily to the end, and the table is compared with the one that follows from the log.
"""

import argparse
import asyncio
import json
import tempfile
import time
from contextlib import AsyncExitStack
from statistics import median
from typing import Any

import msgspec
from bench.processes import started
from websockets.asyncio.client import ClientConnection, connect

from kibitz.clients.bots.greedy import Greedy
from kibitz.engine.game import moves
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.notation import read_fact, write_piles
from kibitz.engine.table import Table, fold
from kibitz.protocol.course import standings
from kibitz.protocol.views import BoardView
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.room.state import RoomState

URL = "ws://127.0.0.1:{}/ws"
GOAL_MS = 50.0
MARKS = {"started": b'"kind":"started"', "dealt": b'"kind":"dealt"'}


class Timed(ClientConnection):
    """A connection that notes when a start arrives."""

    arrived: dict[str, float]

    def data_received(self, data: bytes) -> None:
        """Note the time first."""
        now = time.perf_counter()
        for kind, mark in MARKS.items():
            if mark in data:
                self.__dict__.setdefault("arrived", {})[kind] = now
        super().data_received(data)


class Racer:
    """One connection: what it is told of its own board, and nothing else."""

    def __init__(self, socket: Timed) -> None:
        self.socket = socket
        self.board = -1
        self.table = Table()
        self.score = self.moves = 0
        self.frames = 0
        self.dealt = ""
        self.ended: dict[str, Any] = {}
        self._asked = 0

    async def ask(self, **request: object) -> dict[str, Any]:
        """The answer to a request; what is told before it is taken."""
        self._asked += 1
        await self.socket.send(json.dumps({"i": self._asked, **request}))
        while (said := await self.hear()).get("i") != self._asked:
            pass
        return said

    async def hear(self) -> dict[str, Any]:
        """The next message, taken."""
        frame = await self.socket.recv()
        said: dict[str, Any] = msgspec.json.decode(frame)
        self.frames += 1
        kind = said.get("kind")
        if kind == "dealt":
            self.dealt = str(frame)
        if kind == "ended":
            self.ended = said
        elif kind == "dealt" or (kind != "hidden" and said.get("board", 0) == self.board):
            self.table = fold(map(read_fact, said.get("fx", ())), self.table)
            self.score, self.moves = said.get("score", self.score), said.get("moves", self.moves)
        return said

    async def play(self, room: str, game: str) -> None:
        """Play greedily, give up where nothing is left to do, wait for the end."""
        choose, rules, text = Greedy(GAMES[game]), GAMES[game], TEXTS[game]
        while not self.ended:
            legal = [text.write(move) for move in moves(rules, self.table)]
            piles, counters = write_piles(self.table), dict(self.table.counters)
            choice = choose(BoardView(piles, "open", self.moves, self.score, counters), legal)
            if choice is None:
                await self.ask(t="resign", room=room)
                break
            said = await self.ask(t="move", room=room, move=choice)
            assert said["t"] == "ok", said
            if said["seq"] and rules.is_won(self.table):
                break
        while not self.ended:
            await self.hear()


def spreads(sockets: list[Timed]) -> dict[str, float]:
    """Milliseconds between the first and the last to be told, of each kind; then forget them."""
    found = {}
    for kind in MARKS:
        times = [socket.arrived[kind] for socket in sockets]
        found[kind] = (max(times) - min(times)) * 1e3
    for socket in sockets:
        socket.arrived.clear()
    return found


async def sockets_to(stack: AsyncExitStack, port: int, count: int) -> list[Timed]:
    """So many connections."""
    sockets = []
    for _ in range(count):
        made = connect(
            URL.format(port),
            create_connection=Timed,
            compression=None,
            max_size=None,
            ping_interval=None,
        )
        socket = await stack.enter_async_context(made)
        assert isinstance(socket, Timed)
        sockets.append(socket)
    return sockets


async def start(racers: list[Racer], game: str) -> str:
    """A race, begun; everybody has been told."""
    wish = {"game": game, "mode": "race", "seats": len(racers), "countdown": 1}
    room = str((await racers[0].ask(t="create", **wish))["room"])
    for racer in racers:
        racer.table, racer.dealt = Table(), ""
        joined = await racer.ask(t="join", room=room, role="player")
        racer.board = joined["board"]
    for racer in racers:
        await racer.ask(t="ready", room=room)

    async def told(racer: Racer) -> None:
        while not racer.dealt:
            await racer.hear()

    await asyncio.gather(*map(told, racers))
    return room


async def plain(sockets: list[Timed], frames: list[str]) -> None:
    """The same bytes by the plain library."""
    for frame in frames:
        await sockets[0].send(frame)
    for _ in frames:
        await asyncio.gather(*(socket.recv() for socket in sockets))


async def race(port: int, plain_port: int, count: int, starts: int, game: str) -> tuple[str, Any]:
    """Measure and print; the room of the last race and the table that was told."""
    async with AsyncExitStack() as stack:
        sockets = await sockets_to(stack, port, count)
        others = await sockets_to(stack, plain_port, count)
        racers = [Racer(socket) for socket in sockets]
        for number, racer in enumerate(racers):
            await racer.ask(t="hello", name=f"bot {number}")
        ours, theirs = [], []
        for _ in range(starts):
            room = await start(racers, game)
            ours.append(spreads(sockets))
            frames = [f'{{"kind":"started","pad":"{"x" * 100}"}}', racers[0].dealt]
            await plain(others, frames)
            theirs.append(spreads(others))
        print(f"{count} racers, {starts} starts; ms between the first and the last to be told")
        print(f"{'':>10}{'kibitz':>10}{'worst':>10}{'plain':>10}{'worst':>10}")
        for kind in MARKS:
            mine, plains = ([one[kind] for one in found] for found in (ours, theirs))
            print(
                f"{kind:>10}{median(mine):>10.2f}{max(mine):>10.2f}"
                f"{median(plains):>10.2f}{max(plains):>10.2f}"
            )
        over = sum(one["dealt"] > GOAL_MS for one in ours)
        print(f"{over} of {starts} starts took longer than the goal of {GOAL_MS:.0f} ms")
        begun, before = time.perf_counter(), sum(racer.frames for racer in racers)
        await asyncio.gather(*(racer.play(room, game) for racer in racers))
        seconds = time.perf_counter() - begun
        frames_told = sum(racer.frames for racer in racers) - before
        moved = sum(racer.moves for racer in racers)
        print(
            f"played to the end: {moved:,} moves in {seconds:.1f} s, {moved / seconds:,.0f} moves/s"
            f" and {frames_told / seconds:,.0f} messages/s to {count} connections"
        )
        tables = [racer.ended["results"] for racer in racers]
        assert all(table == tables[0] for table in tables), "everybody is told the same table"
        return room, tables[0]


async def recomputed(path: str, room: str) -> object:
    """The table that follows from the log."""
    log = SqliteLog(path)
    first, *rest = await log.read(room)
    await log.close()
    state = RoomState(first)
    for record in rest:
        state.apply(record)
    return msgspec.to_builtins(standings(state.view().boards, state.seats))


def main() -> None:
    """Race, then compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--racers", type=int, default=100)
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--game", default="aces-up")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/k.db"
        with started("kibitz", path) as server, started("plain") as other:
            cpu = server.cpu()
            room, told = asyncio.run(
                race(server.port, other.port, chosen.racers, chosen.starts, chosen.game)
            )
            cpu = server.cpu() - cpu
        again = asyncio.run(recomputed(path, room))
    assert again == told, "the table follows from the log"
    print(
        f"the table told is the one recomputed from the log: {len(told)} rows; {cpu:.1f} s server"
    )


if __name__ == "__main__":
    main()
