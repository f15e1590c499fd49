"""All that the log may say: every event by its name, and the fields it may have.

Promises: a field that is not named here is in no line, so no token, password, comment or card can
be; ``deploy/README.md`` has the same table. Never: words of a client.
"""

from collections.abc import Mapping
from dataclasses import dataclass

WHO = ("identity", "address")
WHERE = ("room", "seq")
FAULT = ("error", "why", "trace")
"""Of an exception: its type; what it says, where that is ours or the system's; where it was."""


@dataclass(frozen=True, slots=True)
class Said:
    """One kind of line.

    Attributes:
        level: How it is told.
        means: What has happened.
        fields: What may stand beside it.

    """

    level: str
    means: str
    fields: tuple[str, ...] = ()


EVENTS: Mapping[str, Said] = {
    "upgraded": Said("info", "the file was brought to a later form", ("schema",)),
    "listening": Said("info", "connections are taken", ("page", "socket", "data", "servers")),
    "worker ready": Said("info", "one of --workers takes connections", ("metrics",)),
    "worker died": Said(
        "error", "one of --workers ended; it is started again", ("worker", "code", "seconds")
    ),
    "worker silent": Said(
        "error", "one of --workers hangs; it is killed and started again", ("worker",)
    ),
    "parent gone": Said("error", "who looks after --workers is gone; this one ends"),
    "clock differs": Said(
        "error", "the clock of the NATS servers shows more, or less, than ours", ("seconds",)
    ),
    "clock agrees": Said("info", "it does no longer", ("seconds",)),
    "draining": Said("info", "no new rooms and connections are taken", ("connections",)),
    "stopped": Said("info", "everybody is gone and the log is written", ("seconds", "cut")),
    "not flushed": Said("error", "the log could not be closed in time"),
    "reloaded": Said("info", "keys or a certificate were read again", ("what",)),
    "not reloaded": Said("error", "they cannot be used: the old ones stay", ("what", "why")),
    "key not used": Said("warning", "a key of the JWKS file is of no known kind", ("key",)),
    "created": Said("info", "a room was made", ("room", "identity", "game", "mode")),
    "closed": Said("info", "the server closed a connection", (*WHO, "code", "reason")),
    "ordered": Said("info", "an operator ordered it", (*WHO, "act", "room", "whom", "duration")),
    "not an operator": Said("warning", "a wrong key, or none, for what operators do", WHO),
    "bans not read": Said("error", "whom others have banned is not known", FAULT),
    "ban not read": Said(
        "error", "one in the log is none of ours, and holds for nobody", ("error",)
    ),
    "archived": Said("info", "old rooms were put away", ("rooms",)),
    "not archived": Said("error", "old rooms could not be put away", FAULT),
    "not analysed": Said("error", "what became of a game was not found out", ("room", "why")),
    "not advised": Said("error", "what a player asked was not found out", ("why",)),
    "bot failed": Said(
        "error", "the process of a bot was not as it should be", ("room", "identity", "why")
    ),
    "seat not cleared": Said(
        "warning", "a bot is gone, and its seat or board still waits", ("room", "identity", "why")
    ),
    "no winnable deal": Said("error", "none could be looked for", ("game", "why")),
    "log failure": Said("error", "the log could not write", (*WHERE, *WHO, "request", *FAULT)),
    "log failing": Said("error", "nothing can be written any more", ("why",)),
    "log well": Said("info", "it can be written again", ("seconds",)),
    "log waits": Said(
        "warning",
        "the NATS servers cannot be used yet; so long it is waited for that at the start",
        ("server", "seconds", "why"),
    ),
    "log lost": Said("error", "a server that keeps the log is out of reach", ("server",)),
    "log found": Said("info", "it is there again, or another one", ("server", "seconds")),
    "kept once": Said("warning", "of several NATS servers only one keeps the rooms", ("servers",)),
    "gone back": Said(
        "error",
        "the log has lost the latest of a room: those in it come again and see what it has",
        ("room", "seq", "head"),
    ),
    "unreadable": Said("error", "the log has no record of ours in a room", ("room", *FAULT)),
    "foreign": Said(
        "warning", "a message of nobody's that we know is passed over", ("stream", "number")
    ),
    "request failed": Said("error", "a mistake of ours", (*WHERE, *WHO, "request", *FAULT)),
    "tick failed": Said("error", "a mistake in what is done every second", FAULT),
    "not woken": Said("error", "what is due in a room could not happen", (*WHERE, *FAULT)),
    "nothing to wake": Said(
        "warning", "a room was to be woken, and there is no such room", ("room",)
    ),
    "not followed": Said("error", "what others write is not heard in a room", (*WHERE, *FAULT)),
    "not looked up": Said("error", "how rooms of other servers stand could not be read", FAULT),
    "not taken up": Said("error", "what another server says could not be used", FAULT),
    "not decided": Said("error", "a mistake while commands were decided", (*WHERE, *FAULT)),
    "not answered": Said("error", "a mistake while an answer was given", (*WHERE, *FAULT)),
    "not told": Said("error", "a mistake while lookers-on were told", FAULT),
    "not sent": Said("error", "a mistake while something was sent", FAULT),
    "loop failed": Said("error", "a mistake nobody waited for", FAULT),
    "library": Said("warning", "a library complains", ("logger", "says", *FAULT)),
    "repeated": Said(
        "info", "so many more lines of one kind", ("of", "code", "request", "count", "seconds")
    ),
    "unlisted": Said("warning", "a line that is missing in this table", FAULT),
    "connected": Said("debug", "a client has come", ("address", "encoding")),
    "greeted": Said("debug", "it said who it is", WHO),
    "asked": Said("debug", "it asked for something", (*WHERE, *WHO, "request")),
    "refused": Said("debug", "it did not get it", (*WHERE, *WHO, "request", "code")),
    "gone": Said("debug", "a client has gone", WHO),
}
"""Every event, in the order of the documentation."""

WHOLE = frozenset({"ordered"})
"""Of these every single one is told, however many there are."""
ALWAYS = ("timestamp", "level", "event", "worker")
"""What every line has; ``worker``: which one says it, where there are several."""
