"""A replay text or a save text that somebody brought, as the events of a game in no room.

Promises: what happens is decided by the rules of this server and numbered as in a room; nothing
is written down. The texts know no times and no people: commands are a second apart, events carry
no ``by``, a comment is said by the name before its colon. Never: a room, a log, more steps or
more cards than the limits say.
"""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from kibitz.engine import replays, saves
from kibitz.engine.games import TEXTS
from kibitz.engine.headers import LineError
from kibitz.engine.notation import write_fact, write_piles
from kibitz.engine.replays import HIDDEN, Played, Replay, ReplayError
from kibitz.engine.table import Fact, Moved, Set, Table, lay
from kibitz.engine.text import Request
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.limits import MAX_NAME, MAX_SAVE, MAX_STEPS
from kibitz.protocol.replies import Replayed
from kibitz.protocol.views import Event, Kind, Opened, Policy, Status

from ..identity import clean_text
from ..pace import Through
from ..room.audience import opened, public
from ..room.ending import named

BEAT_MS = 1000
"""Milliseconds from one command to the next."""
MAX_CELLS = 100_000
"""Most facts and cards in them: many restarts say far more than the text they stand in."""

_MARKS: Mapping[str, Kind] = {"(saved)": "saved", "(cheated)": "cheated"}


def replayed(text: str, go: Through = iter) -> Replayed:
    """Play a text.

    Args:
        text: The text.
        go: How to go through it.

    Raises:
        Refused: It is none, or too long, or does not show all cards.

    """
    if len(text.encode(errors="surrogatepass")) > MAX_SAVE:
        raise Refused(ErrorCode.TOO_LARGE, f"a text has at most {MAX_SAVE} bytes")
    try:
        replay = _read(text)
    except LineError as error:
        raise Refused(ErrorCode.BAD_SAVE, f"format error in file: {error}") from None
    if not replay.shown:
        raise Refused(ErrorCode.BAD_SAVE, HIDDEN)
    events: list[Event] = []
    fault: str | None = None
    try:
        events.extend(go(_events(replay)))
    except ReplayError as error:
        fault = str(error)
    return Replayed(
        game=replay.game.name,
        options=dict(replay.game.options),
        events=[public(event, "") for event in go(events)],
        open=[opened(event, "") for event in go(events)],
        fault=fault,
    )


def _read(text: str) -> Replay:
    """The replay in a text; a save is one without steps.

    Raises:
        LineError: It is neither.

    """
    if text.removeprefix("\ufeff").startswith("# format:"):
        return replays.read(text)
    save = saves.read(text)
    return Replay(save.game, save.table, ())


def _events(replay: Replay) -> Iterator[Event]:
    """The events of a replay, in full.

    Raises:
        ReplayError: A line does not fit, or there is too much; what was before has been yielded.

    """
    yield _created(replay)
    seq, at, size, over = 1, 0, 0, False
    for number, played in enumerate(replays.follow(replay), 1):
        line = played.step.line
        size += sum(map(_size, played.facts))
        if number > MAX_STEPS or size > MAX_CELLS:
            raise ReplayError(line, 1, "the game is too long to be played from here on")
        if over and played.step.command:
            raise ReplayError(line, 1, "the game is over")
        at += BEAT_MS if played.step.command else 0
        for event in _told(replay, played):
            seq += 1
            over = over or event.kind == "ended"
            yield replace(event, seq=seq, at=at)


def _created(replay: Replay) -> Event:
    return Event(
        seq=1,
        at=0,
        kind="created",
        fx=[write_fact(fact) for fact in lay(replay.start)],
        game=replay.game.name,
        options=dict(replay.game.options),
        mode="solo",
        seats=1,
        policy=Policy(),
        started=0,
    )


def _told(replay: Replay, played: Played) -> Iterator[Event]:
    """What a step is in a room, not yet numbered."""
    game, text = replay.game, TEXTS[replay.game.name]
    command, blank = played.step.command, Event(seq=0, at=0, kind="resigned")
    if not command:
        yield from _remark(played.step.comment)
        return
    if played.kind is None:
        yield blank
        yield _ended(replay, played.table, "resigned")
        return
    move = text.parse(command) if played.kind == "move" else None
    yield replace(
        blank,
        kind=played.kind,
        move=None if move is None or isinstance(move, Request) else text.write(move),
        fx=[write_fact(fact) for fact in played.facts],
        moves=played.moves,
        score=game.score(played.table),
    )
    if game.is_won(played.table):
        yield replace(blank, kind="won", moves=played.moves)
        yield _ended(replay, played.table, "won")


def _remark(comment: str) -> Iterator[Event]:
    """A comment as it was said; the marks of saves and open cards as what they were."""
    said = clean_text(comment)
    if said in _MARKS:
        yield Event(seq=0, at=0, kind=_MARKS[said])
    elif said:
        name, colon, text = said.partition(": ")
        named = bool(colon and name and text) and len(name) <= MAX_NAME
        yield Event(
            seq=0, at=0, kind="say", name=name if named else None, text=text if named else said
        )


def _ended(replay: Replay, table: Table, result: Status) -> Event:
    start = replay.start
    laid_open = Opened(start=write_piles(start), counters=dict(start.counters), seed="")
    fx = [write_fact(fact) for fact in named(table)]
    return Event(seq=0, at=0, kind="ended", result=result, fx=fx, opened=laid_open)


def _size(fact: Fact) -> int:
    return 1 + (len(fact.cells) if isinstance(fact, Moved | Set) else 0)
