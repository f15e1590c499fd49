"""``kibitz serve``: arguments to settings; the only place that makes clock, chance and log."""

import asyncio
import contextlib
import errno
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import structlog
import typer

from .access.authority import Unusable
from .admin.key import ENVIRONMENT, UnusableKey, read_key
from .app import App, running
from .log.log import EventLog, LogFailure, UnusableLog
from .log.memory import MemoryLog
from .log.nats.servers import ENVIRONMENT as NATS_ENVIRONMENT
from .log.nats.servers import urls_in
from .log.sqlite import SqliteLog
from .operation import runtime
from .operation.logs import Logs, open_logs
from .options import Grouped
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
from .steady import Steady
from .storage.locking import FileInUse
from .storage.schema import UnreadableFile
from .world import World

DEMO_STOP_SECONDS = 1.0
MIN_TOKEN = 16
"""Characters of a token that an operator chooses."""


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
    logs = open_logs(operating.log_level, time.monotonic)
    runtime.set_up()
    if keeping.memory and keeping.data:
        raise _unusable("--memory keeps nothing, --data keeps everything: choose one")
    if keeping.memory and keeping.keep:
        raise _unusable("--memory keeps nothing, --keep archives rooms in the file: choose one")
    if show.demo and access.auth is not Auth.GUEST:
        raise _unusable("--demo needs --auth guest: its bots have no tokens of yours")
    keeping = _with_nats(keeping)
    kept = "memory" if keeping.memory else "nats" if keeping.nats else str(keeping.data or DATA)
    try:
        token = _token(operating.metrics_token_file)
        said = os.environ.pop(ENVIRONMENT, None)  # nobody whom we start needs to know it
        key = read_key(administering.admin_token_file, said)
        settings = Settings(listening, limits, access, operating, key, token, keeping)
        asyncio.run(_serve(settings, kept, show.demo, logs))
    except (FileInUse, UnreadableFile, Unusable, UnusableKey, UnusableLog) as error:
        raise _unusable(str(error)) from None
    except LogFailure as error:
        see = "" if keeping.nats else f"; see kibitz admin check --data {kept}"
        raise _unusable(f"{kept} cannot be read ({error}){see}") from None
    except (OSError, UnicodeError) as error:
        raise _unusable(_unbound(error, listening)) from None
    finally:
        logs.close()


serve = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
serve.command("serve", cls=Grouped)(
    command(_run, Listening, Access, Keeping, Limits, Operating, Administering, _Show)
)


def _with_nats(keeping: Keeping) -> Keeping:
    """Where rooms are kept, with the NATS servers that the environment names, if nothing else does.

    Nobody whom we start needs to know what is there.
    """
    said = urls_in(os.environ.pop(NATS_ENVIRONMENT, ""))
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


def _unbound(error: OSError | UnicodeError, listening: Listening) -> str:
    """Why nothing can be listened to there: a sentence for whoever starts the server."""
    host, port = listening.host, listening.port
    if isinstance(error, UnicodeError | socket.gaierror):
        return f"{host} is no address and no name of one; choose another with --host"
    match error.errno:
        case errno.EADDRINUSE:
            return f"port {port} is taken; choose another with --port"
        case errno.EADDRNOTAVAIL | errno.EINVAL:
            return f"{host} is no address of this machine; choose another with --host"
        case errno.EACCES | errno.EPERM:
            return f"port {port} is not for everybody to take; choose another with --port"
        case _:
            return f"cannot listen on {host}, port {port}: {error.strerror or error}"


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000


def _since_boot() -> float:
    """Seconds that are never set and do not stop while the machine sleeps, where there are any."""
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime(clock)


def _unusable(message: str) -> typer.Exit:
    typer.echo(f"kibitz serve: {message}", err=True)
    return typer.Exit(2)


async def _log_of(keeping: Keeping) -> EventLog:
    """Where rooms are kept.

    Raises:
        FileInUse, UnreadableFile, UnusableLog: They cannot be.

    """
    if keeping.memory:
        return MemoryLog()
    if not keeping.nats:
        return SqliteLog(keeping.data or DATA)
    try:
        from .log.nats.log import NatsLog
    except ModuleNotFoundError as error:
        if error.name != "nats":
            raise
        raise UnusableLog("--nats needs more: pip install '.[nats]', where its source is") from None
    return await NatsLog.open(
        *(keeping.nats, keeping.nats_replicas),
        credentials=keeping.nats_credentials,
        authority=keeping.nats_ca,
    )


async def _serve(settings: Settings, kept: str, demo: bool, logs: Logs) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    summing = asyncio.create_task(logs.run())
    event_log = await _log_of(settings.keeping)
    world = World(Steady(_wall_ms, _since_boot).now_ms, time.monotonic, os.urandom)
    async with running(settings, event_log, world) as app:
        listening, s = settings.listening, "" if settings.listening.tls_cert is None else "s"
        at_terminal = sys.stderr.isatty() and not s and settings.access.auth is Auth.GUEST
        if not at_terminal:  # there its end is ours, too
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, app.reload)
        runtime.settle()
        host = listening.host
        where = f"[{host}]" if ":" in host else host
        url = f"ws{s}://{where}:{app.port}/ws"
        log = structlog.get_logger("kibitz.serve")
        log.info(
            "listening",
            page=f"http{s}://{where}:{app.port}/",
            socket=url,
            data=kept,
        )
        bots = _demo(url, listening.tls_cert) if demo else contextlib.nullcontext()
        async with bots:
            if stop.is_set():
                app.drain()
            for number in (signal.SIGTERM, signal.SIGINT):
                asyncio.get_running_loop().add_signal_handler(number, app.terminate)
            await app.drained.wait()
            _end_within(settings.operating.drain, app)
    summing.cancel()


def _end_within(seconds: float, app: App) -> None:
    """End the process then, whatever still runs: a thread, a disk that does not answer.

    What was ``ok`` is on the disk; the exit code says whether all else is.
    """
    timer = threading.Timer(seconds, lambda: os._exit(0 if app.flushed else 1))
    timer.daemon = True
    timer.start()


@contextlib.asynccontextmanager
async def _demo(url: str, certificate: Path | None) -> AsyncIterator[None]:
    """Bots in a process of their own, as ordinary clients; they know our certificate."""
    command = [sys.executable, "-m", "kibitz.clients", "demo", "--with-parent", "--server", url]
    if certificate is not None:
        command += ["--tls-pin", str(certificate)]
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


def main() -> None:
    """Run ``serve`` alone: ``python -m kibitz.server``."""
    serve()


if __name__ == "__main__":
    main()
