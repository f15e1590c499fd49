"""Whom a socket tells what comes. Never: bytes that are not whole messages."""

from typing import Protocol


class Reader(Protocol):
    """Who is told what comes."""

    def receive(self, message: bytes, is_text: bool) -> None:
        """A whole message has come."""
        ...

    def counts_control(self) -> bool:
        """A ping or a fragment has come; whether it is to be heeded."""
        ...

    def pause(self) -> None:
        """Much waits to be sent."""
        ...

    def resume(self) -> None:
        """It has left."""
        ...

    def lost(self) -> None:
        """The connection is gone."""
        ...
