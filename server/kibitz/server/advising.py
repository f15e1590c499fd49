"""What a player is told of his own game while he plays it: advice, chances, how it finishes.

Promises: all of it follows from what he has seen on his board; what takes long is worked out in a
process of its own. Never: change anything, tell those who look on.
"""

import msgspec
from msgspec.structs import asdict, replace

from kibitz.engine.drags import drag_of
from kibitz.engine.finishing import Finishing
from kibitz.engine.text import Request as Said
from kibitz.protocol import replies
from kibitz.protocol import requests as ask
from kibitz.protocol.codes import ErrorCode, Refused

from .analysing.advisers import AGAIN_MS, Advisers
from .analysing.questions import Answer, question_of
from .processes import Failed
from .room.room import Room
from .room.state import RoomState
from .visitor import Visitor, check_player, checked_board

PIECE_MOVES = 8
"""Moves that are tried in one piece: less than a millisecond."""


class Advising:
    """The one who tells."""

    def __init__(self, advisers: Advisers) -> None:
        self._advisers = advisers

    async def answer(
        self, request: ask.Advise | ask.Finish, room: Room, visitor: Visitor
    ) -> replies.Advice | replies.Finishing:
        """The answer to somebody who plays in the room.

        Raises:
            Refused: He does not, or the room does not allow it, or there is nothing to be told.

        """
        check_player(room, visitor)
        index = _board(room.state, visitor)
        if isinstance(request, ask.Finish):
            return await _finish(room, index)
        return self._advise(request, room, visitor, index)

    def _advise(
        self, request: ask.Advise, room: Room, visitor: Visitor, index: int
    ) -> replies.Advice:
        state = room.state
        self._check_allowed(request, state, room.id)
        position = state.positions[index]

        def question() -> bytes:
            seed = f"{room.id} {index} {position.seq}"
            asked = question_of(request.what, state.game, position.board, seed)
            return msgspec.json.encode(asked)

        about = room.id, index, position.seq, request.what
        who, place = visitor.identity.id, visitor.place
        try:
            found = self._advisers.of(who, place, about, question)
        except Failed:
            message = "that could not be found out; try again later"
            raise Refused(ErrorCode.FORBIDDEN, message, room=room.id) from None
        said = replies.Advice(room=room.id, seq=room.seq, what=request.what)
        if found is None:
            return replace(said, retry_ms=AGAIN_MS)
        return _told(said, msgspec.json.decode(found, type=Answer), state, index)

    def _check_allowed(self, request: ask.Advise, state: RoomState, room: str) -> None:
        if not self._advisers.seconds:
            raise Refused(ErrorCode.FORBIDDEN, "this server gives no advice", room=room)
        if request.what == "move" and state.policy.advice is not True:
            raise Refused(ErrorCode.FORBIDDEN, "this room gives no advice", room=room)
        if request.what == "chances" and state.policy.casual is not True:
            message = "whether a game can still be won is told in casual rooms only"
            raise Refused(ErrorCode.FORBIDDEN, message, room=room)


def _board(state: RoomState, visitor: Visitor) -> int:
    """The board that somebody plays on.

    Raises:
        Refused: It is not being played.

    """
    who = visitor.identity.id
    index = checked_board(state, state.board_of(who), state.audience(who))
    if state.over or state.course.lines[index].status != "open":
        raise Refused(ErrorCode.GAME_OVER, "the game is over")
    return index


def _told(said: replies.Advice, found: Answer, state: RoomState, index: int) -> replies.Advice:
    """What was found, as it is told."""
    given = asdict(found)
    drag = None
    if found.move is not None:
        move = state.text.parse(found.move)
        assert not isinstance(move, Said), "a bot plays moves"
        drag = drag_of(state.game, state.positions[index].board.table, move)
    on_table = (drag.source, drag.target, drag.count) if drag else None
    return replace(said, drag=on_table, **given)


async def _finish(room: Room, index: int) -> replies.Finishing:
    """Whether the game plays itself from here on."""
    pace = room.live.pace

    def begun() -> tuple[int, Finishing]:
        seen = room.state.positions[index].board.remembered()
        return room.seq, Finishing(room.state.game, seen)

    seq, attempt = await pace.do(begun)
    while not attempt.over:
        await pace.do(lambda: attempt.go_on(PIECE_MOVES))
    moves = [room.state.text.write(move) for move in attempt.line]
    return replies.Finishing(room=room.id, seq=seq, moves=moves)
