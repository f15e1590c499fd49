"""Commitments to the cards of a room: made before the first move, to be checked by anybody.

The server draws a secret of 32 bytes, the player may add a nonce; the seed of the deck follows
from both, and so does a salt for every card. The root of a Merkle tree over all cards of the
start (and the seeds of later shuffles) stands in event 1, so that no card can change afterwards.
How each value is made is written in ``README.md``, section Fairness.

Promises: pure, the same in every language; an opening of one card says nothing of another.
Never: draw chance, decide who may see an opening.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import UNSET

from kibitz.engine.game import Game
from kibitz.engine.table import Table

from .limits import MAX_DRAWS, MAX_NONCE
from .views import Event, Fair, Opening

SECRET_BYTES = 32
SALT_BYTES = 16
SHUFFLES = "shuffles"
"""The counter of a game whose player may shuffle."""
MAX_COMMITTED = 64
"""Most later shuffles whose seeds are committed to one by one."""
_DRAWN = re.compile(rf"([A-Za-z0-9_-]{{0,{MAX_NONCE}}})\.([1-9][0-9]{{0,2}})", re.ASCII)
NODE = b"\x01"
"""What stands before the two hashes of an inner node."""


def pledge_of(secret: bytes) -> str:
    """What a server shows of its secret before it knows the nonce, hex."""
    return hashlib.sha256(secret).hexdigest()


def seed_of(secret: bytes, nonce: str) -> bytes:
    """The seed of the deck and of all later chance, 32 bytes."""
    return hmac.digest(secret, b"kibitz seed 1\0" + nonce.encode(), "sha256")


def drawn(nonce: str | None, draw: int) -> str:
    """What stands for the nonce in a room whose deal was looked for, of the draw from 1 on."""
    return f"{nonce or ''}.{draw}"


def draw_of(nonce: str | None) -> tuple[str, int] | None:
    """The player's own nonce and the draw; ``None``: it is of no deal that was looked for."""
    found = _DRAWN.fullmatch(nonce or "")
    if found is None or int(found[2]) > MAX_DRAWS:
        return None
    return found[1], int(found[2])


def shuffle_seed(seed: bytes, number: int) -> bytes:
    """The seed of a later shuffle, numbered from 1, 32 bytes."""
    return hmac.digest(seed, b"kibitz shuffle 1\0%d" % number, "sha256")


def shuffle_key(seed: bytes, start: Table, table: Table, game: Game) -> bytes:
    """What the outcome of the next shuffle of a position follows from.

    Args:
        seed: The seed of the room.
        start: The position at the start: it says how many shuffles there were.
        table: The position that is shuffled, every card named.
        game: The rules.

    """
    number = start.counters.get(SHUFFLES, 0) - table.counters.get(SHUFFLES, 0) + 1
    lines = [
        f"{place.pile} {' '.join([cell.text for cell in table.piles[place.pile]])}\n"
        for place in game.layout
    ]
    return hmac.digest(shuffle_seed(seed, number), "".join(lines).encode(), "sha256")


def items_of(game: Game, start: Table, seed: bytes) -> list[str]:
    """What is committed to, in order: every card of the start, then the seeds of shuffles."""
    cards = [cell.known.code for place in game.layout for cell in start.piles[place.pile]]
    shuffles = min(start.counters.get(SHUFFLES, 0), MAX_COMMITTED)
    return [*cards, *(shuffle_seed(seed, number).hex() for number in range(1, shuffles + 1))]


def size_of(game: Game, start: Table) -> int:
    """How many items there are of a start, of which not every card need be known."""
    cards = sum(len(start.piles[place.pile]) for place in game.layout)
    return cards + min(start.counters.get(SHUFFLES, 0), MAX_COMMITTED)


def leaf_of(salt: bytes, position: int, item: str) -> bytes:
    """The leaf of one item, 32 bytes."""
    return hashlib.sha256(salt + position.to_bytes(2, "big") + item.encode()).digest()


