"""Where films come from: a replay text, a replay as JSON, a room.

Promises: of a text as much as fits, and then why no more; of a room whatever the server lets us
see.
"""

import asyncio
import copy
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

import msgspec

from kibitz.engine import replays
from kibitz.engine.board import KINDS, Board
from kibitz.engine.games import GAMES
from kibitz.engine.replays import MAX_REPLAY, Replay, ReplayError
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.views import Event

from ..archived import is_archived
from ..film import Film, Frame, Text, from_events
from ..nonsense import NONSENSE, check_shape, said_of
from ..scene import Scene
from ..session import Client
from .files import read_text

STEP = 1000
"""Milliseconds between the steps of a replay that does not tell when they happened."""
STEPS = "step"
"""What the frames of such a replay are called: events have other numbers."""
MAX_JSON = 64 * 2**20
"""The most that is read of a replay as JSON, in bytes."""


class StillRunning(ValueError):
    """A replay of a game that had not ended yet: nobody may know all its cards."""

    def __init__(self, replay: Replay) -> None:
        room = replay.headers.get("room", "ROOM")
        super().__init__(
            "this game was still running when it was written down: cards are hidden; see the room "
            f"with `kibitz replay {room}`, or download it again when the game has ended"
        )


class NeverEnded(StillRunning):
    """A game that had not ended when its room was archived: nobody will know all its cards."""

    def __init__(self, room: str) -> None:
        ValueError.__init__(
            self,
            f"this game never ended, and its room is archived: cards are hidden for ever; what was "
            f"seen of it can be read at /rooms/{room}/replay.txt",
        )


class _Whole(msgspec.Struct):
    """A replay as JSON."""

    game: str
    events: list[Event]
    room: str = ""
    open: list[Event] = []


class Reel(Protocol):
    """The films of one game: as it was played, and with all cards open."""

    async def load(self, opened: bool) -> Film:
        """One of them; it is made when it is asked for first, and others have their turns."""
        ...

    @property
    def text(self) -> Text | None:
        """How to get the replay text of a board; ``None``: there is none."""
        ...


class Files:
    """The films in a file: of a replay text, or of a replay as JSON."""

    def __init__(self, path: Path) -> None:
        """Read the file; what stands in it is looked at when a film is asked for.

        Raises:
            OSError: It cannot be read.

        """
        self._name = path.name
        self._text = read_text(path, MAX_JSON)
        self._is_json = self._text.lstrip()[:1] == "{"
        self._films: dict[bool, Film] = {}

    @property
    def text(self) -> Text | None:
        """How to get the replay text of a board; ``None``: there is none."""
        return None if self._is_json else self._whole

    async def _whole(self, board: int) -> str:
        return self._text

    async def load(self, opened: bool) -> Film:
        """One of them.

        Raises:
            ReplayError: It is neither.
            StillRunning: It is a text that does not show all cards.

        """
        if not self._films:
            played, again = await (self._told() if self._is_json else self._filmed())
            self._films = {False: played, True: again}
        film = self._films[opened]
        film.opened = opened
        return film

    async def _told(self) -> tuple[Film, Film]:
        whole = await asyncio.to_thread(_whole, self._text)
        played = await told_by(whole.events, Scene(whole.room, whole.game))
        if not whole.open:
            return played, played
        return played, await told_by(whole.open, Scene(whole.room, whole.game))

    async def _filmed(self) -> tuple[Film, Film]:
        replay, film = await asyncio.to_thread(shown, self._text), Film(unit=STEPS)
        try:
            await film.take(from_text(replay, self._name))
        except ReplayError as error:
            if not film.last:
                raise
            film.faults.append(str(error))
        return film, film


async def told_by(events: Iterable[Event], scene: Scene) -> Film:
    """The film of some events, up to the first that cannot have happened so.

    Raises:
        ReplayError: That is the very first.

    """
    film = Film()
    try:
        await film.take(_checked(events, scene))
    except NONSENSE as error:
        fault = f"event {film.last + 1} cannot have happened so: {said_of(error)}"
        if not film.last:
            raise ReplayError(1, 1, fault) from None
        film.faults.append(fault)
    return film


