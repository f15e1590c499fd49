"""Whole games through a bad network: bots, racers, spectators and people who type, by a seed.

    python -m chaos.games --games 10000 --processes 2        from tests/

plays so many against one server process and checks them against its log: none got stuck, no move
was made twice, nobody was left sitting, and everybody ended with the hash that the log has.
"""

import argparse
import asyncio
import contextlib
import io
import json
import math
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from chaos.choosing import SHARES, Chooser, Thoughts, thoughts
from chaos.proxy import Weather, proxy
from plays import NEAR_WIN
from processes import standby
from servers import FREELY

from kibitz.clients import connection
from kibitz.clients.bot import play_out
from kibitz.clients.session import Client, Refused, connect
from kibitz.clients.terminal.keyboard import Keyboard
from kibitz.clients.terminal.play import play
from kibitz.clients.terminal.screen import Screen
from kibitz.clients.terminal.seating import Ways, new_room
from kibitz.engine.deals import deck_of
from kibitz.engine.game import NO_CHANCE, moves
from kibitz.engine.game import play as played
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.table import redact_table
from kibitz.protocol.hashing import chain
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.wire import Encoding
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.room.audience import public

STUCK = 900.0
"""Seconds after which a game counts as stuck: longer than anybody takes to notice silence."""
GAME = "aces-up"
OTHERS = [name for name in GAMES if name != GAME]
OFTEN = 0.3
"""The share of games of other rules among those that one plays alone, and among races."""
KINDS = {"solo": 12, "watched": 3, "coop": 2, "race": 2, "typed": 2}
"""What is played how often."""


@dataclass
class Played:
    """How a game ended for everybody in it.

    Attributes:
        game: What was played.
        heads: The last number and hash of each client.
        moves: What each player chose or typed, in order, where nobody else moves the same cards.
        players: How many sat down.
        choices: How often each strategy chose for one of them, by player.

    """

    kind: str
    game: str
    room: str
    players: int = 1
    heads: list[tuple[int, str]] = field(default_factory=list)
    moves: dict[str, list[str]] = field(default_factory=dict)
    choices: list[tuple[str, int]] = field(default_factory=list)


