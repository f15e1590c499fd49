"""The past: positions by number and whole replays of a room, from its log, and texts replayed.

A long game takes long to go through, so this happens beside the loop and one at a time: whoever
asks for much waits behind others who ask for much, in a lane of their own, and neither those who
ask for little nor those who play wait for them. While the game runs a replay says what everybody
may see; a finished game is written whole.
"""

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar, cast

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from kibitz.engine.replays import Replay, Step, write
from kibitz.engine.seals import sealed
from kibitz.engine.table import Table, redact_table
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.fairness import Tree, named_in
from kibitz.protocol.replies import Position, Replayed
from kibitz.protocol.views import Event, RoomInfo, Status
from kibitz.protocol.wire import Encoding

from ..limits.settings import PAST_WAITING
from ..limits.table import Over
from ..lobby.creation import Start
from ..lobby.replaying import replayed
from ..lobby.succession import start_at
from ..log.log import EventLog
from ..log.record import Record
from ..pace import PIECE_EVENTS, Through
from ..storage.kept import Kept, read_kept
from .audience import Audience, opened, public, told
from .ending import true_deal
from .room import Room
from .stage import Stage
from .state import RoomState, state_at
from .told import encode_value, raw_list

FORMAT = "kibitz-replay-json-1"
SHORT = PIECE_EVENTS
"""Events that are gone through at once, without waiting for a turn."""
SHORT_ROOM = 1000
"""Events of the longest room that waits for its turn among the short ones only."""
RETRY_MS = 1000
UNPLAYED: frozenset[Status] = frozenset({"open", "timeout", "closed"})
"""How a board stands whose replay text has no end: nobody won it or gave it up."""
A = TypeVar("A")
T = TypeVar("T")


