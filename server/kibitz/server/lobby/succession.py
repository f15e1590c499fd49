"""Rooms that follow from another one: forks, the next game of a series, replay rooms.

Pure but for the bytes it is handed, like :mod:`.creation`.
"""

from dataclasses import replace

from msgspec import UNSET

from kibitz.engine.deals import shuffled
from kibitz.engine.table import Table
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.course import standings
from kibitz.protocol.fairness import drawn, seed_of
from kibitz.protocol.requests import Create
from kibitz.protocol.views import Control, Event, Origin, Policy, Series

from ..identity import Identity
from ..log.record import Record, Secret
from ..room.audience import NOTHING
from ..room.ending import true_deal
from ..room.state import RoomState
from .creation import Start, create


def start_at(room: str, state: RoomState, board: int) -> Start:
    """The start of a room that goes on from where a board of another one was.

    Raises:
        Refused: There is nothing to be played.

    """
    table = state.positions[board].board.table if board < len(state.positions) else Table()
    if not table.piles:  # no such board, or one of a race that has not been dealt
        raise Refused(ErrorCode.BAD_OPTION, "no cards lie there")
    if state.game.is_won(table):
        raise Refused(ErrorCode.GAME_OVER, "the game is won there; go back to an earlier event")
    deal = true_deal(state) if table.piles == state.start.piles else None
    told = state.visibility == "public"
    origin = Origin(room, state.seq, board or UNSET)
    return Start(state.game, table, deal, origin, told, loaded=True)


def present(parent: str, state: RoomState, who: Identity, now_ms: int, unlisted: bool) -> Record:
    """The first record of a replay room.

    Args:
        parent: The room whose game is shown.
        state: How that one ended.
        who: Who shows it, and sits at the controls.
        now_ms: Unix milliseconds.
        unlisted: Whether the lobby says nothing of it, even if that room is public.

    """
    created = Event(
        seq=1,
        at=0,
        by=who.id,
        kind="created",
        name=who.name,
        game=state.game.name,
        options=dict(state.game.options),
        mode="replay",
        seats=1,
        policy=Policy(undo=False, save=False, hints=False),
        started=now_ms,
        origin=Origin(parent, state.seq),
        control=Control(at=1),
    )
    sat = Event(seq=2, at=0, by=who.id, kind="joined", seat=1, name=who.name)
    visibility = "public" if state.visibility == "public" and not unlisted else "unlisted"
    wish = f"shows {parent}, {visibility}"
    secret = Secret(seed="", wish=wish)
    return Record(events=[created, sat], by=who.id, secret=secret, visibility=visibility)


def rematch(
    parent: str,
    state: RoomState,
    who: Identity,
    now_ms: int,
    secret: bytes,
    draw: int | None = None,
) -> Record:
    """The first record of the room that goes on with the next deal: the same seats are taken.

    Args:
        parent: The room before.
        state: How that one ended.
        who: Who asks for it.
        now_ms: Unix milliseconds.
        secret: 256 random bits.
        draw: The number of the deal that is known to be winnable, if it is to be one.

    Raises:
        Refused: It has not ended, or nothing comes after it.

    """
    if not state.ended:
        raise Refused(ErrorCode.FORBIDDEN, "the next deal comes when the game has ended")
    if state.mode == "replay" or state.course.daily:
        raise Refused(ErrorCode.FORBIDDEN, "there is no next deal after this one")
    course = state.course
    before = course.series or Series(parent, 1, [0] * len(course.seats))
    tally = [won + (seat in winners(state)) for seat, won in enumerate(before.tally, 1)]
    start = Start(
        state.game,
        state.game.deal(shuffled(seed_of(secret, "" if draw is None else drawn(None, draw)))),
        None,
        seats=[seat for seat in course.seats if seat.id],
        series=Series(before.first, before.number + 1, tally),
        policy=state.policy,
        password=state.secret.password,
    )
    race, seat = course.race, state.seat_of(who.id)
    who = replace(who, name=(seat and seat.name) or who.name)  # as he is known there
    request = Create(
        game=state.game.name,
        mode=state.mode,
        seats=len(course.seats),
        visibility=state.visibility,
        countdown=race.countdown if race else None,
        limit=race.limit if race else None,
        seat=False,
    )
    return create(request, who, now_ms, secret, None, start, draw)


def winners(state: RoomState) -> set[int]:
    """The seats that have won a finished game: of a race, the first of the table.

    Nobody has where all are equal and nobody has finished.
    """
    if state.mode == "race":
        table = standings(state.view(NOTHING).boards, state.seats)
        first = {row.seat for row in table if row.place == 1}
        return first if state.status == "won" or len(first) < len(table) else set()
    return {seat.seat for seat in state.seats if seat.id} if state.status == "won" else set()
