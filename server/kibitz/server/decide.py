"""From a wish to events: every rule about who may do what in a room, pure.

Reads a :class:`.state.RoomState`, changes nothing, returns the events that an accepted command
makes (full, numbered, to be stored and then told) or raises ``Refused``. What a refusal says
depends on what the asker may see, never on hidden cards.
"""

from random import Random

from msgspec.structs import replace

from kibitz.engine.board import Board, Kind
from kibitz.engine.deals import deck_of
from kibitz.engine.drags import Drag, move_of
from kibitz.engine.game import BadOption, IllegalMove, Move, Transfer, Why, is_stuck, play
from kibitz.engine.notation import write_fact, write_piles
from kibitz.engine.table import Fact, Set, Table, fold
from kibitz.engine.text import InputError
from kibitz.engine.text import Request as TextRequest
from kibitz.protocol import requests as ask
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.views import Event, Opened

from .identity import Identity, clean_text
from .state import Done, RoomState

SEAT_HOLD_MS = 24 * 3600 * 1000
"""How long a seat is kept for a player who is away, from the last thing he did, milliseconds."""


def change(state: RoomState, request: ask.Change, who: Identity, at: int) -> list[Event]:
    """The events of a command of somebody in the room.

    Args:
        state: The room as it is.
        request: The command.
        who: Who asks.
        at: Milliseconds since the room's creation.

    Raises:
        Refused: Not allowed, not legal, not now; nothing has changed.

    """
    at = max(at, state.at)
    if isinstance(request, ask.Say):
        return _say(state, request, who, at)
    _check_seated(state, who)
    if state.over:
        raise Refused(ErrorCode.GAME_OVER, "the game is over")
    if request.expect is not None and request.expect != state.seq:
        message = f"the room is at event {state.seq}, not {request.expect}"
        raise Refused(ErrorCode.STALE, message, seq=state.seq)
    match request:
        case ask.Move():
            return _move(state, request, who, at)
        case ask.Resign():
            gone = note(state, "resigned", who.id, at)
            return [gone, _ended(state, gone.seq + 1, at, "resigned")]
        case _:
            return _take_back(state, request, who, at)


def note(state: RoomState, kind: str, by: str | None, at: int) -> Event:
    """An event that moves no card: ``saved``, ``cheated``, ``left``."""
    return Event(seq=state.seq + 1, at=at, kind=kind, by=by)  # type: ignore[arg-type]


def sit_down(state: RoomState, who: Identity, here: set[str], at: int) -> list[Event]:
    """The events of taking a free seat, or one whose player has been away for too long.

    None where there is a seat already; ``here`` are the identities that are connected.

    Raises:
        Refused: The game is over or every seat is taken.

    """
    if state.seat_of(who.id) is not None:
        return []
    if state.over:
        raise Refused(ErrorCode.GAME_OVER, "the game is over; it can be watched")
    joined = replace(note(state, "joined", who.id, at), name=who.name)
    for seat in state.seats:
        if seat.id is None:
            return [replace(joined, seat=seat.seat)]
    for seat in state.seats:
        away = seat.id is not None and seat.id not in here
        if away and at - state.last_at.get(seat.id or "", 0) >= SEAT_HOLD_MS:
            left = replace(note(state, "left", None, at), seat=seat.seat)
            return [left, replace(joined, seq=left.seq + 1, seat=seat.seat)]
    raise Refused(ErrorCode.FULL, "every seat is taken")


def stand_up(state: RoomState, who: Identity, at: int) -> list[Event]:
    """The events of giving a seat up; none where there is no seat."""
    seat = state.seat_of(who.id)
    return [replace(note(state, "left", who.id, at), seat=seat.seat)] if seat else []


def _check_seated(state: RoomState, who: Identity) -> None:
    if state.seat_of(who.id) is None:
        raise Refused(ErrorCode.NOT_SEATED, "not allowed: you have no seat in this room")


