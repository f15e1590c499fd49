"""The plain room work that every Python peer does (see load/rooms.h for the bytes)."""

import argparse
import asyncio
import gc
import struct
import sys
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

MOVE = struct.Struct("<BIBBB")
EVENT = struct.Struct("<BIIBBB")
EVENT_SIZE = 118
PADDING = bytes(range(EVENT_SIZE - EVENT.size))
PILES = 13
ENTERED = b"\x00"

Member = TypeVar("Member")


class Room(Generic[Member]):
    """A room: who is in it, and its log."""

    def __init__(self) -> None:
        self.members: set[Member] = set()
        self.log: list[bytes] = []

    def take(self, data: object) -> bytes | None:
        """Check, number and keep a move; the event for everybody, or None."""
        if not isinstance(data, bytes) or len(data) != MOVE.size:
            return None
        kind, number, source, target, cards = MOVE.unpack(data)
        if kind != 1 or source >= PILES or target >= PILES or source == target or not cards:
            return None
        event = EVENT.pack(2, len(self.log) + 1, number, source, target, cards) + PADDING
        self.log.append(event)
        return event


class Rooms(Generic[Member]):
    """All rooms, by the path that leads to them."""

    def __init__(self) -> None:
        self._rooms: dict[str, Room[Member]] = {}

    def at(self, path: str) -> Room[Member]:
        """The room of ``/?room=7&role=p``, made if it is not there."""
        name = path.partition("room=")[2].partition("&")[0]
        return self._rooms.setdefault(name, Room())


def options() -> argparse.Namespace:
    """The command line of a peer."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--loop", choices=["asyncio", "uvloop"], default="asyncio")
    parser.add_argument("--deflate", action="store_true")
    return parser.parse_args()


def say(port: int) -> None:
    """Tell that the server listens."""
    print(port, flush=True)


def run(main: Callable[[], Coroutine[Any, Any, None]], loop: str) -> None:
    """Serve until killed, on that event loop."""
    gc.freeze()
    if loop == "uvloop":
        import uvloop

        factory: Callable[[], asyncio.AbstractEventLoop] | None = uvloop.new_event_loop
    else:
        factory = None
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(main())
    sys.exit()
