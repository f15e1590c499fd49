"""What somebody does to the text of a replay, sealing it anew or not."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

import msgspec

from kibitz.protocol.hashing import chain
from kibitz.protocol.views import Event

from . import honest
from .honest import ALL_OK, RUNNING, Checks, Desk, Plain, Play, Told

FAILED = "failed"
DOUBTED: Checks = RUNNING | {"rules": "open"}
"""Of a running game whose openings are wrong nobody knows the start."""


def plain_text(said: Plain) -> str:
    """A replay as the server writes it, without a seal."""
    return msgspec.json.encode(said).decode()


def sealed(said: Plain) -> str:
    """A replay with the digest of all of it as its last key."""
    text = plain_text({key: value for key, value in said.items() if key != "sha256"})[:-1]
    return f'{text},"sha256":"{hashlib.sha256(text.encode()).hexdigest()}"}}'


def chained(said: Plain) -> Plain:
    """A replay with the head that its events lead to."""
    hash_ = b""
    for event in said["events"]:
        hash_ = chain(hash_, msgspec.convert(event, Event))
    return said | {"seq": len(said["events"]), "hash": hash_.hex()}


def event(said: Plain, kind: str, number: int = 0, key: str = "events") -> Plain:
    """One event of a kind."""
    found: Plain = [one for one in said[key] if one["kind"] == kind][number]
    return found


Tamper = Callable[[Plain], None]


def tampered(
    play: Play, change: Tamper, checks: Checks, *failed: str, chain_too: bool = True
) -> Play:
    """A game whose replay was changed; the chain and the seal fit what it says now."""

    async def played(desk: Desk) -> Told:
        said = json.loads((await play(desk)).text)
        change(said)
        text = sealed(chained(said) if chain_too else said)
        return Told(text, checks | dict.fromkeys(failed, FAILED))

    return played


def unsealed(play: Play, change: Callable[[str], str], checks: Checks, *failed: str) -> Play:
    """A game whose text was changed, and nothing else."""

    async def played(desk: Desk) -> Told:
        old = (await play(desk)).text
        new = change(old)
        assert new != old
        return Told(new, checks | dict.fromkeys(failed, FAILED))

    return played


def _both(said: Plain, change: Callable[[list[Plain]], None]) -> None:
    """Change the events as everybody saw them, and the open ones."""
    for key in ("events", "open"):
        if key in said:
            change(said[key])


def _set(path: str, value: Any) -> Tamper:
    """Set a key of the last ``ended`` or the first ``created``: ``ended.opened.seed``."""
    first, *keys, last = path.split(".")

    def change(said: Plain) -> None:
        for events in (said[key] for key in ("events", "open") if key in said):
            at: Plain = next(one for one in events if one["kind"] == first)
            for key in keys:
                at = at[key]
            at[last] = value(at[last]) if callable(value) else value

    return change


def _flip(hex_: str) -> str:
    return ("0" if hex_[0] != "0" else "1") + hex_[1:]


def _swap_opened(said: Plain) -> None:
    """Two cards that nobody saw before the end are said to have lain the other way round."""
    for key in ("events", "open"):
        start = event(said, "ended", key=key)["opened"]["start"]
        stock = start["Stock"]
        stock[0], stock[1] = stock[1], stock[0]


def _without_a_say(said: Plain) -> None:
    said["events"] = [one for one in said["events"] if one["kind"] != "say"]
    said["seq"] = len(said["events"])


def _salt(said: Plain) -> None:
    said["openings"][3][2] = _flip(said["openings"][3][2])


def _path(said: Plain) -> None:
    said["openings"][0][3].reverse()


def _withheld(said: Plain) -> None:
    said["openings"].pop()


def _twice(said: Plain) -> None:
    said["openings"].append(said["openings"][0])


def _exchanged(said: Plain) -> None:
    """Two openings are said to be about each other's cards."""
    one, two = said["openings"][:2]
    one[1], two[1] = two[1], one[1]


def _score(said: Plain) -> None:
    _both(said, lambda events: next(e for e in events if e["kind"] == "move").update(score=7))


def _renamed(said: Plain) -> None:
    _both(said, lambda events: next(e for e in events if e["kind"] == "move").update(move="reset"))


def _illegal(said: Plain) -> None:
    """A card went where it may not lie."""

    def change(events: list[Plain]) -> None:
        moved = next(e for e in events if e["kind"] == "move" and e["fx"][0][0] == "mv")
        moved["fx"][0][2] = "COLUMN-2" if moved["fx"][0][2] != "COLUMN-2" else "COLUMN-3"

    _both(said, change)


def _standings(said: Plain) -> None:
    def change(events: list[Plain]) -> None:
        rows = events[-1]["results"]
        rows[0]["name"], rows[1]["name"] = rows[1]["name"], rows[0]["name"]

    _both(said, change)


def _won(said: Plain) -> None:
    """Somebody who gave up is said to have won."""

    def change(events: list[Plain]) -> None:
        at = next(n for n, one in enumerate(events) if one["kind"] == "resigned")
        events[at] |= {"kind": "won", "moves": 1, "ms": events[at]["at"]}
        events[-1]["result"] = "won"

    _both(said, change)


