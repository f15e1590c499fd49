"""What is stored is read by every later version, and what a later one stored is told as such."""

from typing import Any

import msgpack
import msgspec
import pytest

from kibitz.protocol.views import Event
from kibitz.server.log.record import VERSION, NewerFormat, Record, read_record, write_record

WHOLE = Record(
    events=[Event(seq=7, at=1, kind="move", move="discard", fx=[["turn", "a", ["Qh"]]])],
    by="ann",
    i="name",
)


def plain_of(record: Record) -> Any:
    return msgpack.unpackb(write_record(record))


def test_the_version_is_stored_and_other_defaults_are_not() -> None:
    plain = plain_of(WHOLE)
    assert list(plain) == ["events", "by", "i", "v"]
    assert plain["v"] == VERSION == WHOLE.v


def test_a_record_is_read_however_its_msgpack_was_written() -> None:
    narrow = msgpack.packb(plain_of(WHOLE))
    turned = msgpack.packb(dict(reversed(plain_of(WHOLE).items())))
    assert read_record(narrow) == read_record(turned) == read_record(write_record(WHOLE)) == WHOLE


@pytest.mark.parametrize(
    "more",
    [{}, {"unknown": 1}, {"events": "later"}, {"events": [{"t": "later"}]}, {"by": 5}],
)
def test_a_later_version_is_told_whatever_else_is_in_it(more: dict[str, Any]) -> None:
    later = {**plain_of(WHOLE), **more, "v": VERSION + 1}
    with pytest.raises(NewerFormat, match=f"record format {VERSION + 1}"):
        read_record(msgpack.packb(later))


@pytest.mark.parametrize("more", [{"events": "x"}, {"by": 5}, {"v": "x"}])
def test_a_broken_record_is_no_record(more: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        read_record(msgpack.packb({**plain_of(WHOLE), **more}))
    with pytest.raises(msgspec.DecodeError):
        read_record(write_record(WHOLE)[:-3])
