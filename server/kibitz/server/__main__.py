"""``kibitz serve``: arguments to settings; the only place that makes clock, chance and log."""

import asyncio
import contextlib
import errno
import logging
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import structlog
import typer

from . import runtime
from .app import running
from .log import EventLog
from .log_memory import MemoryLog
from .log_sqlite import SqliteLog
from .settings import DATA, Access, Keeping, Limits, Listening, Settings, command
from .storage.locking import FileInUse
from .storage.schema import UnreadableFile
from .world import World

DEMO_STOP_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class _Show:
    demo: Annotated[bool, typer.Option("--demo", help="Bots play all five games for ever.")] = False


def _run(
    listening: Listening, access: Access, keeping: Keeping, limits: Limits, show: _Show
) -> None:
    """Run the server: rooms, spectators, replays on one port."""
    _configure_logs()
    runtime.set_up()
    if keeping.memory and keeping.data:
        raise _unusable("--memory keeps nothing, --data keeps everything: choose one")
    path = None if keeping.memory else keeping.data or DATA
    try:
        asyncio.run(_serve(Settings(listening, limits, access, keeping), path, show.demo))
    except (FileInUse, UnreadableFile) as error:
        raise _unusable(str(error)) from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            port = listening.port
            raise _unusable(f"port {port} is taken; choose another with --port") from None
        raise _unusable(str(error)) from None


serve = command(_run, Listening, Access, Keeping, Limits, _Show)


def _unusable(message: str) -> typer.Exit:
    typer.echo(f"kibitz serve: {message}", err=True)
    return typer.Exit(2)


async def _serve(settings: Settings, data: Path | None, demo: bool) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    event_log: EventLog = MemoryLog() if data is None else SqliteLog(data)
    world = World(lambda: time.time_ns() // 1_000_000, time.monotonic, os.urandom)
    async with running(settings, event_log, world) as app:
        runtime.settle()
        host = settings.listening.host
        where = f"[{host}]" if ":" in host else host
        log = structlog.get_logger("kibitz.serve")
        log.info(
            "listening",
            page=f"http://{where}:{app.port}/",
            socket=f"ws://{where}:{app.port}/ws",
            data=str(data) if data else "memory",
        )
        async with _demo(f"ws://{where}:{app.port}/ws") if demo else contextlib.nullcontext():
            await stop.wait()
        log.info("stopping")


@contextlib.asynccontextmanager
async def _demo(url: str) -> AsyncIterator[None]:
    """Bots in a process of their own, as ordinary clients."""
    command = (sys.executable, "-m", "kibitz.clients", "demo", "--with-parent", "--server", url)
    bots = await asyncio.create_subprocess_exec(*command)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            bots.terminate()
        try:
            async with asyncio.timeout(DEMO_STOP_SECONDS):
                await bots.wait()
        except TimeoutError:
            bots.kill()
            await bots.wait()


def _configure_logs() -> None:
    """Text for people on a terminal, JSON lines for everything else; on stderr."""
    tty = sys.stderr.isatty()
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.dev.ConsoleRenderer() if tty else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # we say ourselves what fails
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # a client that is gone is no news


def main() -> None:
    """Run ``serve`` alone: ``python -m kibitz.server``."""
    typer.run(serve)


if __name__ == "__main__":
    main()
