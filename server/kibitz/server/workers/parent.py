"""The process that looks after the workers: starts them, hands orders on, starts them again.

Promises: it is ready when all of them are; one that dies is started again, after a pause that
grows; one that gives no sign of life for long is killed, for the kernel hands new connections to
it all the same; what keeps the first from starting ends all, with its exit code; SIGTERM and
SIGINT end all within the time they may take, and a second one hurries them; none outlives it (see
:mod:`.line`).
Never: a thread or a loop of asyncio (it forks), a connection, a room.
"""

import contextlib
import os
import selectors
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from .line import ALIVE, ASK, DRAIN, GRACE_SECONDS, HURRY, RELOAD

FIRST_PAUSE = 0.25
"""Seconds before a worker that has died is started again; doubled each time."""
MAX_PAUSE = 30.0
ASK_SECONDS = 1.0
"""Between two times that each worker is asked whether it lives."""
SILENT_TIMES = 20
"""Whoever does not answer so often in a row is killed. Not seconds: while the machine sleeps, or
we are stopped ourselves, nobody is asked."""
GOOD_SECONDS = 60.0
"""Whoever has lived for so long begins with the first pause again."""

log = structlog.get_logger("kibitz.workers")

Work = Callable[[int, socket.socket], int]
"""What a worker does in its process, given its number and its end of the line: the exit code."""


@dataclass(slots=True)
class _Worker:
    number: int
    pid: int = 0
    """0: it does not run."""
    line: socket.socket | None = None
    ready: bool = False
    silent: int = 0
    """How often it was asked whether it lives since it said so last."""
    hung: bool = False
    """Whether it was killed because it said nothing."""
    born: float = 0.0
    deaths: int = 0
    due: float | None = None
    """When it is to be started; ``None``: not now."""


