"""What a player, most often a bot, thinks of the moves on his board, shown to those who see it.

Promises: it is shown to nobody who may not see that board now, and not before it is; a text in it
is a move of the game, in its notation, and nothing else; nothing is written down. Never: whether
that is wise.
"""

from kibitz.engine.text import InputError
from kibitz.engine.text import Request as Said
from kibitz.protocol import requests as ask
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.replies import Thought

from ..room.room import Room
from ..room.state import RoomState
from ..visitor import Visitor, check_player


def thought_of(request: ask.Think, room: Room, visitor: Visitor) -> Thought:
    """What somebody thinks, as it is shown.

    Raises:
        Refused: He does not play here, or not now, or says something that is no move.

    """
    check_player(room, visitor)
    state = room.state
    index = state.board_of(visitor.identity.id)
    if state.over or state.mode == "replay" or not state.course.is_released():
        raise Refused(ErrorCode.ILLEGAL, "nothing is played here now", room=room.id)
    if state.course.lines[index].status != "open":
        raise Refused(ErrorCode.GAME_OVER, "your game is over", room=room.id)
    moves = [(_move(state, text), value) for text, value in request.moves]
    return Thought(room=room.id, board=index, seq=room.seq, moves=moves)


def show(thought: Thought, room: Room) -> None:
    """Show it to those who are here and see that board, if there is one as far as is known here."""
    if thought.board >= len(room.state.course.lines) or not room.state.course.is_released():
        return
    room.people.share(thought)
    if not room.people.sees_at_once(None):
        room.on_change(room)  # it is to be woken when that is due


def _move(state: RoomState, text: str) -> str:
    """A move as the game writes it.

    Raises:
        Refused: The text is none.

    """
    try:
        move = state.text.parse(text)
    except InputError as error:
        message = str(error) or "an empty line is no move"
        raise Refused(ErrorCode.BAD_MOVE, message) from None
    if isinstance(move, Said):
        raise Refused(ErrorCode.BAD_MOVE, f"{move.word} is a request of its own, not a move")
    return state.text.write(move)