class _Lane:
    """A thread in which one piece of work is done after the other, and those who wait for it."""

    def __init__(self, name: str, most: int, gently: Through) -> None:
        self._gently = gently
        self._most = most
        self._turn = asyncio.Semaphore(1)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix=f"kibitz-past-{name}")
        self._waiting = 0

    def close(self) -> None:
        """Take no more work and drop what has not begun."""
        self._worker.shutdown(wait=False, cancel_futures=True)

    @contextlib.asynccontextmanager
    async def turn(self, room: str | None = None) -> AsyncIterator[None]:
        """Wait for the turn.

        Raises:
            Refused: Too many are waiting for theirs.

        """
        if self._waiting >= self._most:
            raise Over("readers of the past", RETRY_MS).refused(room)
        self._waiting += 1
        try:
            async with self._turn:
                yield
        finally:
            self._waiting -= 1

    async def beside(self, work: Callable[[A, Through], T], given: A) -> T:
        """Work beside the loop."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, work, given, self._gently)


class Past:
    """What was, read from the log."""

    def __init__(
        self, log: EventLog, most: int = PAST_WAITING, *, gently: Through | None = None
    ) -> None:
        """Nothing has been read yet.

        Args:
            log: What is read.
            most: So many may wait for their turn in each lane, the next one is told to come back.
            gently: How a long game is gone through beside the loop, if there is time.

        """
        self._log = log
        self._short = _Lane("short", most, gently or iter)
        self._long = _Lane("long", most, gently or iter)

    def close(self) -> None:
        """Take no more work and drop what has not begun."""
        self._short.close()
        self._long.close()

    async def position(self, room: Room, seq: int, audience: Audience) -> Position:
        """The room as an audience may see it after event ``seq``, at least 1.

        From the room's nearest earlier mark, so it takes as long at any number.
        """
        state = await self._state(room, seq)
        view, hash_ = state.view(audience), room.live.hash_at(seq)
        return Position(room=room.id, seq=seq, hash=hash_, view=view)

    async def start(self, room: Room, seq: int, board: int) -> Start:
        """The whole position of a board after event ``seq``, to begin another game with.

        Raises:
            Refused: It cannot be one.

        """
        return start_at(room.id, await self._state(room, seq), board)

    async def _state(self, room: Room, seq: int) -> RoomState:
        mark = room.mark(seq)
        if mark is None:  # in the middle of the record that created the room
            records = await self._log.read(room.id, limit=1)
        else:
            records = await self._log.read(room.id, mark.seq, limit=seq - mark.seq)
        return await room.live.pace.do(lambda: state_at(records, seq, mark))

    async def replay_text(
        self, room: Room, stage: Stage, board: int, *, whole: bool = False
    ) -> bytes:
        """The replay text of one board; cards that nobody may know yet stand as ``??``.

        With ``whole`` they do not: that is for nobody who plays or looks on.
        """
        seq, over = stage.seq, stage.state.ended or whole
        return await self._work(
            *(room.id, seq),
            lambda records, go: _replay_text(room.id, go(records), seq, over, board).encode(),
        )

    async def replay_json(
        self, room: Room, stage: Stage, audience: Audience, *, whole: bool = False
    ) -> bytes:
        """The events as an audience may see them, with the room's hash: enough for a client.

        Of a finished game, and with ``whole``, ``open`` has them once more, with every card named;
        while it runs ``openings`` prove the cards that the events name. Last comes the digest.
        """
        seq, over, tree = stage.seq, stage.state.ended or whole, stage.state.tree
        head = {
            "format": FORMAT,
            "room": room.id,
            "game": room.state.game.name,
            "seq": seq,
            "hash": stage.hash_at(seq),
        }
        return await self._work(
            *(room.id, seq),
            lambda records, go: _replay_json(head, records, seq, audience, over, tree, go),
        )

    async def kept(self, id_: str) -> tuple[RoomInfo, Kept]:
        """What is left of a room that has been put away.

        Raises:
            Refused: There is none such.

        """
        found = await self._log.find_away(id_)
        if found is None:
            raise Refused(ErrorCode.NO_ROOM, f"there is no room {id_}", room=id_)
        return found[0], await asyncio.to_thread(read_kept, found[1])

    async def replay(self, text: str, encoding: Encoding) -> Replayed:
        """A text that somebody brought, played by the rules; its events are encoded already.

        Raises:
            Refused: It is none, or too long, or does not show all cards.

        """
        async with self._long.turn():
            return await self._long.beside(partial(_played, encoding=encoding), text)

    async def _work(self, room: str, end: int, work: Callable[[Sequence[Record], Through], T]) -> T:
        """Go through a room up to event ``end``; what is short needs no turn.

        Raises:
            Refused: Too many are waiting for their turn.

        """
        if end <= SHORT:
            return work(await self._log.read(room, limit=end), iter)
        lane = self._short if end <= SHORT_ROOM else self._long
        async with lane.turn(room):
            records = await self._log.read(room, limit=end)
            return await lane.beside(work, records)


def _played(text: str, go: Through, encoding: Encoding) -> Replayed:
    """A text, played; event by event, so that the loop has its turn in between."""
    played = replayed(text, go)
    events, opened_ = (
        raw_list(list(map(partial(encode_value, encoding=encoding), go(those))), encoding)
        for those in (played.events, played.open)
    )
    return replace(played, events=cast(list[Event], events), open=cast(list[Event], opened_))


def _replay_json(
    head: dict[str, object],
    records: Sequence[Record],
    seq: int,
    audience: Audience,
    over: bool,
    making: Callable[[], Tree | None],
    go: Through,
) -> bytes:
    room = str(head["room"])
    events = [event for record in records for event in record.events if event.seq <= seq]
    forms: dict[str, Callable[[Event], Event]] = {
        "events": lambda event: told(public(event, room), audience)
    }
    if over:
        forms["open"] = lambda event: opened(event, room)
    said = msgspec.json.encode(head)[:-1]
    for key, form in forms.items():  # event by event: so the loop has its turn in between
        lines = b",".join(msgspec.json.encode(form(event)) for event in go(events))
        said += b',"' + key.encode() + b'":[' + lines + b"]"
    if (tree := making()) is None:
        return said + b"}"
    if not any(event.kind == "ended" for event in events):
        named = named_in(map(forms["events"], go(events)))
        said += b',"openings":' + msgspec.json.encode(tree.openings(named))
    return said + b',"sha256":"' + hashlib.sha256(said).hexdigest().encode() + b'"}'


def _replay_text(room: str, records: Iterable[Record], seq: int, over: bool, board: int) -> str:
    first, *rest = records
    state = RoomState(replace(first, events=first.events[:seq]))
    steps: list[Step] = []
    for event in (event for record in rest for event in record.events):
        if event.seq > seq:
            break
        state.apply_event(event)
        if event.board == board or event.kind == "say":
            steps += _step(event, state.positions[board].board.table)
    status = state.course.lines[board].status
    headers = {"room": room, "result": "open" if status in UNPLAYED else status}
    if over and (deal := true_deal(state)):
        headers["deal"] = deal
    if fair := state.fair:
        headers |= {"root": fair.root, "pledge": fair.pledge, "nonce": fair.nonce or ""}
        headers |= {"loaded": "yes" if fair.loaded else ""}
        headers |= {"numbered": "yes" if fair.numbered else ""}
        headers |= {"secret": (state.secret.secret if over else None) or ""}
    shown = state.start if over else redact_table(state.start)
    text = write(Replay(state.game, shown, tuple(steps), headers))
    return sealed(text) if fair else text


def _step(event: Event, after: Table) -> list[Step]:
    """What an event is in the replay text, if anything."""
    match event.kind:
        case "move":
            chance = event.fx is not UNSET and any(fact[0] == "set" for fact in event.fx)
            return [Step(event.move or "", after=after if chance else None)]
        case "undo" | "redo" | "restart":
            return [Step(event.kind)]
        case "resigned":
            return [Step("resign")]
        case "say":
            return [Step(comment=f"{event.name}: {event.text}")]
        case "saved" | "cheated":
            return [Step(comment=f"({event.kind})")]
        case _:
            return []
