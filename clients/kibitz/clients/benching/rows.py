"""What was seen in all processes, as a row of the table. No clock, no output."""

from collections.abc import Sequence

from msgspec import Struct, field

from .jobs import Job, Load, Part, merged, percentile_ms

BUSY = 0.8
"""Share of a core above which a process of the load may be what is slow."""
FULL = 0.95
"""Share of all cores above which server and load are in each other's way."""

CLOSED = ("rush",)
"""Loads that go as fast as the server answers."""
DUE = ("rooms", "crowd")
"""Loads whose moves are due at certain times."""
LATE, LATE_SECONDS = 1.1, 0.5
"""They are too much if they take so many times longer than they should, and so many seconds."""

Times = dict[str, float | None]
"""Milliseconds by percentile: ``p50``, ``p95``, ``p99``."""


class Row(Struct, kw_only=True):
    """One load and how the server bore it.

    Attributes:
        load, about: Which, and its size in words.
        done: Moves that were answered, joins, idle connections; a second: ``per_second``.
        ok_ms: From the moment a move was due (``rush``, ``joins``: was begun) to its answer.
        events, events_expected: Events of moves at watchers, and moves times watchers.
        event_ms: From the moment a move was due to its event at a watcher.
        limited: Answers ``rate-limited``; such requests were repeated when the server said.
        connection_kib: Memory of the server, a connection (``idle``).
        server_cpu, load_cpu: Shares of a core: the server's, each process's of the load.
        remarks: What one must know to read the numbers.

    """

    load: Load
    about: str
    done: int
    per_second: float
    ok_ms: Times
    events: int = 0
    events_expected: int = 0
    events_per_second: float = 0.0
    event_ms: Times = field(default_factory=dict)
    limited: int = 0
    connection_kib: float | None = None
    server_cpu: float | None = None
    load_cpu: list[float] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


class LeftOut(Struct):
    """A load that was not measured, and why."""

    load: Load
    why: str


class Report(Struct, kw_only=True):
    """All of it.

    Attributes:
        server, version: Its address, and what it calls itself. own: Whether we started it.
        cores, processes: Of this machine; of the load.
        rows, left_out: What was measured, and what was not.

    """

    server: str
    version: str
    own: bool
    cores: int
    processes: int
    rows: list[Row] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def row(
    job: Job, parts: Sequence[Part], cores: int, server_cpu: float | None, kib: int | None
) -> Row:
    """The row of a job.

    Args:
        job: The whole job.
        parts: What each process has seen.
        cores: Of this machine.
        server_cpu: The server's share of a core meanwhile, if it is known.
        kib: By how much the server's memory grew, if it is known.

    """
    done = sum(part.done for part in parts)
    events = sum(part.events for part in parts)
    made = Row(
        load=job.load,
        about=about(job),
        done=done,
        per_second=_rate(done, max(part.seconds for part in parts)),
        ok_ms=_times(parts, "times"),
        events=events,
        events_expected=sum(part.expected for part in parts),
        events_per_second=_rate(events, max(part.told for part in parts)),
        event_ms=_times(parts, "seen"),
        limited=sum(part.limited for part in parts),
        server_cpu=None if server_cpu is None else round(server_cpu, 3),
        load_cpu=[round(part.cpu, 3) for part in parts],
    )
    if job.load == "idle" and kib is not None:
        made.connection_kib = round(kib / max(done, 1), 1)
    made.remarks = _remarks(made, cores)
    took = max(part.seconds for part in parts)
    if job.load in DUE and took > LATE * job.seconds + LATE_SECONDS:
        made.remarks.append(f"too much: moves of {job.seconds:g} s took {took:.1f} s")
    return made


def about(job: Job) -> str:
    """The size of a job in words."""
    match job.load:
        case "rooms":
            rate = f"a move due {job.rate:g} times a second in each"
            return f"{_rooms(job)}, {rate}"
        case "rush":
            rate = "the next move as soon as the last is ok"
            return f"{_rooms(job)}, {rate}"
        case "crowd":
            return f"1 room, {job.spectators:,} watching, {job.rate:g} moves a second"
        case "joins":
            return f"{job.joins:,} connect and join one room, {job.in_flight:,} at a time"
        case _:
            return f"{job.joins:,} connections that only greet"


def _rooms(job: Job) -> str:
    rooms = "1 room" if job.rooms == 1 else f"{job.rooms:,} rooms"
    return f"{rooms}, {job.watchers:,} watching each"


def _remarks(row: Row, cores: int) -> list[str]:
    remarks: list[str] = []
    if max(row.load_cpu) > BUSY:
        remarks.append("limited by the load, not by the server")
    elif row.server_cpu is not None and row.server_cpu + sum(row.load_cpu) > FULL * cores:
        remarks.append("server and load had all cores busy: the server alone can do more")
    elif row.server_cpu is not None and row.load in CLOSED and not row.limited:
        busy = row.server_cpu > BUSY
        by = "its processor" if busy else "its disk, or by what else runs on this machine"
        remarks.append(f"limited by {by}")
    if row.limited:
        remarks.append(f"held back {row.limited:,} times by the server's rate for a connection")
    if row.events < row.events_expected:
        missing = row.events_expected - row.events
        remarks.append(f"{missing:,} events did not come: their watchers were too slow")
    return remarks


def _times(parts: Sequence[Part], name: str) -> Times:
    counts = merged(getattr(part, name) for part in parts)
    if not counts:
        return {}
    return {f"p{percent}": percentile_ms(counts, percent) for percent in (50, 95, 99)}


def _rate(number: int, seconds: float) -> float:
    return round(number / seconds, 1) if seconds > 0 else 0.0
