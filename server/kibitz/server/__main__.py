"""``kibitz serve``: arguments to settings; the only place that makes clock, chance and log."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import structlog
import typer

from .access.authority import Unusable
from .admin.key import ENVIRONMENT, UnusableKey, read_key
from .agreed import Agreed
from .app import App, running
from .log.log import EventLog, LogFailure, UnusableLog
from .log.memory import MemoryLog
from .log.nats.servers import ENVIRONMENT as NATS_ENVIRONMENT
from .log.nats.servers import places, urls_in
from .log.sqlite import SqliteLog
from .operation import runtime
from .operation.demo import playing
from .operation.logs import Logs, open_logs
from .options import Grouped
from .refusals import contradiction, unbound
from .settings import (
    DATA,
    Access,
    Administering,
    Auth,
    Keeping,
    Limits,
    Listening,
    Operating,
    Settings,
    command,
)
from .storage.locking import FileInUse
from .storage.schema import UnreadableFile
from .web.apart import HOST as APART
from .workers.address import Unshared, port_of, reserve
from .workers.line import Heeding, Line
from .workers.parent import Parent
from .world import World

if TYPE_CHECKING:
    from .log.nats.log import NatsLog

GIVE_UP_SECONDS = 1.0
"""How long it may take to let go of a log that is being opened."""
MIN_TOKEN = 16
"""Characters of a token that an operator chooses."""

log = structlog.get_logger("kibitz.serve")


@dataclass(frozen=True, slots=True)
class _Show:
    """Something to see."""

    demo: Annotated[
        bool, typer.Option("--demo", help="Let bots play all five games for ever, to be watched.")
    ] = False


def _run(
    listening: Listening,
    access: Access,
    keeping: Keeping,
    limits: Limits,
    operating: Operating,
    administering: Administering,
    show: _Show,
) -> None:
    """Run the server: rooms, spectators, replays on one port."""
    keeping = _with_nats(keeping)
    if why := contradiction(listening, access, keeping, show.demo):
        raise _unusable(why)
    kept = "memory" if keeping.memory else "nats" if keeping.nats else str(keeping.data or DATA)
    try:
        token = _token(operating.metrics_token_file)
        said = os.environ.pop(ENVIRONMENT, None)  # nobody whom we start needs to know it
        key = read_key(administering.admin_token_file, said)
    except UnusableKey as error:
        raise _unusable(str(error)) from None
    settings = Settings(listening, limits, access, operating, key, token, keeping)
    run = _run_alone if listening.workers == 1 else _run_workers
    raise typer.Exit(run(settings, kept, show.demo))


def _run_alone(settings: Settings, kept: str, demo: bool, line: Line | None = None) -> int:
    """Be a server; the exit code."""
    number = None if line is None else line.number
    logs = open_logs(settings.operating.log_level, time.monotonic, number)
    runtime.set_up()
    try:
        asyncio.run(_serve(settings, kept, demo, logs, line))
    except (FileInUse, UnreadableFile, Unusable, UnusableLog) as error:
        return _refusal(str(error))
    except LogFailure as error:
        see = "" if settings.keeping.nats else f"; see kibitz admin check --data {kept}"
        return _refusal(f"{kept} cannot be read ({error}){see}")
    except (OSError, UnicodeError) as error:
        return _refusal(unbound(error, settings.listening))
    finally:
        logs.close()
    return 0


def _run_workers(settings: Settings, kept: str, demo: bool) -> int:
    """Look after several servers on one port; the exit code."""
    listening = settings.listening
    logs = open_logs(settings.operating.log_level, time.monotonic, forks=True)
    try:
        _load(settings.keeping)  # once, for all of them
        reserved = reserve(listening.host, listening.port)
    except UnusableLog as error:
        return _refusal(str(error))
    except (OSError, UnicodeError) as error:
        return _refusal(unbound(error, listening))
    except Unshared:
        return _refusal("--workers needs a system where processes can share a port (Linux)")
    port = port_of(reserved[0])
    apart = listening.metrics_port
    first = apart if apart is not None else port + 1 if listening.port else 0

    def work(number: int, line: socket.socket) -> int:
        where = first and first + number - 1
        ours = replace(settings, listening=replace(listening, port=port, metrics_port=where))
        end = Line(number, line, settings.operating.drain)
        return _run_alone(ours, kept, demo and number == 1, end)

    parent = Parent(
        *(listening.workers, work, settings.operating.drain),
        lambda: _announce(settings, port, kept),
        hangup=not _ends_with_terminal(settings),
    )
    runtime.settle()
    try:
        return parent.run()
    finally:
        logs.close()


serve = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
serve.command("serve", cls=Grouped)(
    command(_run, Listening, Access, Keeping, Limits, Operating, Administering, _Show)
)


def _with_nats(keeping: Keeping) -> Keeping:
    """Where rooms are kept, with the NATS servers that the environment names, if --nats does not.

    Nobody whom we start needs to know what is there.
    """
    variable = os.environ.pop(NATS_ENVIRONMENT, None)
    said = [] if variable is None or keeping.nats else urls_in(variable)
    if variable is not None and not said and not keeping.nats:
        why = "is set and names no NATS server; without it rooms would be in a file"
        raise _unusable(f"{NATS_ENVIRONMENT} {why}")
    keeping = replace(keeping, nats=keeping.nats or said)
    if keeping.nats and (keeping.data or keeping.memory):
        why = "keeps everything on NATS servers, without --data and --memory"
        raise _unusable(f"{NATS_ENVIRONMENT if said else '--nats'} {why}")
    if not keeping.nats and (keeping.nats_credentials or keeping.nats_ca):
        raise _unusable(f"which NATS servers? Say --nats, or {NATS_ENVIRONMENT}")
    return keeping


def _token(file: Path | None) -> str | None:
    """The token in a file, if there is to be one.

    Raises:
        UnusableKey: It cannot be read.

    """
    if file is None:
        return None
    try:
        token = file.read_text(encoding="ascii", errors="replace").strip()
    except OSError as error:
        raise UnusableKey(f"could not read the metrics token: {file}: {error.strerror}") from None
    if len(token) < MIN_TOKEN or not token.isascii() or not token.isprintable():
        raise _unusable(f"{file}: a token has at least {MIN_TOKEN} printable characters")
    return token


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000


def _since_boot() -> float:
    """Seconds that are never set and do not stop while the machine sleeps, where there are any."""
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime(clock)


def _refusal(message: str) -> int:
    """Say why there is no server; the exit code."""
    typer.echo(f"kibitz serve: {message}", err=True)
    return 2


def _unusable(message: str) -> typer.Exit:
    return typer.Exit(_refusal(message))


def _load(keeping: Keeping) -> type["NatsLog"] | None:
    """What --nats needs, if it is wanted.

    Raises:
        UnusableLog: It is not installed.

    """
    if not keeping.nats:
        return None
    try:
        from .log.nats.log import NatsLog
    except ModuleNotFoundError as error:
        if error.name != "nats":
            raise
        why = "--nats needs more: pip install '.[nats]' in the folder of its source"
        raise UnusableLog(why) from None
    return NatsLog


async def _log_of(keeping: Keeping, clock: Agreed) -> EventLog:
    """Where rooms are kept, whose time our clock shows from now on.

    Raises:
        FileInUse, UnreadableFile, UnusableLog, LogFailure: They cannot be.

    """
    opened = await _open(keeping)
    try:
        await clock.agree(opened)
    except BaseException:
        await opened.close()
        raise
    return opened


async def _open(keeping: Keeping) -> EventLog:
    """The log itself."""
    shared = _load(keeping)
    if shared is not None:
        return await shared.open(
            *(keeping.nats, keeping.nats_replicas),
            credentials=keeping.nats_credentials,
            authority=keeping.nats_ca,
        )
    if keeping.memory:
        return MemoryLog()
    return SqliteLog(keeping.data or DATA)


async def _opened(keeping: Keeping, clock: Agreed, stop: asyncio.Event) -> EventLog | None:
    """Where rooms are kept; ``None``: we are to stop before that is known."""
    opening = asyncio.create_task(_log_of(keeping, clock))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait([opening, stopping], return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not opening.done():
        opening.cancel()
        await asyncio.wait([opening], timeout=GIVE_UP_SECONDS)
        return None
    return opening.result()


async def _serve(settings: Settings, kept: str, demo: bool, logs: Logs, line: Line | None) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    ends = [signal.SIGTERM] if line else [signal.SIGTERM, signal.SIGINT]
    for number in ends:
        loop.add_signal_handler(number, stop.set)
    if line:
        line.heed(Heeding(stop.set))
    summing = asyncio.create_task(logs.run())
    clock = Agreed(_wall_ms, _since_boot)
    event_log = await _opened(settings.keeping, clock, stop)
    if event_log is None:
        return
    agreeing = asyncio.create_task(clock.keep(event_log))
    world = World(clock.now_ms, time.monotonic, os.urandom)
    async with running(settings, event_log, world) as app:
        if line:
            line.heed(Heeding(app.drain, app.terminate, app.reload))
        elif not _ends_with_terminal(settings):
            loop.add_signal_handler(signal.SIGHUP, app.reload)
        runtime.settle()
        if line:
            log.info("worker ready", metrics=f"http://{APART}:{app.metrics_port}/metrics")
            line.ready()
        else:
            _announce(settings, app.port, kept)
        url = settings.listening.url(app.port, "ws")
        bots = playing(url, settings.listening.tls_cert) if demo else contextlib.nullcontext()
        async with bots:
            if stop.is_set():
                app.drain()
            for number in ends:  # a group of processes hears a signal together: no hurry in that
                loop.add_signal_handler(number, app.drain if line else app.terminate)
            await app.drained.wait()
            _end_within(settings.operating.drain, app)
    agreeing.cancel()
    summing.cancel()


def _ends_with_terminal(settings: Settings) -> bool:
    """Whether the end of the terminal is our end, too: there is nothing to be read again."""
    plain = not settings.listening.tls_cert and settings.access.auth is Auth.GUEST
    return sys.stderr.isatty() and plain


def _announce(settings: Settings, port: int, kept: str) -> None:
    """Say that connections are taken, and where."""
    listening = settings.listening
    page, url = listening.url(port, "http"), listening.url(port, "ws")
    nats = settings.keeping.nats
    beside = {"servers": places(nats)} if nats else {}
    log.info("listening", page=page, socket=url, data=kept, **beside)


def _end_within(seconds: float, app: App) -> None:
    """End the process then, whatever still runs: a thread, a disk that does not answer.

    What was ``ok`` is on the disk; the exit code says whether all else is.
    """
    timer = threading.Timer(seconds, lambda: os._exit(0 if app.flushed else 1))
    timer.daemon = True
    timer.start()


def main() -> None:
    """Run ``serve`` alone: ``python -m kibitz.server``."""
    serve()


if __name__ == "__main__":
    main()
