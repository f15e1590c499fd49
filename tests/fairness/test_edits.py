"""Edits of what a replay is made of: each ends in a verdict, and ``kibitz replay`` has a word too.

A finding that only the last net has caught is a fault of a check: it has to find it itself.
"""

import asyncio
import hashlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from kibitz.clients.terminal.reels import Files
from kibitz.clients.terminal.replay import print_frames
from kibitz.clients.terminal.screen import Screen
from kibitz.clients.verifying import replay as verifying
from kibitz.clients.verifying.verdict import Verdict
from kibitz.engine.replays import ReplayError
from kibitz.protocol.course import Course
from kibitz.protocol.limits import MAX_RACERS, MAX_SEATS
from kibitz.protocol.views import Event

from .making import FOLDER
from .tampers import chained, sealed
from .test_nonsense import nodes

MOST = 40
"""Edits of one replay: drawn from all of its keys alike."""
PER_KEY = 3
ENDS = 3
"""Frames of a film that are printed from its beginning and from its end."""
GAMES = (
    *("klondike-won-from-a-save", "klondike-single-resigned-with-a-nonce"),
    *("thumb-and-pouch-running", "aces-up-of-a-deal-number-resigned"),
    *("montana-resigned-with-shuffles", "race-ended", "race-seen-by-a-racer", "fork-running"),
)


def deep(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


EDITS: list[Any] = [
    *(-5, 10**8, 10**30, 10**400, "x", None, [], {}, 1.5, deep(40)),
    *({"Stock": ["Qh"] * 70_000}, [["set", "Stock", ["Qh"] * 70_000]]),
]


def honest(name: str) -> Any:
    return json.loads(json.loads((FOLDER / f"{name}.json").read_text())["replay"])


def edited(said: Any, rng: Random) -> Iterator[Any]:
    """A replay with a key gone, renamed, or of another kind; every key a few times."""
    text, kinds = json.dumps(said), dict[str, list[int]]()
    for number, (holder, key) in enumerate(nodes(said)):
        kind = key if isinstance(holder, dict) else f"in {type(holder[key])}"
        kinds.setdefault(kind, []).append(number)
    chosen = [n for all_ in kinds.values() for n in rng.sample(all_, min(PER_KEY, len(all_)))]
    rng.shuffle(chosen)
    for number in chosen[:MOST]:
        other = json.loads(text)
        holder, key = nodes(other)[number]
        match rng.randrange(4):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, dict):
                holder[f"{key}x"] = holder.pop(key)
            case _:
                holder[key] = rng.choice(EDITS)
        yield other


def judged(text: str) -> Verdict:
    verdict = verifying.verdict_on_file(text.encode(errors="surrogatepass"))
    for finding in verdict.findings:
        assert "cannot have been so" not in finding.says, finding
    return verdict


def shown(path: Path, text: str) -> list[str]:
    """Why a film ends before its end, after how it begins and ends was printed."""
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    said = []
    try:
        reels = Files(path)
        for opened in (False, True):
            film = asyncio.run(reels.load(opened))
            screen = Screen(io.StringIO())
            print_frames(film, 1, min(film.last, ENDS), screen)
            print_frames(film, max(film.last - ENDS, 1), film.last, screen)
            said += film.faults
    except ReplayError as error:
        said.append(str(error))
    return said


@pytest.mark.parametrize("name", GAMES)
def test_an_edited_replay_gets_a_verdict_and_can_be_looked_at(name: str, tmp_path: Path) -> None:
    rng = Random(name)
    for said in edited(honest(name), rng):
        text = sealed_anyhow(said)
        assert judged(text).findings
        shown(tmp_path / "a.json", text)


def sealed_anyhow(said: Any) -> str:
    """As :func:`.tampers.sealed`, of whatever can be written down."""
    text = json.dumps({key: value for key, value in said.items() if key != "sha256"})[:-1]
    text = text.replace('": ', '":').replace(', "', ',"')
    return f'{text},"sha256":"{hashlib.sha256(text.encode()).hexdigest()}"}}'


@pytest.mark.parametrize("levels", [40, 900, 100_000])
def test_deep_files(levels: int, tmp_path: Path) -> None:
    said = honest("aces-up-of-a-deal-number-resigned")
    said["events"][0]["x"] = "here"
    text = sealed(said).replace('"here"', "[" * levels + "]" * levels)
    assert judged(text).results["file"] == "failed"
    assert any("too deep" in each for each in shown(tmp_path / "a.json", text))


@pytest.mark.parametrize("change", ["renamed", "missing"])
def test_a_pile_that_is_none(change: str, tmp_path: Path) -> None:
    said = honest("klondike-won-from-a-save")
    for events in (said["events"], said["open"]):
        fx = events[0]["fx"]
        fx[0][1] += "x"
        if change == "missing":
            del fx[0]
    text = sealed(chained(said))
    assert judged(text).failed
    assert shown(tmp_path / "a.json", text)


@pytest.mark.parametrize(
    ("name", "seats"),
    [
        *(("aces-up-of-a-deal-number-resigned", each) for each in (-1, 0, 2, 1000, 10**8)),
        *(("race-ended", each) for each in (0, 1, MAX_RACERS + 1, 10**8)),
        *(("aces-up-running", each) for each in (0, MAX_SEATS + 1)),
    ],
)
def test_seats_that_no_room_of_its_mode_has(name: str, seats: int) -> None:
    said = honest(name)
    for events in (said["events"], said.get("open", [])):
        for event in events[:1]:
            event["seats"] = seats
    assert judged(sealed(chained(said))).results["rules"] == "failed"


def test_nobody_makes_seats_without_number() -> None:
    """A server that says so costs who listens to it nothing."""
    created = Event(seq=1, at=0, kind="created", mode="coop", seats=MAX_SEATS)
    assert len(Course.of_created(created).seats) == MAX_SEATS
    for event in (
        replace(created, seats=MAX_SEATS + 1),
        replace(created, mode="race", seats=MAX_RACERS + 1),
        replace(created, seats=0),
        replace(created, seats=10**8),
    ):
        with pytest.raises(ValueError, match="seats"):
            Course.of_created(event)


def test_a_commitment_that_was_taken_out_is_missed() -> None:
    said = honest("aces-up-of-a-deal-number-resigned")
    for events in (said["events"], said["open"]):
        del events[0]["fair"]
    assert judged(sealed(chained(said))).results["file"] == "failed"


def test_openings_of_a_room_that_promised_none() -> None:
    said = honest("aces-up-running")
    del said["events"][0]["fair"]
    assert judged(sealed(chained(said))).results["openings"] == "failed"


@pytest.mark.parametrize("board", [-1, -5, 7])
def test_a_board_that_is_none(board: int) -> None:
    said = honest("montana-resigned-with-shuffles")
    for events in (said["events"], said["open"]):
        next(each for each in events if each["kind"] == "move")["board"] = board
    assert judged(sealed(chained(said))).results["rules"] == "failed"


def test_more_cards_than_there_are_positions() -> None:
    said = honest("aces-up-running")
    said["events"][0]["fx"][0][2] = ["Qh"] * 70_000
    said["openings"][0][0] = 69_999
    assert judged(sealed(chained(said))).results["openings"] == "failed"
