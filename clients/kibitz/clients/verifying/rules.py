"""Check ``rules``: every event is what the rules of the game and of rooms make there.

The room is played anew from its start. Each event that is told is compared as a whole with the
one that has to stand there, and so are the events that follow from it: a win, a dead end, the end.
"""

from collections import deque

from msgspec import UNSET
from msgspec.structs import replace

from kibitz.engine.game import BadOption
from kibitz.engine.games import GAMES
from kibitz.engine.notation import read_fact, write_fact
from kibitz.engine.table import Set, Table, lay, redact
from kibitz.protocol.course import Course, standings
from kibitz.protocol.fairness import seed_of
from kibitz.protocol.views import BoardView, Event, Status

from .manners import check_day, check_draw, check_manners, check_seats
from .openings import known
from .play import Tables
from .recording import Recording
from .start import completed, laid_open
from .verdict import Finding, Unfit

COMMANDS = ("move", "undo", "redo", "restart")
MASKED = ("dealt", "stuck", *COMMANDS)
"""Kinds of a race that carry a salt."""
FOLLOW = ("dealt", "stuck", "won", "ended")
"""Kinds that nobody asks for: they follow from the event before them."""
BEST: tuple[Status, ...] = ("won", "timeout", "resigned")
"""What a room ends with: the first of these that one of its boards ended with."""


def check(recording: Recording, proved: bool) -> Finding:
    """Play a room anew.

    Args:
        recording: What was told of it.
        proved: Whether the openings have been found right.

    """
    try:
        room = _Room(recording, proved)
        room.follow()
    except Unfit as unfit:
        return unfit.of("rules")
    open_ = room.why_open
    return Finding("rules", "open" if open_ else "ok", open_ or f"{recording.created.game}")


