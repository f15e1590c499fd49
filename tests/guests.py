"""Somebody with a client's session, over as many connections as it takes, who misses nothing."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

from talk import Plain, Talk, talking
from websockets.exceptions import ConnectionClosed

from kibitz.protocol.codes import CloseCode
from kibitz.protocol.session import ClientSession, Missed
from kibitz.protocol.wire import Encoding


class Guest:
    """One client: its token, its mirrors, its connection."""

    def __init__(self, url: str, name: str, encoding: Encoding, token: str | None = None) -> None:
        self.url = url
        self.name = name
        self.looks_on = token is not None
        """Whether this is the other connection of somebody, which takes no seat away from him."""
        self.session = ClientSession(encoding)
        self.token = token
        self.id = ""
        self.talk: Talk
        self._stack = AsyncExitStack()
        self._fed = 0

    async def connect(self) -> None:
        """Connect, and go on in every room."""
        going = talking(self.url, self.session.encoding, name=self.name, token=self.token)
        self.talk = await self._stack.enter_async_context(going)
        self.token, self.id, self._fed = self.talk.token, self.talk.id, 0
        for resume in self.session.resumes():
            fields = {"room": resume.room, "from_": resume.from_, "hash": resume.hash}
            answer = await self.ask("join", role=resume.role, **fields)
            if answer["t"] == "error":  # the seat is somebody else's, or nothing is shown yet
                self.session.forget(resume.room)

    async def cut(self) -> None:
        """Lose the connection, and come back."""
        await self.talk.drop()
        await self.close()
        await self.connect()

    async def close(self) -> None:
        """Go for good."""
        self.feed()
        await self._stack.aclose()

    async def ask(self, t: str, **fields: Any) -> Plain:
        """The answer, granted or refused; everything up to it is taken in."""
        try:
            answer = await self.talk.ask(t, **fields)
        except ConnectionClosed:
            if self.talk.code != CloseCode.GOING_AWAY:  # sent away with his seat
                raise
            await self.cut()
            return {"t": "error"}
        assert answer.get("code") != "internal", answer
        self.feed()
        return answer

    def feed(self) -> None:
        """Take in what has come; nothing may be missing."""
        frames = self.talk.frames[self._fed :]
        self._fed += len(frames)
        for frame in frames:
            assert not isinstance(self.session.receive(frame), Missed)

    async def until(self, done: Callable[[], object]) -> None:
        """Wait until something is so in what he has."""

        def look() -> object:
            self.feed()
            return done()

        await self.talk.until(look)