class Player:
    """One game of some kind, by chance."""

    def __init__(self, url: str, rng: Random, thinking: Thoughts) -> None:
        self._url = url
        self._rng = rng
        self._thinking = thinking
        self._choosers: list[Chooser] = []

    def client(self, name: str) -> Client:
        """Somebody who keeps trying, from the first connection on."""
        encoding = self._rng.choice(list(Encoding))
        return connect(self._url, name=name, encoding=encoding, patience=math.inf, wait=True)

    async def game(self, kind: str) -> Played:
        """Play it to its end."""
        kinds: dict[str, Callable[[], Coroutine[Any, Any, Played]]] = {
            "solo": self._solo,
            "watched": self._watched,
            "coop": self._coop,
            "race": self._race,
            "typed": self._typed,
        }
        played = await kinds[kind]()
        played.choices = [(each.name, each.asked) for each in self._choosers]
        return played

    def _rules(self) -> str:
        return self._rng.choice(OTHERS) if self._rng.random() < OFTEN else GAME

    def _chooser(self, game: str = GAME) -> Chooser:
        self._choosers.append(self._thinking.chooser(game, self._rng))
        return self._choosers[-1]

    async def _solo(self) -> Played:
        rules = self._rules()
        choose = self._chooser(rules)
        async with self.client("solo") as client:
            mirror = await client.create(rules)
            moves = {client.welcome.you.id: choose.chosen}
            game = Played("solo", rules, mirror.room, moves=moves)
            await play_out(client, mirror, choose)
            game.heads.append(await _finish(client, mirror))
        return game

    async def _watched(self) -> Played:
        """Two look on; one comes late and says something."""
        choose = self._chooser()
        async with self.client("watched") as client, self.client("eve") as eve:
            mirror = await client.create(GAME)
            moves = {client.welcome.you.id: choose.chosen}
            game = Played("watched", GAME, mirror.room, moves=moves)
            seen = await eve.join(mirror.room)
            playing = asyncio.ensure_future(play_out(client, mirror, choose, delay=lambda: 0.005))
            try:
                await eve.say(mirror.room, "hello")
                await playing
            finally:
                playing.cancel()
            game.heads.append(await _finish(client, mirror))
            game.heads.append(await _over(eve, seen))
        return game

    async def _coop(self) -> Played:
        async with self.client("one") as one, self.client("two") as two:
            mirror = await one.create(GAME, mode="coop", seats=2)
            other = await two.join(mirror.room, "player")
            game = Played("coop", GAME, mirror.room, players=2)
            await asyncio.gather(
                play_out(one, mirror, self._chooser()), play_out(two, other, self._chooser())
            )
            game.heads = [await _finish(one, mirror), await _finish(two, other)]
        return game

    async def _race(self) -> Played:
        near = {"save": NEAR_WIN} if self._rng.random() < 0.3 else {}
        rules = "klondike" if near else self._rules()
        async with self.client("one") as one, self.client("two") as two:
            mirror = await one.create(rules, mode="race", seats=2, countdown=0, **near)
            other = await two.join(mirror.room, "player")
            first, second = self._chooser(rules), self._chooser(rules)
            moves = {one.welcome.you.id: first.chosen, two.welcome.you.id: second.chosen}
            game = Played("race", rules, mirror.room, players=2, moves=moves)
            await asyncio.gather(play_out(one, mirror, first), play_out(two, other, second))
            game.heads = [await _over(one, mirror), await _over(two, other)]
        return game

    async def _typed(self) -> Played:
        """Somebody who types all his moves at once, sight unseen, into ``kibitz play``."""
        deal = str(self._rng.randrange(1_000_000))
        lines = known_moves(deal, self._rng, self._rng.randrange(5, 30))
        read, write = os.pipe()
        with os.fdopen(write, "w") as typing:
            typing.write("".join(f"{line}\n" for line in [*lines, "resign", "quit"]))
        out = io.StringIO()
        async with self.client("typed") as client:
            with os.fdopen(read) as source, Keyboard(source) as keyboard:
                await play(client, new_room(GAME, deal=deal), Screen(out), keyboard, Ways())
            (mirror,) = client.session.mirrors.values()
            game = Played("typed", GAME, mirror.room, moves={client.welcome.you.id: lines})
            game.heads.append(await _over(client, mirror))
        return game


def known_moves(deal: str, rng: Random, most: int) -> list[str]:
    """The lines of a game whose deal is known."""
    game, lines = GAMES[GAME], list[str]()
    table = game.deal(deck_of(deal))
    while len(lines) < most and (legal := list(moves(game, redact_table(table)))):
        move = rng.choice(legal)
        lines.append(TEXTS[GAME].write(move))
        table = played(game, table, move, NO_CHANCE).table
    return lines


async def _finish(client: Client, mirror: Mirror) -> tuple[int, str]:
    """Give the game up if it goes on; where it ended."""
    if mirror.status == "open":
        with contextlib.suppress(Refused):  # somebody else has
            await client.resign(mirror.room)
    return await _over(client, mirror)


async def _over(client: Client, mirror: Mirror) -> tuple[int, str]:
    await client.until(lambda: mirror.status != "open")
    return mirror.seq, mirror.hash


async def play_many(
    url: str,
    count: int,
    weather: Weather,
    at_once: int,
    tell: Callable[[Played], None],
    shares: Mapping[str, float] = SHARES,
) -> Counter[str]:
    """Play so many games through a network of their own; what that did.

    Args:
        url: The server.
        count: How many games.
        weather: How bad the network is.
        at_once: How many games are played at the same time.
        tell: Called after each game.
        shares: How often each strategy plays.

    Raises:
        AssertionError: Games got stuck or failed; the others were played.

    """
    rng = Random(weather.seed)
    kinds = rng.choices(list(KINDS), weights=list(KINDS.values()), k=count)
    seeds = iter([(kind, Random(f"{weather.seed}:game:{n}")) for n, kind in enumerate(kinds)])

    failures: list[str] = []
    async with thoughts(shares) as thinking, proxy(url, weather) as (network, entrance):

        async def play_on() -> None:
            for kind, chance in seeds:
                try:
                    async with asyncio.timeout(STUCK):
                        tell(await Player(entrance, chance, thinking).game(kind))
                except Exception as error:
                    failures.append(f"{kind}: {''.join(traceback.format_exception(error))}")
                    print(failures[-1], file=sys.stderr)

        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(play_on())
        assert not failures, failures
        return network.counts


