"""Twins: two runs of one scene that differ only in what somebody may not see, and his bytes.

Chance is the same in both but for the seeds of the rooms, so ids and tokens are equal; the clock
is turned by hand. Hashes, commitments, roots and salts are blanked, for they cover what is hidden.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import chain
from random import Random
from urllib.parse import urlsplit

from races import wake
from servers import Running, running_server
from talk import Plain, Talk, talking
from worlds import Fake

from kibitz.engine.cards import Card
from kibitz.engine.deals import deck_of
from kibitz.engine.game import Game, Shuffle, is_stuck, moves, play
from kibitz.engine.games import TEXTS
from kibitz.engine.table import Cell, Table, redact_table
from kibitz.protocol.wire import Encoding
from kibitz.server.lobby.telling import tell_lobby, tell_tv

SEED_BYTES, ID_BYTES = 32, 10
_HASH = rb"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])"
_LONG = rb"[0-9a-f]{64}"
_BLANK = re.compile(  # not every one of them: a seed is as long
    _HASH
    + rb'|(?<=(?:commit|pledge|sha256)":")%b|(?<=(?:commit|pledge)\xd9@)%b' % (_LONG, _LONG)
    + rb'|(?<=root":")%b|(?<=root\xd9@)%b' % (_LONG, _LONG)
    + rb"|(?<=# root: )%b|(?<=# (?:pledge|sha256): )%b" % (_LONG, _LONG)
    + rb'|(?<=[\[,]")%b|(?<=[\x90-\x9f]\xd9@)%b|(?<=[0-9a-f]{5}\xd9@)%b' % (_LONG, _LONG, _LONG)
)
_DATE = re.compile(rb"\r\nDate: [^\r]*")
Pair = tuple[str, str]
Plan = list[tuple[str, Pair | None]]
"""Commands of one player: what is asked, and of a move its line in each run."""


@dataclass
class TwinFake(Fake):
    """The world of one of the runs; the seeds of its rooms are its own."""

    run: int = 0
    _last: int = field(default=0, init=False)

    def random_bytes(self, count: int) -> bytes:
        """The same as in the other run, unless it is the seed of a room."""
        kept, seeds = self.seed, self._last == ID_BYTES and count == SEED_BYTES
        self._last = count
        if seeds:
            self.seed += b"run %d" % self.run
        try:
            return super().random_bytes(count)
        finally:
            self.seed = kept


@dataclass
class Twin:
    """One run: its server, who is there and what they received."""

    run: int
    running: Running
    fake: TwinFake
    stack: AsyncExitStack
    room: str = ""
    talks: dict[str, Talk] = field(default_factory=dict)
    pages: dict[str, list[bytes]] = field(default_factory=dict)
    far: tuple[str, ...] = ()
    """Who is on the last of several servers, where all others are on the first."""

    def at(self, who: str) -> str:
        """Where somebody finds a server: the host and its port."""
        apps = self.running.apps
        if not self.far:
            return urlsplit(self.running.url).netloc
        return f"127.0.0.1:{apps[-1 if who in self.far else 0].port}"

    async def comes(
        self, who: str, name: str, token: str | None = None, encoding: Encoding = Encoding.JSON
    ) -> Talk:
        """Somebody connects, under a name; with a token he is somebody who is here already."""
        going = talking(f"ws://{self.at(who)}/ws", encoding, name=name, token=token)
        self.talks[who] = await self.stack.enter_async_context(going)
        return self.talks[who]

    async def later(self, seconds: float) -> None:
        """Let time pass, and everything happen that happens by itself."""
        self.fake.pass_time(seconds)
        await wake(self.running)
        for app in self.running.apps:  # who is where, for how late they hear it is chance
            app.rooms.directory.stirred.update(app.rooms.directory.in_memory())
        await self.running.abreast()
        for app in self.running.apps:
            app.rooms.refresh_laggards()
            app.rooms.tell_presence()
        await self.running.abreast()  # who is here, which is told with the next second
        for app in self.running.apps:
            app.rooms.tell_presence()
            tell_lobby(app.rooms.directory, app._connections)
            tell_tv(app.rooms.directory, app._connections)
        for talk in self.talks.values():
            await talk.settle()

    async def page(self, who: str, name: str, token: str | None) -> None:
        """Download something; all of the answer counts for somebody."""
        at = self.at("" if who in self.far else who)  # where it is read, the room is in memory
        answer = await _get(f"http://{at}", f"/rooms/{self.room}/{name}", token)
        self.pages.setdefault(who, []).append(_DATE.sub(b"", answer))

    def seen(self, who: str) -> list[bytes]:
        """Everything that somebody received, blanked."""
        talk = self.talks.get(who)
        frames = [f.encode() if isinstance(f, str) else f for f in (talk.frames if talk else [])]
        return [blank(said) for said in [*frames, *self.pages.get(who, [])]]


@asynccontextmanager
async def twin(run: int, far: tuple[str, ...] = ()) -> AsyncIterator[Twin]:
    """One of the runs; by itself nothing happens in it."""
    fake = TwinFake(run=run)
    async with running_server(world=fake.world) as running, AsyncExitStack() as stack:
        await running.abreast()
        yield Twin(run, running, fake, stack, far=far)


async def _get(http: str, path: str, token: str | None) -> bytes:
    at = urlsplit(http)
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    bearer = f"Authorization: Bearer {token}\r\n" if token else ""
    writer.write(f"GET {path} HTTP/1.1\r\nHost: kibitz\r\n{bearer}\r\n".encode())
    async with asyncio.timeout(20):
        answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


def blank(said: bytes) -> bytes:
    """Bytes with a nought for every digit of a hash, a commitment or a salt."""
    return _BLANK.sub(lambda found: b"0" * len(found.group()), said)


def difference(one: list[bytes], other: list[bytes]) -> str:
    """The first difference of what somebody received in the two runs; empty if there is none."""
    for number, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return f"no. {number}:\n{left[:3000]!r}\n{right[:3000]!r}"
    if len(one) != len(other):
        more = max(one, other, key=len)[min(len(one), len(other))]
        return f"{len(one)} and {len(other)} messages; {more[:3000]!r} is one more"
    return ""


# Games that differ


def cells_of(table: Table) -> Iterator[Cell]:
    """Every cell on a table."""
    return chain.from_iterable(table.piles.values())


def turned_round(table: Table) -> Table:
    """The table with its deepest hidden cards changed round: nobody who looks at it sees that."""
    deep = chain.from_iterable(cells[: len(cells) // 3] for cells in table.piles.values())
    hidden: list[Card] = [cell.known for cell in deep if not cell.up]
    turned = dict(zip(hidden, hidden[1:] + hidden[:1], strict=True))
    piles = {
        name: tuple(
            cell if cell.up else Cell(turned.get(cell.known, cell.known), up=False)
            for cell in cells
        )
        for name, cells in table.piles.items()
    }
    return Table(piles, table.counters)


def deals_alike(game: Game) -> tuple[Table, Table]:
    """Two deals that start with the same score."""
    first = game.deal(deck_of("twins"))
    others = (game.deal(deck_of(f"twins-{number}")) for number in range(10_000))
    return first, next(deal for deal in others if game.score(deal) == game.score(first))


Fits = Callable[[Table, Table, str, str], bool]


def steps(game: Game, table: Table) -> Iterator[tuple[str, Table]]:
    """The moves that need no chance, end nothing and are not the last: the line and the table."""
    for move in moves(game, table):
        if isinstance(move, Shuffle):
            continue
        outcome = play(game, table, move, Random(0))
        if not outcome.won and not is_stuck(game, outcome.table):
            yield TEXTS[game.name].write(move), outcome.table


def plan(game: Game, starts: tuple[Table, Table], length: int, rng: Random, fits: Fits) -> Plan:
    """Commands for both runs: moves that fit, taken back and done again now and then.

    Shorter than ``length`` where no more moves fit.
    """
    past = [starts]
    made: Plan = []
    while len(made) < length:
        found = [
            ((a, b), (left, right))
            for a, left in steps(game, past[-1][0])
            for b, right in steps(game, past[-1][1])
            if fits(left, right, a, b)
        ]
        if not found:
            if len(past) == 1:
                break
            made.append(("restart", None))
            past = [starts]
            continue
        apart = [each for each in found if each[0][0] != each[0][1]]
        lines, tables = rng.choice(apart or found)
        made.append(("move", lines))
        past.append(tables)
        if len(made) % 5 == 3:
            made += [("undo", None), ("redo", None)]
        if len(made) % 7 == 6:
            made.append(("undo", None))
            past.pop()
    return made[:length]


def scores_alike(game: Game) -> Fits:
    """Other moves with the same scores."""
    return lambda left, right, a, b: game.score(left) == game.score(right)


def looks_alike(left: Table, right: Table, a: str, b: str) -> bool:
    """The same move, after which the tables look the same."""
    return a == b and redact_table(left) == redact_table(right)


def command(step: tuple[str, Pair | None], run: int) -> tuple[str, Plain]:
    """A step of a plan as a request in one run."""
    kind, lines = step
    return kind, {"move": lines[run]} if lines else {}
