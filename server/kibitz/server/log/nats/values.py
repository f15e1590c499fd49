"""Secrets of the deployment, and values under names.

Promises: of many that bring a secret, on whichever server, the first one stands; a value is the
last one kept, and what this process has kept it finds again, whichever replica answers. Where there
is nothing new, nothing is read.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable

import structlog

from .connection import Unknown
from .form import GONE
from .putting import Overtaken, Putting
from .reading import Source
from .streams import Space, name_of

ANEW_SECONDS = 60.0
"""How often everything is read, and not only what is new."""

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
        self._reading = asyncio.Lock()
        self._values: dict[str, bytes] = {}
        self._read = 0
        """All up to this number of the stream is in them."""
        self._begun = -ANEW_SECONDS
        """When all of it was read last."""
        self._found: dict[str, dict[str, bytes]] = {}
        """What was asked for, by prefix, while there is nothing new."""

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
        async with self._reading:
            await self._learn()
            if self._read < self._written:
                raise Unknown("a replica is behind")
            if prefix not in self._found:
                names = sorted(name for name in self._values if name.startswith(prefix))
                self._found[prefix] = {name: self._values[name] for name in names}
            return self._found[prefix]

    async def _learn(self) -> None:
        """Read what is new; now and then all of it, for somebody may have taken something out."""
        begun, values, number = self._begun, self._values, self._read
        if time.monotonic() - begun > ANEW_SECONDS:
            begun, values, number = time.monotonic(), {}, 0
        pages = self._source.pages(self._space.kept, self._space.every_value, number + 1)
        async for page in pages:
            self._found.clear()
            for found in page:
                number, name = found.number, name_of(found.subject)
                if GONE in found.headers:
                    values.pop(name or "", None)
                elif name is not None:
                    values[name] = found.body
                else:
                    log.warning("foreign", stream=self._space.kept, number=number)
        if begun != self._begun:
            self._found.clear()
        self._begun, self._values, self._read = begun, values, number
