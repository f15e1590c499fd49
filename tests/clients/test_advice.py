"""What a player at a terminal is told of his own game, and the Python client with him."""

import re
from dataclasses import replace
from typing import get_args

import pytest
from clients.commands import Command
from plays import LOSING, NEAR_LOSS, NEAR_WIN
from servers import USUAL, Running, running_server

from kibitz.clients.advised import NOTHING_NEW, may_finish, told
from kibitz.clients.scene import Scene
from kibitz.clients.session import Refused, connect
from kibitz.clients.telling import told as said_of
from kibitz.clients.terminal.advice import (
    INSTEAD,
    NO_ADVICE,
    NO_CHANCES,
    NO_CHANCES_IN_A_RACE,
    NONE_HERE,
    NOT_YET,
)
from kibitz.engine.deals import deck_of
from kibitz.engine.games import GAMES
from kibitz.engine.saves import read
from kibitz.engine.table import redact_table
from kibitz.protocol.replies import Advice
from kibitz.protocol.requests import PolicyWish
from kibitz.protocol.views import Event, Kind

OFFER = "`finish` plays the rest: 2 moves to the win"


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (dict[str, object](), NOTHING_NEW),
        ({"move": "tf 4 1"}, "a strong bot would play: tf 4 1"),
        ({"proved": "win", "worlds": 1}, "it can still be won"),
        ({"proved": "win", "worlds": 6}, "it can still be won, however the hidden cards lie"),
        ({"proved": "lost", "worlds": 1}, "proved lost: no line of play wins from here"),
        (
            {"proved": "lost", "worlds": 2},
            "proved lost, however the hidden cards lie: no line of play wins from here",
        ),
        ({"worlds": 1}, "whether it can still be won was not found out"),
        (
            {"worlds": 24, "winnable": 20, "lost": 4},
            "of 24 guesses at the hidden cards 20 can be won, 4 cannot",
        ),
        (
            {"worlds": 24, "winnable": 0, "lost": 21},
            "of 24 guesses at the hidden cards 0 can be won, 21 cannot, 3 are not known",
        ),
    ],
)
def test_what_was_found_in_words(found: dict[str, object], words: str) -> None:
    what = "chances" if "worlds" in found else "move"
    said = told(Advice(room="r", seq=1, what=what, **found))  # type: ignore[arg-type]
    assert said == words
    assert ("lost" in said) == ("proved lost" in said) == (found.get("proved") == "lost")


def test_nothing_that_happens_in_a_room_is_called_a_loss() -> None:
    for kind in get_args(Kind):
        scene = Scene("room", "klondike")
        said = said_of(scene, Event(seq=1, at=0, kind=kind, result="resigned", moves=3)) or ""
        assert not re.search(r"\b(lost|lose|defeat|hopeless|won't|cannot be won)", said), kind


def test_when_it_is_worth_asking_how_it_finishes() -> None:
    single, near = GAMES["klondike-single"], read(NEAR_WIN)
    assert not may_finish(single, redact_table(single.deal(deck_of("1"))))
    assert may_finish(near.game, redact_table(near.table))
    assert may_finish(GAMES["montana"], GAMES["montana"].deal(deck_of("1")))


async def test_a_hint_and_chances(kibitz: Command) -> None:
    (kibitz.home / "game.txt").write_text(NEAR_LOSS)
    lines = "\n".join((*LOSING[:-1], "hint", "winnable", LOSING[-1], "hint", "winnable", ""))
    played = await kibitz.run("play", "aces-up", "--load", "game.txt", "--casual", lines=lines)
    assert played.out.count("a strong bot would play: ") == 2
    assert "of 24 guesses at the hidden cards " in played.out
    assert played.out.count("lost") == played.out.count("proved lost: ") == 1


async def test_rooms_without_advice(kibitz: Command, server: Running) -> None:
    listed, refused = "f 3, d\n", "this room gives no hints\n"
    for hints, instead, moves in (("moves", INSTEAD, listed), ("none", "", refused)):
        played = await kibitz.run(
            "play", "aces-up", "--deal", "1", "--hints", hints, lines="hint\nwinnable\nmoves\n"
        )
        assert f"{NO_ADVICE}{instead}\n{NO_CHANCES}\n{moves}" in played.out
    done = await kibitz.run("play", "--room", "abc", "--casual")
    assert (done.code, "no --deal, " in done.err) == (2, True)


async def test_a_race_has_advice_only_if_that_was_said(kibitz: Command) -> None:
    for words, advised in (((), False), (("--hints", "bot"), True)):
        async with connect(kibitz.url) as client:
            raced = await kibitz.run("race", "aces-up", *words, lines="winnable\n")
            assert NO_CHANCES_IN_A_RACE in raced.out and "--casual" not in raced.out
            (room,) = [word for word in raced.out.split() if len(word) == 16][:1]
            mirror = await client.join(room)
            assert (mirror.view.policy.advice is True) == advised


async def test_the_end_is_offered_and_played(kibitz: Command, server: Running) -> None:
    (kibitz.home / "game.txt").write_text(NEAR_WIN)
    lines = "board\nboard\nfinish\nfinish\n"
    played = await kibitz.run("play", "klondike", "--load", "game.txt", lines=lines)
    assert played.out.count(OFFER) == 1, "not again where nothing has changed"
    assert "You won!" in played.out
    assert "the game is over" in played.out
    played = await kibitz.run("play", "klondike", "--deal", "1", lines="finish\ndiscard\n")
    assert f"{NOT_YET}\n" in played.out
    assert "plays the rest" not in played.out


async def test_the_methods_of_the_client(server: Running) -> None:
    async with connect(server.url) as client:
        policy = PolicyWish(advice=True, casual=True)
        room = (await client.create("klondike", save=NEAR_WIN, policy=policy)).room
        assert (await client.advise(room)).move in await client.moves(room)
        assert (await client.advise(room, "chances")).proved == "win"
        for move in await client.finish(room):
            await client.move(room, move)
        with pytest.raises(Refused):
            await client.finish(room)


async def test_a_server_that_gives_none_is_not_asked_for_it(kibitz: Command) -> None:
    async with running_server(operating=replace(USUAL, advice_seconds=0.0)) as running:
        (kibitz.home / "game.txt").write_text(NEAR_WIN)
        kibitz.environ["KIBITZ_SERVER"] = running.url
        lines = "hint\nboard\n"
        played = await kibitz.run("play", "klondike", "--load", "game.txt", lines=lines)
        assert f"{NONE_HERE}{INSTEAD}\n" in played.out
        assert OFFER not in played.out
