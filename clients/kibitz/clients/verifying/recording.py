"""A game as it was told, and what was told to prove it.

Promises: everything in it has been looked at for its shape, so that the checks need not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import UNSET

from kibitz.engine.games import GAMES
from kibitz.engine.notation import read_fact
from kibitz.engine.table import Table, fold
from kibitz.protocol.views import Event, Fair, Opened, Opening

from ..nonsense import NONSENSE, check_shape
from .verdict import Unfit

Plain = dict[str, Any]


@dataclass(frozen=True)
class Recording:
    """What somebody was told of a room.

    Attributes:
        room: The room's id.
        seq: The number of its last event, as it is said.
        hash: The hash after that, likewise.
        events: What was told, in order, at least the first.
        plain: The same as it stood there: every key, known or not.
        opened: The events with every card named, once the game has ended.
        openings: What was given to prove the cards.

    """

    room: str
    seq: int
    hash: str
    events: Sequence[Event]
    plain: Sequence[Mapping[str, Any]]
    opened: Sequence[Event] = ()
    openings: Sequence[Opening] = field(default=())

    @property
    def created(self) -> Event:
        """The first event."""
        return self.events[0]

    @property
    def fair(self) -> Fair | None:
        """What the room has committed itself to."""
        return self.created.fair

    @property
    def laid_open(self) -> Opened | None:
        """What the end has laid open, if it has come."""
        ended = (event for event in self.events if event.kind == "ended")
        return next((event.opened for event in ended), None)

    @property
    def start(self) -> Table | None:
        """What was dealt, as it was told; ``None`` before that, and where there are no cards."""
        return _dealt(self.events)

    @property
    def whole_start(self) -> Table | None:
        """The same with every card named, if that was told."""
        return _dealt(self.opened)


def _dealt(events: Sequence[Event]) -> Table | None:
    found = (event for event in events if event.kind in ("created", "dealt"))
    laid = next((event.fx for event in found if event.fx is not UNSET), None)
    return None if laid is None else fold(map(read_fact, laid))


def read_event(plain: Any, number: int) -> Event:
    """An event from what stands in a replay.

    Raises:
        Unfit: It is none.

    """
    try:
        check_shape(plain)
        event = msgspec.convert(plain, Event)
        for facts in ([] if event.fx is UNSET else event.fx, *(event.boards or [])):
            for fact in facts:
                read_fact(fact)
        for hex_ in (event.salt, event.commit):
            bytes.fromhex(hex_ or "")
    except NONSENSE as error:  # a ``ValidationError`` is a ``ValueError``
        raise Unfit(f"this is no event: {error}", number) from None
    return event


def check_begin(recording: Recording) -> None:
    """Check that a recording begins as every room does.

    Raises:
        Unfit: It does not.

    """
    if not recording.events or recording.created.kind != "created":
        raise Unfit("a room begins with `created`", 1)
    created = recording.created
    if created.game not in GAMES:
        raise Unfit("this game is not known here", 1)
    needed = (created.options, created.policy, created.mode, created.seats, created.started)
    if any(value is None for value in needed):
        raise Unfit("`created` does not say all that it must", 1)
    for event in (*recording.events, *recording.opened):
        laid = [] if event.fx is UNSET or event.kind not in ("created", "dealt") else event.fx
        if any(fact[0] not in ("set", "count") for fact in laid):
            raise Unfit("it does not lay out a table", event.seq)
    names = {place.pile for place in GAMES[created.game or ""].layout}
    for start in (recording.start, recording.whole_start):
        if start is not None and start.piles.keys() != names:
            raise Unfit("these are not the piles of the game", 1)


def check_promise(recording: Recording) -> None:
    """Check that a room that has ended with a secret has committed itself to it.

    Raises:
        Unfit: What it had committed itself to is gone.

    """
    opened = recording.laid_open
    if recording.fair is None and opened is not None and opened.secret is not None:
        raise Unfit("the end opens a secret, and no commitment to it is there", 1)
