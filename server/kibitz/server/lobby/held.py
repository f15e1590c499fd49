"""What everybody has: the games he began, the seats he took, until they are over.

A game counts on every server that has had it in memory. Never: a clock, a log.
"""

from ..limits.holdings import DAY_MS, Games
from ..limits.settings import Limits
from ..room.room import Room

FORGET_MS = 600_000
"""How often games that have become old are no longer counted."""


class Held:
    """The games of everybody."""

    def __init__(self, limits: Limits) -> None:
        self.games = Games("open games per identity", limits.games_per_identity)
        """Who began which games that are not over."""
        self.seats = Games("seats per identity", limits.seats_per_identity)
        """Who has a seat in which."""
        self._forget_at = 0

    def count(self, room: Room, now_ms: int) -> None:
        """Count a game, until it is over, to who began it and who has a seat."""
        state = room.state
        owner, seated = state.owner or "", [seat.id for seat in state.seats if seat.id]
        if state.over:
            self.games.remove(owner, room.id)
            for who in seated:
                self.seats.remove(who, room.id)
        elif state.started + DAY_MS > now_ms:
            self.games.add(owner, room.id, state.started)
            for who in seated:
                self.seats.add(who, room.id, state.started)

    def check(self, who: str | None, now_ms: int) -> None:
        """Check that somebody may begin one more game.

        Raises:
            Refused: He has too many that are not over.

        """
        if who and (over := self.games.over(who, now_ms)):
            raise over.full()

    def forget(self, now_ms: int) -> None:
        """Forget what has become old, now and then."""
        if now_ms >= self._forget_at:
            self._forget_at = now_ms + FORGET_MS
            self.games.forget(now_ms)
            self.seats.forget(now_ms)
