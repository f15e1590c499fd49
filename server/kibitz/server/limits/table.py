"""The table of rates: what is asked, and who is counted.

Promises: what is asked is granted if every bucket that counts it has a token, and then each of
them is charged; else none is, and the answer says which of them it takes longest to wait for, and
how long. Never: know what a request does.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

from kibitz.protocol.codes import ErrorCode, Refused

from .buckets import Buckets, milliseconds
from .rates import Rate
from .settings import Limits

Kind = Literal[
    "requests",
    "reads",
    "joins",
    "creates",
    "comments",
    "passwords",
    "tokens",
    "replays",
    "downloads",
    "connects",
    "handshakes",
    "refusals",
]
CONNECTION, IDENTITY, ADDRESS = 0, 1, 2
Who = tuple[Hashable, Hashable, Hashable]
"""What is counted of somebody: his connection, identity, address; ``None``: it is not."""
Charges = Sequence[tuple[Kind, float]]
"""What something counts as, and how many tokens it takes."""
SPARE = Rate(per_second=1.25, burst=3.0)
"""Reading how one's own room is: once a second of each kind is granted whatever is used up."""
BY = ("connection", "identity", "address")
ROWS: Sequence[tuple[Kind, Sequence[int]]] = (
    ("requests", (CONNECTION, IDENTITY, ADDRESS)),
    ("reads", (CONNECTION, IDENTITY, ADDRESS)),
    ("joins", (CONNECTION, IDENTITY, ADDRESS)),
    ("creates", (CONNECTION, IDENTITY, ADDRESS)),
    ("comments", (CONNECTION, IDENTITY, ADDRESS)),
    ("passwords", (CONNECTION, IDENTITY, ADDRESS)),
    ("replays", (CONNECTION, IDENTITY, ADDRESS)),
    ("downloads", (IDENTITY, ADDRESS)),
    ("tokens", (ADDRESS,)),
    ("connects", (ADDRESS,)),
    ("handshakes", (ADDRESS,)),
    ("refusals", (ADDRESS,)),
)
"""Who is counted for what; each has a setting of that name."""


@dataclass(frozen=True, slots=True)
class Over:
    """A limit that has been reached.

    Attributes:
        limit: Its name, ``joins per address``.
        retry_ms: When to come back, milliseconds; 0: when something has been given up.
        most: How many one may have, where that is told.
        rooms: Where he has them, where that is his to know.

    """

    limit: str
    retry_ms: int
    most: int | None = None
    rooms: str = ""

    def full(self, room: str | None = None) -> Refused:
        """The refusal of one who holds as much as he may: waiting is of no use to him."""
        many = "" if self.most is None else f" ({self.most} at most)"
        where = f", in {self.rooms}" if self.rooms else ""
        message = f"too many {self.limit}{many}; give one up first{where}"
        retry_ms = self.retry_ms or None
        return Refused(ErrorCode.FULL, message, room=room, retry_ms=retry_ms, limit=self.limit)

    def refused(self, room: str | None = None) -> Refused:
        """The refusal that says so."""
        message = f"too many {self.limit}; come back in {span_of(max(0.1, self.retry_ms / 1000))}"
        return Refused(
            ErrorCode.RATE_LIMITED, message, room=room, retry_ms=self.retry_ms, limit=self.limit
        )


def span_of(seconds: float, digits: int = 1) -> str:
    """A time as people say it: ``0.3 s``, ``12 min``, ``3 h``; never less than it is."""
    for length, unit in ((3600, "h"), (60, "min")):
        if seconds > 2 * length:
            return f"{ceil(seconds / length)} {unit}"
    return f"{seconds:.{digits}f} s"


class Row:
    """One rate and all that it counts."""

    __slots__ = ("buckets", "by", "name")

    def __init__(self, kind: Kind, by: int, rate: Rate, most: int) -> None:
        self.name = f"{kind} per {BY[by]}"
        self.by = by
        self.buckets = Buckets(rate, most)


class Table:
    """All of them."""

    def __init__(self, limits: Limits, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._rows = {
            kind: tuple(
                Row(kind, by, getattr(limits, setting(kind, by)), limits.remembered)
                for by in counted
            )
            for kind, counted in ROWS
        }
        self._spare = Buckets(SPARE, limits.remembered)
        self._all = [row for rows in self._rows.values() for row in rows]
        self._next = 0

    def __len__(self) -> int:
        return sum(len(row.buckets) for row in self._all)

    def take(self, charges: Charges, who: Who) -> Over | None:
        """Charge something, or say why not."""
        now = self._monotonic()
        longest, over = 0.0, None
        for kind, _ in charges:
            for row in self._rows[kind]:
                key = who[row.by]
                if key is not None and (wait := row.buckets.wait(key, now)) > longest:
                    longest, over = wait, row
        if over is not None:
            return Over(over.name, milliseconds(longest))
        for kind, tokens in charges:
            for row in self._rows[kind]:
                if (key := who[row.by]) is not None:
                    row.buckets.charge(key, tokens, now)
        return None

    def over(self, kind: Kind, who: Who) -> Over | None:
        """Which limit is reached now; nothing is charged."""
        now = self._monotonic()
        for row in self._rows[kind]:
            key = who[row.by]
            if key is not None and (wait := row.buckets.wait(key, now)) > 0:
                return Over(row.name, milliseconds(wait))
        return None

    def reserve(self, kind: Kind, most: float, who: Who) -> float | None:
        """Take the next token of each bucket: the seconds until all are there.

        ``None``: it would be more than ``most``; nothing is charged of the bucket that says so.
        """
        now, longest = self._monotonic(), 0.0
        for row in self._rows[kind]:
            if (key := who[row.by]) is not None:
                wait = row.buckets.reserve(key, most, now)
                if wait is None:
                    return None
                longest = max(longest, wait)
        return longest

    def spare(self, key: Hashable) -> bool:
        """Whether somebody may read his own once more, though a limit is reached."""
        return not self._spare.take(key, self._monotonic())

    def charge(self, kind: Kind, tokens: float, who: Who) -> None:
        """Take tokens, whether or not they are there."""
        now = self._monotonic()
        for row in self._rows[kind]:
            if (key := who[row.by]) is not None:
                row.buckets.charge(key, tokens, now)

    def tick(self) -> None:
        """Forget what is full again, of one row after the other."""
        self._all[self._next].buckets.forget(self._monotonic())
        self._next = (self._next + 1) % len(self._all)


def setting(kind: Kind, by: int) -> str:
    """The setting that says a rate."""
    return kind if by == CONNECTION else f"{kind}_per_{BY[by]}"
