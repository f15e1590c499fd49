"""From a wish to events: every rule about who may do what in a room, pure.

Reads a :class:`.state.RoomState`, changes nothing, returns the events that an accepted command
makes (full, numbered, to be stored and then told) or raises ``Refused``. What a refusal says
depends on what the asker may see, never on hidden cards.
"""

from random import Random

from msgspec.structs import replace

from kibitz.engine.board import Kind as BoardKind
from kibitz.engine.deals import Drawn
from kibitz.engine.drags import Drag, move_of
from kibitz.engine.game import (
    NO_CHANCE,
    Chance,
    IllegalMove,
    Move,
    Shuffle,
    Transfer,
    Why,
    is_stuck,
    play,
)
from kibitz.engine.notation import write_fact
from kibitz.engine.table import Fact, Table, fold
from kibitz.engine.text import InputError
from kibitz.engine.text import Request as TextRequest
from kibitz.protocol import requests as ask
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.course import CALLED_OFF
from kibitz.protocol.fairness import shuffle_key
from kibitz.protocol.views import Bot, Control, Event, Kind

from ..identity import Identity, clean_text
from . import ending, race
from .race import salted
from .state import Done, RoomState

Played = ask.Move | ask.Undo | ask.Redo | ask.Restart | ask.Resign
"""Commands about a board."""

KINDS_OF: dict[type[ask.RequestBase], str] = {
    ask.Move: "move",
    ask.Undo: "undo",
    ask.Redo: "redo",
    ask.Restart: "restart",
    ask.Say: "say",
    ask.Save: "saved",
    ask.Cheat: "cheated",
    ask.Comments: "comments",
    ask.Steer: "control",
    ask.Rematch: "rematch",
}
"""The kind of event that each command makes first; some make one of two (:func:`is_same`)."""
CLOSED = "the room has been closed"
SEAT_HOLD_MS = 24 * 3600 * 1000
"""How long a seat is kept for a player who is away, from the last thing he did, milliseconds."""


def change(
    state: RoomState, request: ask.Change, who: Identity, at: int, here: set[str]
) -> list[Event]:
    """The events of a command of somebody in the room.

    Args:
        state: The room as it is.
        request: The command.
        who: Who asks.
        at: Milliseconds since the room's creation.
        here: Who is connected; of ``ready`` to play, of ``resign`` in any way, else nobody.

    Raises:
        Refused: Not allowed, not legal, not now; nothing has changed.

    """
    at = max(at, state.at)
    check_open(state)
    if isinstance(request, ask.Say):
        return _say(state, request, who, at)
    _check_seated(state, who)
    if isinstance(request, ask.Comments):
        return _comments(state, request, who, at)
    if state.over:
        raise Refused(ErrorCode.GAME_OVER, "the game is over")
    match request:
        case ask.Ready():
            return race.ready(state, request.on, who, here, at)
        case ask.Steer():
            return _steer(state, request.control, who, at)
        case ask.Resign() if race.is_left_to(state, who, here):
            return [replace(note(state, "closed", None, at), text=CALLED_OFF)]
        case ask.Resign() if state.mode == "replay":
            gone = note(state, "resigned", who.id, at)
            return [
                gone,
                replace(note(state, "ended", None, at), seq=gone.seq + 1, result="resigned"),
            ]
        case ask.Move(board=int(wished)) if wished != state.board_of(who.id):
            raise Refused(ErrorCode.FORBIDDEN, "not allowed: that is not your board")
        case _:
            return _play(state, request, who, at)


def _play(state: RoomState, request: Played, who: Identity, at: int) -> list[Event]:
    """The events of a command about the board of somebody."""
    index = state.board_of(who.id)
    _check_board(state, index)
    _check_expect(state, request.expect, index)
    match request:
        case ask.Move():
            return _move(state, request, index, who, at)
        case ask.Resign():
            gone = replace(note(state, "resigned", who.id, at), board=index)
            return ending.closed(state, [gone])
        case _:
            return _take_back(state, request, index, who, at)


def _check_board(state: RoomState, index: int) -> None:
    """Check that there is a board that can be played on.

    Raises:
        Refused: There is none, or not yet, or it is done.

    """
    if state.mode == "replay":
        raise Refused(ErrorCode.ILLEGAL, "a recorded game is shown here; nobody plays")
    if not state.course.is_released():
        raise Refused(ErrorCode.ILLEGAL, "the race has not begun")
    if state.course.lines[index].status != "open":
        raise Refused(ErrorCode.GAME_OVER, "your game is over")


def _check_expect(state: RoomState, expect: int | None, index: int) -> None:
    """Check that the room is where the client thinks; of a race, that his board is.

    Raises:
        Refused: It has gone on.

    """
    if expect is None or expect == state.seq:
        return
    if state.mode == "race" and state.positions[index].seq <= expect < state.seq:
        return
    message = f"the room is at event {state.seq}, not {expect}"
    raise Refused(ErrorCode.STALE, message, seq=state.seq)


