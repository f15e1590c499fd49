"""Whether a record continues the history that a room has.

Promises: where several servers write a log, each append says behind which history it was decided,
by the hash that everybody in the room knows. Where the log has gone back (an old copy of it was
put back, its tail was lost), others may have written other events under numbers that a room in
memory has already: what they write next is not taken for a continuation. Never: what is right;
that is what the log has.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from ..log.log import GoneBack
from ..log.record import Record


def tied(records: Sequence[Record], hash_: str) -> list[Record]:
    """Records that say behind which history they belong: that with this hash."""
    first, *others = records
    return [replace(first, on=bytes.fromhex(hash_)), *others]


def check_next(record: Record, seq: int, hash_: str) -> None:
    """See that a record comes next in a room that is at this number with this hash.

    Raises:
        GoneBack: It belongs to another history.

    """
    if record.first != seq + 1 or (record.on is not None and record.on.hex() != hash_):
        raise GoneBack(seq, record.last)
