"""What a player does, as methods. In a race all of it is about the own board."""

import asyncio
from collections.abc import Mapping

from kibitz.protocol import requests as ask
from kibitz.protocol.asking import Advised
from kibitz.protocol.bots import PACE_MS
from kibitz.protocol.limits import MAX_THOUGHTS
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import Advice, Finishing, MoveList, Ok, Position, Saved
from kibitz.protocol.views import Strategy, View

from .asking import Asking


class Playing(Asking):
    """The requests of those who have a seat."""

    async def move(
        self,
        room: str,
        move: str | None = None,
        *,
        from_: str | None = None,
        to: str | None = None,
        cards: int | None = None,
        expect: int | None = None,
    ) -> Ok:
        """Make a move on the position of event ``expect``.

        Either in the game's own notation, or as a drag of the last ``cards`` cards of a pile.
        """
        request = ask.Move(room=room, move=move, from_=from_, to=to, cards=cards, expect=expect)
        return await self.done(request)

    async def undo(self, room: str) -> Ok:
        """Take the last change back."""
        return await self.done(ask.Undo(room=room))

    async def redo(self, room: str) -> Ok:
        """Do again what was taken back last."""
        return await self.done(ask.Redo(room=room))

    async def restart(self, room: str) -> Ok:
        """Lay out the start again."""
        return await self.done(ask.Restart(room=room))

    async def resign(self, room: str) -> Ok:
        """Give the game up; or call a race off that we made and nobody else has come to."""
        return await self.done(ask.Resign(room=room))

    async def ready(self, room: str, on: bool = True) -> Ok:
        """Be ready to start the race, or no longer."""
        return await self.done(ask.Ready(room=room, on=on))

    async def seat_bot(self, room: str, strategy: Strategy = "strong", pace: int = PACE_MS) -> Ok:
        """Have a bot of the server's sit down in a race of ours that has not begun.

        Args:
            room: The race.
            strategy: How it plays.
            pace: Milliseconds from one of its moves to the next, at least.

        """
        return await self.done(ask.SeatBot(room=room, strategy=strategy, pace=pace))

    async def send_bot_away(self, room: str, seat: int) -> Ok:
        """Have the bot on a seat leave; once the race has begun it gives its board up."""
        return await self.done(ask.SeatBot(room=room, on=False, seat=seat))

    async def think(self, room: str, values: Mapping[str, float]) -> Ok:
        """Show those who see our board what we think of its moves: the best of them."""
        best = sorted(values.items(), key=lambda item: -item[1])[:MAX_THOUGHTS]
        return await self.done(ask.Think(room=room, moves=best))

    async def rematch(self, room: str) -> Mirror:
        """Go on with the next deal and the same seats, once the game has ended."""
        return await self.entered(ask.Rematch(room=room))

    async def say(self, room: str, text: str) -> Ok:
        """Write a comment."""
        return await self.done(ask.Say(room=room, text=text))

    async def comments(self, room: str, on: bool) -> Ok:
        """Let the room take comments, or none."""
        return await self.done(ask.Comments(room=room, on=on))

    async def moves(self, room: str, board: int | None = None) -> list[str]:
        """The legal moves, best first."""
        return (await self.get(ask.Moves(room=room, board=board), MoveList)).moves

    async def advise(self, room: str, what: Advised = "move") -> Advice:
        """What a strong bot would play, or whether it can still be won, once it is found out."""
        while True:
            advice = await self.get(ask.Advise(room=room, what=what), Advice)
            if advice.retry_ms is None:
                return advice
            await asyncio.sleep(advice.retry_ms / 1000)

    async def finish(self, room: str) -> list[str]:
        """The moves that win without a thought; none, if it does not play itself."""
        return (await self.get(ask.Finish(room=room), Finishing)).moves

    async def save(self, room: str, board: int | None = None, format: str | None = None) -> str:
        """The save text of the whole position, or its text in the format of another program."""
        return (await self.get(ask.Save(room=room, board=board, format=format), Saved)).text

    async def cheat(self, room: str) -> View:
        """The position with all cards open."""
        return (await self.get(ask.Cheat(room=room), Position)).view
