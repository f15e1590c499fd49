"""The way into a room that is closed: by a seat, a password, or an invite for a role.

An invite is a key that follows from a secret of this deployment, the room and the role; of a
series, from its first room, so that it lets into all of them. Promises: nothing is stored; no key
tells of another, and nothing that a finished game opens tells of any; a key for lookers-on gives
no seat, by whatever way. Never: leave a hash to be made for somebody who is gone.
"""

import asyncio
import base64
import hmac
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, get_args

from kibitz.protocol import requests as ask
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.views import Role

from ..log.log import EventLog
from ..room.passwords import hash_password, is_password
from ..room.state import RoomState
from ..world import World

SECRET = "invites"
"""The name of the secret in the log."""
SECRET_BYTES = 32
KEY_BYTES = 16
SALT_BYTES = 16

A = TypeVar("A")
B = TypeVar("B")


class Entrance:
    """Whoever lets people in."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.secret = b""
        """What only this deployment knows; set when the log has been opened."""
        self._turn = asyncio.Semaphore(1)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="kibitz-hash")
        """One thread: the memory that a hash takes, 16 MiB, is taken once."""

    async def open(self, log: EventLog) -> None:
        """Learn the secret from which all keys follow."""
        self.secret = await log.secret(SECRET, self._world.random_bytes(SECRET_BYTES))

    def invite(self, room: str, state: RoomState, role: Role) -> str:
        """The key that lets somebody into a room as a player, or as one who looks on."""
        series = state.course.series
        first = series.first if series else room
        digest = hmac.digest(self.secret, f"{role}\0{first}".encode(), "sha256")
        return base64.b32encode(digest[:KEY_BYTES]).decode().lower().rstrip("=")

    def invited(self, room: str, state: RoomState, key: str | None) -> Role | None:
        """What a key lets somebody be in a room; ``None``: nothing."""
        if key is None:
            return None
        given, found = key.encode("utf-8", "surrogatepass"), None
        for role in get_args(Role):
            if hmac.compare_digest(self.invite(room, state, role).encode(), given):
                found = role
        return found

    async def check(
        self,
        room: str,
        state: RoomState,
        request: ask.Join,
        there: Role | None,
        is_gone: Callable[[], bool],
    ) -> Role:
        """Let somebody in who has no seat; the most that he may be from now on.

        Args:
            room: The room.
            state: The room, too.
            request: What he shows.
            there: What he may be already, on this connection.
            is_gone: Whether he is gone meanwhile.

        Raises:
            Refused: It is not enough for what he wants.

        """
        invited = self.invited(room, state, request.invite)
        if "player" in (there, invited):
            return "player"
        if request.role == "spectator" and "spectator" in (there, invited):
            return "spectator"
        kept, password = state.secret.password, request.password
        if kept is None or password is None:
            raise Refused(ErrorCode.FORBIDDEN, _why_not(state, there or invited), room=room)
        if await self._hash(is_password, password, kept, is_gone):
            return "player"
        raise Refused(ErrorCode.FORBIDDEN, "that is not the room's password", room=room)

    def check_key(self, room: str, state: RoomState, key: str | None) -> None:
        """Let somebody look who shows a key, or nothing.

        Raises:
            Refused: It is not enough.

        """
        if self.invited(room, state, key) is None:
            raise Refused(ErrorCode.FORBIDDEN, _why_not(state, None), room=room)

    async def hash(self, password: str, is_gone: Callable[[], bool]) -> str:
        """The form of a password to be kept."""
        salt = self._world.random_bytes(SALT_BYTES)
        return await self._hash(hash_password, password, salt, is_gone)

    async def _hash(
        self, work: Callable[[str, A], B], password: str, other: A, is_gone: Callable[[], bool]
    ) -> B:
        """Slow work on passwords, one at a time: who tries many waits behind himself."""
        async with self._turn:
            if is_gone():
                raise Refused(ErrorCode.FORBIDDEN, "nobody waits for it any more")
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._worker, work, password, other)


def _why_not(state: RoomState, has: Role | None) -> str:
    if has is not None:
        return "this invite is for looking on"
    if state.secret.password is not None:
        return "this room has a password"
    return "this room is by invitation"
