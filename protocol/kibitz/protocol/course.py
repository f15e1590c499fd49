"""How a room goes on, all but the cards: seats, statuses, the race, the series, the controls.

Promises: follows from the events alone, the same in the server, in every client and in a replay
of the log. Never: cards, who may see them, a clock.
"""

import dataclasses
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from .limits import MAX_RACERS, MAX_SEATS
from .views import (
    UNENDED,
    BoardView,
    Event,
    Race,
    Recorded,
    Seat,
    Series,
    Standing,
    Status,
    View,
)

DEFAULT_COUNTDOWN = 5
"""Seconds."""
DEFAULT_LIMIT = 3600
"""Seconds."""
CALLED_OFF = "who made this race has called it off"
"""The text of the ``closed`` of a race to which nobody came: only he and bots have seats then."""


@dataclass(frozen=True, slots=True)
class Line:
    """How one board stands; ``ms`` is the time it took in a race, once it is done."""

    status: Status = "open"
    ms: int | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class Course:
    """How a room stands after an event: a value, a new one for every event."""

    seats: tuple[Seat, ...]
    lines: tuple[Line, ...]
    status: Status = "open"
    race: Race | UnsetType = UNSET
    series: Series | UnsetType = UNSET
    recorded: Recorded | UnsetType = UNSET
    comments: bool | UnsetType = UNSET
    daily: str | UnsetType = UNSET
    next: str | UnsetType = UNSET
    winnable: bool | UnsetType = UNSET

    @classmethod
    def of_created(cls, created: Event) -> "Course":
        """How a room begins.

        Raises:
            ValueError: No room has so many seats.

        """
        seats = 1 if created.seats is None else created.seats
        if not 1 <= seats <= (MAX_RACERS if created.mode == "race" else MAX_SEATS):
            raise ValueError(f"a room with {seats} seats")
        race: Race | UnsetType = UNSET
        recorded: Recorded | UnsetType = UNSET
        boards = 1
        if created.mode == "race":
            countdown = DEFAULT_COUNTDOWN if created.countdown is None else created.countdown
            limit = created.limit or DEFAULT_LIMIT
            race, boards = Race(countdown=countdown, limit=limit, begins=created.begins), seats
        if created.control is not None and created.origin is not None:
            origin = created.origin
            recorded, boards = Recorded(origin.room, origin.seq, created.control, created.at), 0
        return cls(
            seats=tuple(Seat(number) for number in range(1, seats + 1)),
            lines=(Line(),) * boards,
            race=race,
            series=created.series or UNSET,
            recorded=recorded,
            daily=created.daily or UNSET,
            winnable=created.winnable or UNSET,
        )

    @classmethod
    def of_view(cls, view: View) -> "Course":
        """How a room stands in a view."""
        return cls(
            seats=tuple(view.seats),
            lines=tuple(Line(board.status, board.ms) for board in view.boards),
            status=view.status,
            race=view.race,
            series=view.series,
            recorded=view.recorded,
            comments=view.comments,
            daily=view.daily,
            next=view.next,
            winnable=view.winnable,
        )

    def shown_in(self, view: View) -> View:
        """The view with the room standing so."""
        return replace(
            view,
            seats=list(self.seats),
            status=self.status,
            race=self.race,
            series=self.series,
            recorded=self.recorded,
            comments=self.comments,
            daily=self.daily,
            next=self.next,
            winnable=self.winnable,
        )

    def after(self, event: Event) -> "Course":
        """How it stands when one more event has happened."""
        match event.kind:
            case "joined" if event.seat is not None:
                return self._seated(Seat(event.seat, event.by, event.name, event.bot))
            case "left" if event.seat is not None:
                return self._ready(event.seat, on=False)._seated(Seat(event.seat))
            case "ready" | "unready" if event.seat is not None:
                return self._ready(event.seat, on=event.kind == "ready")
            case "countdown" if self.race:
                return dataclasses.replace(self, race=replace(self.race, begins=event.begins))
            case "started" if self.race:
                lines = [
                    line if seat.id else Line("empty")
                    for seat, line in zip(self.seats, self.lines, strict=True)
                ]
                race = replace(self.race, started=event.at, ready=[])
                return dataclasses.replace(self, race=race, lines=tuple(lines))
            case "won" | "resigned" | "timeout":
                return self._done(event)
            case "ended" if event.result is not None:
                return dataclasses.replace(self, status=event.result)
            case "closed":
                return self._closed()
            case "comments" if event.on is not None:
                return dataclasses.replace(self, comments=UNSET if event.on else False)
            case "rematch" if event.next is not None:
                return dataclasses.replace(self, next=event.next)
            case "control" if self.recorded and event.control:
                recorded = replace(self.recorded, control=event.control, since=event.at)
                return dataclasses.replace(self, recorded=recorded)
            case _:
                return self

    @property
    def ended(self) -> bool:
        """Whether the game has ended, so that its cards are open."""
        return self.status not in UNENDED

    def is_released(self) -> bool:
        """Whether the boards have cards: a race shows them when it starts."""
        return not self.race or self.race.started is not None

    def _seated(self, seat: Seat) -> "Course":
        at = seat.seat - 1
        return dataclasses.replace(self, seats=(*self.seats[:at], seat, *self.seats[at + 1 :]))

    def _ready(self, seat: int, *, on: bool) -> "Course":
        if not self.race:
            return self
        others = {*self.race.ready} - {seat}
        ready = sorted(others | {seat} if on else others)
        return dataclasses.replace(self, race=replace(self.race, ready=ready))

    def _closed(self) -> "Course":
        """Nothing can be played any more: not on any board that is still open."""
        lines = [Line("closed") if each.status == "open" else each for each in self.lines]
        return dataclasses.replace(self, status="closed", lines=tuple(lines))

    def _done(self, event: Event) -> "Course":
        """A board is done; of a ``timeout``, every one that is still open."""
        assert event.kind in ("won", "resigned", "timeout")
        ms: int | UnsetType = UNSET
        if self.race and self.race.started is not None:
            ms = event.at - self.race.started
        timed_out = event.kind == "timeout"
        lines = [
            Line(event.kind, ms)
            if (line.status == "open" if timed_out else index == event.board)
            else line
            for index, line in enumerate(self.lines)
        ]
        return dataclasses.replace(self, lines=tuple(lines))


def standings(boards: Sequence[BoardView], seats: Sequence[Seat]) -> list[Standing]:
    """The table of a race: winners by time, then the others by score; equals share a place.

    Args:
        boards: The boards, in the order of the seats.
        seats: Who has them.

    """
    rows = []
    for seat, board in zip(seats, boards, strict=True):
        won = board.status == "won"
        rank = (0, board.ms or 0) if won else (1, -board.score)
        if board.status != "empty":
            rows.append((rank, seat, board))
    rows.sort(key=lambda row: (row[0], row[1].seat))
    return [
        Standing(
            place=place,
            seat=seat.seat,
            name=seat.name or "",
            id=seat.id or "",
            status=board.status,
            moves=board.moves,
            score=board.score,
            ms=None if board.ms is UNSET else board.ms,
        )
        for place, (_, seat, board) in zip(places([row[0] for row in rows]), rows, strict=True)
    ]


def places(ranks: Sequence[Hashable]) -> list[int]:
    """The places of a table, from 1 on, by its ranks from the best on: equals share one."""
    first: dict[Hashable, int] = {}
    return [first.setdefault(rank, place) for place, rank in enumerate(ranks, 1)]
