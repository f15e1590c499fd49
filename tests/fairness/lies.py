"""What no honest server writes: hashes and digest fit, but rooms do not go on like that."""

import json
from collections.abc import Callable
from typing import Any

from . import honest
from .honest import ALL_OK, ANN, BOB, Checks, Desk, Plain, Play, Told
from .tampers import FAILED, chained, sealed

Change = Callable[[list[Plain]], None]
"""What somebody does to events."""

ENDLESS: Checks = ALL_OK | {"openings": FAILED, "deal": "open"}
"""Without its end a game opens nothing, and nothing proves the cards that were shown."""


def at(kind: str, key: str, value: Any, nth: int = 0) -> Change:
    """One key of an event of a kind is another one."""

    def change(events: list[Plain]) -> None:
        [event for event in events if event["kind"] == kind][nth][key] = value

    return change


def silent(kind: str, key: str) -> Change:
    """An event of a kind does not say something."""

    def change(events: list[Plain]) -> None:
        del next(event for event in events if event["kind"] == kind)[key]

    return change


def inside(kind: str, key: str, *path: Any, value: Any) -> Change:
    """Something deep in an event is another one."""

    def change(events: list[Plain]) -> None:
        here = next(event for event in events if event["kind"] == kind)[key]
        for step in path[:-1]:
            here = here[step]
        assert here[path[-1]] != value
        here[path[-1]] = value

    return change


def without(*kinds: str) -> Change:
    """Events of some kinds are missing."""

    def change(events: list[Plain]) -> None:
        events[:] = [event for event in events if event["kind"] not in kinds]

    return change


def behind(after: str, /, **event: Any) -> Change:
    """There is one event more; what is ``None`` it does not say."""

    def change(events: list[Plain]) -> None:
        n = next(n for n, each in enumerate(events) if each["kind"] == after)
        base = {key: events[n][key] for key in ("t", "room", "at", "by") if key in events[n]}
        made = base | event
        events.insert(n + 1, {key: value for key, value in made.items() if value is not None})

    return change


def lying(play: Play, change: Change, checks: Checks = ALL_OK | {"rules": FAILED}) -> Play:
    """A game of which something else is told, everywhere and in order."""

    async def played(desk: Desk) -> Told:
        said = json.loads((await play(desk)).text)
        for key in ("events", "open"):
            change(said[key])
            for seq, event in enumerate(said[key], 1):
                event["seq"] = seq
        return Told(sealed(chained(said)), checks)

    return played


ALONE, RACE = honest.klondike_won_from_a_save, honest.race_won
STUCK, WAITING = honest.aces_up_of_a_deal_number_resigned, honest.race_ended
NOBODY = "nobodynobody"

_LIES: dict[str, Play] = {
    "an open card at the end": lying(ALONE, at("ended", "fx", [["set", "Discard", ["As-"]]])),
    "the time it took": lying(ALONE, at("won", "ms", 5)),
    "the moves it took": lying(ALONE, at("won", "moves", 1)),
    "who won": lying(RACE, at("won", "by", BOB.id)),
    "a win says too much": lying(ALONE, at("won", "score", 52)),
    "the number of a move": lying(ALONE, at("move", "moves", 2)),
    "a move says too much": lying(ALONE, at("move", "text", "see here")),
    "how it ended": lying(ALONE, at("ended", "result", "resigned")),
    "no end": lying(ALONE, without("ended"), ENDLESS),
    "won too early": lying(ALONE, behind("joined", kind="won", moves=0, ms=0)),
    "a seat for nobody": lying(ALONE, without("joined")),
    "two in a seat": lying(ALONE, behind("joined", kind="joined", by=BOB.id, seat=1)),
    "a move afterwards": lying(ALONE, behind("ended", kind="undo", by=ANN.id, moves=0, fx=[])),
    "a seat afterwards": lying(ALONE, behind("ended", kind="joined", by=NOBODY, seat=1)),
    "a showing of a game": lying(ALONE, behind("joined", kind="control", control={"at": 1})),
    "cheating where none is": lying(ALONE, behind("joined", kind="cheated")),
    "a seat too many": lying(ALONE, at("created", "seats", 2)),
    "seats without number": lying(ALONE, at("created", "seats", 10**8)),
    "closed by somebody": lying(ALONE, behind("ended", kind="closed", by=ANN.id)),
    "closed afterwards": lying(ALONE, behind("ended", kind="closed", by=None)),
    "a countdown of no race": lying(ALONE, behind("joined", kind="countdown", by=None, begins=9)),
    "the next game comes too early": lying(ALONE, behind("joined", kind="rematch", next="x" * 16)),
    "a race of one": lying(RACE, at("created", "seats", 1)),
    "another start": lying(
        RACE,
        inside("ended", "opened", "start", "Stock", 0, value="Qh"),
        ALL_OK | {"deal": FAILED, "rules": FAILED},
    ),
    "a card more at the end of a race": lying(
        RACE, inside("ended", "boards", 0, 0, value=["set", "Stock", ["2c"]])
    ),
    "the first of a race": lying(RACE, inside("ended", "results", 0, "score", value=51)),
    "no start of a race": lying(RACE, without("started")),
    "no deal in a race": lying(RACE, without("dealt")),
    "a start says too much": lying(RACE, at("started", "moves", 1)),
    "a salt is gone": lying(RACE, silent("move", "salt")),
    "stuck by chance": lying(RACE, behind("dealt", kind="stuck")),
    "time up too early": lying(RACE, behind("dealt", kind="timeout")),
    "a countdown afterwards": lying(RACE, behind("dealt", kind="countdown", begins=9000)),
    "ready in the seat of another": lying(RACE, behind("joined", kind="ready", seat=2)),
    "a dead end where moves are left": lying(STUCK, behind("move", kind="stuck", by=None)),
    "a dead end is not told": lying(STUCK, without("stuck")),
    "a dead end says too much": lying(STUCK, at("stuck", "score", 14)),
}


async def takes_its_promise_out(desk: Desk) -> Told:
    said = json.loads((await ALONE(desk)).text)
    for key in ("events", "open"):
        del said[key][0]["fair"]
    return Told(sealed(chained(said)), honest.OLD | {"file": FAILED})


LIES: dict[str, Play] = {"lie-" + name.replace(" ", "-"): play for name, play in _LIES.items()} | {
    "lie-no-promise": takes_its_promise_out
}
