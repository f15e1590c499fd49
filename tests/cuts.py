"""A way between a client and a server that can be cut at a word, in either direction, or held."""

import asyncio
import contextlib
from collections.abc import AsyncIterator


class Way:
    """Hands on what it gets, until a word comes by that it was told to cut at."""

    def __init__(self, port: int) -> None:
        self.port = 0
        self.cuts = asyncio.Event()
        """That it was cut."""
        self._to = port
        self._server: asyncio.Server | None = None
        self._word: dict[bool, bytes | None] = {True: None, False: None}
        self._writers: set[asyncio.StreamWriter] = set()
        self._guests: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._open = asyncio.Event()
        self._open.set()

    def hold(self) -> None:
        """Hand nothing on, and say so to nobody, until :meth:`go_on`."""
        self._open.clear()

    def go_on(self) -> None:
        """Hand on what was held, and all that comes."""
        self._open.set()

    def cut_at(self, word: bytes, *, up: bool) -> None:
        """Lose what comes next with this word in it, to the server or from it, and all else."""
        self.cuts.clear()
        self._word[up] = word

    def cut(self) -> None:
        """Lose all connections."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()
        self._guests.clear()
        self.cuts.set()

    def say(self, words: bytes) -> None:
        """Say something to everybody who has come, as if the server had."""
        for writer in self._guests:
            writer.write(words)

    async def open(self) -> None:
        """Let everybody in who comes; the second time on the port of the first."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def shut(self) -> None:
        """Lose all connections and let nobody in."""
        if self._server is not None:
            self._server.close()
            self.cut()
            await self._server.wait_closed()
            self._server = None

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        self._guests.add(writer)
        try:
            back, there = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            writer.transport.abort()
            return
        self._writers.add(there)
        for source, sink, up in ((reader, there, True), (back, writer, False)):
            task = asyncio.create_task(self._hand_on(source, sink, up))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _hand_on(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, up: bool
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65536):
                await self._open.wait()
                word = self._word[up]
                if word is not None and word in data:
                    self._word[up] = None
                    self.cut()
                    return
                sink.write(data)
        sink.transport.abort()

    async def end(self) -> None:
        self.go_on()
        await self.shut()
        while self._tasks:
            await asyncio.wait(self._tasks)


@contextlib.asynccontextmanager
async def way_to(port: int) -> AsyncIterator[Way]:
    """A way to a port of this machine."""
    way = Way(port)
    await way.open()
    try:
        yield way
    finally:
        await way.end()
