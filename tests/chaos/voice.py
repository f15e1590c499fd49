"""Somebody who talks with a server that dies again and again, and asks until he is answered.

He knows little: a client's session, every change by a name of its own. What was not answered is
asked again of the next server, in the same order. Whatever he is told goes into the ledger.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any, Protocol

import msgspec
from chaos.ledger import Ledger
from talk import Plain, pack
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol

from kibitz.protocol.replies import Answer, Error, Joined, LobbyRoom, Ok, Welcome
from kibitz.protocol.session import Answered, ClientSession, Missed, Pushed
from kibitz.protocol.views import Event, RoomInfo
from kibitz.protocol.wire import Encoding

GONE = (WebSocketException, OSError)
"""How a connection ends when its server is killed."""
IN_LOG = ("move", "undo", "redo", "restart", "say", "resign")
"""Commands that always stand in the log when they are answered ``ok``."""


class Serving:
    """Where the server is that lives now."""

    def __init__(self) -> None:
        self.url = ""
        self.number = 0
        self._news = asyncio.Event()

    def born(self, url: str) -> None:
        """There is another one."""
        self.url, self.number = url, self.number + 1
        self._news.set()
        self._news = asyncio.Event()

    async def after(self, number: int) -> int:
        """Wait for a later one than this; its number."""
        while self.number <= number:
            await self._news.wait()
        return self.number

    async def next(self, number: int) -> tuple[int, str]:
        """Where to go after this one: its number and URL."""
        number = await self.after(number)
        return number, self.url


class Places(Protocol):
    """Where servers are."""

    async def next(self, number: int) -> tuple[int, str]:
        """Where to go after this one, as soon as there is any: its number and URL."""
        ...


class Voice:
    """One client, over as many servers as it takes."""

    def __init__(self, name: str, encoding: Encoding, ledger: Ledger, seed: str) -> None:
        self.name = name
        self.encoding = encoding
        self.ledger = ledger
        self.rng = Random(f"{seed}:{name}")
        self.session = ClientSession(encoding)
        self.entries: dict[str, RoomInfo] = {}
        """The lobby, as far as it was pushed."""
        self.id = ""
        self._token: str | None = None
        self._open: dict[int | str, tuple[Plain, asyncio.Future[Answer]]] = {}
        self._resuming: dict[int | str, tuple[str, int]] = {}
        """Rooms that are being taken up again, and how far they were."""
        self._socket: ClientConnection | None = None
        self._names = 0
        self._news = asyncio.Event()

    # Asking

    def name_it(self) -> str:
        """A name that no other request of ours has."""
        self._names += 1
        return f"{self._names}-{self.rng.randbytes(5).hex()}"

    def begin(self, t: str, **fields: Any) -> asyncio.Future[Answer]:
        """Ask; the answer will be there, from this server or a later one."""
        i = self.name_it()
        named = {key.rstrip("_"): value for key, value in fields.items()}
        request = {"t": t, "i": i, **named}
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._open[i] = request, answer
        if self._socket is not None:
            self._sending.put_nowait(request)
        return answer

    async def do(self, t: str, **fields: Any) -> Any:
        """The answer to a request that must be granted."""
        answer = await self.begin(t, **fields)
        assert not isinstance(answer, Error), f"{self.name}: {t} {fields}: {answer}"
        return answer

    async def until(self, done: Callable[[], object]) -> None:
        """Wait until something is so that follows from what one is told."""
        while not done():
            self._news.clear()
            await self._news.wait()

    # Living

    async def live(self, places: Places) -> None:
        """Talk with one server after the other, for ever."""
        number = 0
        while True:
            number, url = await places.next(number)
            with suppress(*GONE):
                await self._talk(url)
            self._socket = None

    async def _talk(self, url: str) -> None:
        async with connect(
            url,
            subprotocols=[Subprotocol(self.encoding.value)],
            compression=None,
            ping_interval=None,
            proxy=None,
            max_size=None,
            close_timeout=0.1,
        ) as socket:
            self._sending: asyncio.Queue[Plain] = asyncio.Queue()
            await self._send(socket, {"t": "hello", "name": self.name, "token": self._token})
            met = self.session.receive(await socket.recv())
            assert isinstance(met, Answered) and isinstance(met.reply, Welcome), met
            self._token, self.id = met.reply.token, met.reply.you.id
            self._resuming.clear()
            for resume in self.session.resumes():
                i = self.name_it()
                self._resuming[i] = resume.room, self.session.mirrors[resume.room].seq
                await self._send(socket, msgspec.to_builtins(resume) | {"t": "join", "i": i})
            for request, _ in list(self._open.values()):
                self._sending.put_nowait(request)
            self._socket = socket
            sending = asyncio.create_task(self._send_on(socket))
            try:
                while True:
                    self._take(await socket.recv())
            finally:
                sending.cancel()
                await asyncio.wait([sending])  # if we are cancelled meanwhile, that is ours
                if not sending.cancelled():
                    sending.exception()  # it has only heard what we have heard, too

    async def _send(self, socket: ClientConnection, plain: Plain) -> None:
        said = {key: value for key, value in plain.items() if value is not None}
        await socket.send(pack(self.encoding, said))

    async def _send_on(self, socket: ClientConnection) -> None:
        while True:
            await self._send(socket, await self._sending.get())

    # Hearing

    def _take(self, frame: str | bytes) -> None:
        match self.session.receive(frame):
            case Answered(i, reply, _) if i is not None:
                self._answered(i, reply)
            case Pushed(Event() as event):
                self._note(event.room)
            case Pushed(LobbyRoom(room=info)):
                self.entries[info.id] = info
            case Missed() as missed:
                raise AssertionError(f"{self.name}: a gap, {missed}")
        self._news.set()

    def _answered(self, i: int | str, reply: Any) -> None:
        if isinstance(reply, Joined):
            mirror = self.session.mirrors[reply.room]
            assert (mirror.seq, mirror.hash) == (reply.seq, reply.hash), "another chain than told"
            assert not reply.fork, f"{self.name}: what we had seen of {reply.room} is gone"
            self._note(reply.room)
        if (resumed := self._resuming.pop(i, None)) is not None:
            self._resumed(*resumed, reply)
            return
        request, answer = self._open.pop(i)
        if isinstance(reply, Ok) and request["t"] in IN_LOG:
            assert reply.room and reply.seq and reply.hash
            self.ledger.acknowledge(reply.room, self.id, str(i), (reply.seq, reply.hash))
        answer.set_result(reply)

    def _resumed(self, room: str, before: int, reply: Any) -> None:
        """A room goes on; but for one that we had left already, as far as we know."""
        if isinstance(reply, Error):
            leaving = [request for request, _ in self._open.values() if request["t"] == "leave"]
            assert room in [request["room"] for request in leaving], f"{self.name}: {reply}"
            self.session.forget(room)
        else:
            assert isinstance(reply, Joined) and reply.seq >= before, f"{self.name}: {reply}"

    def _note(self, room: str) -> None:
        mirror = self.session.mirrors[room]
        self.ledger.note(room, mirror.seq, mirror.hash)
