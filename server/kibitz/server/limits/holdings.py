"""What somebody holds: games that are not over, rooms that are followed.

Promises: what is over, or older than a day, is held no longer; an entry is kept only for what is
held. After a restart a game counts again once somebody asks for it. Never: a clock, a log.
"""

from collections import Counter, defaultdict

from .settings import Limits
from .table import Over

DAY_MS = 86_400_000
"""How long a game counts that nobody ends."""


class Games:
    """The games of everybody that are not over."""

    def __init__(self, what: str, most: int) -> None:
        self._what = what
        self._most = most
        self._began: defaultdict[str, dict[str, int]] = defaultdict(dict)

    def __len__(self) -> int:
        return sum(map(len, self._began.values()))

    def add(self, who: str, room: str, at_ms: int) -> None:
        """Somebody has a game, since then (Unix ms)."""
        self._began[who][room] = at_ms

    def remove(self, who: str, room: str) -> None:
        """He has it no longer."""
        mine = self._began.get(who, {})
        if mine.pop(room, None) is not None and not mine:
            del self._began[who]

    def over(self, who: str, now_ms: int) -> Over | None:
        """The limit, if he has as many as he may."""
        mine = self._began.get(who, {})
        if len(mine) < self._most:
            return None
        self._forget(who, now_ms)
        if len(mine) < self._most:
            return None
        oldest = sorted(mine.values())[len(mine) - self._most]
        return Over(self._what, max(1, oldest + DAY_MS - now_ms))

    def forget(self, now_ms: int) -> None:
        """Forget what is older than a day."""
        for who in list(self._began):
            self._forget(who, now_ms)

    def _forget(self, who: str, now_ms: int) -> None:
        mine = self._began[who]
        for room in [room for room, at in mine.items() if at + DAY_MS <= now_ms]:
            self.remove(who, room)


class Followed:
    """The rooms that are followed from each address, by how many connections."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._rooms: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def over(self, place: str | None, room: str | None, mine: int) -> Over | None:
        """The limit, if there are as many as there may be.

        Args:
            place: From where.
            room: The room, ``None``: a new one.
            mine: How many this connection follows.

        """
        if mine >= self._limits.rooms_per_connection:
            return Over("rooms per connection", 0)
        here = self._rooms.get(place) if place is not None else None
        if here and room not in here and len(here) >= self._limits.rooms_per_address:
            return Over("rooms per address", 0)
        return None

    def add(self, place: str | None, room: str) -> None:
        """One more follows a room from there."""
        if place is not None:
            self._rooms[place][room] += 1

    def remove(self, place: str | None, room: str) -> None:
        """One less does."""
        if place is None:
            return
        here = self._rooms[place]
        here[room] -= 1
        if not here[room]:
            del here[room]
        if not here:
            del self._rooms[place]