class Tree:
    """The commitments to one start, with all that opens them."""

    def __init__(self, items: Sequence[str], secret: bytes, nonce: str) -> None:
        self.items = items
        self._salts = _salts(secret, nonce, len(items))
        leaves = map(leaf_of, self._salts, range(len(items)), items)
        self._levels = _levels(list(leaves))

    @property
    def root(self) -> str:
        """What stands for all of them, hex."""
        return self._levels[-1][0].hex()

    def opening(self, position: int) -> Opening:
        """What proves one item to whoever has the root."""
        path, at = list[str](), position
        for level in self._levels[:-1]:
            if (beside := at ^ 1) < len(level):
                path.append(level[beside].hex())
            at //= 2
        return position, self.items[position], self._salts[position].hex(), path

    def openings(self, cards: Iterable[str]) -> list[Opening]:
        """The openings of some cards, each once, in the order of their positions."""
        wanted = set(cards)
        return [self.opening(at) for at, item in enumerate(self.items) if item in wanted]


def commit(
    game: Game,
    start: Table,
    secret: bytes,
    nonce: str | None,
    *,
    loaded: bool,
    numbered: bool = False,
) -> Fair:
    """What event 1 says of the start of a room."""
    items = items_of(game, start, seed_of(secret, nonce or ""))
    root = Tree(items, secret, nonce or "").root
    pledge = pledge_of(secret)
    return Fair(root=root, pledge=pledge, nonce=nonce, loaded=loaded, numbered=numbered)


def is_opened(opening: Opening, size: int, root: str) -> bool:
    """Whether an opening leads to the root of a tree of ``size`` leaves."""
    position, item, salt, path = opening
    if not 0 <= position < size or len(salt) != 2 * SALT_BYTES:
        return False
    try:
        node = leaf_of(bytes.fromhex(salt), position, item)
        beside = [bytes.fromhex(hash_) for hash_ in path]
    except (ValueError, OverflowError):  # of a start that no game has
        return False
    at, width = position, size
    while width > 1:
        if at ^ 1 < width:
            if not beside or len(beside[0]) != len(node):
                return False
            other = beside.pop(0)
            pair = (other, node) if at & 1 else (node, other)
            node = _node(*pair)
        at, width = at // 2, (width + 1) // 2
    return not beside and node.hex() == root


def named_in(events: Iterable[Event]) -> set[str]:
    """The cards that some events name, as their reader sees them."""
    named = {cell[:2] for event in events for cell in _cells_in(event)}
    return named - {"??"}


def _cells_in(event: Event) -> Iterator[str]:
    """Every cell that an event tells of."""
    for facts in ([] if event.fx is UNSET else event.fx, *(event.boards or [])):
        for fact in facts:
            yield from _cells(fact)
    if event.opened:
        for pile in event.opened.start.values():
            yield from pile


def _cells(fact: list[Any]) -> list[str]:
    """The cells in a fact in its plain form."""
    match fact[0]:
        case "mv" | "set":
            cells: list[str] = fact[-1]
            return cells
        case "up" | "dn":
            return fact[2:]
        case _:
            return []


def _salts(secret: bytes, nonce: str, count: int) -> list[bytes]:
    """The salts of all positions; what their messages have in common is gone through once."""
    begun = hmac.new(secret, b"kibitz salt 1\0" + nonce.encode() + b"\0", "sha256")
    salts = list[bytes]()
    for position in range(count):
        mac = begun.copy()
        mac.update(b"%d" % position)
        salts.append(mac.digest()[:SALT_BYTES])
    return salts


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(NODE + left + right).digest()


def _levels(leaves: list[bytes]) -> list[list[bytes]]:
    """The tree level by level, leaves first: of RFC 6962's shape.

    There a tree of n leaves is split at the largest power of two below n; level by level that is:
    pairs from the left, and what is left over at the end goes up as it is.
    """
    levels = [leaves]
    while len(level := levels[-1]) > 1:
        pairs = [_node(level[at], level[at + 1]) for at in range(0, len(level) - 1, 2)]
        levels.append([*pairs, level[-1]] if len(level) % 2 else pairs)
    return levels
