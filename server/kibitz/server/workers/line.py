"""A worker's end of the line to its parent: orders come, "ready" and signs of life go.

Promises: a worker whose parent is gone, even by SIGKILL, comes to its end, and ends even if its
loop hangs. A sign of life is one of the loop: without it nobody is served. Never: a signal; those
of a whole group of processes reach worker and parent both.
"""

import asyncio
import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog

READY = b"+"
"""What a worker says when it takes connections."""
ALIVE = b"."
"""What it says whenever it is asked whether it lives."""
DRAIN, HURRY, RELOAD = b"d", b"h", b"r"
"""What its parent orders: come to your end, at once, read keys and certificates again."""
ASK = b"?"
"""What its parent asks."""
GRACE_SECONDS = 2.0
"""How much longer than it may take a worker may live when its parent is gone."""

log = structlog.get_logger("kibitz.worker")


def _nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class Heeding:
    """What is done when an order comes."""

    drain: Callable[[], object]
    hurry: Callable[[], object] = _nothing
    reload: Callable[[], object] = _nothing


class Line:
    """The worker's end."""

    def __init__(self, number: int, ours: socket.socket, drain: float) -> None:
        """Nobody listens yet.

        Args:
            number: Which worker we are, from 1.
            ours: This end.
            drain: Seconds that the worker's end may take.

        """
        self.number = number
        self._socket = ours
        self._drain = drain
        self._heeding = Heeding(_nothing)
        self._loop: asyncio.AbstractEventLoop | None = None

    def heed(self, heeding: Heeding) -> None:
        """Do this in the running loop from now on, in place of what was done until now."""
        self._heeding = heeding
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            threading.Thread(target=self._listen, name="kibitz-line", daemon=True).start()

    def ready(self) -> None:
        """Tell that connections are taken."""
        self._say(READY)

    def _live(self) -> None:
        self._say(ALIVE)

    def _say(self, what: bytes) -> None:
        with contextlib.suppress(OSError):  # nobody is there: that is heard below
            self._socket.send(what)

    def _listen(self) -> None:
        while order := self._heard():
            self._do(order)
        log.error("parent gone")
        self._do(DRAIN)
        time.sleep(self._drain + GRACE_SECONDS)
        os._exit(1)

    def _heard(self) -> bytes:
        try:
            return self._socket.recv(1)
        except OSError:
            return b""

    def _do(self, order: bytes) -> None:
        heeding = self._heeding
        acts = {
            DRAIN: heeding.drain,
            HURRY: heeding.hurry,
            RELOAD: heeding.reload,
            ASK: self._live,
        }
        assert self._loop is not None, "heeded"
        with contextlib.suppress(RuntimeError):  # the loop is closed: it has come to its end
            self._loop.call_soon_threadsafe(acts[order])
