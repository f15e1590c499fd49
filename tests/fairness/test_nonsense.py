"""Whatever somebody makes up ends in a finding: a verifier that breaks off proves nothing."""

import copy
import json
from random import Random
from typing import Any

import pytest

from kibitz.clients.verifying.replay import verdict_on_file
from kibitz.clients.verifying.texts import verdict_on_text
from kibitz.clients.verifying.verdict import Verdict

from .making import FOLDER
from .tampers import sealed
from .test_flips import game_of

TURNS = 60
VALUES: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2,
        64,
        2**31,
        2**53,
        1.5,
        "",
        "x",
        "Qh",
        "Qh-",
        "??",
        "up",
        "mv",
    ),
    *([], [[]], {}, {"a": 1}, ["set", "Stock", []], [["count", "shuffles", 99]], "0" * 64, "won"),
    *("created", "ended", "hidden", "move", "undo", "joined", "started", "timeout", "closed", "s"),
]


def nodes(plain: Any) -> list[tuple[Any, Any]]:
    """Every place in a value: what holds it, and under which key."""
    found: list[tuple[Any, Any]] = []
    keys = plain if isinstance(plain, dict) else range(len(plain))
    for key in keys:
        found.append((plain, key))
        if isinstance(plain[key], dict | list):
            found += nodes(plain[key])
    return found


def mangle(said: Any, rng: Random) -> None:
    """Change something anywhere."""
    holder, key = rng.choice(nodes(said))
    match rng.randrange(4):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(rng.choice(holder)))
        case 2:
            _, other = rng.choice(nodes(said))
            values = [where[at] for where, at in nodes(said) if at == other]
            holder[key] = copy.deepcopy(rng.choice(values))
        case _:
            holder[key] = copy.deepcopy(rng.choice(VALUES))


def judged(text: str) -> Verdict:
    return verdict_on_file(text.encode(errors="surrogatepass"))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("[!tc]*.json")), ids=lambda path: path.stem)
def test_a_mangled_replay_gets_a_verdict(path: Any) -> None:
    honest = json.loads(json.loads(path.read_text())["replay"])
    rng = Random(path.stem)
    for _ in range(TURNS):
        said = copy.deepcopy(honest)
        for _ in range(rng.randint(1, 3)):
            mangle(said, rng)
        assert judged(sealed(said)).findings


@pytest.mark.parametrize("game", ["montana", "thumb-and-pouch"])
async def test_a_mangled_text_gets_a_verdict(game: str) -> None:
    _, text = await game_of(game, 20, ended=True)
    lines, rng = text.split(b"\n"), Random(game)
    for _ in range(TURNS):
        bad = list(lines)
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(bad))
            bad[at : at + rng.randint(0, 2)] = [rng.choice((b"> s", b"> undo", b"# x: y", *lines))]
        verdict = verdict_on_text(b"\n".join(bad))
        assert verdict.failed or bad == lines


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"{}", b"\xff", b"null", b'{"events":[{}]}'])
def test_no_replay_at_all(data: bytes) -> None:
    assert verdict_on_file(data).results["file"] == "failed"
    assert verdict_on_text(data).results["file"] == "failed"
