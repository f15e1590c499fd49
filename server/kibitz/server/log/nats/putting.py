"""One message put behind another: exactly once or not at all, and told which of both.

Promises: the message is stored only if the subject's last one is still the expected one. What is
unknown is asked for again with the same pair of expected number and command until it is decided:
both copies expect the same, so that at most one can be stored, and a late one is refused for ever.
Where nothing can be stored, though the leader is there, nothing decides it: then it is given up
after a while, and said to be undecided. Never: a failure reported of what may yet be stored.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ...operation.measures import Meter
from ..log import LogFailure, Undecided
from .connection import Closed, NoResponder, NotSent, Unknown
from .form import COMMAND, EXPECTED
from .health import Health
from .link import Link
from .reading import Source, Unwritable, gone

DEADLINE_SECONDS = 15.0
"""After so long without a connection it is said that nothing was written; and of what is in doubt,
when nothing can be stored for so long, that nobody knows."""
PAUSE_SECONDS = 0.02
"""Before the second attempt; each time twice as long."""
MAX_PAUSE_SECONDS = 1.0
WRONG_LAST = 10071
"""Error: the subject's last message is another one."""
IN_FLIGHT = 10164
"""Error: somebody's message to this subject is not decided yet; ours was not taken."""
UNAVAILABLE = 503
"""Code of errors that say nothing about the message: there is no leader, or no quorum."""
FULL = frozenset({10002, 10023, 10028, 10047})
"""Errors: there is no room, of the account's, the server's, in memory, on disk. They are said
before a message is proposed to others, so that it is nowhere."""
NOT_STORED = 10077
"""Error: the stream has not stored it; why is in the description, and only a limit of the stream's
own is the same for all replicas."""
OWN_LIMIT = "maximum "
"""What the description of such a limit begins with."""


class Overtaken(Exception):
    """The subject's last message is another one; ours is not stored and never will be."""


class Putting:
    """Where messages are put."""

    def __init__(self, link: Link, source: Source, meter: Meter, health: Health) -> None:
        self._link = link
        self._source = source
        self._meter = meter
        self._health = health

    async def put(
        self,
        stream: str,
        subject: str,
        body: bytes,
        headers: Mapping[str, str],
        *,
        expected: int,
        command: str,
        in_trouble: Callable[[], None] = lambda: None,
    ) -> int:
        """Put a message; its number in the stream.

        Args:
            stream: The stream that has the subject.
            subject: Where it belongs.
            body: What it says.
            headers: More of it.
            expected: The stream's number of the subject's last message, 0: there is none.
            command: What names this message and no other.
            in_trouble: Is called each time that it has to be tried again.

        Raises:
            Overtaken: Another message came before it.
            Unwritable: Nothing can be stored for now; it was not, for certain.
            Undecided: Nothing can be stored for long, and nobody knows whether it was before.
            LogFailure: It was not stored, for certain.

        """
        headers = {**headers, EXPECTED: str(expected), COMMAND: command}
        end, pause, in_doubt = time.monotonic() + DEADLINE_SECONDS, PAUSE_SECONDS, False
        absent: float | None = None
        """Since when the leader says that he does not have what is in doubt."""
        while True:
            doubted = in_doubt
            try:
                answer = msgspec.json.decode(await self._link.ask(subject, body, headers))
                error: dict[str, Any] = answer.get("error") or {}
                number = error.get("err_code")
                if not error:
                    return int(answer["seq"])
                if number == WRONG_LAST:
                    if not in_doubt:
                        raise Overtaken(subject)
                    if (ours := await self._ours(stream, subject, expected, command)) is None:
                        raise Overtaken(subject)
                    return ours
                self._health.words = str(error.get("description"))
                if number == IN_FLIGHT:
                    pass  # it may fail yet, so ours is asked for again, until either is stored
                elif _full(error):
                    if not in_doubt:
                        raise Unwritable(self._health.words)
                elif error.get("code") == UNAVAILABLE:
                    in_doubt = True
                elif not in_doubt:
                    raise LogFailure(self._health.words)
            except Closed as error:
                if in_doubt:
                    raise Undecided("the log was closed before that was known") from error
                raise LogFailure(str(error)) from error
            except NotSent as error:
                self._health.words = str(error)
                if isinstance(error, NoResponder) and await self._source.lacks(stream):
                    self._health.words = gone(stream)
                    if not in_doubt:
                        raise Unwritable(self._health.words) from error
                if not in_doubt and time.monotonic() > end:
                    raise LogFailure(str(error)) from error
            except (Unknown, msgspec.DecodeError, LookupError) as error:
                self._health.words = str(error)
                in_doubt = True
            if in_doubt:
                end_of_doubt: LogFailure = Undecided(self._health.words)
                try:
                    if ours := await self._ours(stream, subject, expected, command):
                        return ours
                    absent = absent or time.monotonic()  # a copy may be on its way, or proposed
                except Unwritable as error:
                    absent = absent or time.monotonic()
                    if expected:  # in a new stream nothing is as it expects
                        end_of_doubt = error
                except (NotSent, Unknown):
                    absent = None
                if absent and time.monotonic() > absent + DEADLINE_SECONDS:
                    raise end_of_doubt
            self._meter.retries += 1
            self._meter.unknowns += in_doubt and not doubted
            in_trouble()
            await asyncio.sleep(pause)
            pause = min(2 * pause, MAX_PAUSE_SECONDS)

    async def _ours(self, stream: str, subject: str, expected: int, command: str) -> int | None:
        """The number of our message behind the expected one; ``None``: the leader has none there.

        Raises:
            Overtaken: It is another one.
            NotSent, Unknown: Nobody can say for now.

        """
        found = await self._source.next(stream, subject, expected + 1)
        if found is not None and found.headers.get(COMMAND) != command:
            raise Overtaken(subject)
        return None if found is None else found.number


def _full(error: Mapping[str, Any]) -> bool:
    """Whether an error says that there is no room, and that the message is nowhere."""
    number, says = error.get("err_code"), str(error.get("description"))
    return number in FULL or (number == NOT_STORED and says.startswith(OWN_LIMIT))
