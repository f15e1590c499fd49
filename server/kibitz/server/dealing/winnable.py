"""Winnable deals: asked for by who makes a room, looked for one after the other.

Promises: nothing is searched on the server's loop or in a thread of it; at most one process at a
time, and none when the server has ended or nobody waits for it; who waits is bounded, in all and
for everybody who asks. Never: a card, or which deals were passed over.
"""

import asyncio
import contextlib
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

import msgspec
import structlog

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.views import Event

from ..analysing.child import told
from ..limits.table import Over
from ..operation.metrics import FAILED, FOUND, NONE_FOUND, Metrics
from ..processes import Failed, started
from .drawing import Wish
from .worker import NONE, PATIENCE, READING_SECONDS

WORKER = (sys.executable, "-m", "kibitz.server.dealing.worker")
LOOK_SECONDS = 1.0
"""How often it is looked whether somebody still waits, and he is told how far it is."""
MOST_WAITING = 8
"""Searches that run or wait for their turn; one more is refused."""
MOST_EACH = 2
"""Those of one address, and of one identity."""

log = structlog.get_logger("kibitz.dealing")


@dataclass(frozen=True, slots=True)
class Asker:
    """Who waits for a deal.

    Attributes:
        counted: What he is counted as: his identity, and where he comes from; ``None`` is not.
        is_gone: Whether nobody waits any more.
        tell: Is told how many deals have been drawn.

    """

    counted: tuple[Hashable, ...] = ()
    is_gone: Callable[[], bool] = lambda: False
    tell: Callable[[int], None] = lambda deals: None


@dataclass(slots=True)
class Progress:
    """How many deals a search has drawn."""

    deals: int = 0


NOBODY = Asker()
"""Somebody who is not counted and waits for ever."""


class WinnableDeals:
    """The searches of one server."""

    def __init__(self, seconds: float, metrics: Metrics) -> None:
        """Nobody has asked yet.

        Args:
            seconds: Of the processor, for one room.
            metrics: Where searches are counted.

        """
        self.seconds = seconds
        self._metrics = metrics
        self._turn = asyncio.Semaphore(1)
        self._waiting: set[asyncio.Task[int]] = set()
        self._each: Counter[Hashable] = Counter()
        self._closed = False

    async def draw(self, created: Event, secret: bytes, nonce: str | None, asker: Asker) -> int:
        """The number of the first draw that is known to be winnable.

        Args:
            created: What the room will be, whatever is dealt.
            secret: What the deals follow from.
            nonce: What the player has added to it.
            asker: Who waits.

        Raises:
            Refused: There is none within the time, too many wait, nobody does any more, or the
                server comes to its end.

        """
        self._check()
        wish = Wish(created.game or "", created.options or {}, secret.hex(), nonce or "")
        so_far = Progress()
        with self._counted(asker):
            searching = asyncio.create_task(self._search(wish, so_far))
            self._waiting.add(searching)
            try:
                while not (await asyncio.wait([searching], timeout=LOOK_SECONDS))[0]:
                    if asker.is_gone():
                        break
                    asker.tell(so_far.deals)
                if searching.done() and not searching.cancelled():
                    return searching.result()
            finally:
                searching.cancel()
                await asyncio.wait([searching])
                self._waiting.discard(searching)
        self._check()
        raise Refused(ErrorCode.FORBIDDEN, "nobody waits for it any more")

    async def close(self) -> None:
        """End what is being searched, and search no more."""
        self._closed = True
        for searching in self._waiting:
            searching.cancel()
        if self._waiting:
            await asyncio.wait(self._waiting)

    def _check(self) -> None:
        if self._closed:
            raise Refused(ErrorCode.DRAINING, "the server is going down", retry_ms=1000)

    @contextlib.contextmanager
    def _counted(self, asker: Asker) -> Iterator[None]:
        counted = [each for each in asker.counted if each is not None]
        retry_ms = round(self.seconds * 1000)
        if any(self._each[each] >= MOST_EACH for each in counted):
            raise Over("winnable deals at once", retry_ms).refused()
        if len(self._waiting) >= MOST_WAITING:
            raise Over("winnable deals that are looked for", retry_ms).refused()
        self._each.update(counted)
        self._metrics.dealing += 1
        try:
            yield
        finally:
            self._metrics.dealing -= 1
            self._each.subtract(counted)
            self._each += Counter()

    async def _search(self, wish: Wish, so_far: Progress) -> int:
        async with self._turn:
            try:
                found = await self._apart(wish, so_far)
            except Failed as error:
                self._metrics.deals[FAILED] += 1
                log.error("no winnable deal", game=wish.game, why=str(error))
                message = "a winnable deal could not be looked for"
                raise Refused(ErrorCode.INTERNAL, message) from None
        self._metrics.deals[FOUND if found else NONE_FOUND] += 1
        if not found:
            options = "".join(f", {name} {value}" for name, value in wish.options.items())
            message = (
                f"none of {so_far.deals} deals was found to be winnable ({wish.game}{options}); "
                "try again, or play any deal"
            )
            raise Refused(ErrorCode.BAD_OPTION, message)
        return so_far.deals

    async def _apart(self, wish: Wish, so_far: Progress) -> bool:
        """Whether a process has found one.

        Raises:
            Failed: It broke.

        """
        async with started(told(WORKER, self.seconds)) as process:
            assert process.stdin is not None and process.stdout is not None, "pipes"
            process.stdin.write(msgspec.json.encode(wish))
            process.stdin.close()
            try:
                async with asyncio.timeout(PATIENCE * (self.seconds + READING_SECONDS)):
                    while line := await process.stdout.readline():
                        so_far.deals = int(line)
                    await process.wait()
            except TimeoutError:  # a machine that is busy with other things
                return False
        if process.returncode not in (0, NONE) or not so_far.deals:
            raise Failed(f"exit code {process.returncode}")
        return process.returncode == 0
