"""A network that does everything to a connection that TCP allows, and what lossy clients add.

Between clients and a server: it delays, stalls, cuts into single bytes, joins what came apart,
swallows everything from some byte on, resets, ends one way or both; and says whole messages of a
client twice. Connections overtake each other, the bytes of one do not. All of it follows from a
seed and the number of the connection.
"""

import asyncio
import contextlib
import socket as sockets
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from random import Random
from urllib.parse import urlsplit

CHUNK = 65536
HEAD_END = b"\r\n\r\n"
TEXT, BINARY = 0x81, 0x82
TEXTURES = "plain", "plain", "bytes", "coalesced", "delayed"
ENDS = "swallowed", "reset", "ended", "half-closed", "stalled"
SINGLE_BYTES = 25_000
"""Among so many bytes of a way what is short is sent byte by byte."""
LONG = 1000
"""Bytes; what is longer comes in crumbs."""
CRUMB = 700
LATE = 0.02
"""Most seconds that something is late."""
LINGER = 2.0
"""Seconds in which the last bytes may arrive."""
STALL = 1.5
"""Most seconds for which nothing is read."""


@dataclass(frozen=True)
class Weather:
    """How bad it is.

    Attributes:
        seed: What everything follows from.
        plain: Whether bytes go on as they come.
        calm: The share of connections that do not end badly.
        repeat: The share of a client's messages that are said twice.
        swallow: Seconds after which what swallows everything is reset; ``None``: never, somebody
            has to notice.

    """

    seed: str
    calm: float = 0.3
    repeat: float = 0.1
    swallow: float | None = None
    plain: bool = False


class Ended(Exception):
    """This connection is over."""


