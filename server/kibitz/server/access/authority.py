"""Who says who somebody is: the server itself, or an operator with tokens of his own.

Promises: the same token, or another one of the same person, is the same identity for ever. Never:
tell why a token is refused before it is known whose word it is.
"""

from typing import Protocol

from kibitz.protocol.codes import ErrorCode, Refused

from ..identity import Identity, identify, new_token
from ..log.log import EventLog
from ..world import World

VISITOR = Identity("", "")
"""Who downloads without saying who he is."""
ID_SECRET = "identity"
"""The name of the secret in the log from which ids and secrets of foreign identities follow."""
SECRET_BYTES = 32


class Unusable(ValueError):
    """What was set cannot be used: a sentence for whoever starts the server."""


class Authority(Protocol):
    """Who says it."""

    @property
    def files(self) -> bool:
        """Whether anything was read from files."""
        ...

    async def open(self, log: EventLog) -> None:
        """Get ready."""
        ...

    def greet(self, token: str | None, name: str | None) -> tuple[Identity, str]:
        """Who says hello, and the token that brings him back.

        Raises:
            Refused: That cannot be told.

        """
        ...

    def bearer(self, token: str | None) -> Identity:
        """Who asks for a page; ``None``: without a token.

        Raises:
            Refused: That cannot be told.

        """
        ...

    def reload(self) -> None:
        """Read anew what was read from files; if that cannot be, go on with what there is.

        Raises:
            Unusable: It cannot be.

        """
        ...


class Guests:
    """Everybody gets an identity for the asking."""

    files = False

    def __init__(self, world: World) -> None:
        self._world = world

    async def open(self, log: EventLog) -> None:
        """Nothing is needed."""

    def greet(self, token: str | None, name: str | None) -> tuple[Identity, str]:
        """Who says hello: who he was, or somebody new."""
        token = token or new_token(self._world)
        return identify(token, name), token

    def bearer(self, token: str | None) -> Identity:
        """Who asks for a page."""
        return VISITOR if token is None else identify(token, None)

    def reload(self) -> None:
        """Nothing was read."""


def needs_token() -> Refused:
    """What is said where there is no token."""
    return Refused(ErrorCode.AUTH, "this server wants a token: it is not for guests")
