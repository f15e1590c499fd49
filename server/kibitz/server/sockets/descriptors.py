"""Writing to many sockets past their transports, where nothing waits for any of them.

Promises: whole frames, or as much as the kernel takes and the rest behind it; with TLS nothing
leaves in the clear. Never: wait for anybody.
"""

import asyncio
import os
from asyncio.selector_events import _SelectorSocketTransport  # type: ignore[attr-defined]
from collections.abc import Iterable
from typing import Protocol, TypeVar


class Descriptor(Protocol):
    """A socket, as far as it is written to here."""

    ready: bool
    descriptor: int
    transport: asyncio.Transport

    def look(self) -> bool:
        """See whether it is open and nothing waits."""
        ...


class HasSocket(Protocol):
    """Somebody at the other end of a socket."""

    @property
    def socket(self) -> Descriptor:
        """His socket."""
        ...


H = TypeVar("H", bound=HasSocket)


def write_all(everybody: Iterable[H], frames: bytes) -> list[H]:
    """Write whole frames to everybody who is ready for them; the others, who got nothing.

    They go to the descriptor itself, past the transport, where nothing waits and nothing is done
    to them on the way (:func:`descriptor_of`).
    """
    others, size = [], len(frames)
    for each in everybody:
        socket = each.socket
        if not socket.ready and not socket.look():
            others.append(each)
            continue
        try:
            written = os.write(socket.descriptor, frames)
        except OSError:  # there is no room, or nobody: its transport says which
            written = 0
        if written < size:
            socket.transport.write(frames[written:])
            socket.look()
    return others


def descriptor_of(transport: asyncio.BaseTransport) -> int:
    """The descriptor to which a transport writes just what it is given; -1: there is none.

    That is so for the selector loop's own transport of a TCP connection, and for no other: with
    TLS, bytes would leave in the clear.
    """
    if not isinstance(transport, _SelectorSocketTransport):
        return -1
    descriptor: int = transport.get_extra_info("socket").fileno()
    return descriptor  # it is closed after connection_lost()
