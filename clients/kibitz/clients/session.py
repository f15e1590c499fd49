"""The Python client: rooms as mirrors, requests as methods.

::

    async with connect("ws://127.0.0.1:8765/ws", name="Ann") as client:
        mirror = await client.create("klondike", deal="42")
        await client.move(mirror.room, "move stock suit")

Promises: what a method returns has happened and is durable; a mirror is up to date with every
answer that was returned. Never: rules, output.
"""

from collections.abc import AsyncIterator
from typing import Any, TypeVar

from kibitz.protocol import requests as ask
from kibitz.protocol.codes import Refused
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import (
    AnswerBase,
    EventList,
    Joined,
    MoveList,
    Ok,
    Position,
    RoomList,
    Saved,
)
from kibitz.protocol.views import Event, Role, RoomInfo, View

from .connection import Connection
from .ends import Closed, NoSocket, Unreachable
from .pushes import Link, Push, Pushes

__all__ = [
    "Client",
    "Closed",
    "Link",
    "NoSocket",
    "Push",
    "Pushes",
    "Refused",
    "Unreachable",
    "connect",
]

A = TypeVar("A", bound=AnswerBase)


class Client(Connection):
    """A connection with a method for every request.

    Every method raises ``Refused`` where the server says no, ``Unreachable`` when it is gone and
    ``Closed`` when the talk is over.
    """

    async def create(self, game: str, **settings: Any) -> Mirror:
        """A new room; ``settings`` are the other fields of the request ``create``."""
        return self._mirror(await self._get(ask.Create(game=game, **settings), Joined))

    async def join(
        self, room: str, role: Role = "spectator", *, password: str | None = None
    ) -> Mirror:
        """Follow a room, or take a seat in it."""
        request = ask.Join(room=room, role=role, password=password)
        return self._mirror(await self._get(request, Joined))

    async def leave(self, room: str) -> None:
        """Follow a room no longer; a player gives the seat up."""
        await self._get(ask.Leave(room=room), Ok)
        self.session.forget(room)

    async def rooms(self, **filters: Any) -> RoomList:
        """A page of public rooms; ``filters`` are the fields of the request ``rooms``."""
        return await self._get(ask.Rooms(**filters), RoomList)

    async def all_rooms(self, **filters: Any) -> AsyncIterator[RoomInfo]:
        """Every public room, newest first; ``filters`` as for :meth:`rooms`."""
        after: str | None = None
        while True:
            page = await self.rooms(**filters, after=after)
            for info in page.rooms:
                yield info
            after = page.next
            if after is None:
                return

    async def lobby(self, on: bool = True) -> None:
        """Have changes of public rooms pushed, or no longer."""
        await self._get(ask.Lobby(on=on), Ok)

    async def move(self, room: str, move: str, *, expect: int | None = None) -> Ok:
        """Make a move, in the game's own notation, on the position of event ``expect``."""
        return await self._get(ask.Move(room=room, move=move, expect=expect), Ok)

    async def undo(self, room: str) -> Ok:
        """Take the last change back."""
        return await self._get(ask.Undo(room=room), Ok)

    async def redo(self, room: str) -> Ok:
        """Do again what was taken back last."""
        return await self._get(ask.Redo(room=room), Ok)

    async def restart(self, room: str) -> Ok:
        """Lay out the start again."""
        return await self._get(ask.Restart(room=room), Ok)

    async def resign(self, room: str) -> Ok:
        """Give the game up."""
        return await self._get(ask.Resign(room=room), Ok)

    async def say(self, room: str, text: str) -> Ok:
        """Write a comment."""
        return await self._get(ask.Say(room=room, text=text), Ok)

    async def moves(self, room: str) -> list[str]:
        """The legal moves, best first."""
        return (await self._get(ask.Moves(room=room), MoveList)).moves

    async def save(self, room: str) -> str:
        """The save text of the whole position."""
        return (await self._get(ask.Save(room=room), Saved)).text

    async def cheat(self, room: str) -> View:
        """The position with all cards open."""
        return (await self._get(ask.Cheat(room=room), Position)).view

    async def view(self, room: str, at: int) -> View:
        """The position after event ``at``."""
        return (await self._get(ask.ViewAt(room=room, at=at), Position)).view

    async def history(
        self, room: str, after: int = 0, to: int | None = None
    ) -> AsyncIterator[Event]:
        """The past events behind number ``after``, up to ``to`` or the last."""
        first: int | None = after + 1
        while first is not None:
            page = await self._get(ask.History(room=room, from_=first, to=to), EventList)
            for event in page.events:
                yield event
            first = page.next

    async def _get(self, request: ask.RequestBase, kind: type[A]) -> A:
        answer = await self.request(request)
        assert isinstance(answer, kind), f"{request} was answered with {answer}"
        return answer

    def _mirror(self, joined: Joined) -> Mirror:
        return self.session.mirrors[joined.room]


connect = Client
"""A client that connects when it is entered: ``async with connect(url) as client``."""
