"""What each request is answered with: roles and policies checked, rooms asked.

Promises: exactly one answer a request; whatever is refused changes nothing. Never: frames.
"""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import cast

from msgspec.structs import replace

from kibitz.protocol import replies
from kibitz.protocol import requests as ask
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.games import GameInfo
from kibitz.protocol.views import Policy, Role, Visibility

from .access.roles import GUEST_ROLES
from .admin.administration import Administration
from .admin.bans import Bans
from .advising import Advising
from .analysing.advisers import Advisers
from .analysing.analyses import Analyses
from .bots.house import House
from .identity import Identity
from .lobby.rooms import Rooms
from .log.log import LogFailure
from .offered import GAMES_ENCODED, limits_with
from .operation.metrics import Metrics
from .reading import Reading
from .room.decide import check_open
from .room.past import Past
from .room.room import Room
from .storage.kept import PutAway
from .visitor import Visitor, asker_of, check_past, check_player, check_visitor
from .world import World

RoomCommand = (
    ask.Move | ask.Undo | ask.Redo | ask.Restart | ask.Say | ask.Ready | ask.Comments | ask.Steer
)
"""Requests that are decided by the room alone."""


class Answers:
    """The one who answers."""

    def __init__(
        self,
        rooms: Rooms,
        past: Past,
        world: World,
        metrics: Metrics,
        bans: Bans,
        administration: Administration,
        analyses: Analyses,
        advisers: Advisers,
        house: House,
    ) -> None:
        self._rooms = rooms
        self._past = past
        looking = rooms.winnable.seconds if rooms.winnable else 0
        self._limits = limits_with(house.limits, analyses.seconds, advisers.seconds, looking)
        self._house = house
        self._advising = Advising(advisers)
        self._reading = Reading(past)
        self._world = world
        self._metrics = metrics
        self._bans = bans
        self._administration = administration
        self.draining = False

    def welcome(
        self, request: ask.Hello, visitor: Visitor, token: str, server: str
    ) -> replies.Welcome:
        """The answer to ``hello``."""
        roles = visitor.identity.roles
        return replies.Welcome(
            i=request.i,
            you=replies.You(visitor.identity.id, visitor.identity.name),
            token=token,
            server=server,
            now=self._world.now_ms(),
            games=cast(dict[str, GameInfo], GAMES_ENCODED[visitor.encoding]),
            limits=self._limits,
            expires=visitor.identity.expires,
            roles=None if roles == GUEST_ROLES else sorted(roles),
        )

    def take(
        self,
        request: RoomCommand,
        visitor: Visitor,
        answer: Callable[[replies.Ok | Exception], None],
    ) -> None:
        """Have a command done; ``answer`` is told how it went, perhaps at once.

        Raises:
            Refused: It is answered with an error.

        """
        check_visitor(request, visitor)
        room, who = self._followed(request, visitor), visitor.identity
        if not isinstance(request, ask.Say):
            if done := room.answered(request, who):
                answer(done)
                return
            check_player(room, visitor)
        elif (ban := self._bans.muted(who.id)) and not room.answered(request, who):
            raise self._bans.refused(ban, room.id)
        timed = partial(self._timed, self._world.monotonic(), answer)
        room.take(request, who, timed, visitor.count_work)

    def _timed(
        self,
        begun: float,
        answer: Callable[[replies.Ok | Exception], None],
        outcome: replies.Ok | Exception,
    ) -> None:
        if isinstance(outcome, replies.Ok):
            self._metrics.ok.observe(self._world.monotonic() - begun)
        answer(outcome)

    def at_once(self, request: ask.Request, visitor: Visitor) -> replies.Answer | None:
        """The answer to a request for which nothing has to be waited, if it is one.

        Raises:
            Refused: It is answered with an error.

        """
        check_visitor(request, visitor)
        match request:
            case ask.Join():
                return self._look_on(request, visitor)
            case ask.Ping():
                heads = {id_: self._head(room, visitor) for id_, room in visitor.rooms.items()}
                return replies.Pong(now=self._world.now_ms(), heads=heads)
            case ask.Pledge():
                return replies.Pledged(pledge=visitor.pledge.given(self._world.random_bytes))
            case ask.Rooms():
                return self._rooms.listing.at_once(request)
            case ask.Daily():
                return self._rooms.days.table(request, visitor.identity.id)
            case ask.Invite():
                return self._invite(request, visitor)
            case ask.Lobby():
                visitor.lobby = request.on
                return replies.Ok()
            case ask.Tv():
                visitor.tv, visitor.on_air = request.on, ""
                return replies.Ok()
            case _:
                return None

    async def answer(self, request: ask.Request, visitor: Visitor) -> replies.Answer:
        """The answer to any other request: one that :meth:`at_once` let pass.

        Raises:
            Refused: It is answered with an error.
            LogFailure: The log could not write; nothing has changed.

        """
        match request:
            case ask.Create() | ask.Fork() | ask.Rematch() | ask.Present():
                return await self._new_room(request, visitor)
            case ask.Join():
                return await self._join(request, visitor)
            case ask.Leave():
                return await self._leave(request, visitor)
            case ask.Rooms():
                return await self._rooms.listing.page(request)
            case ask.Replay():
                return await self._past.replay(request.text, visitor.encoding)
            case ask.Moves() | ask.Save() | ask.Cheat() | ask.History() | ask.ViewAt():
                room = self._followed(request, visitor)
                return await self._reading.answer(request, room, visitor)
            case ask.Advise() | ask.Finish():
                room = self._followed(request, visitor)
                return await self._advising.answer(request, room, visitor)
            case ask.Resign():
                return await self._resign(request, visitor)
            case ask.SeatBot() | ask.Think():
                room = self._followed(request, visitor)
                return await self._house.answer(request, room, visitor)
            case ask.Admin():
                return await self._administration.answer(request, visitor)
            case _:
                raise AssertionError("it is a command, or answered at once")

    @staticmethod
    def _head(room: Room, visitor: Visitor) -> tuple[int, str]:
        stage = room.people.stage(visitor.identity.id)
        return stage.seq, stage.hash_at(stage.seq)

    async def _new_room(
        self, request: ask.Create | ask.Fork | ask.Rematch | ask.Present, visitor: Visitor
    ) -> replies.Joined:
        if self.draining:
            raise Refused(ErrorCode.DRAINING, "the server is going down", retry_ms=1000)
        visitor.check_follow(None)
        who, sit = visitor.identity, True
        match request:
            case ask.Create(daily=True, seat=sit):
                room = await self._rooms.daily(request, who)
            case ask.Create(seat=sit):
                room = await self._rooms.create(
                    request, who, pledge=visitor.pledge, asker=asker_of(visitor)
                )
            case ask.Fork(seat=sit):
                room = await self._fork(request, self._followed(request, visitor), visitor)
            case ask.Rematch():
                room = await self._rematch(request, self._followed(request, visitor), visitor)
            case ask.Present():
                room = await self._present(request, self._followed(request, visitor), visitor)
        with room.coming():
            if sit:
                try:
                    await room.sit(who)
                except Refused:  # made before under this name; somebody else has the seat now
                    sit = False
            visitor.follow(room)
            joined = await room.people.admit(visitor, "player" if sit else "spectator", None)
        self._house.wake(room, visitor)
        return joined

    async def _fork(self, request: ask.Fork, parent: Room, visitor: Visitor) -> Room:
        stage = parent.people.stage(visitor.identity.id)
        check_open(stage.state)
        state, live = parent.state, not stage.state.over
        if live and not parent.people.is_seated(visitor.identity.id):
            message = "not allowed: only its player can go on from a live game"
            raise Refused(ErrorCode.NOT_SEATED, message, room=parent.id)
        if live and (state.mode not in ("solo", "coop") or not state.policy.undo):
            message = "this game can be gone on with from its past when it has ended"
            raise Refused(ErrorCode.FORBIDDEN, message, room=parent.id)
        if self._rooms.days.is_shut(state):
            message = "the deal of the day can be gone on with when the day is over"
            raise Refused(ErrorCode.FORBIDDEN, message, room=parent.id)
        at = request.at or stage.state.dealt
        check_past(stage, at)
        own = state.board_of(visitor.identity.id)
        board = own if request.board is None else request.board
        start = await self._past.start(parent, at, board)
        if live or state.secret.parent:
            root = state.secret.parent or parent.id
            policy = replace(state.policy, save=False, cheat=False)
            start = dataclasses.replace(start, parent=root, policy=policy)
        elif not parent.people.disclosed:  # nor is what is made of it shown sooner
            start = dataclasses.replace(start, policy=Policy(delay=state.policy.delay))
        hidden = live or request.unlisted or state.visibility != "public"
        seen: Visibility = "private" if state.closed else "unlisted" if hidden else "public"
        wish = ask.Create(i=request.i, game=start.game.name, visibility=seen)
        told = {name: True for name in ("advice", "casual") if getattr(state.policy, name) is True}
        if told:
            wish = replace(wish, policy=ask.PolicyWish(**told))
        return await self._rooms.create(wish, visitor.identity, start)

    async def _rematch(self, request: ask.Rematch, room: Room, visitor: Visitor) -> Room:
        check_player(room, visitor)
        return await self._rooms.rematch(room, visitor.identity, request, asker_of(visitor))

    async def _present(self, request: ask.Present, room: Room, visitor: Visitor) -> Room:
        state = room.people.stage(visitor.identity.id).state
        if not room.people.disclosed or state.mode == "replay":
            message = "only a finished game can be shown"
            raise Refused(ErrorCode.FORBIDDEN, message, room=room.id)
        if state.closed or self._rooms.days.is_shut(state):
            message = "this game is not for everybody to see"
            raise Refused(ErrorCode.FORBIDDEN, message, room=room.id)
        return await self._rooms.present(request, room, visitor.identity)

    def _look_on(self, request: ask.Join, visitor: Visitor) -> replies.Joined | None:
        """Let somebody in who is new here and only wants to see how things are."""
        room = self._rooms.at_hand(request.room)
        if room is None or request.room in visitor.rooms:
            return None
        if request.role == "player" or request.from_ is not None or room.state.closed:
            return None
        self._rooms.days.check(room.state, visitor.identity.id)
        visitor.check_follow(room.id)
        joined = room.people.enter(visitor, request.role)
        visitor.follow(room)
        return joined

    async def _join(self, request: ask.Join, visitor: Visitor) -> replies.Joined:
        room = visitor.rooms.get(request.room) or await self._rooms.get(request.room)
        with room.coming():
            if (seen := request.from_ or 0) > room.seq:  # on another server
                await room.catch_up(seen)
            joined = await self._come_in(room, request, visitor)
        self._house.wake(room, visitor)
        return joined

    async def _come_in(self, room: Room, request: ask.Join, visitor: Visitor) -> replies.Joined:
        seated = room.people.is_seated(visitor.identity.id)
        sits = request.role == "player" and not seated
        if sits and visitor.identity.bot:
            raise Refused(ErrorCode.NOT_SEATED, "that bot has no seat here", room=room.id)
        if sits and (ban := self._bans.kicked(room.id, visitor.identity.id)):
            raise self._bans.refused(ban, room.id)  # before keys: whoever lost his seat had one
        if request.room not in visitor.rooms:
            self._rooms.days.check(room.state, visitor.identity.id)
            if not seated:
                visitor.check_follow(room.id)
        there = room.people.role(visitor) is not None
        allowed = await self._let_in(room, request, visitor, there) if not seated else None
        visitor.follow(room)
        try:
            if sits:
                await self._sit(room, visitor.identity)
            joined = await room.people.admit(visitor, request.role, request)
            visitor.count_events(len(joined.events or ()))
            if allowed is not None:
                visitor.passes[room.id] = allowed
            return joined
        except (Refused, LogFailure):
            if not there:
                visitor.unfollow(room.id)
            raise

    async def _let_in(
        self, room: Room, request: ask.Join, visitor: Visitor, there: bool
    ) -> Role | None:
        """What somebody without a seat may be in a room, if that is not what he likes.

        Raises:
            Refused: Nothing, or not what he wants.

        """
        if not room.state.closed:
            return None
        if room.state.owner == visitor.identity.id:
            return "player"
        may_be = visitor.passes.get(room.id) or ("spectator" if there else None)
        entrance = self._rooms.entrance
        return await entrance.check(
            *(room.id, room.state, request, may_be), is_gone=lambda: visitor.is_gone
        )

    def _invite(self, request: ask.Invite, visitor: Visitor) -> replies.Invited:
        room, who = self._followed(request, visitor), visitor.identity.id
        if not room.people.is_seated(who) and room.state.owner != who:
            message = "not allowed: only who plays here invites others"
            raise Refused(ErrorCode.NOT_SEATED, message, room=room.id)
        if not room.state.closed:
            message = "this room needs no invite: its link lets everybody in"
            raise Refused(ErrorCode.BAD_OPTION, message, room=room.id)
        key = self._rooms.entrance.invite(room.id, room.state, request.role)
        return replies.Invited(room=room.id, role=request.role, invite=key)

    async def _sit(self, room: Room, who: Identity) -> None:
        now = self._world.now_ms()
        if not room.state.over and (over := self._rooms.held.seats.over(who.id, now)):
            raise over.full(room.id)
        await room.sit(who)
        self._rooms.held.seats.add(who.id, room.id, now)

    async def _leave(self, request: ask.Leave, visitor: Visitor) -> replies.Ok:
        room = visitor.rooms.get(request.room)
        if room is None:  # left already
            return replies.Ok(room=request.room)
        if room.people.role(visitor) == "player" and not room.state.over:
            await room.stand_up(visitor.identity, visitor)
            if not room.people.is_seated(visitor.identity.id):
                self._rooms.held.seats.remove(visitor.identity.id, room.id)
        room.dismiss(visitor)
        visitor.unfollow(room.id)
        return replies.Ok(room=room.id)

    def _followed(self, request: ask.InRoom, visitor: Visitor) -> Room:
        room = visitor.rooms.get(request.room)
        if room is None:
            raise Refused(ErrorCode.NO_ROOM, "join the room first", room=request.room)
        return room

    async def _resign(self, request: ask.Resign, visitor: Visitor) -> replies.Ok:
        room = self._followed(request, visitor)
        if done := room.answered(request, visitor.identity):
            return done
        check_player(room, visitor)
        await self._check_parent(room)
        return await room.submit(request, visitor.identity)

    async def _check_parent(self, room: Room) -> None:
        """Let nobody open the cards of a live game by giving up in a fork of it.

        Raises:
            Refused: The game is still being played.

        """
        root = room.state.secret.parent
        if root is None:
            return
        try:
            disclosed = (await self._rooms.get(root)).people.disclosed
        except PutAway:  # nobody can go on with it
            return
        if not disclosed:
            message = "the game that this was forked from has not ended: leave it instead"
            raise Refused(ErrorCode.FORBIDDEN, message, room=room.id)