def _say(state: RoomState, request: ask.Say, who: Identity, at: int) -> list[Event]:
    if not state.policy.say:
        raise Refused(ErrorCode.FORBIDDEN, "this room takes no comments")
    text = clean_text(request.text)
    if not text:
        raise Refused(ErrorCode.BAD_MESSAGE, "an empty comment")
    return [replace(note(state, "say", who.id, at), text=text, name=who.name)]


def _move(state: RoomState, request: ask.Move, who: Identity, at: int) -> list[Event]:
    position = state.positions[request.board]
    seq = state.seq + 1
    move = _wanted(state, request)
    try:
        outcome = play(state.game, position.board.table, move, _chance(state, position.board.table))
    except IllegalMove as error:
        raise _illegal(state, move, error) from None
    made = replace(
        note(state, "move", who.id, at),
        move=state.text.write(move),
        fx=[write_fact(fact) for fact in outcome.facts],
        moves=position.board.moves_after("move"),
        score=state.game.score(outcome.table),
    )
    if outcome.won:
        won = Event(seq=seq + 1, at=at, kind="won", by=who.id, moves=made.moves, ms=at)
        return [made, won, _ended(state, seq + 2, at, "won", outcome.table)]
    if not position.stuck and is_stuck(state.game, outcome.table):
        return [made, Event(seq=seq + 1, at=at, kind="stuck")]
    return [made]


def _wanted(state: RoomState, request: ask.Move) -> Move:
    """The move that a request means.

    Raises:
        Refused: It is in no grammar, or a drag that no legal move is.

    """
    if request.move is None:
        return _dragged(state, _drag(request), state.positions[request.board].board.table)
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


def _chance(state: RoomState, table: Table) -> Random:
    """The chance of a move: the same for the same shuffle, however often it is taken back."""
    counted = "".join(f":{name}={n}" for name, n in sorted(table.counters.items()))
    return Random(state.secret.seed + counted)


def _illegal(state: RoomState, move: Move, error: IllegalMove) -> Refused:
    code = ErrorCode.GAME_OVER if error.objection.why is Why.OVER else ErrorCode.ILLEGAL
    return Refused(code, state.text.refusal(move, error.objection))


def _take_back(
    state: RoomState, request: ask.Undo | ask.Redo | ask.Restart, who: Identity, at: int
) -> list[Event]:
    if not state.policy.undo:
        raise Refused(ErrorCode.FORBIDDEN, "this room does not allow that")
    board = state.positions[0].board
    kind: Kind
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
    return [
        replace(
            note(state, kind, who.id, at),
            fx=[write_fact(fact) for fact in facts],
            moves=board.moves_after(kind),
            score=state.game.score(fold(facts, board.table)),
        )
    ]


def _ended(state: RoomState, seq: int, at: int, result: str, table: Table | None = None) -> Event:
    """The event that opens the deal: every card still face down is named, and the start."""
    board: Board = state.positions[0].board
    table = board.table if table is None else table
    opened = Opened(
        start=write_piles(board.start),
        counters=dict(board.start.counters),
        seed=state.secret.seed,
        deal=true_deal(state),
    )
    return Event(
        seq=seq,
        at=at,
        kind="ended",
        result=result,  # type: ignore[arg-type]
        fx=[write_fact(fact) for fact in named(table)],
        opened=opened,
    )


def named(table: Table) -> list[Fact]:
    """The facts that name every card still face down, once a game has ended."""
    piles = table.piles.items()
    return [Set(name, cells) for name, cells in piles if not all(cell.up for cell in cells)]


def true_deal(state: RoomState) -> str | None:
    """The deal number, if the game really started from it: a save may say what it likes."""
    deal = state.secret.deal
    if deal is None:
        return None
    try:
        dealt = state.game.deal(deck_of(deal))
    except BadOption:
        return None
    return deal if dealt.piles == state.positions[0].board.start.piles else None


def is_same(state: RoomState, request: ask.RequestBase, done: Done) -> bool:
    """Whether a request can be the one that was done: by what it says, for cards have moved since.

    A drag is compared with the cards that moved, and only with a move that was a transfer.
    """
    match request:
        case ask.Say(text=text):
            return clean_text(text) == done.said
        case ask.Move(move=None):
            carried = isinstance(_read(state, done.said or ""), Transfer)
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
