"""A race in words: who sits, when it begins, how the rivals fare, the table.

Pure; from a scene alone. Never: a clock (``scene.now`` says the time), output.
"""

from collections.abc import Sequence

from kibitz.protocol.course import standings
from kibitz.protocol.limits import MIN_RACERS
from kibitz.protocol.views import BoardView, Seat, Standing

from .scene import Scene
from .telling import clock_of, number_of, time_of

MOST_RIVALS = 3
"""Rivals that stand in one line; the others are counted."""
NEVER_BEGAN = "The room was closed before the race began."
ENDS = {"won": "won", "resigned": "gave up", "timeout": "is out of time"}
"""What its player has done whose board has ended so."""
HEADS = ("place", "seat", "name", "status", "score", "moves", "time")


def table_of(scene: Scene) -> list[Standing]:
    """How the racers stand now, best first."""
    pairs = zip(scene.boards, scene.course.lines, strict=False)
    views = [
        BoardView({}, line.status, seen.moves, seen.score, {}, ms=line.ms) for seen, line in pairs
    ]
    return standings(views, scene.course.seats)


def leader(scene: Scene) -> int:
    """The best board that is still played on; the one that is drawn, if none is better."""
    rows = [row for row in table_of(scene) if not scene.boards[row.seat - 1].hidden]
    rows = [row for row in rows if row.status == "open"] or rows
    best = [row.seat - 1 for row in rows if row.place == rows[0].place]
    return scene.board if scene.board in best or not best else best[0]


def is_waiting(scene: Scene) -> bool:
    """Whether this is a race that has not begun, and still may."""
    return not scene.course.is_released() and not scene.over


def is_done(scene: Scene, board: int) -> bool:
    """Whether this is a race that goes on, though not on that board."""
    race = bool(scene.course.race)
    return race and not scene.over and scene.course.lines[board].status in ENDS


def instead(scene: Scene) -> list[str]:
    """What is seen of a room without a board: who is there, or how they stand."""
    if not scene.course.race:
        return []
    if is_waiting(scene):
        return lobby(scene)
    return table(scene) if scene.course.is_released() else [NEVER_BEGAN]


def lobby(scene: Scene) -> list[str]:
    """Who sits and who is ready, before the start."""
    race, seats = scene.course.race, scene.course.seats
    assert race, "only a race has a start"
    names = {seat.seat: f"{seat.name or ''}{' (bot)' if seat.bot else ''}" for seat in seats}
    width = max(map(len, names.values()), default=0)
    free = [seat for seat in seats if not seat.id]
    lines = [
        f"  seat {seat.seat}  {names[seat.seat]:<{width}}  "
        f"{'ready' if seat.seat in race.ready else ''}".rstrip()
        for seat in seats
        if seat.id
    ]
    if free:
        lines.append(f"  {number_of(len(free), 'free seat')}")
    begins = starts_in(scene)
    alone = len(seats) - len(free) < MIN_RACERS
    if begins:
        said = f"The race begins in {begins}."
    elif alone:
        said = "It begins when somebody else has come, and all are ready."
    else:
        said = "It begins when all who sit are ready."
    return [*lines, said, f"Time for everybody: {clock_of(race.limit * 1000)}."]


def starts_in(scene: Scene) -> str | None:
    """How long it is until the start, if that is agreed."""
    race = scene.course.race
    if not race or race.begins is None or race.started is not None:
        return None
    ms = max(race.begins - (scene.now or 0), 0)
    return f"{-(-ms // 1000)} s" if ms < 100_000 else clock_of(ms)


def heading(scene: Scene) -> str:
    """How far the race is, whose board is drawn, and how it has ended, if it has."""
    race, seats = scene.course.race, scene.course.seats
    if not race or race.started is None:
        return f"race of {len(seats)}"
    time = "over" if scene.over else f"{clock_of(race.limit * 1000 - _passed(scene))} left"
    name = "" if scene.dark or scene.board >= len(seats) else seats[scene.board].name
    if not name:
        return f"race, {time}"
    return f"race, {time} · {name} {ENDS.get(scene.course.lines[scene.board].status, '')}".rstrip()


def _passed(scene: Scene) -> int:
    race = scene.course.race
    started = race.started if race else None
    return max((scene.now or 0) - (started or 0), 0)


def rivals(scene: Scene, own: int | None) -> str:
    """How the others fare, in one line, the best first."""
    rows = [row for row in table_of(scene) if own is None or row.seat != own + 1]
    told = [f"{row.place}. {row.name} {_fares(row)}" for row in rows[:MOST_RIVALS]]
    more = len(rows) - len(told)
    return " · ".join([*told, f"and {more} more"] if more else told)


def _fares(row: Standing) -> str:
    count = f"{row.score} ({number_of(row.moves, 'move')})"
    match row.status:
        case "won":
            return f"won in {time_of(row.ms or 0)}"
        case "resigned":
            return f"{count}, gave up"
        case "timeout":
            return f"{count}, out of time"
        case _:
            return count


def table(scene: Scene) -> list[str]:
    """The table, a line each, in columns."""
    cells = [HEADS, *(_cells(row) for row in table_of(scene))]
    widths = [max(len(row[at]) for row in cells) for at in range(len(HEADS))]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def _cells(row: Standing) -> tuple[str, ...]:
    status = {"open": "playing", "resigned": "gave up", "timeout": "out of time"}
    time = "" if row.ms is None else time_of(row.ms)
    numbers = str(row.score), str(row.moves), time
    return (f"{row.place}.", str(row.seat), row.name, status.get(row.status, row.status), *numbers)


def board_told(seats: Sequence[Seat], board: int) -> str:
    """Whose board that is, as far as it is known: ``The board of seat 1, Ann``."""
    name = seats[board].name if board < len(seats) else None
    return f"The board of seat {board + 1}" + (f", {name}" if name else "")


def tally(scene: Scene, won: list[int]) -> str:
    """The wins of a series: ``Ann 2 : 1 Bob``, or a list of more than two."""
    names = [seat.name or f"seat {seat.seat}" for seat in scene.course.seats]
    if len(won) == 2:
        return f"{names[0]} {won[0]} : {won[1]} {names[1]}"
    return ", ".join(f"{name} {wins}" for name, wins in zip(names, won, strict=False))
