"""What is on: the public room that is most worth watching now.

Promises: stays with a room until its game has ended or nothing has happened in it for a while;
then goes to where most people look on, and of those to where the game has come furthest. Only
rooms whose boards everybody may see at once. Never: who watches.
"""

from collections.abc import Iterable

from kibitz.protocol.views import RoomInfo

QUIET_MS = 60_000
"""A game in which nothing has happened for so long, in milliseconds, is not shown."""


class Tv:
    """The choice, as it stands."""

    def __init__(self) -> None:
        self.on_air: RoomInfo | None = None

    def look(self, entries: Iterable[RoomInfo], now: int) -> RoomInfo | None:
        """Choose anew if need be.

        Args:
            entries: The public rooms in memory, as everybody may see them.
            now: Unix ms.

        """
        worth = {entry.id: entry for entry in entries if _is_worth(entry, now)}
        there = self.on_air and worth.get(self.on_air.id)
        self.on_air = there or max(worth.values(), key=_rank, default=None)
        return self.on_air


def _is_worth(entry: RoomInfo, now: int) -> bool:
    shown = entry.visibility == "public" and not (entry.masked or entry.waiting)
    played = entry.status == "open" and entry.mode != "replay"
    quiet = now - (entry.updated or 0) - (entry.delay or 0) * 1000
    return shown and played and quiet < QUIET_MS


def _rank(entry: RoomInfo) -> tuple[int, int, int, str]:
    """Of equals one, whatever other rooms there are, and the same on every server."""
    return entry.spectators, entry.score, entry.updated or 0, entry.id
