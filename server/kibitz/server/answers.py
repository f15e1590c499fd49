"""What each request is answered with: roles and policies checked, rooms asked.

Promises: exactly one answer a request; whatever is refused changes nothing. Never: frames.
"""

from collections.abc import Mapping
from typing import Protocol

from msgspec.structs import replace

from kibitz.engine.drags import drag_of
from kibitz.engine.game import moves
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.table import redact_table
from kibitz.protocol import limits, replies
from kibitz.protocol import requests as ask
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.views import Action, GameInfo, LayoutPlace

from .crowd import Listener
from .identity import Identity
from .log import LogFailure
from .metrics import Metrics
from .past import Past
from .room import Room
from .rooms import Rooms
from .world import World

GAME_INFOS: Mapping[str, GameInfo] = {
    name: GameInfo(
        title=game.title,
        options=dict(game.options),
        layout=[LayoutPlace(p.pile, p.kind, p.column, p.row) for p in game.layout],  # type: ignore[arg-type]
        help=TEXTS[name].help,
        actions=[Action(action.line, action.label) for action in TEXTS[name].actions],
    )
    for name, game in GAMES.items()
}
LIMITS = {
    "frame": limits.MAX_FRAME,
    "save": limits.MAX_SAVE,
    "say": limits.MAX_SAY,
    "name": limits.MAX_NAME,
    "seats": limits.MAX_SEATS,
    "nesting": limits.MAX_NESTING,
}


class Visitor(Listener, Protocol):
    """What the answers need of a connection."""

    rooms: dict[str, Room]
    """The rooms it follows, by id."""
    lobby: bool
    """Whether it wants to be told of changes in the lobby."""


