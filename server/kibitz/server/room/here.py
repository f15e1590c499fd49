"""Who is in a room, as one server tells others."""

from collections.abc import Iterable

from msgspec import Struct


class Here(Struct, array_like=True, frozen=True):
    """Who is in a room on some server.

    Attributes:
        total: How many identities.
        seated: Those of them that have a seat, or are still shown with one.
        players: Those that play, on a connection there.

    """

    total: int = 0
    seated: list[str] = []
    players: list[str] = []


NOBODY = Here()


def together(some: Iterable[Here]) -> Here:
    """All of them; who is on two servers is counted, and named, twice."""
    found = list(some)
    if len(found) < 2:
        return found[0] if found else NOBODY
    return Here(
        sum(here.total for here in found),
        [who for here in found for who in here.seated],
        [who for here in found for who in here.players],
    )
