"""Secrets of the deployment, and values under names.

Promises: of many that bring a secret, on whichever server, the first one stands; a value is the
last one kept, and what this process has kept it finds again, whichever replica answers.
"""

import asyncio
import contextlib
from collections.abc import Callable

import structlog

from .connection import Unknown
from .form import GONE
from .putting import Overtaken, Putting
from .reading import Source
from .streams import Space, name_of

log = structlog.get_logger("kibitz.log")


class Values:
    """What is kept beside the rooms."""

    def __init__(
        self, source: Source, putting: Putting, space: Space, command: Callable[[], str]
    ) -> None:
        """``command`` gives a name that no other message has."""
        self._source = source
        self._putting = putting
        self._space = space
        self._command = command
        self._one = asyncio.Lock()
        self._written = 0
        """The number of the last value that was kept from here."""

    async def secret(self, name: str, fresh: bytes) -> bytes:
        """The secret under a name, or this one.

        Raises:
            NotSent, Unknown: Nobody can say for now.
            LogFailure: It was not written.

        """
        stream, subject = self._space.secrets, self._space.secret(name)
        if found := await self._source.last(stream, subject):
            return found.body
        try:
            await self._putting.put(stream, subject, fresh, {}, expected=0, command=self._command())
        except Overtaken:
            found = await self._source.last(stream, subject)
            if found is None:
                raise Unknown("there is a secret that is not found") from None
            return found.body
        return fresh

    async def keep(self, name: str, value: bytes | None) -> None:
        """Keep a value, or forget it.

        Raises:
            NotSent, Unknown: Nothing was written, and nobody can say what is there.
            LogFailure: It was not written.

        """
        stream, subject = self._space.kept, self._space.value(name)
        async with self._one:
            last = await self._source.last(stream, subject)
            if value is None and (last is None or GONE in last.headers):
                return
            headers = {GONE: "1"} if value is None else {}
            with contextlib.suppress(Overtaken):  # as if whoever was faster had come just after us
                self._written = await self._putting.put(
                    *(stream, subject, value or b"", headers),
                    expected=last.number if last else 0,
                    command=self._command(),
                )

    async def kept(self, prefix: str) -> dict[str, bytes]:
        """What is kept under names that begin so.

        Raises:
            NotSent, Unknown: Not all of it can be read for now.

        """
        values, number = {}, 0
        async for page in self._source.pages(self._space.kept, self._space.every_value, 1):
            for found in page:
                number = found.number
                if GONE in found.headers:
                    continue
                if (name := name_of(found.subject)) is not None:
                    values[name] = found.body
                else:
                    log.warning("foreign", stream=self._space.kept, number=number)
        if number < self._written:
            raise Unknown("a replica is behind")
        return {name: values[name] for name in sorted(values) if name.startswith(prefix)}
