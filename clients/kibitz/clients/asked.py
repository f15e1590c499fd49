"""What has been asked and not been answered yet.

Promises: an answer to a change is handed over when its events have been applied, so that a mirror
is never behind an answer. What is here when a connection breaks is asked again on the next.
"""

import asyncio
import secrets
from dataclasses import dataclass

from msgspec.structs import replace

from kibitz.protocol.replies import Answer, Ok, Reply
from kibitz.protocol.requests import (
    Cheat,
    Comments,
    Create,
    Fork,
    Move,
    Present,
    Ready,
    Redo,
    Rematch,
    RequestBase,
    Resign,
    Restart,
    Save,
    Say,
    SeatBot,
    Steer,
    Undo,
)
from kibitz.protocol.session import ClientSession

NAMED = (
    *(Create, Fork, Rematch, Present),
    *(Move, Undo, Redo, Restart, Resign, Ready, SeatBot, Say, Comments, Steer),
    *(Save, Cheat),
)
"""Requests that change something: they get a name for good, to be done once however often asked."""


@dataclass(eq=False, slots=True)
class _Open:
    """A request without an answer yet, or with one that waits for its event."""

    request: RequestBase
    future: asyncio.Future[Answer]
    answer: Answer | None = None


class Asked:
    """The open requests of one talk, in the order in which they were asked."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session
        self._open: dict[int | str | None, _Open] = {}

    def named(self, request: RequestBase) -> RequestBase:
        """The request with an ``i`` that tells its answer from others."""
        if request.i is None and isinstance(request, NAMED):
            return replace(request, i=secrets.token_urlsafe(12))
        return self._session.number(request)

    def add(self, request: RequestBase) -> asyncio.Future[Answer]:
        """One more; its answer will be there."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._open[request.i] = _Open(request, future)
        return future

    def drop(self, request: RequestBase) -> None:
        """Nobody waits for this any more."""
        self._open.pop(request.i, None)

    @property
    def requests(self) -> list[RequestBase]:
        """All of them."""
        return [one.request for one in self._open.values()]

    def answered(self, i: int | str | None, reply: Reply) -> None:
        """The answer to one has come; one that nobody waits for is none of ours."""
        one = self._open.get(i)
        if one is not None:
            one.answer = reply  # type: ignore[assignment]  # only answers carry an i

    def deliver(self) -> None:
        """Hand over the answers whose events have been applied."""
        for one in self._open.values():
            if one.answer is not None and not one.future.done() and self._is_here(one.answer):
                one.future.set_result(one.answer)

    def _is_here(self, answer: Answer) -> bool:
        if not isinstance(answer, Ok) or answer.room is None or answer.seq is None:
            return True
        mirror = self._session.mirrors.get(answer.room)
        return mirror is None or mirror.seq >= answer.seq

    def fail(self, end: Exception) -> None:
        """No answer will come to any of them."""
        for one in self._open.values():
            if not one.future.done():
                one.future.set_exception(end)
