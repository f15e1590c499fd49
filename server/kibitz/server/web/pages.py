"""Plain HTTP on the same port: the web page, health, the contract, downloads.

Answers GET requests before the WebSocket handshake, and HEAD where it asks for a file of the web
page or for health. A visitor without a token is a spectator; ``Authorization: Bearer TOKEN`` brings
the identity back. Never: more than a viewer may see.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from urllib.parse import parse_qsl, urlsplit

import structlog
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.contract import contract
from kibitz.protocol.views import Status

from ..access.authority import Authority
from ..access.roles import check_download
from ..admin.bans import Bans
from ..analysing.analyses import AGAIN_SECONDS, FAILED_SECONDS, Analyses, Game
from ..answers import Answers
from ..identity import Identity
from ..limits.door import refusal
from ..limits.places import place_of
from ..limits.prices import DOWNLOAD, EVENTS_A_DOWNLOAD, TOKEN
from ..limits.settings import Limits
from ..limits.table import Over, Table
from ..lobby.rooms import Rooms
from ..log.log import LogFailure
from ..operation.metrics import Metrics
from ..processes import Failed
from ..room.decide import check_open
from ..room.past import Past
from ..room.room import Room
from ..room.saving import save_text
from ..room.state import RoomState
from ..storage.kept import PutAway
from ..visitor import checked_board
from .site import Site

MAX_WISHES = 8
"""Most fields of a query."""
SOCKET_PATH = "/ws"
"""Where the WebSocket lives: nothing of it is here."""
Wishes = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A download: for whom, and how.

    Attributes:
        who: His id; ``None``: nobody known.
        place: What his address counts as; ``None``: it is not counted.
        wishes: What the query says.

    """

    who: str | None
    place: str | None
    wishes: Wishes


TEXT = "text/plain; charset=utf-8"
JSON = "application/json"

log = structlog.get_logger("kibitz.pages")

_STATUS = {
    ErrorCode.NO_ROOM: HTTPStatus.NOT_FOUND,
    ErrorCode.FORBIDDEN: HTTPStatus.FORBIDDEN,
    ErrorCode.AUTH: HTTPStatus.UNAUTHORIZED,
    ErrorCode.RATE_LIMITED: HTTPStatus.TOO_MANY_REQUESTS,
    ErrorCode.DRAINING: HTTPStatus.SERVICE_UNAVAILABLE,
}


