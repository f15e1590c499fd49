"""Whom a socket tells that it is there, and what comes. Never: bytes that are no whole messages."""

from typing import Protocol


class Reader(Protocol):
    """Who is told what comes."""

    def receive(self, message: bytes, is_text: bool) -> None:
        """A whole message has come."""
        ...

    def counts_control(self) -> bool:
        """A ping or a fragment has come; whether it is to be heeded."""
        ...

    @property
    def kept(self) -> int:
        """Bytes of the messages that were received and wait to be handled."""
        ...

    @property
    def resting(self) -> bool:
        """Whether he is told nothing more just now."""
        ...

    def overfull(self) -> None:
        """More has come from his address than may be kept."""
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


class Guest(Protocol):
    """A connection, as it is counted."""

    def cut(self) -> None:
        """End it without a word."""
        ...

    def overfull(self) -> None:
        """End it, because too much is kept of those who come from its address."""
        ...


class Door(Protocol):
    """Who counts the connections (:class:`..limits.door.Door`)."""

    def came(self, socket: Guest, address: str) -> float | None:
        """Somebody is there: the seconds until he may say what he wants; ``None``: never."""
        ...

    def hears(self, socket: Guest) -> bool:
        """Whether somebody who has waited may say it."""
        ...

    def keeps(self, socket: Guest, size: int) -> bool:
        """So many bytes of large messages of somebody are kept by now; whether they may be."""
        ...

    def gone(self, socket: Guest) -> None:
        """Somebody is not there any more."""
        ...
