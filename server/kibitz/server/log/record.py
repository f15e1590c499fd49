"""What the log keeps: one accepted command with all its events, and what only the server knows.

Promises: a record written by any version reads for ever (``v`` says which). Never: send one.
"""

import msgspec
from msgspec import Struct, field

from kibitz.protocol.views import Event, RoomInfo

VERSION = 1


def _version() -> int:
    return VERSION


class Secret(Struct, frozen=True, omit_defaults=True):
    """What must not leave the server while the game runs.

    Attributes:
        seed: 256 bits, hex: the shuffle (without a deal) and all later chance follow from it.
        secret: 256 random bits, hex, from which the seed and all commitments follow; none in
            older rooms, whose seeds were random themselves.
        deal: The deal number, if there is one.
        password: The hash of the room's password, if it has one.
        wish: What was asked for, in short: another request under its name is refused.
        parent: The live room that this one was forked from: its hidden cards are here, too.

    """

    seed: str
    deal: str | None = None
    password: str | None = None
    wish: str = ""
    parent: str | None = None
    secret: str | None = None


class Record(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One accepted command: its events in full, in order, and who asked under which name.

    Attributes:
        events: Full events (every card named), without ``room``.
        by: The identity. i: The string by which it named the request.
        secret: Of the record that creates the room.
        visibility: Likewise.
        on: The hash of the history behind which it was decided, where several servers write.
        v: The version of the format; always stored, unlike other defaults.

    """

    events: list[Event]
    by: str | None = None
    i: str | None = None
    secret: Secret | None = None
    visibility: str | None = None
    on: bytes | None = None
    v: int = field(default_factory=_version)

    @property
    def first(self) -> int:
        """Number of the first event."""
        return self.events[0].seq

    @property
    def last(self) -> int:
        """Number of the last event."""
        return self.events[-1].seq


class NewerFormat(Exception):
    """The record was written by a later version of kibitz."""


UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, NewerFormat)
"""What comes of bytes that are no record, or no entry."""


class _Version(Struct):
    v: int


_encode = msgspec.msgpack.Encoder().encode
_decode_record = msgspec.msgpack.Decoder(Record).decode
_decode_version = msgspec.msgpack.Decoder(_Version).decode
_decode_info = msgspec.msgpack.Decoder(RoomInfo).decode


def write_record(record: Record) -> bytes:
    """The stored form, msgpack."""
    return _encode(record)


def _checked(stored: object) -> bytes:
    """What was stored, if it is bytes: another program may have written text.

    Raises:
        msgspec.DecodeError: It is something else.

    """
    if not isinstance(stored, bytes):
        raise msgspec.DecodeError(f"{type(stored).__name__} is stored in the place of bytes")
    return stored


def read_record(stored: bytes) -> Record:
    """A record from its stored form.

    Raises:
        NewerFormat: This version cannot read it.

    """
    _checked(stored)
    try:
        record = _decode_record(stored)
        version = record.v
    except msgspec.ValidationError:
        version = _decode_version(stored).v
        if version <= VERSION:
            raise
    if version > VERSION:
        raise NewerFormat(f"record format {version}, this version reads up to {VERSION}")
    return record


def write_info(info: RoomInfo) -> bytes:
    """The stored form of a room's entry in the lobby, msgpack."""
    return _encode(info)


def read_info(stored: bytes) -> RoomInfo:
    """A room's entry in the lobby from its stored form."""
    return _decode_info(_checked(stored))
