"""What becomes of the seat of a bot: the rules, pure, like :mod:`..room.decide`."""

from kibitz.protocol import requests as ask
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.views import Event, Seat

from ..identity import Identity
from ..room.decide import change, check_open, sit_down, stand_up
from ..room.state import RoomState


def check_owner(state: RoomState, who: str) -> None:
    """Check that somebody may say which bots play in a room.

    Raises:
        Refused: He did not make it.

    """
    if state.owner != who:
        message = "not allowed: only who made this race says which bots play in it"
        raise Refused(ErrorCode.FORBIDDEN, message)


def check_takes_bots(state: RoomState) -> None:
    """Check that one more bot may sit down in a room, whosever it is.

    Raises:
        Refused: There is no free seat, or this is no race that is still to begin.

    """
    check_open(state)
    if not state.course.race:
        raise Refused(ErrorCode.ILLEGAL, "bots sit down in races only")
    if not state.over and not state.course.is_released() and all(s.id for s in state.seats):
        raise Refused(ErrorCode.FULL, "every seat is taken")


class Sits(Exception):
    """A bot that was to sit down has a seat there: somebody has brought it meanwhile."""


def seated(state: RoomState, bot: Identity, here: set[str], at: int) -> list[Event]:
    """The events with which a bot takes a free seat of a race.

    Raises:
        Sits: It has one.
        Refused: There is none, or this is no race that is still to begin.

    """
    if state.seat_of(bot.id) is not None:
        raise Sits
    check_takes_bots(state)
    return sit_down(state, bot, here, at)


def gone(state: RoomState, bot: Identity, here: set[str], at: int) -> list[Event]:
    """The events with which a bot has nothing more to do: its seat is free, or its board given up.

    None where it has no seat, or its board is done.
    """
    seat = state.seat_of(bot.id)
    if state.over or seat is None:
        return []
    if not state.course.is_released():
        return stand_up(state, bot, here, at)
    if state.course.lines[seat.seat - 1].status != "open":
        return []
    return change(state, ask.Resign(room=""), bot, at, here)


def at_seat(state: RoomState, number: int) -> Identity:
    """The bot that sits on a seat.

    Raises:
        Refused: None does.

    """
    seat = state.seats[number - 1] if number <= len(state.seats) else Seat(number)
    if seat.id is None or seat.bot is None:
        raise Refused(ErrorCode.BAD_OPTION, f"no bot sits on seat {number}")
    return Identity(seat.id, seat.name or "", bot=seat.bot)


def has_work(state: RoomState, seat: Seat) -> bool:
    """Whether a bot sits on a seat and has a board to play, now or once the race begins."""
    return (
        seat.bot is not None
        and not state.over
        and state.course.lines[seat.seat - 1].status == "open"
    )
