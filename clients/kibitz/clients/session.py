"""The Python client: rooms as mirrors, requests as methods.

::

    async with connect("ws://127.0.0.1:8765/ws", name="Ann") as client:
        mirror = await client.create("klondike", deal="42")
        await client.move(mirror.room, "move stock suit")

Of several servers on the same rooms all addresses may be given, and whoever loses one of them goes
on with another: ``connect(["wss://a.example/ws", "wss://b.example/ws"])``.

Promises: what a method returns has happened and is durable; a mirror is up to date with every
answer that was returned. Never: rules, output.
"""

from collections.abc import AsyncIterator
from typing import Any

from kibitz.protocol import requests as ask
from kibitz.protocol.codes import Refused
from kibitz.protocol.limits import MAX_LIST
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.operating import Act
from kibitz.protocol.replies import Administered, DailyTable, Invited, Pledged, RoomList
from kibitz.protocol.views import Role, RoomInfo

from .ends import Busy, Closed, Garbled, NoSocket, Unreachable, Untrusted
from .playing import Playing
from .pushes import Link, Push, Pushes
from .reviewing import Reviewing

__all__ = [
    "Busy",
    "Client",
    "Closed",
    "Garbled",
    "Link",
    "NoSocket",
    "Push",
    "Pushes",
    "Refused",
    "Unreachable",
    "Untrusted",
    "connect",
]


class Client(Playing, Reviewing):
    """A connection with a method for every request.

    Every method raises ``Refused`` where the server says no, ``Unreachable`` when it is gone and
    ``Closed`` when the talk is over.
    """

    invited: str | None = None
    """An invite that is shown wherever no other is: it counts in its own rooms only."""
    password: str | None = None
    """The password of the rooms that are joined, where no other is given."""

    async def create(self, game: str, **settings: Any) -> Mirror:
        """A new room; ``settings`` are the other fields of the request ``create``."""
        return await self.entered(ask.Create(game=game, **settings))

    async def pledge(self) -> str:
        """What stands for the secret of a room to come: the ``pledge`` of a :meth:`create`."""
        return (await self.get(ask.Pledge(), Pledged)).pledge

    async def join(
        self,
        room: str,
        role: Role = "spectator",
        *,
        password: str | None = None,
        invite: str | None = None,
    ) -> Mirror:
        """Follow a room, or take a seat in it."""
        invite, password = invite or self.invited, password or self.password
        join = ask.Join(room=room, role=role, password=password, invite=invite)
        return await self.entered(join)

    async def invite(self, room: str, role: Role = "spectator") -> str:
        """The key with which others come into a closed room of ours."""
        return (await self.get(ask.Invite(room=room, role=role), Invited)).invite

    async def leave(self, room: str) -> None:
        """Follow a room no longer; a player gives the seat up, unless it is a race's."""
        await self.done(ask.Leave(room=room))
        self.session.forget(room)

    async def rooms(self, **filters: Any) -> RoomList:
        """A page of public rooms; ``filters`` are the fields of the request ``rooms``."""
        return await self.get(ask.Rooms(**filters), RoomList)

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
        await self.done(ask.Lobby(on=on))

    async def tv(self, on: bool = True) -> None:
        """Have it pushed which room is most worth watching, or no longer."""
        await self.done(ask.Tv(on=on))

    async def daily(self, game: str, date: str | None = None) -> DailyTable:
        """The table of a day, ``2026-11-28``; of today, if none is said."""
        return await self.get(ask.Daily(game=game, date=date), DailyTable)

    async def order(self, act: Act, *, key: str | None = None, **fields: Any) -> Administered:
        """An operator's order; ``fields`` are the other ones of the request ``admin``."""
        return await self.get(ask.Admin(act=act, key=key, **fields), Administered)

    async def listed(
        self, act: Act, *, key: str | None = None, most: int | None = None, **fields: Any
    ) -> list[Any]:
        """A list of an operator: ``rooms``, ``people`` or ``bans``; its first ``most``, or all."""
        found: list[Any] = []
        after: str | None = None
        while True:
            page = await self.order(act, key=key, **fields, after=after, limit=MAX_LIST)
            found += getattr(page, act)
            after = page.next
            if after is None or (most is not None and len(found) >= most):
                return found[:most]


connect = Client
"""A client that connects when it is entered: ``async with connect(url) as client``."""
