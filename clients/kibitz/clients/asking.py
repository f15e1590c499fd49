"""What all requests of the Python client have in common: the answer is of the kind that was asked.

Never: a request of its own.
"""

from typing import TypeVar

from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import AnswerBase, Joined, Ok
from kibitz.protocol.requests import RequestBase

from .connection import Connection

A = TypeVar("A", bound=AnswerBase)


class Asking(Connection):
    """A connection that knows which answer belongs to a request."""

    async def get(self, request: RequestBase, kind: type[A]) -> A:
        """The answer to a request, of the kind that it has.

        Raises:
            Refused: The server says no.
            Unreachable: The server is gone.
            Closed: The talk is over.

        """
        answer = await self.request(request)
        assert isinstance(answer, kind), f"{request} was answered with {answer}"
        return answer

    async def done(self, request: RequestBase) -> Ok:
        """The ``ok`` to a request."""
        return await self.get(request, Ok)

    async def entered(self, request: RequestBase) -> Mirror:
        """The room that a request leads into."""
        joined = await self.get(request, Joined)
        return self.session.mirrors[joined.room]
