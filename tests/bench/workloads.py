"""What is done to a server, by name.

fanout-N[-wK]   one room, N spectators; closed loop with K moves on their way (1)
rooms-M[-rR]    M rooms of a player and 2 spectators; closed loop, or R moves/s in all of them
steady-N[-rR]   one room, N spectators, R moves/s (20)
storm-N         N spectators join one room, 100 in flight
idle-N          the memory of N spectators who see nothing happen
hot-N[-rR]      a room of N spectators at R moves/s (20), beside 500 quiet rooms of 2
stopped-N[-rR]  a room of N spectators of whom a tenth never reads, at R moves/s (50)
"""

import re
from dataclasses import dataclass
from enum import Enum

OFFER = re.compile(r"(fanout|rooms|steady|storm|idle|hot|stopped)-(\d+)(?:-([wr])(\d+))?")

QUIET_ROOMS = 500
QUIET_RATE = 250.0
"""Moves a second in all quiet rooms together."""

USUAL = (
    "fanout-100",
    "fanout-1000",
    "fanout-5000",
    "fanout-10000",
    "fanout-1000-w16",
    "rooms-500",
    "rooms-2000",
    "rooms-500-r500",
    "steady-1000",
    "storm-1000",
    "idle-2000",
    "hot-1000",
    "hot-5000-r5",
    "stopped-1000",
)


FILL = 20.0
"""Seconds at the usual rate after which the kernel holds nothing more for who does not read."""


class Kind(Enum):
    """How it is measured."""

    TURNS = "servers stay up and take turns"
    BESIDE = "the first group alone, and the other one in its place or beside it, in turns"
    FRESH = "a new server each time; what counts are the joins"


class Cost(Enum):
    """What is compared: what a server has used for one of these."""

    MESSAGE = "us CPU/message"
    MOVE = "us CPU/move"
    JOIN = "us CPU/join"
    MEMORY = "KiB/connection"
    DISTURBED = "p99 with / without"


@dataclass(frozen=True)
class Group:
    """Rooms that are alike; see ``load/crowd.h``."""

    rooms: int
    spectators: int
    stopped: int = 0
    window: int = 1
    rate: float = 0.0

    @property
    def text(self) -> str:
        """As the load generator wants it."""
        return f"{self.rooms},{self.spectators},{self.stopped},{self.window},{self.rate}"


@dataclass(frozen=True)
class Workload:
    """One thing to measure."""

    name: str
    kind: Kind
    cost: Cost
    groups: tuple[Group, ...]
    masks: tuple[int, int] = (1, 1)
    """The groups that play, one bit each: without the disturbance, and with it."""
    seconds: float = 0.35
    """A slice."""
    in_flight: int = 64
    idle: float = 0.3
    """Seconds between the last join and the look at the memory."""
    fill: float = 0.0
    """Seconds to play before the first slice that is counted."""

    @property
    def spin(self) -> bool:
        """Whether the load generator never sleeps, so that no server pays for waking it."""
        return self.kind is Kind.TURNS and not any(group.rate for group in self.groups)

    @property
    def connections(self) -> int:
        """How many there are."""
        return sum(group.rooms * (1 + group.spectators) for group in self.groups)

    @property
    def shape(self) -> str:
        """Its rooms, for a server that has to make them beforehand: ``500x3,1x1001``."""
        return ",".join(f"{group.rooms}x{group.spectators + 1}" for group in self.groups)


def workload(name: str) -> Workload:
    """The workload of that name.

    Raises:
        ValueError: There is none.

    """
    match = OFFER.fullmatch(name)
    if match is None:
        raise ValueError(f"no workload {name!r}")
    family, size, letter, value = match[1], int(match[2]), match[3], float(match[4] or 0)
    allowed = {"fanout": "w", "storm": "", "idle": ""}.get(family, "r")
    if letter and letter not in allowed:
        raise ValueError(f"{family} takes no -{letter}")
    if family == "fanout":
        one = Group(1, size, window=int(value or 1))
        return Workload(name, Kind.TURNS, Cost.MESSAGE, (one,), seconds=max(0.35, size / 10_000))
    if family == "rooms":
        many = Group(size, 2, rate=value)
        return Workload(
            name, Kind.TURNS, Cost.MOVE, (many,), seconds=2.0 if value else max(1.0, size / 1000)
        )
    if family == "steady":
        one = Group(1, size, rate=value or 20.0)
        return Workload(name, Kind.TURNS, Cost.MESSAGE, (one,), seconds=2.0)
    if family == "storm":
        return Workload(name, Kind.FRESH, Cost.JOIN, (Group(1, size),), in_flight=100)
    if family == "idle":
        return Workload(name, Kind.FRESH, Cost.MEMORY, (Group(1, size),), idle=2.0)
    if family == "hot":
        quiet, hot = Group(QUIET_ROOMS, 2, rate=QUIET_RATE), Group(1, size, rate=value or 20.0)
        return Workload(name, Kind.BESIDE, Cost.DISTURBED, (quiet, hot), (1, 3), seconds=2.0)
    rate = value or 50.0
    reading, stopped = Group(1, size, rate=rate), Group(1, size, size // 10, rate=rate)
    groups = (reading, stopped)
    return Workload(name, Kind.BESIDE, Cost.DISTURBED, groups, (1, 2), seconds=2.0, fill=FILL)