def check_open(state: RoomState) -> None:
    """Check that a room has not been closed: then it is only looked at, and no card is opened.

    Raises:
        Refused: It has.

    """
    if state.status == "closed":
        raise Refused(ErrorCode.GAME_OVER, CLOSED)


def note(state: RoomState, kind: Kind, by: str | None, at: int) -> Event:
    """An event that moves no card: ``saved``, ``cheated``, ``left``."""
    return Event(seq=state.seq + 1, at=at, kind=kind, by=by)


def sit_down(state: RoomState, who: Identity, here: set[str], at: int) -> list[Event]:
    """The events of taking a free seat, or one whose player has been away for too long.

    None where there is a seat already; ``here`` are the identities that are connected.

    Raises:
        Refused: The game is over or every seat is taken.

    """
    if state.seat_of(who.id) is not None:
        return []
    check_open(state)
    if state.over:
        raise Refused(ErrorCode.GAME_OVER, "the game is over; it can be watched")
    if state.course.race and state.course.is_released():
        raise Refused(ErrorCode.FULL, "the race has begun; it can be watched")
    if state.course.daily:
        raise Refused(ErrorCode.FULL, "everybody plays the deal of the day in a room of his own")
    joined = replace(note(state, "joined", who.id, at), name=who.name, bot=who.bot)
    for seat in state.seats:
        if seat.id is None:
            return race.agreed(state, [replace(joined, seat=seat.seat)], here)
    for seat in state.seats:
        away = seat.id is not None and seat.id not in here
        if away and at - state.last_at.get(seat.id or "", 0) >= SEAT_HOLD_MS:
            left = replace(note(state, "left", None, at), seat=seat.seat)
            joined = replace(joined, seq=left.seq + 1, seat=seat.seat)
            return race.agreed(state, [left, joined], here)
    raise Refused(ErrorCode.FULL, "every seat is taken")


def stand_up(state: RoomState, who: Identity, here: set[str], at: int) -> list[Event]:
    """The events of giving a seat up; none where there is no seat, or where it is kept.

    The seats of a race are kept from its start on, and so is that of a deal of the day.
    """
    seat = state.seat_of(who.id)
    kept = state.course.daily or (state.course.race and state.course.is_released())
    if seat is None or kept:
        return []
    left = replace(note(state, "left", who.id, at), seat=seat.seat)
    return race.agreed(state, [left], here)


def _check_seated(state: RoomState, who: Identity) -> None:
    if state.seat_of(who.id) is None:
        raise Refused(ErrorCode.NOT_SEATED, "not allowed: you have no seat in this room")


def _say(state: RoomState, request: ask.Say, who: Identity, at: int) -> list[Event]:
    if not state.policy.say or state.course.comments is False:
        raise Refused(ErrorCode.FORBIDDEN, "this room takes no comments")
    text = clean_text(request.text)
    if not text:
        raise Refused(ErrorCode.BAD_MESSAGE, "an empty comment")
    return [replace(note(state, "say", who.id, at), text=text, name=who.name)]


def _comments(state: RoomState, request: ask.Comments, who: Identity, at: int) -> list[Event]:
    if not state.policy.say:
        raise Refused(ErrorCode.FORBIDDEN, "this room takes no comments")
    if request.on is (state.course.comments is not False):
        return []
    return [replace(note(state, "comments", who.id, at), on=request.on)]


def _steer(state: RoomState, control: Control, who: Identity, at: int) -> list[Event]:
    recorded = state.course.recorded
    if not recorded:
        raise Refused(ErrorCode.ILLEGAL, "no recorded game is shown here")
    if control.at > recorded.seq:
        raise Refused(ErrorCode.BAD_OPTION, f"the recorded game has {recorded.seq} events")
    return [replace(note(state, "control", who.id, at), control=control)]


def _move(state: RoomState, request: ask.Move, index: int, who: Identity, at: int) -> list[Event]:
    position = state.positions[index]
    table = position.board.table
    move = _wanted(state, request, table)
    chance = _chance(state, table) if isinstance(move, Shuffle) else NO_CHANCE
    try:
        outcome = play(state.game, table, move, chance)
    except IllegalMove as error:
        raise _illegal(state, move, error) from None
    made = Event(
        seq=state.seq + 1,
        at=at,
        kind="move",
        by=who.id,
        board=index,
        move=state.text.write(move),
        fx=[write_fact(fact) for fact in outcome.facts],
        moves=position.board.moves_after("move"),
        score=state.game.score(outcome.table),
    )
    made = salted(state, made)
    if outcome.won:
        won = replace(note(state, "won", who.id, at), seq=made.seq + 1, board=index)
        took = at - (race.start_of(state) or 0)
        return ending.closed(state, [made, replace(won, moves=made.moves, ms=took)])
    if not position.stuck and is_stuck(state.game, outcome.table):
        stuck = replace(note(state, "stuck", None, at), seq=made.seq + 1, board=index)
        return [made, salted(state, stuck)]
    return [made]