async def check(path: Path, games: list[Played]) -> Counter[str]:
    """Hold the games against the log of a server that has ended; how much of what there was."""
    log = SqliteLog(path)
    try:
        infos = {info.id: info for info in await log.rooms()}
        assert infos.keys() == {game.room for game in games}, "a room that nobody knows of"
        counts: Counter[str] = Counter()
        for game in games:
            records = await log.read(game.room)
            events = [event for record in records for event in record.events]
            hash_ = b""
            for event in events:
                hash_ = chain(hash_, public(event, game.room))
            head = events[-1].seq, hash_.hex()
            assert all(tuple(each) == head for each in game.heads), f"{game} but {head}"
            names = Counter((record.by, record.i) for record in records if record.i)
            assert max(names.values(), default=1) == 1, f"{game.room}: a command was done twice"
            assert [event.kind for event in events].count("joined") == game.players, game
            assert infos[game.room].status != "open", f"{game.room} was left open"
            for who, chosen in game.moves.items():
                made = [event.move for event in events if event.kind == "move" and event.by == who]
                assert made == chosen, f"{game.room}: {made} is not {chosen}"
            counts.update((game.kind, game.game))
            for strategy, times in game.choices:
                counts.update({strategy: 1, f"{strategy} chose": times})
            counts["moves"] += sum(event.kind == "move" for event in events)
            counts["clients"] += len(game.heads)
        return counts
    finally:
        await log.close()


# By hand


async def _work(url: str, count: int, weather: Weather, at_once: int) -> None:
    """Play in a process of its own; what became of each game is a line."""
    counts = await play_many(url, count, weather, at_once, lambda g: print(json.dumps(asdict(g))))
    print(json.dumps({"faults": counts}))


async def _worker(arguments: list[str]) -> tuple[list[Played], Counter[str]]:
    command = (sys.executable, "-m", "chaos.games", *arguments)
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, limit=2**24
    )
    games, faults = list[Played](), Counter[str]()
    assert process.stdout
    async for line in process.stdout:
        said = json.loads(line)
        if "faults" in said:
            faults.update(said["faults"])
        else:
            games.append(Played(**said))
    assert await process.wait() == 0, "a worker failed"
    return games, faults


async def _main(count: int, processes: int, at_once: int, seed: str) -> None:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "log"
        async with standby(data, *FREELY) as server:
            url = await server.start()
            hearing = asyncio.ensure_future(_hear(server.process.stderr))
            works: list[Awaitable[tuple[list[Played], Counter[str]]]] = [
                _worker(
                    [
                        *("--url", url, "--games", str(count // processes)),
                        *("--at-once", str(at_once), "--seed", f"{seed}:{n}"),
                    ]
                )
                for n in range(processes)
            ]
            results = await asyncio.gather(*works)
            server.process.terminate()
            code = await server.process.wait()
            mistakes = await hearing
        games = [game for part, _ in results for game in part]
        faults = sum((part for _, part in results), Counter[str]())
        seconds = time.monotonic() - began
        counts = await check(data, games)
    print(f"{len(games)} games in {seconds:.0f} s, seed {seed}: {dict(counts)}")
    print(f"faults: {dict(faults)}")
    print(f"the server's exit code {code}, its mistakes: {mistakes}")


async def _hear(said: asyncio.StreamReader | None) -> list[str]:
    assert said is not None
    return [line.decode() async for line in said if b'"error"' in line]


def main() -> None:
    """Play many games; see the top."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--at-once", type=int, default=60)
    parser.add_argument("--seed", default=str(int.from_bytes(os.urandom(4))))
    parser.add_argument("--url", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    connection.FIRST_DELAY = 0.1  # nobody else wants to come back at the same moment
    if chosen.url:
        weather = Weather(chosen.seed)
        asyncio.run(_work(chosen.url, chosen.games, weather, chosen.at_once))
    else:
        asyncio.run(_main(chosen.games, chosen.processes, chosen.at_once, chosen.seed))


if __name__ == "__main__":
    main()
