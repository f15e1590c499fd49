"""One process of the load: jobs come in, a line each, and reports go out.

For each job: it says an empty report when everything is prepared; gets the moment to begin;
says its report; holds its connections until it gets an empty line; closes them and says an empty
report again. It ends when its input ends.
"""

import asyncio
import logging
import select
import selectors
import sys

import msgspec

from .jobs import Job, Part
from .line import Lines, Lost
from .loads import LOADS


def _loop() -> asyncio.AbstractEventLoop:
    """A loop whose timers are as fine as the system's; those of epoll alone are whole ms."""
    if not hasattr(select, "epoll"):
        return asyncio.new_event_loop()

    class Fine(selectors.EpollSelector):
        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            if timeout is None or timeout > 0:
                select.select([self.fileno()], [], [], timeout)
            return super().select(0)

    return asyncio.SelectorEventLoop(Fine())


def _say(part: Part) -> None:
    sys.stdout.write(msgspec.json.encode(part).decode() + "\n")
    sys.stdout.flush()


async def _work() -> None:
    """Do one job after the other."""
    orders: asyncio.Queue[bytes] = asyncio.Queue()
    listening = asyncio.create_task(_listen(orders, asyncio.current_task()))

    async def word() -> float:
        _say(Part())
        return float(await orders.get())

    while not listening.done():
        job = msgspec.json.decode(await orders.get(), type=Job)
        lines = Lines(job.url, job.authority)
        try:
            _say(await LOADS[job.load](job, lines, word))
            await orders.get()
            await lines.close()
            _say(Part())
        except (Lost, OSError) as error:
            _say(Part(failed=str(error)))


async def _listen(orders: asyncio.Queue[bytes], work: "asyncio.Task[None] | None") -> None:
    """Take what comes in; nobody is there any more when it ends."""
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    while line := await reader.readline():
        orders.put_nowait(line)
    if work is not None:
        work.cancel()


def main() -> None:
    """Work until the input ends."""
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # what fails is reported
    try:
        with asyncio.Runner(loop_factory=_loop) as runner:
            runner.run(_work())
    except asyncio.CancelledError:
        pass


if __name__ == "__main__":
    main()