class Parent:
    """Looks after so many workers."""

    def __init__(
        self, count: int, work: Work, drain: float, ready: Callable[[], None], *, hangup: bool
    ) -> None:
        """Start nothing yet.

        Args:
            count: How many there are.
            work: What they do.
            drain: Seconds that their end may take.
            ready: Called once, when all of them take connections.
            hangup: Whether SIGHUP is an order to read files again.

        """
        self._workers = [_Worker(number) for number in range(1, count + 1)]
        self._work = work
        self._drain = drain
        self._on_ready = ready
        self._signals = [signal.SIGTERM, signal.SIGINT, signal.SIGCHLD]
        self._signals += [signal.SIGHUP] if hangup else []
        self._selector = selectors.DefaultSelector()
        self._woken, self._wakes = socket.socketpair()
        self._up = False
        """Whether all of them have been ready."""
        self._deadline: float | None = None
        """When the last of them has to be gone; ``None``: they are to stay."""
        self._code = 0
        self._asks = 0.0
        """When all are asked whether they live."""

    def run(self) -> int:
        """Look after them until all have ended; the exit code."""
        for end in (self._woken, self._wakes):
            end.setblocking(False)
        self._selector.register(self._woken, selectors.EVENT_READ)
        signal.set_wakeup_fd(self._wakes.fileno(), warn_on_full_buffer=False)
        for number in self._signals:
            signal.signal(number, lambda *_: None)
        self._workers[0].due = 0.0  # the others, when it could start
        while self._deadline is None or any(worker.pid for worker in self._workers):
            self._start_due()
            for key, _ in self._selector.select(self._wait()):
                if key.fileobj is self._woken:
                    self._signalled()
                else:
                    self._heard(key.data)
            self._reap()
            self._ask()
            if self._deadline is not None and time.monotonic() > self._deadline:
                self._kill()
        for number in self._signals:  # who hurries us now would spoil the code
            signal.signal(number, signal.SIG_IGN)
        return self._code

    def _wait(self) -> float:
        """Seconds until something is due."""
        dues = [worker.due for worker in self._workers if worker.due is not None]
        dues.append(self._asks if self._deadline is None else self._deadline)
        return max(0.0, min(dues) - time.monotonic())

    def _start_due(self) -> None:
        for worker in self._workers:
            if worker.due is not None and worker.due <= time.monotonic():
                worker.due = None
                self._start(worker)

    def _start(self, worker: _Worker) -> None:
        ours, theirs = socket.socketpair()
        signal.pthread_sigmask(signal.SIG_BLOCK, self._signals)
        try:
            worker.pid = os.fork()
            if worker.pid == 0:
                ours.close()
                self._become(worker, theirs)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, self._signals)
        theirs.close()
        worker.line, worker.ready, worker.born = ours, False, time.monotonic()
        worker.silent, worker.hung = 0, False
        self._selector.register(ours, selectors.EVENT_READ, worker)

    def _become(self, worker: _Worker, line: socket.socket) -> None:
        """Be a worker, to the end of this process, with nothing of the parent's."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGTERM, signal.SIGCHLD):
                signal.signal(number, signal.SIG_DFL)
            for number in (signal.SIGINT, signal.SIGHUP):  # orders come by the line
                signal.signal(number, signal.SIG_IGN)
            self._selector.close()
            for end in (self._woken, self._wakes, *(other.line for other in self._workers)):
                if end is not None:
                    end.close()  # else it would not be heard that the parent is gone
            signal.pthread_sigmask(signal.SIG_UNBLOCK, self._signals)
            code = self._work(worker.number, line)
        except BaseException:
            traceback.print_exc()
        finally:
            with contextlib.suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def _signalled(self) -> None:
        for number in self._woken.recv(4096):
            if number == signal.SIGHUP:
                self._order(RELOAD)
            elif number in (signal.SIGTERM, signal.SIGINT):
                self._end()

    def _end(self) -> None:
        """Let all come to their end; told once more, at once."""
        if self._deadline is not None:
            self._order(HURRY)
            return
        self._deadline = time.monotonic() + self._drain + GRACE_SECONDS
        for worker in self._workers:
            worker.due = None
        self._order(DRAIN)

    def _ask(self) -> None:
        """Ask all whether they live, and kill who has not said so, whether or not it was ready."""
        if self._deadline is not None or time.monotonic() < self._asks:
            return
        self._asks = time.monotonic() + ASK_SECONDS
        for worker in self._workers:
            if worker.line is None:
                continue
            if worker.silent == SILENT_TIMES:
                worker.hung = True
                log.error("worker silent", worker=worker.number)
                os.kill(worker.pid, signal.SIGKILL)
            else:
                self._tell(worker, ASK)
            worker.silent += 1

    def _order(self, order: bytes) -> None:
        for worker in self._workers:
            self._tell(worker, order)

    def _tell(self, worker: _Worker, order: bytes) -> None:
        if worker.line is not None:
            with contextlib.suppress(OSError):  # it has just gone
                worker.line.send(order)

    def _heard(self, worker: _Worker) -> None:
        assert worker.line is not None, "it was heard by it"
        try:
            said = worker.line.recv(1)
        except OSError:
            said = b""
        if not said:
            self._let_go(worker)
            return
        worker.silent = 0
        if said == ALIVE:
            return
        worker.ready = True
        if not self._up and self._deadline is None:
            for other in self._workers:
                if not other.pid and other.due is None:
                    other.due = 0.0
            if all(other.ready for other in self._workers):
                self._up = True
                self._on_ready()

    def _let_go(self, worker: _Worker) -> None:
        if worker.line is not None:
            self._selector.unregister(worker.line)
            worker.line.close()
            worker.line = None

    def _reap(self) -> None:
        for worker in self._workers:
            if worker.pid:
                pid, status = os.waitpid(worker.pid, os.WNOHANG)
                if pid:
                    worker.pid, worker.ready = 0, False
                    self._let_go(worker)
                    self._gone(worker, os.waitstatus_to_exitcode(status))

    def _gone(self, worker: _Worker, code: int) -> None:
        if self._deadline is not None or code == 0:  # it was told to, by us or by an operator
            self._code = self._code or (1 if code < 0 else code)
            if self._deadline is None:
                self._end()
        elif not self._up and not worker.hung:  # it has said why
            self._code = 1 if code < 0 else code
            self._end()
        else:
            lived = time.monotonic() - worker.born
            worker.deaths = 1 if lived > GOOD_SECONDS else worker.deaths + 1
            pause = min(FIRST_PAUSE * 2 ** (worker.deaths - 1), MAX_PAUSE)
            worker.due = time.monotonic() + pause
            log.error("worker died", worker=worker.number, code=code, seconds=pause)

    def _kill(self) -> None:
        """End what does not end by itself."""
        self._code = self._code or 1
        for worker in self._workers:
            if worker.pid:
                os.kill(worker.pid, signal.SIGKILL)
                os.waitpid(worker.pid, 0)
                worker.pid = 0