class Pages:
    """The pages of one server."""

    def __init__(
        self,
        rooms: Rooms,
        past: Past,
        answers: Answers,
        metrics: Metrics,
        site: Site,
        authority: Authority,
        bans: Bans,
        table: Table,
        limits: Limits,
        analyses: Analyses,
    ) -> None:
        self._authority = authority
        self._site = site
        self._rooms = rooms
        self._past = past
        self._answers = answers
        self._metrics = metrics
        self._table = table
        self._count_loopback = limits.count_loopback
        self._bans = bans
        self._analyses = analyses

    async def answer(self, request: Request, address: str) -> Response:
        """The page at a path, for somebody there."""
        if request.method not in ("GET", "HEAD"):
            return _only_get()
        try:
            _, _, path, query, _ = urlsplit(request.path)
        except ValueError:
            return page(b"that is no path\n", TEXT, HTTPStatus.BAD_REQUEST)
        pieces = path.split("/")[1:]
        if file := self._site.answer(pieces, query, request):
            return file
        if probe := self._probe(pieces):
            body = b"" if request.method == "HEAD" else probe.body
            return Response(probe.status_code, probe.reason_phrase, probe.headers, body)
        if request.method == "HEAD":
            return _only_get()
        match pieces:
            case [""]:
                return page(b"no web page is installed here\n", TEXT, HTTPStatus.NOT_FOUND)
            case ["protocol"]:
                return page(_contract(), JSON)
            case ["rooms", id_, name] if name in DOWNLOADS:
                return await self._download(id_, name, request, query, address)
            case _:
                return nothing()

    def _probe(self, pieces: list[str]) -> Response | None:
        """Whether the process answers, and whether it takes players."""
        match pieces:
            case ["healthz"]:
                return page(b"ok\n", TEXT)
            case ["readyz"] if self._answers.draining:
                return page(b"draining\n", TEXT, HTTPStatus.SERVICE_UNAVAILABLE)
            case ["readyz"] if self._metrics.meter.failing:
                said = b"nothing can be written\n"
                return page(said, TEXT, HTTPStatus.SERVICE_UNAVAILABLE)
            case ["readyz"]:
                return page(b"ready\n", TEXT)
            case _:
                return None

    async def _download(
        self, id_: str, name: str, request: Request, query: str, address: str
    ) -> Response:
        try:
            place = place_of(address, self._count_loopback)
            asker = self._counted(request, place)
            who = asker.id or None
            self._bans.check(who, "")
            try:
                room = await self._rooms.get(id_)
            except PutAway:
                wanted = Wanted(who, place, _wishes(query))
                return await self._kept(id_, name, asker, wanted)
            seated = room.people.is_seated(who)
            check_download(name, seated, asker.roles)
            self._rooms.days.check(room.state, who)
            if room.state.closed and not seated and who != room.state.owner:
                self._rooms.entrance.check_key(id_, room.state, _wishes(query).get("invite"))
            wanted = Wanted(who, place, _wishes(query))
            response = await DOWNLOADS[name](self, room, wanted)
            if name in REPLAYS and response.status_code == HTTPStatus.OK:
                self._charge(room, wanted)
            return response
        except Refused as refused:
            status = _STATUS.get(refused.code, HTTPStatus.BAD_REQUEST)
            if refused.limit:
                self._metrics.limited(refused.limit)
                return refusal(status, Over(refused.limit, refused.retry_ms or 0))
            answer = refusing(refused, status)
            if status is HTTPStatus.UNAUTHORIZED:
                answer.headers["WWW-Authenticate"] = "Bearer"
            return answer
        except LogFailure as failure:
            log.error("log failure", room=id_, request=name, exc_info=failure)
            said = b"the server could not write that down, or read it; try again later\n"
            return page(said, TEXT, HTTPStatus.SERVICE_UNAVAILABLE)

    def _charge(self, room: Room, wanted: Wanted) -> None:
        """Count that all events of a room were gone through, or what came of that is given."""
        more = room.seq // EVENTS_A_DOWNLOAD
        self._table.charge("downloads", more, (None, wanted.who, wanted.place))

    def _counted(self, request: Request, place: str | None) -> Identity:
        """Who asks for a download, once it is counted.

        Raises:
            Refused: There have been too many, or it is nobody's token.

        """
        try:
            asker = self._authority.bearer(_bearer(request))
        except Refused:
            if over := self._table.take(TOKEN, (None, None, place)):
                raise over.refused() from None
            raise
        if over := self._table.take(DOWNLOAD, (None, asker.id or None, place)):
            raise over.refused()
        return asker

    async def _kept(self, id_: str, name: str, asker: Identity, wanted: Wanted) -> Response:
        """What is left of a room that has been put away: its replay text."""
        info, kept = await self._past.kept(id_)
        who = wanted.who
        mine = kept.readers is not None and who in kept.readers
        check_download(name, mine, asker.roles)
        self._rooms.days.check_day(info.daily, info.owner or None, who)
        if kept.readers is not None and not mine:
            raise Refused(ErrorCode.FORBIDDEN, "this room is not for everybody to see")
        if name not in KEPT:
            said = f"room {id_} is archived: of it there is /rooms/{id_}/replay.txt only\n"
            return page(said.encode(), TEXT, HTTPStatus.GONE)
        board = _number(wanted.wishes) or 0
        if board >= len(kept.texts) or not kept.texts[board]:
            raise Refused(ErrorCode.BAD_OPTION, f"there is no board {board}")
        text = kept.texts[board].encode()
        if name == "replay.txt":
            return page(text, TEXT)
        if info.status in UNENDED:
            raise Refused(ErrorCode.FORBIDDEN, RUNNING)

        async def known() -> bytes:
            return text

        return await self._analysed((id_, board), known, wanted.place)

    async def _replay_json(self, room: Room, wanted: Wanted) -> Response:
        stage = room.people.stage(wanted.who)
        audience = stage.state.audience(wanted.who)
        return page(await self._past.replay_json(room, stage, audience), JSON)

    async def _replay_text(self, room: Room, wanted: Wanted) -> Response:
        stage = room.people.stage(wanted.who)
        board = _board(stage.state, wanted)
        return page(await self._past.replay_text(room, stage, board), TEXT)

    async def _analysis(self, room: Room, wanted: Wanted) -> Response:
        stage = room.people.stage(wanted.who)
        board = _board(stage.state, wanted)
        if not stage.state.ended:
            raise Refused(ErrorCode.FORBIDDEN, RUNNING)

        async def read() -> bytes:
            text = await self._past.replay_text(room, stage, board)
            self._charge(room, wanted)
            return text

        return await self._analysed((room.id, board), read, wanted.place)

    async def _analysed(
        self, game: Game, text: Callable[[], Awaitable[bytes]], place: str | None
    ) -> Response:
        """What became of a game that has ended, or when to ask again."""
        if not self._analyses.seconds:
            none = f"this server makes no analyses; `kibitz solve {game[0]}` makes one by itself\n"
            return page(none.encode(), TEXT, HTTPStatus.NOT_FOUND)
        try:
            found = await self._analyses.of(game, text, place)
        except Failed:
            said = b"what became of this game could not be found out; try again later\n"
            return _later(page(said, TEXT, HTTPStatus.SERVICE_UNAVAILABLE), FAILED_SECONDS)
        if found is not None:
            return page(found, JSON)
        said = b"what became of this game is being found out; ask again\n"
        return _later(page(said, TEXT, HTTPStatus.ACCEPTED), AGAIN_SECONDS)

    async def _save_text(self, room: Room, wanted: Wanted) -> Response:
        who = wanted.who
        state = room.people.stage(who).state
        if not state.ended:
            check_open(state)
            if who is None or state.seat_of(who) is None:
                raise Refused(ErrorCode.FORBIDDEN, "while the game runs only its players may save")
            if not state.policy.save:
                raise Refused(ErrorCode.FORBIDDEN, "this room allows no saves")
        text = save_text(room.state, _board(state, wanted), wanted.wishes.get("format"))
        last = room.live.last
        if not state.ended and (last.kind, last.by) != ("saved", who):  # said already
            await room.note("saved", Identity(who or "", ""), None)
        return page(text.encode(), TEXT)


