"""What the processes of a measurement tell each other, and the arithmetic on it. No clock."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct, field

Load = Literal["idle", "rooms", "rush", "crowd", "joins"]
"""``rooms``: moves when they are due; ``rush``: each as soon as the last one is answered."""
UNITS = 100_000
"""Times are counted in units of 10 microseconds: so many in a second."""
CROWD_RATE = 20.0
"""Moves a second in the room of the crowd."""


class Job(Struct, frozen=True, kw_only=True):
    """What one process is to do: its share.

    Attributes:
        load: What kind of load.
        url: The server's socket. authority: A file with whose certificates are good there.
        number, of: Which one of how many processes this is, from 0.
        seconds: How long moves are made.
        rooms, watchers, rate: Rooms in all, watchers of each, moves a second in each.
        spectators: Of the crowd, in all.
        joins: In all; idle connections, too. in_flight: How many of them at the same time.
        room: Where the crowd watches, where is joined.

    """

    load: Load
    url: str = ""
    number: int = 0
    of: int = 1
    seconds: float = 1.0
    rooms: int = 0
    watchers: int = 0
    rate: float = CROWD_RATE
    spectators: int = 0
    joins: int = 0
    in_flight: int = 1
    room: str = ""
    authority: str | None = None

    def share(self, whole: int) -> int:
        """How much of a whole number is this process's; all shares make the whole."""
        return whole // self.of + (self.number < whole % self.of)

    @property
    def connections(self) -> int:
        """How many there are at the same time, in all."""
        tables = self.rooms * (1 + self.watchers) if self.load in ("rooms", "rush") else 0
        return tables + self.spectators + self.joins + 1


class Part(Struct, kw_only=True):
    """What one process has seen.

    Attributes:
        done: Moves that were answered ``ok``; joins; connections.
        limited: Answers ``rate-limited``; each such request was repeated when the server said.
        times: Units from when it was due to its answer: how often each.
        events, expected: Events of moves that came to watchers, and how many there must be.
        seen: Units from when a move was due to its event at a watcher: how often each.
        seconds: How long it took to the last answer; ``told``: to the last event.
        cpu: Processor time used in that time, as a share of one core.
        failed: Why there is nothing to report.

    """

    done: int = 0
    limited: int = 0
    times: dict[int, int] = field(default_factory=dict)
    events: int = 0
    expected: int = 0
    seen: dict[int, int] = field(default_factory=dict)
    seconds: float = 0.0
    told: float = 0.0
    cpu: float = 0.0
    failed: str = ""


def counted(seconds: Iterable[float]) -> dict[int, int]:
    """Times in seconds, as units and how often each."""
    return dict(Counter(max(0, round(time * UNITS)) for time in seconds))


def merged(counts: Iterable[Mapping[int, int]]) -> Counter[int]:
    """All of them together."""
    whole: Counter[int] = Counter()
    for one in counts:
        whole.update(one)
    return whole


def percentile_ms(counts: Mapping[int, int], percent: float) -> float | None:
    """The least time that so many percent do not exceed, in ms; ``None`` of nothing."""
    left = sum(counts.values()) * percent / 100
    for unit in sorted(counts):
        left -= counts[unit]
        if left <= 0:
            return unit * 1000 / UNITS
    return None
