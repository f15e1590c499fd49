"""A replay room: many look at the same moment of a finished game, one holds the controls.

Promises: everybody is in step by the server's clock, whenever he came; keys of whoever holds the
controls do for all what they do in ``kibitz replay``.
"""

from kibitz.protocol.codes import ErrorCode
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.playhead import due_at, position_at
from kibitz.protocol.replies import Error, Notice, TvRoom
from kibitz.protocol.views import Control, Event, Recorded

from ..pushes import Link, Push, Pushes
from ..scene import Scene
from ..session import Client, Refused
from ..telling import noticed, told
from .controls import HINT, QUIT, Controls, Wish
from .keys import Keys
from .reels import Rooms
from .remark import Remark
from .replay import Show, print_frames
from .screen import Screen
from .waiting import first_of

LOOKING = "others hold the controls · o: open · "
NOBODY = "nobody holds the controls: `kibitz present {}` takes them · o: open · "


class Follow:
    """One replay room, followed."""

    def __init__(self, client: Client, mirror: Mirror, screen: Screen, keys: Keys) -> None:
        self._client = client
        self._mirror = mirror
        self._screen = screen
        self._keys = keys
        self._controls = Controls()
        self._remark = Remark(client, mirror, screen)
        self._printed = 0

    @property
    def _recorded(self) -> Recorded:
        recorded = self._mirror.course.recorded
        assert recorded, "a replay room shows something"
        return recorded

    @property
    def _now(self) -> int:
        return self._client.now - self._mirror.info.started

    async def run(
        self, pushes: Pushes, board: int | None = None, opened: bool = False
    ) -> str | None:
        """Show it until a key says that it is enough, or we are told of a better room.

        Raises:
            Refused: The game that it shows is not for us, or the room is lost.

        """
        reels = Rooms(self._client, self._recorded.room)
        show = Show(await reels.load(opened), self._screen)
        show.film.board = board or 0
        while True:
            recorded, film = self._recorded, show.film
            at = position_at(recorded, film.times, self._now)
            self._draw(show, at)
            due = due_at(recorded, film.times, at + 1)
            seconds = None if due is None else max(due - self._now, 1) / 1000
            await first_of(pushes.ready(), self._keys.ready(), seconds=seconds)
            for push in pushes.waiting():
                if room := self._take(push):
                    return room
            for key in self._keys.waiting():
                if self._controls.typed is None and await self._remark.press(key):
                    continue
                film, control = show.film, self._recorded.control
                at = position_at(self._recorded, film.times, self._now)
                match self._controls.press(key, control, at, film):
                    case Wish.QUIT:
                        return None
                    case Wish.OPEN:
                        show.film = await reels.load(not film.opened)
                        show.film.board = film.board
                    case Wish.BOARD:
                        film.board = (film.board + 1) % film.boards
                    case Control() as said if self._mirror.seat:
                        await self._client.control(self._mirror.room, said)

    def _draw(self, show: Show, at: int) -> None:
        if self._screen.in_place:
            held = any(seat.id for seat in self._mirror.seats)
            looking = LOOKING if held else NOBODY.format(self._mirror.room)
            looking += self._remark.hint + QUIT
            keys = HINT if self._mirror.seat else looking
            foot = self._remark.asks or self._controls.asks or keys if self._keys.on else ""
            show.draw(at, self._recorded.control, *([foot] if foot else []))
            return
        if at == self._printed:
            return
        on = self._printed and at > self._printed
        print_frames(
            show.film, self._printed + 1 if on else show.film.start_of(at), at, self._screen
        )
        self._printed = at

    def _take(self, push: Push) -> str | None:
        """Take in what the server tells; the room to look at from now on, if it says one."""
        match push:
            case Link():
                self._screen.link(push)
            case Error(room=room) if room == self._mirror.room:
                raise Refused(push.code, push.message, room=room)
            case TvRoom(room=info) if info is not None and info.id != self._mirror.room:
                return info.id
            case Notice(text=text):
                self._screen.note(noticed(text))
            case Event(room=room, kind="closed") if room == self._mirror.room:
                raise Refused(
                    ErrorCode.GAME_OVER, told(Scene.of(self._mirror), push) or "", room=room
                )
            case Event(room=room, kind="say") if room == self._mirror.room:
                self._screen.note(f"{push.name}: {push.text}")
        return None


async def present(
    client: Client, room: str, screen: Screen, keys: Keys, *, unlisted: bool, where: str
) -> None:
    """Show a finished game to others, or take over the controls of a replay room.

    Raises:
        Refused: There is no such game, or it has not ended.

    """
    pushes = client.events()
    looked = await client.join(room)
    if looked.view.mode == "replay":
        mirror = await client.join(room, "player")
    else:
        mirror = await client.present(room, unlisted)
    screen.note(f"others watch it with: kibitz watch {mirror.room}{where}")
    await Follow(client, mirror, screen, keys).run(pushes)
    await client.leave(mirror.room)  # so that somebody else may take the controls
