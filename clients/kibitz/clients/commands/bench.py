"""``kibitz bench``: what a server on this machine can carry."""

from contextlib import nullcontext
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from .. import outcome
from .reaching import TlsCa

if TYPE_CHECKING:
    from ..benching.jobs import Load

MOST_PROCESSES = 64
MOST_RATE = 150.0
"""Moves a second on one connection: below what a server allows, 200 requests a second."""
SPARE_FILES = 200
"""Open files that a server needs for itself."""


class Measured(StrEnum):
    """The loads, in the order in which they are measured."""

    idle = "idle"
    rooms = "rooms"
    rush = "rush"
    crowd = "crowd"
    joins = "joins"


def bench(
    loads: Annotated[
        list[Measured] | None, typer.Argument(help="Which loads; all, if none is said.")
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(
            callback=lambda said: said and outcome.address(said),
            help="A running server, instead of one that is started (KIBITZ_SERVER is not read).",
        ),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Also a server on another machine: it is load.")
    ] = False,
    seconds: Annotated[
        float, typer.Option(min=0.1, max=3600, help="How long moves are made, for each load.")
    ] = 3.0,
    rooms: Annotated[int, typer.Option(min=1, max=10_000, help="Rooms with a bot each.")] = 50,
    watchers: Annotated[int, typer.Option(min=0, max=1000, help="Who watch each of them.")] = 2,
    rate: Annotated[
        float, typer.Option(min=0.1, max=MOST_RATE, help="Moves a second in each of them.")
    ] = 5.0,
    spectators: Annotated[int, typer.Option(min=1, max=50_000, help="Who watch one room.")] = 500,
    joins: Annotated[int, typer.Option(min=1, max=50_000, help="Who come and join.")] = 1000,
    in_flight: Annotated[
        int, typer.Option(min=1, max=1000, help="How many of them at the same time.")
    ] = 100,
    idle: Annotated[int, typer.Option(min=1, max=50_000, help="Who only greet.")] = 500,
    processes: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_PROCESSES, help="Processes of load; as many as cores."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    tls_ca: TlsCa = None,
) -> None:
    """Measure what a server on this machine can carry: answers, events, joins, memory.

    It takes about twenty seconds. The loads: `idle` (memory of a connection), `rooms` (bots move
    at a fixed rate, watched by some), `rush` (they move as fast as the server answers), `crowd`
    (one room, watched by many), `joins` (many come at once).
    """
    from msgspec.structs import replace

    from ..benching import hosting, printing, run, signals
    from ..benching.jobs import Job
    from ..benching.line import Lost

    host = hosting.host_of(server or "")
    if host and not yes and not hosting.is_loopback(host):
        raise outcome.unusable(f"{host} may not be this machine, and this is load: add --yes")
    whole = Job(load="rooms", seconds=seconds, rooms=rooms, watchers=watchers)
    sizes: dict[Load, Job] = {
        "idle": replace(whole, load="idle", joins=idle),
        "rooms": replace(whole, rate=rate),
        "rush": replace(whole, load="rush"),
        "crowd": replace(whole, load="crowd", spectators=spectators),
        "joins": replace(whole, load="joins", joins=joins, in_flight=min(in_flight, joins)),
    }
    jobs = [job for load, job in sizes.items() if not loads or load in loads]
    files = max(job.connections for job in jobs) + SPARE_FILES
    if hosting.open_files(files) < files:
        raise outcome.unusable(f"that takes {files:,} open files, more than `ulimit -Hn` says")
    trust = outcome.trust(tls_ca)
    signals.interrupt_us()
    try:
        running = hosting.Host(server or "", authority=tls_ca)
        with nullcontext(running) if server else hosting.own_server() as at:
            version = ""

            async def greet() -> None:
                nonlocal version, jobs
                version, jobs = await run.greet(at, jobs, trust)

            outcome.run(at.url, greet)
            report = run.measure(at, version, jobs, processes)
    except Lost as error:
        typer.echo(f"kibitz: {error}", err=True)
        raise typer.Exit(1) from None
    (outcome.print_json if as_json else printing.print_table)(report)