def _wanted(state: RoomState, request: ask.Move, table: Table) -> Move:
    """The move that a request means.

    Raises:
        Refused: It is in no grammar, or a drag that no legal move is.

    """
    if request.move is None:
        return _dragged(state, _drag(request), table)
    try:
        move = state.text.parse(request.move)
    except InputError as error:
        raise Refused(ErrorCode.BAD_MOVE, str(error) or "an empty line is no move") from None
    if isinstance(move, TextRequest):
        raise Refused(ErrorCode.BAD_MOVE, f"{move.word} is a request of its own, not a move")
    return move


def _drag(request: ask.Move) -> Drag:
    return Drag(request.from_ or "", request.to or "", request.cards or 1)


def _dragged(state: RoomState, drag: Drag, table: Table) -> Move:
    for pile in (drag.source, drag.target):
        if pile not in table.piles:
            raise Refused(ErrorCode.BAD_MOVE, f"{state.game.name} has no pile {pile}")
    try:
        return move_of(state.game, table, drag)
    except IllegalMove as error:
        raise _illegal(state, Transfer(drag.source, drag.target, drag.count), error) from None


def _chance(state: RoomState, table: Table) -> Chance:
    """The chance of a move: the same for the same shuffle, however often it is taken back.

    Rooms that have committed themselves shuffle by what they committed to, and by the position.
    """
    if state.fair is not None:
        seed = bytes.fromhex(state.secret.seed)
        return Drawn(shuffle_key(seed, state.start, table, state.game))
    counted = "".join(f":{name}={n}" for name, n in sorted(table.counters.items()))
    return Random(state.secret.seed + counted)


def _illegal(state: RoomState, move: Move, error: IllegalMove) -> Refused:
    code = ErrorCode.GAME_OVER if error.objection.why is Why.OVER else ErrorCode.ILLEGAL
    return Refused(code, state.text.refusal(move, error.objection))


def _take_back(
    state: RoomState,
    request: ask.Undo | ask.Redo | ask.Restart,
    index: int,
    who: Identity,
    at: int,
) -> list[Event]:
    if not state.policy.undo:
        raise Refused(ErrorCode.FORBIDDEN, "this room does not allow that")
    board = state.positions[index].board
    kind: BoardKind
    facts: tuple[Fact, ...] | None
    match request:
        case ask.Undo():
            kind, facts = "undo", board.to_undo()
        case ask.Redo():
            kind, facts = "redo", board.to_redo()
        case ask.Restart():
            kind, facts = "restart", board.to_restart()
    if facts is None:
        raise Refused(ErrorCode.ILLEGAL, f"there is nothing to {kind}")
    made = replace(
        note(state, kind, who.id, at),
        board=index,
        fx=[write_fact(fact) for fact in facts],
        moves=board.moves_after(kind),
        score=state.game.score(fold(facts, board.table)),
    )
    return [salted(state, made)]


def another(request: ask.RequestBase) -> Refused:
    """The refusal of a request that has the name of another one."""
    return Refused(ErrorCode.BAD_MESSAGE, f"{request.i} is the name of another request")


def is_same(state: RoomState, request: ask.RequestBase, done: Done) -> bool:
    """Whether a request can be the one that was done: by what it says, for cards have moved since.

    A drag is compared with the cards that moved, and only with a move that was a transfer.
    """
    match request:
        case ask.Ready(on=on):
            return done.kind == ("ready" if on else "unready")
        case ask.Resign():
            return done.kind in ("resigned", "closed")
        case ask.SeatBot(on=True, strategy=strategy, pace=pace):
            return done.kind == "joined" and done.said == Bot(strategy, pace)
        case ask.SeatBot(seat=seat):
            return done.kind in ("left", "resigned") and done.said == seat
        case ask.Comments(on=on):
            return done.said == str(on)
        case ask.Steer(control=control):
            return done.said == str(control)
        case ask.Say(text=text):
            return clean_text(text) == done.said
        case ask.Move(move=None):
            said = done.said if isinstance(done.said, str) else ""
            carried = isinstance(_read(state, said), Transfer)
            return carried and _drag(request) == done.drag
        case ask.Move(move=str(line)):
            move = _read(state, line)
            return (state.text.write(move) if move else line) == done.said
        case _:
            return True


def _read(state: RoomState, line: str) -> Move | None:
    """The move that a line means; ``None`` if it means none."""
    try:
        move = state.text.parse(line)
    except InputError:
        return None
    return None if isinstance(move, TextRequest) else move
