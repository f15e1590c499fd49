"""The processes of the load, as the one that started them sees them."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

import msgspec

from . import signals
from .jobs import Job, Part
from .line import Lost

LEAD_SECONDS = 0.1
"""From the word to the moment in which all begin."""


class Worker:
    """One process; it works on one job at a time."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin, process.stdout

    def tell(self, line: str) -> None:
        """Say the next thing.

        Raises:
            Lost: It is gone.

        """
        try:
            self._in.write(f"{line}\n")
            self._in.flush()
        except OSError:
            raise Lost("a process of the load has ended") from None

    def hear(self) -> Part:
        """What it reports next.

        Raises:
            Lost: It has failed.

        """
        line = self._out.readline()
        if not line:
            raise Lost("a process of the load has ended")
        part = msgspec.json.decode(line, type=Part)
        if part.failed:
            raise Lost(part.failed)
        return part


class Crew:
    """All processes of the load."""

    def __init__(self, workers: Sequence[Worker]) -> None:
        self._workers = workers

    def work(self, job: Job, before: Callable[[], None], after: Callable[[], None]) -> list[Part]:
        """Share a job out, and what each of them has seen.

        Args:
            job: The whole job.
            before: Called when everything is prepared and nothing has begun.
            after: Called when all is done and every connection is still there.

        Raises:
            Lost: The server does not do what the load needs, or a process has ended.

        """
        whole = len(self._workers)
        for number, worker in enumerate(self._workers):
            share = msgspec.structs.replace(job, number=number, of=whole)
            worker.tell(msgspec.json.encode(share).decode())
        self._hear()
        before()
        self._tell(str(time.monotonic() + LEAD_SECONDS))
        parts = self._hear()
        after()
        self._tell("")
        self._hear()
        return parts

    def _tell(self, line: str) -> None:
        for worker in self._workers:
            worker.tell(line)

    def _hear(self) -> list[Part]:
        return [worker.hear() for worker in self._workers]


@contextmanager
def crew(size: int) -> Iterator[Crew]:
    """So many processes; none is left at the end, however that comes.

    They are out of reach of a Ctrl-C that is typed: whoever started them ends them.
    """
    command = [sys.executable, "-m", "kibitz.clients.benching.worker"]
    pipe = subprocess.PIPE
    with ExitStack() as stack:
        workers: list[Worker] = []
        for _ in range(size):
            with signals.later():
                process = subprocess.Popen(
                    command, stdin=pipe, stdout=pipe, text=True, process_group=0
                )
                stack.callback(_end, process)
            workers.append(Worker(process))
        yield Crew(workers)


def _end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.wait()
    for end in (process.stdin, process.stdout):
        with suppress(OSError):  # what it did not read any more
            if end is not None:
                end.close()
