"""What requests count as, and how many tokens they take: those that cost work take more."""

from collections.abc import Callable

from kibitz.protocol import requests as ask
from kibitz.protocol.limits import MAX_FRAME

from .table import Charges

PLAIN: Charges = (("requests", 1.0),)
CREATE: Charges = (("requests", 20.0), ("creates", 1.0))
CHARGES: dict[type[ask.RequestBase], Charges] = {
    ask.Create: CREATE,
    ask.Fork: CREATE,
    ask.Rematch: CREATE,
    ask.Present: CREATE,
    ask.SeatBot: CREATE,
    ask.Join: (("requests", 2.0), ("joins", 1.0)),
    ask.Think: (("requests", 5.0),),
    ask.Say: (("requests", 5.0), ("comments", 1.0)),
    ask.Save: (("requests", 2.0), ("reads", 1.0)),
    ask.Cheat: (("requests", 2.0), ("reads", 1.0)),
    ask.Moves: (("requests", 1.0), ("reads", 0.25)),
    ask.Advise: (("requests", 2.0), ("reads", 0.25)),
    ask.Finish: (("requests", 2.0), ("reads", 0.25)),
    ask.History: (("requests", 3.0), ("reads", 1.0)),
    ask.ViewAt: (("requests", 5.0), ("reads", 2.0)),
    ask.Daily: (("requests", 5.0), ("reads", 2.0)),
    ask.Rooms: (("requests", 2.0), ("reads", 1.0)),
}
"""What is more than a plain request."""
SEAT: Charges = (("requests", 10.0), ("joins", 2.0))
"""A join that may be written down and told to everybody."""
PASSWORD: Charges = (("passwords", 1.0),)
KNOWN: Charges = (("passwords", 0.0),)
"""The right key takes nothing, but waits as a wrong one does: else a guesser would learn of it."""
DOWNLOAD: Charges = (("downloads", 1.0),)
TOKEN: Charges = (("tokens", 1.0),)
RESUME: Charges = (("requests", 2.0), ("joins", 1.0), ("reads", 1.0))
"""A join by number; how many events it was is counted when that is known."""
SECONDS_A_REQUEST = 0.0002
"""A command that took long to decide counts as one request more for so much time."""
EVENTS_A_READ = 50
"""A page of a history counts as one read more for so many events."""
EVENTS_A_DOWNLOAD = 200
"""A replay counts as one download more for so many events, once it has been made."""
TEXT_BYTES_A_REPLAY = 16 * 1024
"""A replay text counts as one more for so many letters: the longest take long to play."""
BYTES_A_REQUEST = 1024
"""A frame above the usual size counts as one request more for so many bytes."""


def charges_of(request: ask.Request, size: int, opens: Callable[[str | None], bool]) -> Charges:
    """What a request in a frame of so many bytes counts as; ``opens`` knows the operator's key."""
    charges = CHARGES.get(type(request), PLAIN)
    match request:
        case ask.Admin(key=str(key)):
            charges = (*charges, *(KNOWN if opens(key) else PASSWORD))
        case ask.Create(password=str()):
            charges = (*charges, *PASSWORD)
        case ask.Join(password=password, role=role, from_=from_):
            charges = charges if from_ is None else RESUME
            charges = SEAT if role == "player" else charges
            charges = charges if password is None else (*charges, *PASSWORD)
        case ask.History(limit=limit):
            charges = (charges[0], ("reads", 1.0 + limit / EVENTS_A_READ))
        case ask.Replay(text=text):
            charges = (("requests", 20.0), ("replays", 1.0 + len(text) / TEXT_BYTES_A_REPLAY))
        case _:
            pass
    return charges if size <= MAX_FRAME else (*charges, ("requests", size / BYTES_A_REQUEST))
