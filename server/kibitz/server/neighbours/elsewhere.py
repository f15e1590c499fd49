"""Who is where on the other servers, as far as they have said.

Promises: what a server said is forgotten when it goes, when it says everything anew, and when it
has been silent for a while. Never: a clock, a socket.
"""

from collections import defaultdict
from hashlib import blake2b

from ..room.here import NOBODY, Here, together
from .news import News

SILENT_SECONDS = 10.0
"""Who has said nothing for so long is gone: everybody says something every second."""


class _Server:
    """One of the others."""

    def __init__(self) -> None:
        self.number = -1
        """Of what it said last; -1: nothing that what it says next would follow."""
        self.heard = 0.0
        self.rooms: set[str] = set()


class Elsewhere:
    """The other servers."""

    def __init__(self, name: str) -> None:
        """Nobody is there yet; ``name`` is our own."""
        self.name = name
        self._servers: defaultdict[str, _Server] = defaultdict(_Server)
        self._rooms: defaultdict[str, dict[str, Here]] = defaultdict(dict)

    def __len__(self) -> int:
        return len(self._servers)

    def here(self, room: str) -> Here:
        """Who is in a room there."""
        there = self._rooms.get(room)
        return together(there.values()) if there else NOBODY

    def rooms(self) -> list[str]:
        """The rooms in which somebody is there."""
        return list(self._rooms)

    def rank(self, room: str) -> int:
        """How many servers see first to what nobody in a room sees to: rendezvous hashing."""
        ours = _weight(self.name, room)
        return sum(_weight(name, room) > ours for name in self._servers)

    def take(self, news: News, now: float) -> tuple[set[str], bool]:
        """Take up what a server says.

        Args:
            news: What it is.
            now: Monotonic seconds.

        Returns:
            The rooms in which it has changed who is there; and whether something was missed that
            it has said, or may have: nothing is known of what it said before.

        """
        server = self._servers[news.node]
        met = server.number >= 0 or not news.whole
        missed = met and news.number != server.number + 1
        server.number, server.heard = news.number, now
        changed = self._clear(news.node) if news.whole else set()
        for room in news.rooms:
            if self._put(news.node, room.id, room.here):
                changed.add(room.id)
        return changed, missed

    def _put(self, node: str, room: str, here: Here) -> bool:
        there = self._rooms.get(room, {})
        if there.get(node, NOBODY) == here:
            return False
        if here.total:
            self._rooms[room][node] = here
            self._servers[node].rooms.add(room)
        else:
            self._drop(node, room)
        return True

    def _drop(self, node: str, room: str) -> None:
        self._servers[node].rooms.discard(room)
        del self._rooms[room][node]
        if not self._rooms[room]:
            del self._rooms[room]

    def _clear(self, node: str) -> set[str]:
        rooms = set(self._servers[node].rooms)
        for room in rooms:
            self._drop(node, room)
        return rooms

    def forget(self, node: str) -> set[str]:
        """A server is gone; the rooms in which somebody was there."""
        rooms = self._clear(node)
        del self._servers[node]
        return rooms

    def silent(self, now: float) -> list[str]:
        """Those that have said nothing for too long."""
        return [
            name for name, server in self._servers.items() if server.heard + SILENT_SECONDS <= now
        ]


def _weight(server: str, room: str) -> bytes:
    return blake2b(f"{server} {room}".encode(), digest_size=8).digest()