class Answers:
    """The one who answers."""

    def __init__(self, rooms: Rooms, past: Past, world: World, metrics: Metrics) -> None:
        self._rooms = rooms
        self._past = past
        self._world = world
        self._metrics = metrics
        self.draining = False

    def welcome(
        self, request: ask.Hello, who: Identity, token: str, server: str
    ) -> replies.Welcome:
        """The answer to ``hello``."""
        return replies.Welcome(
            i=request.i,
            you=replies.You(who.id, who.name),
            token=token,
            server=server,
            now=self._world.now_ms(),
            games=dict(GAME_INFOS),
            limits=LIMITS,
        )

    async def answer(self, request: ask.Request, visitor: Visitor) -> replies.Answer:
        """The answer to any other request.

        Raises:
            Refused: It is answered with an error.
            LogFailure: The log could not write; nothing has changed.

        """
        match request:
            case ask.Ping():
                heads = {id_: self._head(room) for id_, room in visitor.rooms.items()}
                return replies.Pong(now=self._world.now_ms(), heads=heads)
            case ask.Create():
                return await self._create(request, visitor)
            case ask.Fork():
                return await self._fork(request, self._followed(request, visitor), visitor)
            case ask.Join():
                return await self._join(request, visitor)
            case ask.Leave():
                return await self._leave(request, visitor)
            case ask.Rooms():
                return self._rooms.list(request)
            case ask.Lobby():
                visitor.lobby = request.on
                return replies.Ok()
            case ask.Say():
                room = self._followed(request, visitor)
                return await room.submit(request, visitor.identity)
            case ask.Move() | ask.Undo() | ask.Redo() | ask.Restart() | ask.Resign():
                return await self._change(request, visitor)
            case ask.Moves():
                return self._moves(self._followed(request, visitor))
            case ask.Save():
                return await self._save(request, self._followed(request, visitor), visitor)
            case ask.Cheat():
                return await self._cheat(request, self._followed(request, visitor), visitor)
            case ask.History():
                return await self._history(request, self._followed(request, visitor))
            case ask.ViewAt():
                room = self._followed(request, visitor)
                self._check_past(request.at, room)
                return await self._past.position(room, request.at)
            case ask.Replay():
                return await self._past.replay(request.text)
            case ask.Hello():
                raise AssertionError("the session lets hello through once")

    @staticmethod
    def _head(room: Room) -> tuple[int, str]:
        return room.seq, room.hash_at(room.seq)

    async def _create(self, request: ask.Create, visitor: Visitor) -> replies.Joined:
        if self.draining:
            raise Refused(ErrorCode.DRAINING, "the server is going down", retry_ms=1000)
        return await self._enter(
            await self._rooms.create(request, visitor.identity), request, visitor
        )

    async def _fork(self, request: ask.Fork, parent: Room, visitor: Visitor) -> replies.Joined:
        if self.draining:
            raise Refused(ErrorCode.DRAINING, "the server is going down", retry_ms=1000)
        if not parent.state.over:
            message = "only a finished game can be gone on with from its past"
            raise Refused(ErrorCode.FORBIDDEN, message, room=parent.id)
        self._check_past(request.at, parent)
        start = await self._past.start(parent, request.at)
        told = parent.state.visibility == "public"
        wish = ask.Create(
            i=request.i,
            game=start.game.name,
            visibility="public" if told and not request.unlisted else "unlisted",
        )
        room = await self._rooms.create(wish, visitor.identity, start)
        return await self._enter(room, request, visitor)

    @staticmethod
    def _check_past(seq: int, room: Room) -> None:
        if seq > room.seq:
            raise Refused(ErrorCode.BAD_OPTION, f"the room is at event {room.seq}", seq=room.seq)

    async def _enter(
        self, room: Room, request: ask.Create | ask.Fork, visitor: Visitor
    ) -> replies.Joined:
        """Let somebody into the room he made."""
        if request.seat:  # of a room made before under this name, somebody else may have it now
            await room.sit(visitor.identity)
        visitor.rooms[room.id] = room
        return await room.admit(visitor, "player" if request.seat else "spectator", None)

    async def _join(self, request: ask.Join, visitor: Visitor) -> replies.Joined:
        room = visitor.rooms.get(request.room) or await self._rooms.get(request.room)
        seated = room.state.seat_of(visitor.identity.id) is not None
        if request.room not in visitor.rooms and not seated:
            await self._rooms.check_password(room, request.password)
        visitor.rooms[room.id] = room
        if request.role == "player" and not seated:
            try:
                await room.sit(visitor.identity)
            except (Refused, LogFailure):
                if visitor not in room.crowd:
                    del visitor.rooms[room.id]
                raise
        return await room.admit(visitor, request.role, request)

    async def _leave(self, request: ask.Leave, visitor: Visitor) -> replies.Ok:
        room = visitor.rooms.get(request.room)
        if room is None:  # left already
            return replies.Ok(room=request.room)
        if room.crowd.role(visitor) == "player" and not room.state.over:
            await room.stand_up(visitor.identity)
        room.dismiss(visitor)
        del visitor.rooms[room.id]
        return replies.Ok(room=room.id)

    def _followed(self, request: ask.InRoom, visitor: Visitor) -> Room:
        room = visitor.rooms.get(request.room)
        if room is None:
            raise Refused(ErrorCode.NO_ROOM, "join the room first", room=request.room)
        return room

    @staticmethod
    def _check_player(room: Room, visitor: Visitor) -> None:
        seated = room.state.seat_of(visitor.identity.id) is not None
        if room.crowd.role(visitor) != "player" or not seated:
            raise Refused(ErrorCode.NOT_SEATED, "not allowed: you are watching", room=room.id)

    async def _change(
        self,
        request: ask.Move | ask.Undo | ask.Redo | ask.Restart | ask.Resign,
        visitor: Visitor,
    ) -> replies.Ok:
        room = self._followed(request, visitor)
        if done := room.answered(request, visitor.identity):
            return done
        self._check_player(room, visitor)
        with self._metrics.changes.time():
            return await room.submit(request, visitor.identity)

    def _moves(self, room: Room) -> replies.MoveList:
        state = room.state
        if not state.policy.hints:
            raise Refused(ErrorCode.FORBIDDEN, "this room gives no hints", room=room.id)
        board = state.positions[0].board
        legal = [] if state.over else moves(state.game, redact_table(board.table))
        drags = [drag_of(state.game, board.table, move) for move in legal]
        may_take_back = state.policy.undo and not state.over
        return replies.MoveList(
            room=room.id,
            seq=room.seq,
            moves=[state.text.write(move) for move in legal],
            drags=[(drag.source, drag.target, drag.count) if drag else None for drag in drags],
            undo=may_take_back and board.to_undo() is not None,
            redo=may_take_back and board.to_redo() is not None,
        )

    async def _save(self, request: ask.Save, room: Room, visitor: Visitor) -> replies.Saved:
        if not room.state.over:
            self._check_player(room, visitor)
            if not room.state.policy.save:
                raise Refused(ErrorCode.FORBIDDEN, "this room allows no saves", room=room.id)
            await self._note(room, "saved", visitor, request)
        return replies.Saved(room=room.id, text=room.save_text())

    async def _cheat(self, request: ask.Cheat, room: Room, visitor: Visitor) -> replies.Position:
        if room.state.over:
            return room.position()
        self._check_player(room, visitor)
        if not room.state.policy.cheat:
            raise Refused(ErrorCode.FORBIDDEN, "this room allows no cheating", room=room.id)
        await self._note(room, "cheated", visitor, request)
        return replace(room.position(), view=room.state.open_view())

    @staticmethod
    async def _note(room: Room, kind: str, visitor: Visitor, request: ask.Save | ask.Cheat) -> None:
        """Let everybody see it; asked again under its name, only if the room has gone on."""
        done = room.answered(request, visitor.identity)
        if done is None or done.seq != room.seq:
            await room.note(kind, visitor.identity, None if done else request)

    @staticmethod
    async def _history(request: ask.History, room: Room) -> replies.EventList:
        if request.open and not room.state.over:
            message = "the cards are opened when the game has ended"
            raise Refused(ErrorCode.FORBIDDEN, message, room=room.id)
        end = room.seq if request.to is None else min(request.to, room.seq)
        to = min(end, request.from_ + request.limit - 1)
        read = room.opened_events if request.open else room.events
        events = await read(request.from_ - 1, to) if to >= request.from_ else []
        return replies.EventList(room=room.id, events=events, next=to + 1 if to < end else None)