class _Room:
    """One room, played anew."""

    def __init__(self, recording: Recording, proved: bool) -> None:
        self._recording = recording
        self._created = created = recording.created
        check_seats(created)
        check_day(created)
        check_draw(created)
        self._course = Course.of_created(created)
        self._due: deque[Event] = deque()
        """Events that must come next."""
        self._at = 0
        self._hidden = ""
        """Why not all of it can be known, if something is not shown."""
        try:
            self._game = GAMES[created.game or ""].with_options(created.options or {})
        except BadOption as error:
            raise Unfit(str(error), 1) from None
        start = self._start(proved) if self._course.lines else None
        count = len(self._course.lines)
        self._tables = Tables(self._game, start, count, _seed(recording)) if start else None

    @property
    def why_open(self) -> str:
        """Why not all of it could be checked; empty if it could."""
        believed = self._tables is not None and self._tables.believed
        return self._hidden or ("what shuffles follow from is opened at the end" * believed)

    def follow(self) -> None:
        """Go through all events.

        Raises:
            Unfit: One does not fit.

        """
        events, opened = self._recording.events, self._recording.opened
        if opened and len(opened) != len(events):
            raise Unfit("there are not as many events with all cards open as others")
        for number, event in enumerate(events, 1):
            try:
                self._take(event, opened[number - 1] if opened else None)
            except Unfit as unfit:
                raise Unfit(unfit.says, unfit.event or number) from None

    def _start(self, proved: bool) -> Table | None:
        """What the boards start from; ``None``: nobody can know it."""
        recording = self._recording
        if recording.laid_open is not None:
            return laid_open(self._game, recording.laid_open)
        if recording.whole_start is not None:  # an operator's copy of a game that still runs
            return completed(self._game, recording.whole_start, {})
        told = recording.start
        if told is None:
            return None
        if recording.fair is None and "??" in str(self._created.fx):
            self._hidden = "cards are hidden, and the room has committed itself to none"
        elif not proved:
            self._hidden = "what was opened cannot be believed"
        else:
            return completed(self._game, told, known(recording))
        return None

    def _is_blind(self, board: int) -> bool:
        """Whether nobody can know what lies on a board."""
        return self._tables is None or board in self._tables.unseen

    # One event

    def _take(self, event: Event, whole: Event | None) -> None:
        """Let an event happen, and ``whole``, the same with all cards open."""
        if event.room != self._recording.room:
            raise Unfit("it is told of another room")
        if event.at < self._at:
            raise Unfit("time runs backwards")
        self._at = event.at
        if self._due:
            expected: Event | None = self._due.popleft()
        elif event.kind == "hidden":
            self._hide(event)
            expected = None
        elif event.kind in FOLLOW and not self._is_blind(event.board):
            raise Unfit(f"nothing has led to `{event.kind}`")
        else:
            check_manners(self._created, self._course, event)
            expected = self._expected(event)
        if expected is not None:
            self._compare(event, whole, expected)
        elif whole not in (None, event):
            raise Unfit("it is told in another way with all cards open")
        self._course = self._course.after(event)
        self._lead_on(event)

    def _hide(self, event: Event) -> None:
        """Nothing is known any more of a board of which something is not shown."""
        self._hidden = self._hidden or "not every board is shown yet"
        if self._tables is not None:
            self._tables.unseen.add(event.board)

    def _compare(self, event: Event, whole: Event | None, expected: Event) -> None:
        race = self._created.mode == "race"
        if (event.salt is not None) is not (race and event.kind in MASKED):
            raise Unfit("only events that not everybody sees have a salt")
        right = replace(expected, seq=event.seq, at=event.at, room=event.room, salt=event.salt)
        if event != (shown := _public(right)):
            raise Unfit(_difference(event, shown))
        if whole not in (None, right):
            raise Unfit("with all cards open it is told in another way than it must be")

    def _expected(self, event: Event) -> Event | None:
        """The event that has to stand there; ``None`` where nobody can say more of it."""
        tables, kind = self._tables, event.kind
        if tables is None or self._is_blind(event.board):
            return None
        if kind == "created":
            return replace(event, fx=_laid(tables.start))
        if kind == "started":
            return Event(seq=0, at=0, kind=kind, score=self._game.score(tables.start))
        if kind not in COMMANDS:
            return None
        facts = tables.do(event)
        return Event(
            seq=0,
            at=0,
            kind=kind,
            by=event.by,
            board=event.board,
            move=event.move if kind == "move" else None,
            fx=[write_fact(fact) for fact in facts],
            moves=tables.board(event.board).moves,
            score=tables.score(event.board),
        )

    # What follows

    def _lead_on(self, event: Event) -> None:
        """Note what must come next."""
        tables, board = self._tables, event.board
        match event.kind:
            case "started" if tables is not None:
                self._due.append(Event(seq=0, at=0, kind="dealt", fx=_laid(tables.start)))
            case "move" if tables is not None and not self._is_blind(board):
                if tables.is_won(board):
                    began = self._course.race.started or 0 if self._course.race else 0
                    won = Event(seq=0, at=0, kind="won", by=event.by, board=board)
                    moves = tables.board(board).moves
                    self._due.append(replace(won, moves=moves, ms=event.at - began))
                elif tables.gets_stuck(board):
                    self._due.append(Event(seq=0, at=0, kind="stuck", board=board))
            case "won" | "resigned" | "timeout":
                if all(line.status != "open" for line in self._course.lines):
                    self._due.append(self._end())
            case _:
                pass

    def _end(self) -> Event:
        """The event that ends the room."""
        tables = self._tables
        statuses = {line.status for line in self._course.lines}
        result: Status = next((status for status in BEST if status in statuses), "resigned")
        ended = Event(seq=0, at=0, kind="ended", result=result)
        if tables is None:
            return ended
        ended = replace(ended, opened=self._recording.laid_open)
        boards = [tables.board(index) for index in range(len(self._course.lines))]
        if not self._course.race:
            piles = boards[0].table.piles.items()
            named = [Set(name, pile) for name, pile in piles if not all(c.up for c in pile)]
            return replace(ended, fx=[write_fact(fact) for fact in named])
        views = [
            BoardView({}, line.status, board.moves, tables.score(index), {}, ms=line.ms)
            for index, (board, line) in enumerate(zip(boards, self._course.lines, strict=True))
        ]
        results = standings(views, self._course.seats)
        return replace(ended, boards=[_laid(b.table) for b in boards], results=results)


def _seed(recording: Recording) -> bytes | None:
    """What later shuffles follow from, if it was opened."""
    fair, opened = recording.fair, recording.laid_open
    if fair is None or opened is None or opened.secret is None:
        return None
    try:
        return seed_of(bytes.fromhex(opened.secret), fair.nonce or "")
    except ValueError:
        return None


def _laid(table: Table) -> list[list[object]]:
    """The facts that lay out a table."""
    return [write_fact(fact) for fact in lay(table)]


def _public(event: Event) -> Event:
    """An event as everybody may see it who sees its board."""
    if event.kind == "created" and event.mode == "race":  # no deal before the start
        return replace(event, fx=UNSET)
    if event.fx is UNSET or event.kind == "ended":
        return event
    return replace(event, fx=[write_fact(redact(read_fact(fact))) for fact in event.fx])


def _difference(told: Event, right: Event) -> str:
    """What is first to be seen of how two events differ."""
    if told.kind != right.kind:
        return f"`{right.kind}` must come here, not `{told.kind}`"
    for name in told.__struct_fields__:
        one, other = getattr(told, name), getattr(right, name)
        if one != other:
            return f"`{name}` must be {other!r:.200}, not {one!r:.200}"
    return "it is not as it must be"
