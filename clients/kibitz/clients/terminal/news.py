"""What a player is told: how others come to the table, and what has happened there.

Pure. Never: what the person did a moment ago and sees anyway.
"""

from collections.abc import Mapping
from types import MappingProxyType

from kibitz.protocol.course import CALLED_OFF
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.views import Event, Role

from .. import racing
from ..scene import Scene
from ..telling import time_of, told, who_did

NO_KEYS: Mapping[Role, str] = MappingProxyType({})
WON = "You won!"
OVER = "The game is over: `rematch` or `new` for another one, `quit` to leave."
DAY_OVER = (
    "The game is over: `kibitz daily` shows the table, `new` begins another game, `quit` leaves."
)
RACE_OVER = (
    "The race is over: `rematch` for the next one, `look SEAT` for a board, `quit` to leave."
)
RIVALS = "While the others play: `look SEAT` shows a board, `standings` the table."
CLOSED = "the room was closed"
YOU_CALLED_OFF = "You called it off."
HELP = "`help` lists what you can type."
READY = "Type `ready` when you are; it begins when everybody is."
SILENT = frozenset({"move", "joined", "undo", "redo", "restart", "saved", "cheated", "ready"})
"""Kinds of events that one sees without being told, when they are one's own doing."""


def invitation(
    mirror: Mirror, scene: Scene, where: str, keys: Mapping[Role, str] = NO_KEYS
) -> list[str]:
    """How others come here, and what there is to know about this room.

    ``keys`` let others into a room that is private.
    """
    view, room = mirror.view, f"{mirror.room}{where}"
    free, waiting = any(seat.id is None for seat in view.seats), racing.is_waiting(scene)
    looker, player = (f" --invite {keys[r]}" if r in keys else "" for r in ("spectator", "player"))
    lines = [f"watch it with: kibitz watch {room}{looker}"]
    if waiting and free:
        lines.append(f"race in it with: kibitz race --room {room}{player}")
    elif free and not view.race:
        lines.append(f"sit down at it with: kibitz play --room {room}{player}")
    if view.series:
        won = racing.tally(scene, view.series.tally)
        lines.append(f"game {view.series.number} of a series; won so far: {won}")
    if view.daily:
        lines.append(f"the deal of {view.daily}, the same for everybody today")
    if view.winnable:
        lines.append("a winnable deal: with all cards known, a line that wins was found")
    if waiting and mirror.course.race and mirror.course.race.begins is None:
        lines.append(READY)
    return lines


def about_the_deal(room: str, where: str, kept: bool | None) -> str:
    """Whether the cards are as they were pledged; ``kept`` as in :class:`.seating.Seated`."""
    if kept is None:
        return ""
    if not kept:
        return "beware: the server dealt otherwise than it had pledged"
    return f"its cards are fixed; check them with: kibitz verify {room}{where}"


def about_an_analysis(mirror: Mirror, where: str) -> str:
    """How to find out whether a game that has ended could have been won."""
    seat = f" --board {mirror.own + 1}" if mirror.view.race else ""
    command = f"kibitz solve {mirror.room}{seat}{where}"
    return f"find out whether it could be won, and where it was lost, with: {command}"


def news(scene: Scene, event: Event, own: int, mine: bool) -> tuple[str | None, str | None]:
    """What an event means for who sits at board ``own``: an answer to him, and a remark."""
    race = bool(scene.course.race)
    said = told(scene, event) if scene.is_about(event) else None
    match event.kind:
        case "won" | "resigned" if race and event.board == own:
            return _done(event), None
        case "timeout":
            return "Time is up.", None
        case "won" if not race:
            return WON, None
        case "ended" if race:
            return "\n".join([*racing.table(scene), RACE_OVER]), None
        case "ended":
            return DAY_OVER if scene.course.daily else OVER, None
        case "closed" if event.text == CALLED_OFF:
            return YOU_CALLED_OFF, None
        case "closed":
            return f"{(said or CLOSED).capitalize()}.", None
        case "rematch" if not mine:
            return (
                f"{who_did(scene, event)} goes on with the next game: `rematch` to go along.",
                None,
            )
        case "rematch":
            return None, None
        case _ if mine and event.kind in SILENT:
            return None, None
        case _:
            return None, said


def _done(event: Event) -> str:
    time = f" in {time_of(event.ms)}" if event.ms is not None else ""
    return f"{f'You won{time}!' if event.kind == 'won' else 'You gave up.'} {RIVALS}"
