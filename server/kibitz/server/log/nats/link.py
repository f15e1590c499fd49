"""Questions to the NATS servers, and their answers.

Promises: whoever asks is told within a bounded time: an answer, or that nothing has left this
process, or that nobody knows. Never: a message kept back while there is no connection, which
would leave later, out of order.
"""

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Iterator, Mapping

from nats.aio.msg import Msg
from nats.errors import Error, MaxPayloadError, OutboundBufferLimitError

from ..log import LogFailure
from .connection import CALL_SECONDS, Connection, NoResponder, NotSent, Unknown, within
from .health import Health
from .servers import Servers

NO_RESPONDER = "503"
"""Status of a server's word that nobody in the whole cluster listens to a subject."""
ASK_SECONDS = 2.0
"""An answer that has not come by then is not waited for: what became of the question is unknown."""


def headers_of(message: Msg) -> Mapping[str, str]:
    """The headers of a message."""
    return message.headers or {}


class Link:
    """Who asks; all answers come to one place and are told apart by their subject."""

    def __init__(self, in_doubt: Callable[[], None], health: Health) -> None:
        """``in_doubt`` is called whenever something that should have been heard may be missed."""
        self._connection = Connection(self._lost, in_doubt, health)
        self.listen = self._connection.listen
        self.close = self._connection.close
        self._numbers = itertools.count()
        self._waiting: dict[str, Callable[[Msg | None], None]] = {}
        """Who is told of an answer, by its last token; of ``None`` if the connection is lost."""
        self._inbox = ""

    async def open(self, servers: Servers) -> None:
        """Connect.

        Raises:
            UnusableLog: None of them can be used.
            NotSent, Unknown: The connection was lost again at once.

        """
        await self._connection.open(servers)
        self._inbox = self._connection.client.new_inbox()
        await self.listen(f"{self._inbox}.*", self._answered)

    @property
    def complaint(self) -> str | None:
        """What the servers complained of last, if of anything."""
        return self._connection.complaint

    def _lost(self) -> None:
        for tell in list(self._waiting.values()):
            tell(None)

    async def _answered(self, message: Msg) -> None:
        if tell := self._waiting.get(message.subject.rpartition(".")[2]):
            tell(message)

    async def ask(
        self, subject: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> bytes:
        """The one answer to a question.

        Raises:
            NotSent: The question was not sent, or there was nobody whom it could reach.
            Unknown: There was no answer.

        """
        done: asyncio.Future[Msg | None] = asyncio.get_running_loop().create_future()

        def tell(message: Msg | None) -> None:
            if not done.done():
                done.set_result(message)

        with self._expecting(tell) as reply:
            await self._send(subject, body, reply, headers)
            answer: Msg | None = await within(ASK_SECONDS, done)
        if answer is None:
            raise Unknown("the connection was lost")
        if (status := headers_of(answer).get("Status")) is not None:
            if status == NO_RESPONDER:
                raise NoResponder("nobody answers for the log")
            raise Unknown(f"an answer with the status {status}")
        return answer.data

    async def tell(self, subject: str, body: bytes) -> None:
        """Say something to whoever listens.

        Raises:
            NotSent: It was not sent.
            Unknown: Nobody knows whether it was.

        """
        await self._send(subject, body, "", None)

    async def ask_many(self, subject: str, body: bytes) -> tuple[list[Msg], Mapping[str, str]]:
        """All answers to a question, and the headers of the last one, which has a status.

        Raises:
            NotSent: The question was not sent.
            Unknown: Not all of the answers have come.

        """
        answers: asyncio.Queue[Msg | None] = asyncio.Queue()
        got: list[Msg] = []
        with self._expecting(answers.put_nowait) as reply:
            await self._send(subject, body, reply, None)
            while (message := await within(ASK_SECONDS, answers.get())) is not None:
                if "Status" in headers_of(message):
                    return got, headers_of(message)
                got.append(message)
        raise Unknown("the connection was lost")

    @contextlib.contextmanager
    def _expecting(self, tell: Callable[[Msg | None], None]) -> Iterator[str]:
        token = str(next(self._numbers))
        self._waiting[token] = tell
        try:
            yield f"{self._inbox}.{token}"
        finally:
            del self._waiting[token]

    async def _send(
        self, subject: str, body: bytes, reply: str, headers: Mapping[str, str] | None
    ) -> None:
        self._connection.check()
        client = self._connection.client
        try:
            sending = client.publish(subject, body, reply, dict(headers) if headers else None)
            await within(CALL_SECONDS, sending)
        except OutboundBufferLimitError:
            raise NotSent("there is no connection to NATS") from None
        except MaxPayloadError:
            raise LogFailure("it is larger than the NATS server takes") from None
        except (Error, OSError) as error:
            raise Unknown(type(error).__name__) from error
