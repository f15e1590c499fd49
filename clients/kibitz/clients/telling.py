"""What happens in a room, in words for people.

Pure. Never: what a terminal would take for a command (``printable``).
"""

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.course import CALLED_OFF
from kibitz.protocol.views import Event

from .scene import Scene

_UNITS = (("s", 1000, 120), ("min", 60_000, 120), ("h", 3_600_000, 48))
"""How a time is said: the unit, its length in ms, and from how many on the next one serves."""
_DAY_MS = 86_400_000


def who_did(scene: Scene, event: Event) -> str:
    """Whose doing an event is; of a board of a race, whose board it is."""
    seat = event.board if scene.course.race and event.kind in ("won", "resigned") else None
    if seat is not None and seat < len(scene.course.seats):
        return scene.course.seats[seat].name or f"seat {seat + 1}"
    return event.name or scene.names.get(event.by or "") or event.by or "the server"


STATUSES = {"resigned": "given up", "timeout": "out of time"}
"""How people say a status, where they say it otherwise."""


def status_told(status: str) -> str:
    """How a room or a board stands, for people."""
    return STATUSES.get(status, status)


def told(scene: Scene, event: Event) -> str | None:
    """An event in words, for people; ``None`` for what the board shows by itself."""
    who, race = who_did(scene, event), bool(scene.course.race)
    match event.kind:
        case "move":
            return f"> {event.move} ({who})"
        case "undo" | "redo" | "restart":
            return f"> {event.kind} ({who})"
        case "say":
            return f"{who}: {event.text}"
        case "joined":
            return f"{who} took seat {event.seat}{' (bot)' if event.bot else ''}"
        case "left":
            return f"seat {event.seat} is free"
        case "saved":
            return "the position was saved"
        case "cheated":
            return "somebody looked at all cards"
        case "stuck":
            return "no legal move is left that changes anything"
        case "won":
            won = f"won in {number_of(event.moves or 0, 'move')}"
            return f"{who} {won}, {time_of(event.ms or 0)}" if race else won
        case "resigned":
            return f"{who} gave up" if race else "the game was given up"
        case "ready":
            return f"{who} is ready"
        case "unready":
            return f"{who} is not ready yet"
        case "countdown":
            return _countdown(event)
        case "started":
            return "the race has begun"
        case "timeout":
            return "time is up"
        case "closed" if event.text == CALLED_OFF:
            return CALLED_OFF
        case "closed":
            return f"the room was closed: {event.text}" if event.text else "the room was closed"
        case "comments":
            return "comments are on again" if event.on else "comments are off"
        case "rematch":
            return f"{who} goes on in room {event.next}"
        case _:
            return None


def _countdown(event: Event) -> str:
    if event.begins is None:
        return "the start is called off"
    seconds = max(0, round((event.begins - event.at) / 1000))
    soon = f"in {number_of(seconds, 'second')}" if seconds else "now"
    return f"everybody is ready: the race begins {soon}"


def noticed(text: str) -> str:
    """What the operator has to say to everybody."""
    return f"*** {text}"


def refused_because(refused: Refused) -> str:
    """Why something was refused, and how long yet, where only time is in the way."""
    if refused.code not in (ErrorCode.FORBIDDEN, ErrorCode.DRAINING) or not refused.retry_ms:
        return refused.message
    return f"{refused.message}; try again in {span_of(refused.retry_ms, up=True)}"


def span_of(ms: int, *, up: bool = False) -> str:
    """A time, roughly: ``30 s``, ``5 min``, ``7 d``; rounded down, or ``up``."""
    ms = max(ms, 0)
    for unit, size, below in _UNITS:
        count = -(-ms // size) if up else ms // size
        if count < below:
            return f"{count} {unit}"
    return f"{-(-ms // _DAY_MS) if up else ms // _DAY_MS} d"


def time_of(ms: int) -> str:
    """A time that somebody took, with tenths: ``0:07.3``."""
    return f"{clock_of(ms)}.{ms % 1000 // 100}"


def clock_of(ms: int) -> str:
    """A time as people read it: ``0:07``, ``12:30``, ``1:02:03``."""
    minutes, seconds = divmod(max(ms, 0) // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def number_of(count: int, noun: str) -> str:
    """``1 move``, ``2 moves``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def in_line(said: object) -> str:
    """What was said, in one line."""
    return str(said).replace("\n", " ")


def printable(text: str) -> str:
    """A text from somebody else without what would steer a terminal; line ends stay."""
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)
