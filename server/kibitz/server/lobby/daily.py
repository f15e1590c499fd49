"""The deal of the day: the same for everybody, fixed by the date, unknown before it comes.

Promises: the deck follows from a secret of this server and the date (UTC), so nobody can work it
out ahead; everybody has one room a day and game; nobody looks at somebody else's before the day
is over. Never: a file, a clock of its own.
"""

import hmac
from collections import defaultdict
from datetime import UTC, datetime, timedelta

from msgspec import UNSET, UnsetType

from kibitz.engine.deals import shuffled
from kibitz.engine.games import GAMES
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.course import places
from kibitz.protocol.fairness import seed_of
from kibitz.protocol.replies import DailyRow, DailyTable
from kibitz.protocol.requests import Create
from kibitz.protocol.requests import Daily as AskDaily
from kibitz.protocol.views import Policy, RoomInfo

from ..room.state import RoomState
from ..world import World
from .creation import Start

MAX_ROWS = 200
"""The best ones of a day that are told; whoever asks learns how he did besides."""
SECRET = "daily"
"""The name of the secret in the log."""
POLICY = Policy(save=False)
"""What a room with the deal of the day allows: a save would name its cards."""


class Days:
    """The deals of the days and how everybody did."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._rooms: defaultdict[tuple[str, str], dict[str, RoomInfo]] = defaultdict(dict)
        self._tables: dict[tuple[str, str], list[tuple[int, RoomInfo]]] = {}
        """The places of a day, as long as nothing happens there."""
        self.secret = b""
        """What all deals follow from; set when the log has been opened."""

    @property
    def today(self) -> str:
        """The date, ``2026-11-28``."""
        return datetime.fromtimestamp(self._world.now_ms() / 1000, UTC).date().isoformat()

    def name(self, game: str) -> str:
        """What names the room of somebody for today: longer than any name in a request."""
        return f"the room for the deal of the day {self.today} of {game}"

    def start(self, request: Create) -> Start:
        """Today's deal.

        Raises:
            Refused: There is no such game, or the wish is for something else as well.

        """
        game = self._game(request.game)
        plain = Create(game=request.game, i=request.i, daily=True, seat=request.seat)
        if request != plain:
            message = "the deal of the day is the same for everybody: only the game can be chosen"
            raise Refused(ErrorCode.BAD_OPTION, message)
        secret = hmac.digest(self.secret, f"{self.today}:{game}".encode(), "sha256")
        deal = GAMES[game].deal(shuffled(seed_of(secret, "")))
        return Start(GAMES[game], deal, None, daily=self.today, policy=POLICY, secret=secret)

    def note(self, entry: RoomInfo) -> None:
        """Remember how somebody stands; whose room was closed is in no table."""
        if not entry.daily:
            return
        day = entry.daily, entry.game
        if (known := self._rooms[day].get(entry.id)) and known.seq > entry.seq:
            return
        self._tables.pop(day, None)
        self._rooms[day][entry.id] = entry  # a closed one, too: what is said of it late is old

    def check(self, state: RoomState, who: str | None) -> None:
        """Let nobody look at the deal through somebody else before its day is over.

        Raises:
            Refused: It is not, and this is somebody else.

        """
        self.check_day(state.course.daily, state.owner, who)

    def check_day(self, date: str | UnsetType | None, owner: str | None, who: str | None) -> None:
        """The same of a room of which this much is known.

        Raises:
            Refused: It is not over, and this is somebody else.

        """
        if date and who != owner and (wait := self._until(date) - self._world.now_ms()) > 0:
            message = "the deal of the day is shown when the day is over"
            raise Refused(ErrorCode.FORBIDDEN, message, retry_ms=wait)

    def is_shut(self, state: RoomState) -> bool:
        """Whether this is the deal of a day that is not over."""
        date = state.course.daily
        return bool(date) and self._until(str(date)) > self._world.now_ms()

    def table(self, request: AskDaily, who: str) -> DailyTable:
        """How the best did on a day, and whoever asks, best first.

        Raises:
            Refused: There is no such game or day, or it is still to come.

        """
        game, date = self._game(request.game), request.date or self.today
        if date > self.today:
            raise Refused(ErrorCode.BAD_OPTION, "that day is still to come")
        until = self._until(date)
        over = until <= self._world.now_ms()
        placed = self._placed(date, game)
        rows = [
            DailyRow(
                place=place,
                name=entry.players[0] if entry.players else "",
                id=entry.owner or "",
                status=entry.status,
                score=entry.score,
                moves=entry.moves or 0,
                ms=entry.ms or None,
                room=entry.id if over else None,
            )
            for n, (place, entry) in enumerate(placed)
            if n < MAX_ROWS or entry.owner == who
        ]
        total = len(placed)
        return DailyTable(i=request.i, game=game, date=date, until=until, rows=rows, total=total)

    def _placed(self, date: str, game: str) -> list[tuple[int, RoomInfo]]:
        rooms = self._rooms.get((date, game))
        if not rooms:
            return []
        placed = self._tables.get((date, game))
        if placed is None:
            shown = (entry for entry in rooms.values() if entry.status != "closed")
            entries = sorted(shown, key=_order)
            placed = list(zip(places(list(map(_rank, entries))), entries, strict=True))
            self._tables[date, game] = placed
        return placed

    @staticmethod
    def _game(name: str) -> str:
        if name not in GAMES:
            raise Refused(ErrorCode.BAD_OPTION, f"no game {name!r} (games: {', '.join(GAMES)})")
        return name

    @staticmethod
    def _until(date: str) -> int:
        """When a day is over, Unix ms."""
        try:
            begins = datetime.fromisoformat(date).replace(tzinfo=UTC)
        except ValueError:
            raise Refused(ErrorCode.BAD_OPTION, f"there is no day {date}") from None
        return int((begins + timedelta(days=1)).timestamp() * 1000)


def _order(entry: RoomInfo) -> tuple[tuple[int, int], int, str]:
    """Those who are as good by when they began: the same on every server."""
    return _rank(entry), entry.started, entry.id


def _rank(entry: RoomInfo) -> tuple[int, int]:
    """Winners by time, then the others by score."""
    if entry.status == "won":
        return 0, 0 if entry.ms is UNSET else entry.ms
    return 1, -entry.score
