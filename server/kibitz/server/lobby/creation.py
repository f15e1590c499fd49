"""From a wish for a room to the record that creates it, pure but for the bytes it is handed."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from kibitz.engine.cards import Card
from kibitz.engine.deals import deck_of, shuffled
from kibitz.engine.formats import read_any
from kibitz.engine.game import BadOption, Game
from kibitz.engine.games import GAMES
from kibitz.engine.headers import LineError
from kibitz.engine.notation import write_fact
from kibitz.engine.table import Table, lay
from kibitz.protocol import fairness
from kibitz.protocol.asking import OptionValue
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.limits import MAX_AHEAD_MS, MAX_RACERS, MAX_SEATS, MIN_RACERS
from kibitz.protocol.requests import Create
from kibitz.protocol.views import Event, Mode, Origin, Policy, Seat, Series

from ..identity import Identity
from ..log.record import Record, Secret
from ..room.decide import another
from ..room.state import RoomState

SEATS: dict[Mode, tuple[int, int, int]] = {
    "solo": (1, 1, 1),
    "coop": (2, 1, MAX_SEATS),
    "race": (2, MIN_RACERS, MAX_RACERS),
}
"""Seats of each mode: if nobody says how many, the fewest, the most."""


@dataclass(frozen=True, slots=True)
class Start:
    """A settled game and the position it starts from.

    Attributes:
        game: The rules with their options.
        table: The position.
        deal: The deal number, if there is one.
        origin: The position in another room that this is, if it is one.
        told: Whether everybody may know that room.
        parent: The room whose secrets this one shares while that is being played.
        seats: Who sits down from the first, beside whoever creates it.
        series: The series that the room belongs to.
        daily: The day whose deal this is.
        policy: What the room allows, if that is not what the request says.
        password: The hash of the password, likewise.
        secret: 256 bits from which all chance follows, if they are not to be fresh ones.
        loaded: Whether it is a position that was given, no deal.

    """

    game: Game
    table: Table
    deal: str | None
    origin: Origin | None = None
    told: bool = False
    parent: str | None = None
    seats: Sequence[Seat] = ()
    series: Series | None = None
    daily: str | None = None
    policy: Policy | None = None
    password: str | None = None
    secret: bytes | None = None
    loaded: bool = False


def create(
    request: Create,
    who: Identity,
    now_ms: int,
    secret: bytes,
    password: str | None,
    start: Start | None = None,
    draw: int | None = None,
) -> Record:
    """The first record of a room.

    Args:
        request: What is wished for.
        who: Who creates it; sits down if the request says so.
        now_ms: Unix milliseconds.
        secret: 256 random bits.
        password: The hash of the password, if there is one.
        start: Where it begins, if that is not what the request says.
        draw: The number of the deal that is known to be winnable, if it is to be one.

    Raises:
        Refused: Something in the wish cannot be.

    """
    mode, seats = _seats(request)
    secret = start.secret or secret if start else secret
    nonce = request.nonce if draw is None else fairness.drawn(request.nonce, draw)
    seed = fairness.seed_of(secret, nonce or "")
    start = start or _start(request, seed)
    begins = _begins(request, now_ms)
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
        policy=start.policy or _policy(request),
        started=now_ms,
        origin=start.origin if start.told else None,
        countdown=request.countdown,
        limit=request.limit,
        begins=None if begins is None else begins - now_ms,
        series=start.series,
        daily=start.daily,
        fair=fairness.commit(
            *(start.game, start.table, secret, nonce),
            loaded=start.loaded,
            numbered=start.deal is not None and not start.loaded,
        ),
        winnable=None if draw is None else True,
    )
    seated = list(start.seats) or ([Seat(1, who.id, who.name)] if request.seat else [])
    sat = [
        Event(
            seq=seq,
            at=0,
            by=seat.id,
            kind="joined",
            seat=seat.seat,
            name=seat.name,
            bot=seat.bot,
        )
        for seq, seat in enumerate(seated, 2)
    ]
    kept = Secret(
        seed=seed.hex(),
        deal=start.deal,
        password=start.password or password,
        wish=wish_of(request, start),
        parent=start.parent,
        secret=secret.hex(),
    )
    return Record(events=[created, *sat], by=who.id, secret=kept, visibility=request.visibility)


def wish_of(request: Create, start: Start | None) -> str:
    """What was asked for, in short: the same for the same room. It says nothing of a password."""
    plain = msgspec.msgpack.encode(replace(request, i=None, password=None, seat=True))
    said = "None"
    if start and (origin := start.origin):
        board = f", board={origin.board}" if origin.board else ""
        said = f"Origin(room={origin.room!r}, seq={origin.seq}{board})"
    return hashlib.sha256(plain + said.encode()).hexdigest()[:32]


def check_same(state: RoomState, request: Create, start: Start | None) -> None:
    """See that a named request can be the one that made a room before.

    Raises:
        Refused: It was another one.

    """
    secret = state.secret
    same = secret.wish in ("", wish_of(request, start))  # older rooms do not know
    if not same or (secret.password is None) != (request.password is None):
        raise another(request)


def _seats(request: Create) -> tuple[Mode, int]:
    if request.mode not in SEATS:
        modes = ", ".join(SEATS)
        raise Refused(ErrorCode.BAD_OPTION, f"no mode {request.mode!r} (modes: {modes})")
    mode: Mode = request.mode
    usual, fewest, most = SEATS[mode]
    seats = usual if request.seats is None else request.seats
    if not fewest <= seats <= most:
        many = f"{fewest} to {most} seats" if most > fewest else "one seat"
        raise Refused(ErrorCode.BAD_OPTION, f"{mode} has {many}")
    if request.policy.delay and not request.seat:
        message = "a room that is shown late shows nothing yet to who does not sit down in it"
        raise Refused(ErrorCode.BAD_OPTION, message)
    if mode != "race" and not request.countdown is request.limit is request.begins is None:
        message = "a countdown, a limit and a time to begin are for races"
        raise Refused(ErrorCode.BAD_OPTION, message)
    return mode, seats


def _begins(request: Create, now_ms: int) -> int | None:
    if request.begins is not None and not now_ms < request.begins <= now_ms + MAX_AHEAD_MS:
        raise Refused(ErrorCode.BAD_OPTION, "a race begins at a time to come, within 30 days")
    return request.begins


def _policy(request: Create) -> Policy:
    wish = request.policy
    wished = {name: getattr(wish, name) for name in wish.__struct_fields__}
    policy = Policy(
        **{
            name: value
            for name, value in wished.items()
            if value not in (None, 0) or value is False
        }
    )
    race = request.mode == "race"
    if wish.advice and not policy.hints:
        raise Refused(ErrorCode.BAD_OPTION, "advice is for rooms with hints")
    if wish.casual and race:
        raise Refused(ErrorCode.BAD_OPTION, "a race is not casual")
    if race and ((policy.save and wish.save) or policy.cheat):
        raise Refused(ErrorCode.BAD_OPTION, "a race allows no saves and no cheating")
    if wish.masked and not race:
        raise Refused(ErrorCode.BAD_OPTION, "only the boards of a race can be masked")
    if wish.masked and wish.delay:
        raise Refused(ErrorCode.BAD_OPTION, "masked or delayed, not both")
    if race and wish.masked is False and not wish.delay:
        raise Refused(ErrorCode.BAD_OPTION, "a race that is not masked needs a delay")
    return replace(
        policy,
        save=policy.save and not race,
        advice=wish.advice or UNSET,
        casual=wish.casual or UNSET,
        masked=True if race and not wish.delay else UNSET,
    )


def _start(request: Create, seed: bytes) -> Start:
    if request.game not in GAMES:
        games = ", ".join(GAMES)
        raise Refused(ErrorCode.BAD_OPTION, f"no game {request.game!r} (games: {games})")
    if request.winnable and (request.save is not None or request.deal):
        message = "a winnable deal is drawn by the server: no deal number and no save"
        raise Refused(ErrorCode.BAD_OPTION, message)
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
        save = read_any(text, request.game)
    except LineError as error:
        raise Refused(ErrorCode.BAD_SAVE, f"format error in file: {error}") from None
    if save.game.is_won(save.table):
        raise Refused(ErrorCode.BAD_SAVE, "that game is won already")
    return Start(save.game, save.table, save.deal, loaded=True)


def _text(value: OptionValue) -> str:
    """An option's value as the text that command lines and saves use."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
