"""The form of what is stored: one append, its secret part, what stays of a room put away.

Promises: an append is one message, so that it is there whole or not at all; the room's entry in
the lobby is in it. The secret part is apart: nothing of it is in the message that is republished.
Every record keeps its own version; what any version stored reads for ever.
"""

import zlib
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kibitz.protocol.views import RoomInfo

from ..record import Record, Secret, read_info, read_record, write_info, write_record

EXPECTED = "Nats-Expected-Last-Subject-Sequence"
"""Header: the stream's number of the message that has to be the subject's last."""
ROLLUP = {"Nats-Rollup": "sub"}
"""Header: the message takes the place of all that the subject had."""
LAST = "S"
"""Header: the room's last event after the append."""
COMMAND = "C"
"""Header: what names the message for good."""
SECRET = "X"
"""Header: there is a secret part, under the message's command."""
PACKED = "Z"
"""Header: the body is compressed."""
AWAY_NUMBER = "A"
"""Header: the room is away; its number in order of creation."""
GONE = "G"
"""Header: there is no value under this name any more."""
PACK_BYTES = 16 * 1024
"""A body that is larger is compressed: games that somebody brings as a text are long."""


class Foreign(msgspec.DecodeError):
    """It is nothing that a server of ours has written: none of the records that can be read."""


class _Append(Struct, array_like=True):
    records: list[bytes]
    info: bytes


class Part(Struct, array_like=True):
    """Of the record with this number in the append, what is secret."""

    number: int
    secret: Secret


_append = msgspec.msgpack.Decoder(_Append).decode
_parts = msgspec.msgpack.Decoder(list[Part]).decode


class Stored(Struct):
    """An append to be stored: body, headers, and its secret part if it has one."""

    body: bytes
    headers: dict[str, str]
    secret: bytes | None


def split(records: Sequence[Record]) -> tuple[list[bytes], list[Part]]:
    """Records in their stored form without what is secret; and that.

    Raises:
        ValueError: One of them cannot be stored.

    """
    parts = [Part(n, record.secret) for n, record in enumerate(records) if record.secret]
    return [write_record(replace(r, secret=None) if r.secret else r) for r in records], parts


def write_append(records: list[bytes], parts: list[Part], info: RoomInfo, last: int) -> Stored:
    """One append."""
    body = msgspec.msgpack.encode(_Append(records, write_info(info)))
    headers = {LAST: str(last)}
    if len(body) > PACK_BYTES:
        body = zlib.compress(body, 1)
        headers[PACKED] = "1"
    if parts:
        headers[SECRET] = "1"
    return Stored(body, headers, msgspec.msgpack.encode(parts) if parts else None)


def _opened(body: bytes, headers: Mapping[str, str]) -> _Append:
    try:
        return _append(zlib.decompress(body) if PACKED in headers else body)
    except zlib.error as error:
        raise msgspec.DecodeError(str(error)) from error


def number_in(headers: Mapping[str, str], name: str) -> int:
    """The number in a header.

    Raises:
        Foreign: There is none.

    """
    said = headers.get(name, "")
    if not (said.isascii() and said.isdecimal()):
        raise Foreign(f"there is no number in the header {name}")
    return int(said)


def read_append(
    body: bytes, headers: Mapping[str, str], secret: bytes | None = None
) -> list[Record]:
    """The records of an append, with their secret part.

    Raises:
        NewerFormat, msgspec.MsgspecError: They cannot be read.

    """
    records = [read_record(stored) for stored in _opened(body, headers).records]
    if not records or not all(record.events for record in records):
        raise Foreign("an append without events")
    for part in _parts(secret) if secret is not None else ():
        if not 0 <= part.number < len(records):
            raise Foreign("a secret part of another append")
        records[part.number] = replace(records[part.number], secret=part.secret)
    return records


def read_entry(body: bytes, headers: Mapping[str, str]) -> RoomInfo:
    """The room's entry in the lobby after an append, or before it was put away."""
    return read_info(body if AWAY_NUMBER in headers else _opened(body, headers).info)