def _other_open(said: Plain) -> None:
    """The events with all cards are not those that everybody saw."""
    moved = next(one for one in said["open"] if one["kind"] == "move" and one["fx"][0][0] == "mv")
    moved["fx"][0][3][0] = "Kc" if moved["fx"][0][3][0][:2] != "Kc" else "Qc"


def _backwards(said: Plain) -> None:
    _both(said, lambda events: events[-1].update(at=0))


def _unknown_key(said: Plain) -> None:
    _both(said, lambda events: events[2].update(note="nothing"))


_TAMPERED: dict[str, Play] = {
    "one bit of a comment": unsealed(
        honest.klondike_running,
        lambda t: t.replace("once more", "onbe more"),
        RUNNING,
        "file",
        "chain",
    ),
    "one bit of the seal": unsealed(
        honest.klondike_running, lambda t: t[:-3] + chr(ord(t[-3]) ^ 1) + t[-2:], RUNNING, "file"
    ),
    "the seal is gone": unsealed(
        honest.klondike_running, lambda t: t[: t.rindex(',"sha256"')] + "}", RUNNING, "file"
    ),
    "something behind the seal": unsealed(
        honest.klondike_running, lambda t: t[:-1] + ',"x":1}', RUNNING, "file"
    ),
    "a blank at the end": unsealed(honest.klondike_running, lambda t: t + "\n", RUNNING, "file"),
    "another head": tampered(
        honest.klondike_running,
        lambda said: said.update(hash=_flip(said["hash"])),
        RUNNING,
        "chain",
        chain_too=False,
    ),
    "nobody says that the deal was looked for": tampered(
        honest.winnable_deal_ended,
        lambda said: _both(said, lambda events: events[0].pop("winnable")),
        ALL_OK,
        "rules",
    ),
    "any deal is called a winnable one": tampered(
        honest.klondike_running,
        lambda said: _both(said, lambda events: events[0].update(winnable=True)),
        RUNNING,
        "rules",
    ),
    "the deal of another day": tampered(
        honest.daily_ended, _set("created.daily", "2023-11-15"), ALL_OK, "rules"
    ),
    "a comment is gone": tampered(
        honest.klondike_running, _without_a_say, RUNNING, "chain", chain_too=False
    ),
    "a key nobody hashed": tampered(
        honest.klondike_running, _unknown_key, RUNNING, "chain", chain_too=False
    ),
    "a salt": tampered(honest.klondike_running, _salt, DOUBTED, "openings"),
    "two openings exchanged": tampered(honest.klondike_running, _exchanged, DOUBTED, "openings"),
    "a path": tampered(honest.klondike_running, _path, DOUBTED, "openings"),
    "an opening is withheld": tampered(honest.aces_up_running, _withheld, DOUBTED, "openings"),
    "an opening is there twice": tampered(honest.aces_up_running, _twice, DOUBTED, "openings"),
    "another root": tampered(
        honest.aces_up_running, _set("created.fair.root", _flip), DOUBTED, "openings"
    ),
    "a score": tampered(honest.klondike_running, _score, RUNNING, "rules"),
    "another command": tampered(
        honest.klondike_single_resigned_with_a_nonce, _renamed, ALL_OK, "rules"
    ),
    "an illegal move": tampered(
        honest.klondike_single_resigned_with_a_nonce, _illegal, ALL_OK, "rules"
    ),
    "said to have won": tampered(
        honest.klondike_single_resigned_with_a_nonce, _won, ALL_OK, "rules"
    ),
    "another order in the table": tampered(honest.race_ended, _standings, ALL_OK, "rules"),
    "other open cards": tampered(
        honest.klondike_single_resigned_with_a_nonce, _other_open, ALL_OK, "rules"
    ),
    "time runs backwards": tampered(honest.klondike_running, _backwards, RUNNING, "rules"),
    "two cards of the opened start": tampered(
        honest.klondike_single_resigned_with_a_nonce, _swap_opened, ALL_OK, "deal", "rules"
    ),
    "another pledge": tampered(
        honest.aces_up_of_a_deal_number_resigned,
        _set("created.fair.pledge", _flip),
        ALL_OK,
        "deal",
    ),
    "another secret": tampered(
        honest.aces_up_of_a_deal_number_resigned,
        _set("ended.opened.secret", _flip),
        ALL_OK,
        "deal",
    ),
    "another nonce": tampered(
        honest.aces_up_of_a_deal_number_resigned, _set("created.fair.nonce", "2"), ALL_OK, "deal"
    ),
    "another seed": tampered(
        honest.aces_up_of_a_deal_number_resigned, _set("ended.opened.seed", _flip), ALL_OK, "deal"
    ),
    "another deal number": tampered(
        honest.aces_up_of_a_deal_number_resigned, _set("ended.opened.deal", "ms618"), ALL_OK, "deal"
    ),
    "a nonce that nobody gave": tampered(
        honest.klondike_won_from_a_save,
        lambda said: _both(said, lambda events: events[0]["fair"].update(nonce="mine")),
        ALL_OK,
        "deal",
    ),
}

TAMPERED: dict[str, Play] = {
    "tampered-" + name.replace(" ", "-"): play for name, play in _TAMPERED.items()
}
