"""What everybody may be told: the public form of an event.

The secret and the public form of a fact are made side by side, here, once an event; everything
that leaves the server while a game runs goes through :func:`public`. The one event that opens
cards is ``ended``; after it, whoever asks for them gets the same events :func:`opened`.
"""

from msgspec import UNSET
from msgspec.structs import replace

from kibitz.engine.notation import read_fact, write_fact
from kibitz.engine.table import redact
from kibitz.protocol.views import Event


def public(event: Event, room: str) -> Event:
    """The event as everybody may see it, with the room's id."""
    if event.fx is UNSET or event.kind == "ended":
        return replace(event, room=room)
    fx = [write_fact(redact(read_fact(fact))) for fact in event.fx]
    return replace(event, room=room, fx=fx)


def opened(event: Event, room: str) -> Event:
    """The event with every card named, with the room's id: for games that have ended."""
    return replace(event, room=room)
