"""From a wish for a room to the record that creates it, pure but for the bytes it is handed."""

import hashlib
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from kibitz.engine.cards import Card
from kibitz.engine.deals import deck_of, shuffled
from kibitz.engine.game import BadOption, Game
from kibitz.engine.games import GAMES
from kibitz.engine.notation import write_fact
from kibitz.engine.saves import SaveError, read
from kibitz.engine.table import Table, lay
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.limits import MAX_SEATS
from kibitz.protocol.requests import Create, OptionValue
from kibitz.protocol.views import Event, Mode, Origin, Policy

from .decide import true_deal
from .identity import Identity
from .record import Record, Secret
from .state import RoomState

DEFAULT_SEATS: dict[Mode, int] = {"solo": 1, "coop": 2}


@dataclass(frozen=True, slots=True)
class Start:
    """A settled game and the position it starts from.

    Attributes:
        game: The rules with their options.
        table: The position.
        deal: The deal number, if there is one.
        origin: The position in another room that this is, if it is one.
        told: Whether everybody may know that room.

    """

    game: Game
    table: Table
    deal: str | None
    origin: Origin | None = None
    told: bool = False


def start_at(room: str, state: RoomState) -> Start:
    """The start of a room that goes on from where another one was.

    Raises:
        Refused: There is nothing left to be played.

    """
    table = state.positions[0].board.table
    if state.game.is_won(table):
        raise Refused(ErrorCode.GAME_OVER, "the game is won there; go back to an earlier event")
    deal = true_deal(state) if table.piles == state.positions[0].board.start.piles else None
    told = state.visibility == "public"
    return Start(state.game, table, deal, Origin(room, state.seq), told)


def create(
    request: Create,
    who: Identity,
    now_ms: int,
    seed: bytes,
    password: str | None,
    start: Start | None = None,
) -> Record:
    """The first record of a room.

    Args:
        request: What is wished for.
        who: Who creates it; sits down if the request says so.
        now_ms: Unix milliseconds.
        seed: 256 random bits.
        password: The hash of the password, if there is one.
        start: Where it begins, if that is not what the request says.

    Raises:
        Refused: Something in the wish cannot be.

    """
    mode, seats = _seats(request)
    start = start or _start(request, seed)
    created = Event(
        seq=1,
        at=0,
        by=who.id,
        kind="created",
        name=who.name,
        fx=[write_fact(fact) for fact in lay(start.table)],
        game=start.game.name,
        options=dict(start.game.options),
        mode=mode,
        seats=seats,
        policy=_policy(request),
        started=now_ms,
        origin=start.origin if start.told else None,
    )
    sat = Event(seq=2, at=0, by=who.id, kind="joined", seat=1, name=who.name)
    return Record(
        events=[created, sat] if request.seat else [created],
        by=who.id,
        secret=Secret(
            seed=seed.hex(), deal=start.deal, password=password, wish=wish_of(request, start)
        ),
        visibility=request.visibility,
    )


def wish_of(request: Create, start: Start | None) -> str:
    """What was asked for, in short: the same for the same room. It says nothing of a password."""
    plain = msgspec.msgpack.encode(replace(request, i=None, password=None, seat=True))
    origin = start and start.origin
    return hashlib.sha256(plain + repr(origin).encode()).hexdigest()[:32]


def _seats(request: Create) -> tuple[Mode, int]:
    if request.mode not in DEFAULT_SEATS:
        modes = ", ".join(DEFAULT_SEATS)
        raise Refused(ErrorCode.BAD_OPTION, f"no mode {request.mode!r} (modes: {modes})")
    mode: Mode = "solo" if request.mode == "solo" else "coop"
    seats = DEFAULT_SEATS[mode] if request.seats is None else request.seats
    if mode == "solo" and seats != 1:
        raise Refused(ErrorCode.BAD_OPTION, "solo has one seat")
    assert seats <= MAX_SEATS, "the request was validated"
    return mode, seats


def _policy(request: Create) -> Policy:
    wish = request.policy
    if wish.delay:
        raise Refused(ErrorCode.BAD_OPTION, "policy.delay cannot be set on this server")
    wished = {name: getattr(wish, name) for name in Policy.__struct_fields__}
    return Policy(**{name: value for name, value in wished.items() if value is not None})


def _start(request: Create, seed: bytes) -> Start:
    if request.game not in GAMES:
        games = ", ".join(GAMES)
        raise Refused(ErrorCode.BAD_OPTION, f"no game {request.game!r} (games: {games})")
    if request.save is not None:
        return _loaded(request, request.save)
    try:
        game = GAMES[request.game].with_options(
            {name: _text(value) for name, value in request.options.items()}
        )
        deck: tuple[Card, ...] = deck_of(request.deal) if request.deal else shuffled(seed)
        return Start(game, game.deal(deck), request.deal)
    except BadOption as error:
        raise Refused(ErrorCode.BAD_OPTION, str(error)) from None


def _loaded(request: Create, text: str) -> Start:
    if request.options or request.deal:
        raise Refused(ErrorCode.BAD_OPTION, "a save brings its own options and deal")
    try:
        save = read(text)
    except SaveError as error:
        raise Refused(ErrorCode.BAD_SAVE, f"format error in file: {error}") from None
    if save.game.name != request.game:
        raise Refused(ErrorCode.BAD_SAVE, f"that is a save of {save.game.name}")
    if save.game.is_won(save.table):
        raise Refused(ErrorCode.BAD_SAVE, "that game is won already")
    return Start(save.game, save.table, save.deal)


def _text(value: OptionValue) -> str:
    """An option's value as the text that command lines and saves use."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
