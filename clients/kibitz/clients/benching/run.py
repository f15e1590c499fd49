"""One measurement after the other."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from msgspec.structs import replace
from rich.console import Console

from ..session import connect
from ..trust import Trust
from .crew import Crew, crew
from .hosting import Host
from .jobs import Job
from .line import ROOM
from .rows import LeftOut, Report, Row, about, row

NOT_OURS = "the server's memory can be read only where it is started here, on Linux"
SHOWN = ("crowd", "joins")
"""Loads for which there is one room."""


async def greet(
    host: Host, jobs: Sequence[Job], trust: Trust | None = None
) -> tuple[str, list[Job]]:
    """What a server calls itself, and the jobs with its address and their rooms.

    Raises:
        Unreachable: There is none.
        Refused: It makes no rooms.

    """
    ready: list[Job] = []
    authority = None if host.authority is None else str(host.authority)
    async with connect(host.url, name="bench", patience=0, trust=trust) as client:
        for job in jobs:
            room = ""
            if job.load in SHOWN:
                room = (await client.create(**ROOM, seat=False)).room
                await client.leave(room)
            ready.append(replace(job, url=host.url, room=room, authority=authority))
        return client.welcome.server, ready


def measure(host: Host, version: str, jobs: Sequence[Job], processes: int | None) -> Report:
    """Do all jobs in their order, and tell on a terminal which one.

    Args:
        host: The server.
        version: What it calls itself.
        jobs: What to do.
        processes: How many processes do it; as many as there are cores, if none is said.

    Raises:
        Lost: The server does not do what the load needs, or a process has ended.

    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    report = Report(
        server=host.url,
        version=version,
        own=host.pid is not None,
        cores=cores or 1,
        processes=processes or cores or 1,
    )
    with crew(report.processes) as workers, _telling() as tell:
        for job in jobs:
            if job.load == "idle" and host.memory() is None:
                report.left_out.append(LeftOut(job.load, NOT_OURS))
                continue
            tell(f"{job.load}: {about(job)}")
            report.rows.append(_measured(host, job, workers, report.cores))
    return report


def _measured(host: Host, job: Job, workers: Crew, cores: int) -> Row:
    looks: list[tuple[float, float | None, int | None]] = []

    def look() -> None:
        looks.append((time.monotonic(), host.cpu(), host.memory()))

    parts = workers.work(job, look, look)
    (begun, cpu, memory), (ended, cpu_then, memory_then) = looks
    share = None if cpu is None or cpu_then is None else (cpu_then - cpu) / (ended - begun)
    grown = None if memory is None or memory_then is None else memory_then - memory
    return row(job, parts, cores, share, grown)


@contextmanager
def _telling() -> Iterator[Callable[[str], None]]:
    """Says what is going on, on a terminal, until it is over."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    console = Console(stderr=True, highlight=False, markup=False)
    with console.status("") as status:
        yield status.update