DOWNLOADS: Mapping[str, Callable[[Pages, Room, Wanted], Awaitable[Response]]] = {
    "replay.json": Pages._replay_json,
    "replay.txt": Pages._replay_text,
    "save.txt": Pages._save_text,
    "analysis.json": Pages._analysis,
}
"""What can be downloaded of a room."""
REPLAYS = frozenset({"replay.json", "replay.txt", "analysis.json"})
"""Those of them that grow with every event."""
KEPT = frozenset({"replay.txt", "analysis.json"})
"""Those of them that there are of a room that has been put away."""
UNENDED: frozenset[Status] = frozenset({"open", "closed"})
"""How a room stands whose game has no end."""
RUNNING = "the game has not ended: what becomes of it is looked at when it has"


def _wishes(query: str) -> Wishes:
    """What the query says, the last of what is said twice.

    Raises:
        Refused: It says far too much.

    """
    try:
        return dict(parse_qsl(query, max_num_fields=MAX_WISHES))
    except ValueError:
        raise Refused(ErrorCode.BAD_OPTION, "that is no query") from None


def _board(state: RoomState, wanted: Wanted) -> int:
    """The board that is wished for, by its index.

    Raises:
        Refused: It is none, or not for this visitor.

    """
    wished = _number(wanted.wishes)
    index = state.board_of(wanted.who or "") if wished is None else wished
    return checked_board(state, index, state.audience(wanted.who))


def _number(wishes: Wishes) -> int | None:
    """The number of a board, if one is wished for.

    Raises:
        Refused: It is none.

    """
    wished = wishes.get("board", "")
    if wished and not (wished.isascii() and wished.isdigit() and len(wished) < 4):
        raise Refused(ErrorCode.BAD_OPTION, "a board is a number from 0 on")
    return int(wished) if wished else None


def _bearer(request: Request) -> str | None:
    """The token in the request, if there is one."""
    given = request.headers.get_all("Authorization")
    if not given:
        return None
    scheme, _, token = given[0].partition(" ")
    if len(given) > 1:
        raise Refused(ErrorCode.AUTH, "more than one Authorization header")
    return token.strip() if scheme.lower() == "bearer" else None


def nothing() -> Response:
    """There is no such page."""
    return page(b"there is no such page\n", TEXT, HTTPStatus.NOT_FOUND)


def refusing(refused: Refused, status: HTTPStatus = HTTPStatus.FORBIDDEN) -> Response:
    """What is answered instead: why, and when to ask again."""
    response = page(f"{refused.message}\n".encode(), TEXT, status)
    if refused.retry_ms is not None:
        _later(response, refused.retry_ms // 1000 + 1)
    return response


def _later(response: Response, seconds: int) -> Response:
    """The same, and when to ask again."""
    response.headers["Retry-After"] = str(seconds)
    return response


@cache
def _contract() -> bytes:
    return json.dumps(contract(), indent=1).encode()


def _only_get() -> Response:
    return page(b"only GET\n", TEXT, HTTPStatus.METHOD_NOT_ALLOWED)


def page(body: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK) -> Response:
    """An HTTP response."""
    headers = Headers(
        {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Connection": "close",
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "default-src 'none'",
        }
    )
    return Response(status.value, status.phrase, headers, body)
