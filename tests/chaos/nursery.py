"""A process that has loaded the server's code and forks real servers, one after the other.

So a server is there in milliseconds, and a thousand of them die in minutes. Whoever dies with his
parent: a server with the nursery, the nursery with the tests.
"""

import asyncio
import contextlib
import ctypes
import gc
import json
import os
import signal
import sys
import traceback
from collections.abc import AsyncIterator, Callable
from functools import partial
from importlib import import_module
from typing import Any

from processes import PATIENCE

_PR_SET_PDEATHSIG = 1
_NURSE = "from chaos.nursery import nurse; nurse()"


class Life:
    """One server process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.said: list[dict[str, Any]] = []
        """What it has logged."""
        self.status: int | None = None
        """How it ended, as ``waitpid`` says it."""
        self._news = asyncio.Event()

    async def listening(self) -> str | None:
        """Its URL, once it listens; ``None``: it died before."""
        await self._until(lambda: self.status is not None or self._url is not None)
        return self._url if self.status is None else None

    async def says(self, event: str, after: int = 0) -> dict[str, Any]:
        """The next line of this kind among those after so many."""
        while True:
            for line in self.said[after:]:
                if line["event"] == event:
                    return line
            assert self.status is None, self.said
            await self._until(partial(self._has_said_more, len(self.said)))

    def _has_said_more(self, than: int) -> bool:
        return len(self.said) > than or self.status is not None

    @property
    def _url(self) -> str | None:
        return next((line["socket"] for line in self.said if line["event"] == "listening"), None)

    async def ended(self) -> int:
        """Wait for its end; the status."""
        await self._until(lambda: self.status is not None)
        assert self.status is not None
        return self.status

    def send(self, number: int) -> None:
        """Send it a signal, if it is still there."""
        if self.status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    async def _until(self, done: Callable[[], bool]) -> None:
        while not done():
            self._news.clear()
            await self._news.wait()

    def heard(self, line: bytes) -> None:
        """Take down what it has said."""
        try:
            self.said.append(json.loads(line))
        except ValueError:
            self.said.append({"event": line.decode(), "level": "error"})
        self._news.set()

    def over(self, status: int) -> None:
        """It has ended."""
        self.status = status
        self._news.set()

    @property
    def mistakes(self) -> list[dict[str, Any]]:
        """What it has logged of its own failures."""
        return [line for line in self.said if line.get("level") in ("error", "critical")]


class Nursery:
    """Where servers come from."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._life: Life | None = None

    async def begin(self, setup: str, given: dict[str, Any], *arguments: str) -> Life:
        """A new server; the one before must have ended.

        Args:
            setup: ``module:function``, called in the process before it serves.
            given: What that is called with.
            arguments: Of ``kibitz serve``.

        """
        assert self._process.stdin and self._process.stdout
        assert self._life is None or self._life.status is not None
        wish = {"setup": setup, "given": given, "arguments": arguments}
        self._process.stdin.write(json.dumps(wish).encode() + b"\n")
        async with asyncio.timeout(PATIENCE):
            pid = json.loads(await self._process.stdout.readline())
        self._life = Life(pid)
        return self._life

    async def listen(self) -> None:
        """Hear what the servers say and how they end, for ever."""
        assert self._process.stderr
        async for line in self._process.stderr:
            assert self._life is not None, line
            if line.startswith(b"ended "):
                self._life.over(int(line.split()[1]))
            else:
                self._life.heard(line)


@contextlib.asynccontextmanager
async def nursery() -> AsyncIterator[Nursery]:
    """A nursery; nothing of it is left afterwards."""
    pipe = asyncio.subprocess.PIPE
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _NURSE, stdin=pipe, stdout=pipe, stderr=pipe, env=environ, limit=2**20
    )
    made = Nursery(process)
    listening = asyncio.create_task(made.listen())
    try:
        yield made
    finally:
        process.kill()
        listening.cancel()
        await asyncio.wait([listening])
        if not listening.cancelled():
            listening.result()
        await process.communicate()


def nurse() -> None:
    """Fork what is asked for; how it ended is said behind all that it said."""
    from kibitz.server.__main__ import main

    _die_with_parent()
    _warm(main)
    for line in sys.stdin:
        wish = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _die_with_parent()
            os.dup2(os.open(os.devnull, os.O_RDWR), 0)
            os.dup2(0, 1)
            _serve(wish, main)
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        os.write(2, b"ended %d\n" % status)


def _warm(main: Callable[[], None]) -> None:
    """Have done once what is the same for every server and takes a second."""
    import_module("kibitz.server.web.site").installed()
    sys.argv = ["kibitz.server", "--port", "none"]
    with (
        open(os.devnull, "w") as nowhere,
        contextlib.redirect_stderr(nowhere),
        contextlib.suppress(SystemExit),
    ):
        main()
    gc.collect()
    gc.freeze()


def _serve(wish: dict[str, Any], main: Callable[[], None]) -> None:
    module, _, name = wish["setup"].partition(":")
    code = 70
    try:
        getattr(import_module(module), name)(**wish["given"])
        sys.argv = ["kibitz.server", *wish["arguments"]]
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
