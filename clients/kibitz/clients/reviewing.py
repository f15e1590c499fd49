"""What has been played: history, positions, forks of it, replay rooms, replay texts; as methods."""

from collections.abc import AsyncIterator

from kibitz.protocol import requests as ask
from kibitz.protocol.limits import MAX_EVENTS
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import EventList, Ok, Position, Replayed
from kibitz.protocol.views import Control, Event, Opening, View

from .asking import Asking


class Reviewing(Asking):
    """The requests about the past."""

    async def view(self, room: str, at: int, board: int | None = None) -> View:
        """The position after event ``at``."""
        return (await self.get(ask.ViewAt(room=room, at=at, board=board), Position)).view

    async def history(
        self, room: str, after: int = 0, to: int | None = None, *, open: bool = False
    ) -> AsyncIterator[Event]:
        """The past events behind number ``after``, up to ``to`` or the last.

        ``open``: with every card named, of a game that has ended.
        """
        first: int | None = after + 1
        while first is not None:
            request = ask.History(room=room, from_=first, to=to, open=open)
            page = await self.get(request, EventList)
            for event in page.events:
                yield event
            first = page.next

    async def proved(self, room: str, to: int) -> tuple[list[Event], list[Opening]]:
        """The events up to number ``to``, and what proves the cards that they name."""
        events: list[Event] = []
        openings: dict[str, Opening] = {}  # a card that several pages name comes with each
        first: int | None = 1
        while first is not None:
            request = ask.History(room=room, from_=first, to=to, proofs=True, limit=MAX_EVENTS)
            page = await self.get(request, EventList)
            events += page.events
            openings |= {str(opening): opening for opening in page.openings or []}
            first = page.next
        return events, list(openings.values())

    async def fork(
        self, room: str, at: int | None = None, board: int | None = None, unlisted: bool = False
    ) -> Mirror:
        """A new room that begins with the position after event ``at``, or with the deal."""
        return await self.entered(ask.Fork(room=room, at=at, board=board, unlisted=unlisted))

    async def present(self, room: str, unlisted: bool = False) -> Mirror:
        """A replay room that shows a finished game, with us at the controls."""
        return await self.entered(ask.Present(room=room, unlisted=unlisted))

    async def control(self, room: str, control: Control) -> Ok:
        """Say where a replay room is."""
        return await self.done(ask.Steer(room=room, control=control))

    async def replay(self, text: str) -> Replayed:
        """A replay text or a save text, played by the server's rules."""
        return await self.get(ask.Replay(text=text), Replayed)
