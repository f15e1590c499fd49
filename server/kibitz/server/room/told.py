"""Past events in the form in which they are sent, kept: who reads the past costs little twice.

A block is so many events as one audience sees them (or with every card named), encoded. What has
happened does not change, so a block is right for ever. Promises: a block is kept, and used, only
of events that the reader's stage has shown; never more than so many bytes are kept, those that
were not read for the longest time go first. Never: decide who may see what.
"""

from collections import OrderedDict
from dataclasses import dataclass

import msgspec

from kibitz.protocol.fairness import named_in
from kibitz.protocol.views import Event
from kibitz.protocol.wire import Encoding

from ..pace import PIECE_EVENTS
from .audience import Audience
from .stage import Stage

MAX_BYTES = 4 * 1024 * 1024
"""How much is kept, with what it costs to keep it."""
BYTES_AN_EVENT = 200
"""What keeping an event costs, beside its own bytes."""
SHORT_LIST = 16
"""Fewer values than that have their number in the first byte, in msgpack."""
_ENCODE = {Encoding.JSON: msgspec.json.encode, Encoding.MSGPACK: msgspec.msgpack.encode}
Key = tuple[str, Audience | None, Encoding, int]
"""A room, whose eyes (``None``: every card named), the encoding, the block's number."""


@dataclass(frozen=True, slots=True)
class Block:
    """Events in a row: the bytes of each, the cards that each names."""

    encoded: list[bytes]
    named: list[tuple[str, ...]]

    @property
    def size(self) -> int:
        """What it costs to keep it, in bytes."""
        return sum(map(len, self.encoded)) + BYTES_AN_EVENT * len(self.encoded)


class Told:
    """The blocks that are kept."""

    def __init__(self, most: int = MAX_BYTES) -> None:
        self._most = most
        self._blocks: OrderedDict[Key, Block] = OrderedDict()
        self._size = 0

    async def events(
        self, stage: Stage, after: int, to: int, audience: Audience | None, encoding: Encoding
    ) -> tuple[msgspec.Raw, set[str]]:
        """The events ``after`` < seq <= ``to`` as a list in its encoded form; the cards in them.

        Args:
            stage: What of the room is shown to who asks.
            after: The last event that is not wanted.
            to: The last that is, not beyond the stage's.
            audience: Whose eyes; ``None``: every card named, for games that have ended.
            encoding: In which.

        """
        encoded, named = list[bytes](), set[str]()
        for number in range(after // PIECE_EVENTS, -(-to // PIECE_EVENTS)):
            begin = number * PIECE_EVENTS
            block = await self._block(stage, number, audience, encoding)
            some = slice(max(0, after - begin), to - begin)
            encoded += block.encoded[some]
            named.update(*block.named[some])
        return raw_list(encoded, encoding), named

    async def _block(
        self, stage: Stage, number: int, audience: Audience | None, encoding: Encoding
    ) -> Block:
        key = stage.id, audience, encoding, number
        begin, end = number * PIECE_EVENTS, (number + 1) * PIECE_EVENTS
        whole = end <= stage.seq
        if whole and (kept := self._blocks.get(key)):
            self._blocks.move_to_end(key)
            return kept
        found = await (
            stage.opened_events(begin, end)
            if audience is None
            else stage.events(begin, end, audience)
        )
        block = await stage.pace.do(lambda: _block(found, encoding))
        if whole and key not in self._blocks:
            self._blocks[key] = block
            self._size += block.size
            while self._size > self._most:
                self._size -= self._blocks.popitem(last=False)[1].size
        return block


def _block(events: list[Event], encoding: Encoding) -> Block:
    encoded = [encode_value(event, encoding) for event in events]
    return Block(encoded, [tuple(named_in([event])) for event in events])


def encode_value(value: msgspec.Struct, encoding: Encoding) -> bytes:
    """A value inside a message, as it stands there."""
    return _ENCODE[encoding](value)


def raw_list(encoded: list[bytes], encoding: Encoding) -> msgspec.Raw:
    """A list of values that are encoded already."""
    if encoding is Encoding.JSON:
        return msgspec.Raw(b"[" + b",".join(encoded) + b"]")
    count = len(encoded)
    head = bytes((0x90 | count,)) if count < SHORT_LIST else _long_list(count)
    return msgspec.Raw(head + b"".join(encoded))


def _long_list(count: int) -> bytes:
    if count < 1 << 16:
        return b"\xdc" + count.to_bytes(2, "big")
    return b"\xdd" + count.to_bytes(4, "big")