def _checked(events: Iterable[Event], scene: Scene) -> Iterator[Frame]:
    piles = {place.pile for place in GAMES[scene.game].layout}
    for frame in from_events(events, scene):
        if any(seen.table.piles.keys() not in (set(), piles) for seen in scene.boards):
            raise ValueError("these are not the piles of the game")
        yield frame


def _whole(text: str) -> _Whole:
    try:
        plain = msgspec.json.decode(text)
        check_shape(plain)
        whole = msgspec.convert(plain, _Whole)
    except RecursionError:
        raise ReplayError(1, 1, "this is no replay: it is nested too deep") from None
    except ValueError as error:  # also what msgspec raises
        raise ReplayError(1, 1, f"this is no replay: {error}") from None
    if whole.game not in GAMES or not whole.events:
        raise ReplayError(1, 1, "this is no replay of a game that is known here")
    return whole


class Rooms:
    """The films of a room, fetched when they are asked for."""

    def __init__(self, client: Client, room: str, to: int | None = None, board: int = 0) -> None:
        """Take a room up to event ``to``, or as far as it is; once it is archived, one board."""
        self._client = client
        self._room = room
        self._to = to
        self._board = board
        self.archived = False
        """Whether it turned out to be archived: then the one board is all there is."""
        self._films: dict[bool, Film] = {}

    async def load(self, opened: bool) -> Film:
        """One of them.

        Raises:
            Refused: There is no such room, or it is not for us, or cards are hidden still, or
                what the server tells of it cannot be.
            NeverEnded: They are hidden for ever.

        """
        if opened not in self._films:
            mirrors = self._client.session.mirrors
            try:
                mirror = mirrors.get(self._room) or await self._client.join(self._room)
            except Refused as refused:
                if not is_archived(refused, self._room):
                    raise
                return await self._archived()
            past = self._client.history(self._room, to=self._to or mirror.seq, open=opened)
            scene = Scene(self._room, mirror.view.game)
            events = [event async for event in past]
            try:
                self._films[opened] = await told_by(events, scene)
            except ReplayError as error:
                raise Refused(ErrorCode.BAD_MESSAGE, error.reason) from None
            self._films[opened].opened = opened
        return self._films[opened]

    @property
    def text(self) -> Text:
        """How to get the replay text of a board."""
        return self._whole

    async def _whole(self, board: int) -> str:
        return await self._client.archived_text(self._room, board)

    async def _archived(self) -> Film:
        """The film of the text that is left of the room: all cards are open in it."""
        text = await self._client.archived_text(self._room, self._board)
        replay = replays.read(text)
        if not replay.shown:
            raise NeverEnded(self._room)
        film = Film(unit=STEPS)
        await film.take(from_text(replay, self._room))
        self.archived, self._films = True, {False: film, True: film}
        return film


def from_text(replay: Replay, room: str) -> Iterator[Frame]:
    """The steps of a replay text.

    Raises:
        ReplayError: A line does not fit.

    """
    scene = Scene(room, replay.game.name)
    scene.put(replay.start, 0, replay.game.score(replay.start))
    board = Board(replay.start)  # it only counts the moves here
    yield Frame(0, None, scene)
    for step, table in replays.run(replay):
        word = step.command.lower()
        if not word:
            yield Frame(0, step.comment, None)
            continue
        if word != "resign":
            board.apply(next((kind for kind in KINDS if kind == word), "move"), ())
        won = "won" if replay.game.is_won(table) else "open"
        scene = copy.copy(scene)
        status: Any = "resigned" if word == "resign" else won
        scene.put(table, board.moves, replay.game.score(table), status)
        yield Frame(STEP, f"> {step.command}", scene)


def read(path: Path) -> Replay:
    """The replay in a file.

    Raises:
        OSError: It cannot be read.
        ReplayError: It is none.
        StillRunning: It does not show all cards.

    """
    return shown(read_text(path, MAX_REPLAY))


def shown(text: str) -> Replay:
    """A replay that shows all cards.

    Raises:
        ReplayError: The text is none.
        StillRunning: It does not show all cards.

    """
    replay = replays.read(text)
    if any(cell.card is None for pile in replay.start.piles.values() for cell in pile):
        raise StillRunning(replay)
    return replay
