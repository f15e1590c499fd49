"""Who may see what, and what he is told: the public form of an event, or the stub it leaves.

The secret and the public form of a fact are made side by side, here, once an event; everything
that leaves the server while a game runs goes through :func:`public`, and of a race through
:func:`told`. The events that open cards are ``ended`` ones; after it, whoever asks for them gets
the same events :func:`opened`. *When* somebody may see something is the matter of :mod:`.stage`.
"""

from dataclasses import dataclass

from msgspec import UNSET
from msgspec.structs import replace

from kibitz.engine.notation import is_open, read_fact, write_fact
from kibitz.engine.table import redact
from kibitz.protocol.hashing import commitment
from kibitz.protocol.views import Event, Kind

MASKED: frozenset[Kind] = frozenset({"dealt", "move", "undo", "redo", "restart", "stuck"})
"""Kinds that are about the cards of one board of a race (``dealt``: of every board)."""


@dataclass(frozen=True, slots=True)
class Audience:
    """Whose eyes: those who see every board, those who see one, those who see none.

    Attributes:
        everything: Whether every board is seen.
        board: Index of the one that is, if not everything.

    """

    everything: bool = False
    board: int | None = None

    def sees(self, board: int) -> bool:
        """Whether they see this board."""
        return self.everything or self.board == board

    def sees_event(self, event: Event) -> bool:
        """Whether they see this event in full."""
        if event.salt is None or self.everything:
            return True
        return self.board is not None if event.kind == "dealt" else self.board == event.board


EVERYTHING = Audience(everything=True)
NOTHING = Audience()


def public(event: Event, room: str) -> Event:
    """The event as everybody may see it who sees its board, with the room's id."""
    if event.kind == "created" and event.mode == "race":  # no deal before the start
        return replace(event, room=room, fx=UNSET)
    if event.fx is UNSET or event.kind == "ended":
        return replace(event, room=room)
    fx = [fact if is_open(fact) else write_fact(redact(read_fact(fact))) for fact in event.fx]
    return replace(event, room=room, fx=fx)


def stub(event: Event) -> Event:
    """What a public event leaves for those who may not see it: its number, and how it stands."""
    return Event(
        room=event.room,
        seq=event.seq,
        at=event.at,
        kind="hidden",
        board=event.board,
        moves=event.moves,
        score=event.score,
        commit=commitment(event).hex(),
    )


def told(event: Event, audience: Audience) -> Event:
    """A public event as this audience sees it."""
    return event if audience.sees_event(event) else stub(event)


def opened(event: Event, room: str) -> Event:
    """The event with every card named, with the room's id: for games that have ended."""
    return replace(event, room=room)
