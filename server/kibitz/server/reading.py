"""What is answered to those who want to see something: hints, saves, the past.

Promises: nobody is shown what his audience may not see, nor what lies beyond his stage. Never:
change anything, but for the events that say that somebody saved or looked at all cards.
"""

from typing import Literal, cast

from msgspec.structs import replace

from kibitz.engine.drags import drag_of
from kibitz.engine.game import moves
from kibitz.engine.table import redact_table
from kibitz.protocol import replies
from kibitz.protocol import requests as ask
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.views import Event

from .room.decide import check_open
from .room.past import Past
from .room.room import Room
from .room.saving import save_text
from .room.stage import Stage
from .room.told import Told
from .visitor import Visitor, check_past, check_player, checked_board

Request = ask.Moves | ask.Save | ask.Cheat | ask.History | ask.ViewAt


class Reading:
    """The one who shows."""

    def __init__(self, past: Past) -> None:
        self._past = past
        self._told = Told()

    async def answer(
        self,
        request: Request,
        room: Room,
        visitor: Visitor,
    ) -> replies.Answer:
        """The answer to somebody in the room.

        Raises:
            Refused: It is not for him, or not there.

        """
        stage = room.people.stage(visitor.identity.id)
        match request:
            case ask.Moves(board=board):
                return self._moves(stage, self._board(stage, board, visitor))
            case ask.Save(board=board):
                self._may_save(room, stage, visitor)
                index = self._board(stage, board, visitor)
                text = save_text(room.state, index, request.format)
                if not stage.state.ended:
                    await self._note(room, "saved", visitor, request)
                return replies.Saved(room=room.id, text=text)
            case ask.Cheat():
                return await self._cheat(request, room, stage, visitor)
            case ask.History():
                return await self._history(request, stage, visitor)
            case ask.ViewAt():
                check_past(stage, request.at)
                audience = stage.state.audience(visitor.identity.id)
                return await self._past.position(room, request.at, audience)

    @staticmethod
    def _board(stage: Stage, board: int | None, visitor: Visitor) -> int:
        """The board that is meant: one that this visitor sees, and that has cards.

        Raises:
            Refused: It is none.

        """
        state, who = stage.state, visitor.identity.id
        index = state.board_of(who) if board is None else board
        return checked_board(state, index, state.audience(who))

    @staticmethod
    def _moves(stage: Stage, index: int) -> replies.MoveList:
        state = stage.state
        if not state.policy.hints:
            raise Refused(ErrorCode.FORBIDDEN, "this room gives no hints", room=stage.id)
        board, over = state.positions[index].board, state.course.lines[index].status != "open"
        legal = [] if over else moves(state.game, redact_table(board.table))
        drags = [drag_of(state.game, board.table, move) for move in legal]
        may_take_back = state.policy.undo and not over
        return replies.MoveList(
            room=stage.id,
            seq=stage.seq,
            moves=[state.text.write(move) for move in legal],
            drags=[(drag.source, drag.target, drag.count) if drag else None for drag in drags],
            undo=may_take_back and board.to_undo() is not None,
            redo=may_take_back and board.to_redo() is not None,
        )

    @staticmethod
    def _may_save(room: Room, stage: Stage, visitor: Visitor) -> None:
        if stage.state.ended:
            return
        check_player(room, visitor)
        check_open(stage.state)
        if not room.state.policy.save:
            raise Refused(ErrorCode.FORBIDDEN, "this room allows no saves", room=room.id)

    async def _cheat(
        self, request: ask.Cheat, room: Room, stage: Stage, visitor: Visitor
    ) -> replies.Position:
        audience = stage.state.audience(visitor.identity.id)
        if stage.state.ended:
            return stage.position(audience)
        check_player(room, visitor)
        check_open(stage.state)
        if not room.state.policy.cheat:
            raise Refused(ErrorCode.FORBIDDEN, "this room allows no cheating", room=room.id)
        await self._note(room, "cheated", visitor, request)
        return replace(stage.position(audience), view=room.state.open_view())

    @staticmethod
    async def _note(
        room: Room,
        kind: Literal["saved", "cheated"],
        visitor: Visitor,
        request: ask.Save | ask.Cheat,
    ) -> None:
        """Let everybody see it; asked again under its name, only if the room has gone on."""
        done = room.answered(request, visitor.identity)
        if done is None or done.seq != room.seq:
            await room.note(kind, visitor.identity, None if done else request)

    async def _history(
        self, request: ask.History, stage: Stage, visitor: Visitor
    ) -> replies.EventList:
        if request.open and not stage.state.ended:
            message = "the cards are opened when the game has ended"
            raise Refused(ErrorCode.FORBIDDEN, message, room=stage.id)
        end = stage.seq if request.to is None else min(request.to, stage.seq)
        to, after = min(end, request.from_ + request.limit - 1), request.from_ - 1
        audience = None if request.open else stage.state.audience(visitor.identity.id)
        raw, named = await self._told.events(stage, after, to, audience, visitor.encoding)
        events = cast(list[Event], raw)
        answer = replies.EventList(room=stage.id, events=events, next=to + 1 if to < end else None)
        if not request.proofs:
            return answer
        tree = await stage.pace.do(stage.state.tree)
        return answer if tree is None else replace(answer, openings=tree.openings(named))