class Proxy:
    """One such network in front of a server."""

    def __init__(self, url: str, weather: Weather) -> None:
        at = urlsplit(url)
        self.counts: Counter[str] = Counter()
        """What was done, by kind; ``connections`` are all."""
        self._host, self._port = at.hostname, at.port
        self._weather = weather
        self._wires: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._number = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, from its beginning to its end."""
        self._number += 1
        self.counts["connections"] += 1
        rng = Random(f"{self._weather.seed}:{self._number}")
        task = asyncio.current_task()
        assert task is not None
        self._wires[task] = writer
        writers = [writer]
        try:
            inner = await asyncio.open_connection(self._host, self._port, limit=CHUNK)
            writers.append(inner[1])
            await Wire(rng, self._weather, self.counts).carry((reader, writer), inner)
        except (OSError, asyncio.CancelledError):  # what serves streams wants to hear of neither
            pass
        finally:
            del self._wires[task]
            for each in writers:
                each.transport.abort()

    async def cut(self) -> None:
        """Reset every connection that there is."""
        for writer in self._wires.values():
            reset(writer)
        for task in list(self._wires):
            task.cancel()
        await asyncio.gather(*self._wires, return_exceptions=True)


Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Wire:
    """What befalls one connection."""

    def __init__(self, rng: Random, weather: Weather, counts: Counter[str]) -> None:
        self._rng = rng
        self._weather = weather
        self._counts = counts
        self._end = None if rng.random() < weather.calm else rng.choice(ENDS)
        self._ends_outward = rng.random() < 0.5
        """Whether it happens on the way to the client."""

    async def carry(self, outer: Stream, inner: Stream) -> None:
        """Carry bytes both ways until it is over."""
        both = outer[1], inner[1]
        for writer in both:
            sock = writer.get_extra_info("socket")
            sock.setsockopt(sockets.IPPROTO_TCP, sockets.TCP_NODELAY, 1)
        ways = [
            asyncio.ensure_future(self._inward(outer[0], inner[1])),
            asyncio.ensure_future(self._outward(inner[0], outer[1])),
        ]
        try:
            await asyncio.gather(*ways)
        except (Ended, OSError):
            for writer in both:
                reset(writer)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            for writer in both:
                writer.close()
                with contextlib.suppress(OSError):
                    async with asyncio.timeout(LINGER):
                        await writer.wait_closed()

    async def _inward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """What the client says; whole messages may be said twice."""
        last = None if self._end is None or self._ends_outward else self._far(400, 800)
        repeater = Repeater(self._rng, self._weather.repeat, self._counts)
        await self._pump(reader, writer, last, repeater)

    async def _outward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        last = self._far(15_000, 4000) if self._end and self._ends_outward else None
        await self._pump(reader, writer, last, None)

    def _far(self, greeting: int, mean: int) -> int:
        """After how many bytes it happens: often while they greet each other."""
        if self._rng.random() < 0.3:
            return self._rng.randrange(greeting)
        return greeting + int(self._rng.expovariate(1 / mean))

    async def _pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        last: int | None,
        repeater: "Repeater | None",
    ) -> None:
        texture = "plain" if self._weather.plain else self._rng.choice(TEXTURES)
        self._counts[texture] += 1
        sent = 0
        while data := await self._read(reader, texture):
            for piece in self._pieces(repeater.take(data) if repeater else data, texture, sent):
                if last is not None and sent + len(piece) >= last:
                    writer.write(piece[: last - sent])
                    if await self._happen(reader, writer):
                        return
                    piece, last = piece[last - sent :], None
                writer.write(piece)
                sent += len(piece)
                await writer.drain()
                if texture == "bytes":
                    await asyncio.sleep(0)
        if writer.can_write_eof():
            writer.write_eof()

    async def _read(self, reader: asyncio.StreamReader, texture: str) -> bytes:
        data = await reader.read(CHUNK)
        if texture == "delayed":
            await asyncio.sleep(self._rng.uniform(0, LATE))
        elif texture == "coalesced" and data:
            await asyncio.sleep(LATE)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.001):
                    data += await reader.read(CHUNK)
        return data

    def _pieces(self, data: bytes, texture: str, sent: int) -> Iterator[bytes]:
        at, single = 0, len(data) < LONG and sent < SINGLE_BYTES
        while at < len(data):
            size = len(data)
            if texture == "bytes":
                size = 1 if single else self._rng.randrange(1, CRUMB)
            yield data[at : at + size]
            at += size

    async def _happen(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """What was to happen happens; whether this way is at its end with it.

        Raises:
            Ended: The whole connection is.

        """
        assert self._end is not None
        self._counts[self._end] += 1
        match self._end:
            case "stalled":
                await asyncio.sleep(self._rng.uniform(0, STALL))
                return False
            case "half-closed":
                writer.write_eof()
                await self._swallow(reader)
            case "ended":
                writer.close()
            case "swallowed":
                try:
                    async with asyncio.timeout(self._weather.swallow):
                        await self._swallow(reader)
                except TimeoutError:
                    raise Ended from None
            case _:
                raise Ended
        return True

    async def _swallow(self, reader: asyncio.StreamReader) -> None:
        while await reader.read(CHUNK):
            pass


class Repeater:
    """Says whole messages of a client twice; all but the first, for ``hello`` comes once."""

    def __init__(self, rng: Random, share: float, counts: Counter[str]) -> None:
        self._rng = rng
        self._share = share
        self._counts = counts
        self._rest = b""
        self._is_open = False
        self._messages = 0

    def take(self, data: bytes) -> bytes:
        """What has come, as it goes on; nothing is kept back."""
        self._rest += data
        if not self._is_open:
            head, end, self._rest = self._rest.partition(HEAD_END)
            if not end:
                self._rest = head
                return data
            self._is_open = True
        again = b""
        while size := _frame_size(self._rest):
            frame, self._rest = self._rest[:size], self._rest[size:]
            if frame[0] in (TEXT, BINARY):
                self._messages += 1
                if self._messages > 1 and self._rng.random() < self._share:
                    again += frame
                    self._counts["repeated"] += 1
        if not again:
            return data
        cut = len(data) - len(self._rest)  # between two frames: behind the last whole one
        return data[:cut] + again + data[cut:]


def _frame_size(data: bytes) -> int:
    """Bytes of the frame that ``data`` begins with; 0: it is not whole."""
    if len(data) < 2:
        return 0
    length, head = data[1] & 127, 6
    if length == 126:
        length, head = int.from_bytes(data[2:4]), 8
    elif length == 127:
        length, head = int.from_bytes(data[2:10]), 14
    return head + length if len(data) >= head + length else 0


def reset(writer: asyncio.StreamWriter) -> None:
    """End a connection with RST."""
    sock = writer.get_extra_info("socket")
    if sock is not None and sock.fileno() >= 0:
        linger = (1).to_bytes(4, "little") + bytes(4)
        sock.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, linger)
    writer.transport.abort()


@contextlib.asynccontextmanager
async def proxy(url: str, weather: Weather) -> AsyncIterator[tuple[Proxy, str]]:
    """Such a network, and where it is entered."""
    made = Proxy(url, weather)
    listener = await asyncio.start_server(made.serve, "127.0.0.1", 0, limit=CHUNK, backlog=4096)
    try:
        port = listener.sockets[0].getsockname()[1]
        yield made, f"ws://127.0.0.1:{port}/ws"
    finally:
        listener.close()
        await made.cut()
        await listener.wait_closed()
