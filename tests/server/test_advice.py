"""What a player is told of his own game: by the room's policy, from what he has seen, apart."""

import asyncio
import os
import subprocess
from dataclasses import replace
from random import Random
from typing import Any

import msgspec
import pytest
from apart import DIES, NEVER, workers
from plays import KLONDIKE, LOSING, NEAR_LOSS, NEAR_WIN
from races import NEAR, begin, race
from scraped import scrape
from servers import EACH_COUNTS, EACH_HAS, UNLIMITED, USUAL, running_server
from talk import Plain, Talk, eventually, talking, unpack
from worlds import Fake

from kibitz.engine.board import Board
from kibitz.engine.deals import deck_of
from kibitz.engine.game import NO_CHANCE, play
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.notation import write_piles
from kibitz.engine.solving.courses import Patience
from kibitz.engine.table import DOWN, Table, redact_table
from kibitz.engine.text import Request
from kibitz.engine.thinking.chances import MOST_WORLDS, chances
from kibitz.server.analysing import advisers, bounds, child, questions
from kibitz.server.analysing.adviser import answered
from kibitz.server.analysing.bounds import enough
from kibitz.server.analysing.questions import question_of
from kibitz.server.processes import Failed

ADVISED = {"advice": True}
CASUAL = {"casual": True}


async def made(talk: Talk, game: str = "aces-up", **fields: Any) -> str:
    room: str = (await talk.ok("create", game=game, **fields))["room"]
    return room


async def told(talk: Talk, room: str, what: str = "move") -> Plain:
    """The answer, once it is there."""
    async with asyncio.timeout(100):
        while True:
            said = await talk.ok("advise", room=room, what=what)
            if "retry_ms" not in said:
                return said
            await asyncio.sleep(said["retry_ms"] / 1000)


async def test_a_bot_says_what_it_would_play() -> None:
    async with running_server() as running, talking(running.url) as ann:
        room = await made(ann, "klondike", deal="7", policy=ADVISED)
        for _ in range(2):
            said = await told(ann, room)
            moves = await ann.ok("moves", room=room)
            at = moves["moves"].index(said["move"])
            assert said.get("drag") == moves["drags"][at]
            assert (said["seq"], said["what"]) == (moves["seq"], "move")
            await ann.ok("move", room=room, move=said["move"])
        if running.alone:
            counted = await scrape(running.http)
            assert counted['kibitz_advice_total{outcome="answered"}'] == 2


async def test_it_is_for_who_plays_where_the_room_allows_it() -> None:
    async with (
        running_server() as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        usual, advised = await made(ann), await made(ann, policy=ADVISED)
        refused = await ann.refused("forbidden", "advise", room=usual)
        assert refused["message"] == "this room gives no advice"
        for room in (usual, advised):
            refused = await ann.refused("forbidden", "advise", room=room, what="chances")
            assert refused["message"].endswith("told in casual rooms only")
        await bob.ok("join", room=advised)
        for t in ("advise", "finish"):
            await bob.refused("not-seated", t, room=advised)
        await ann.ok("resign", room=advised)
        for t in ("advise", "finish"):
            await ann.refused("game-over", t, room=advised)
        assert not workers()


async def test_what_a_new_room_may_allow() -> None:
    async with running_server() as running, talking(running.url) as ann:
        both = await ann.ok("create", game="aces-up", policy=ADVISED | CASUAL)
        assert both["info"]["policy"]["advice"] is both["info"]["policy"]["casual"] is True
        off = {"advice": False, "casual": False}
        for policy in ({}, off):
            usual = await ann.ok("create", game="aces-up", policy=policy)
            assert not {"advice", "casual"} & usual["info"]["policy"].keys()
        for fields, why in (
            ({"policy": ADVISED | {"hints": False}}, "advice is for rooms with hints"),
            ({"policy": CASUAL, "mode": "race"}, "a race is not casual"),
        ):
            refused = await ann.refused("bad-option", "create", game="aces-up", **fields)
            assert refused["message"] == why
        for policy in (ADVISED, CASUAL):
            await ann.refused("bad-option", "create", game="aces-up", daily=True, policy=policy)


async def test_who_goes_on_from_a_game_may_ask_what_he_might_there() -> None:
    async with running_server() as running, talking(running.url) as ann:
        room = await made(ann, policy=ADVISED | CASUAL)
        live = await ann.ok("fork", room=room)
        await ann.ok("resign", room=room)
        for next_ in (live, await ann.ok("fork", room=room), await ann.ok("rematch", room=room)):
            policy = next_["info"]["policy"]
            assert policy["advice"] is policy["casual"] is True


async def test_a_race_has_no_advice_unless_it_was_said_so() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        usual = await race(ann, game="aces-up", mode="race", seats=2)
        room = await race(ann, game="aces-up", mode="race", save=NEAR_LOSS, seats=2, policy=ADVISED)
        for each in (usual, room):
            await bob.ok("join", room=each, role="player")
            await ann.refused("illegal", "advise", room=each)
            await begin(running, fake, each, ann, bob)
        assert (await ann.refused("forbidden", "advise", room=usual))["code"] == "forbidden"
        await bob.ok("move", room=room, move=LOSING[0])
        mine, his = await told(ann, room), await told(bob, room)
        assert mine["move"] == "d"
        assert his["move"] != "d", "his board is another one by now"


async def test_whether_it_can_still_be_won() -> None:
    async with running_server() as running, talking(running.url) as ann:
        room = await made(ann, save=NEAR_LOSS, policy=CASUAL)
        for move in LOSING[:-1]:
            await ann.ok("move", room=room, move=move)
        said = await told(ann, room, "chances")
        assert said["worlds"] == 24, "four cards lie in the stock: all their orders"
        assert said["winnable"] + said["lost"] == 24
        assert 0 < said["winnable"] < 24
        assert "proved" not in said
        await ann.ok("move", room=room, move=LOSING[-1])
        lost = await told(ann, room, "chances")
        assert (lost["worlds"], lost["lost"], lost["proved"]) == (1, 1, "lost")
        await ann.ok("undo", room=room)
        again = await told(ann, room, "chances")
        assert (again["worlds"], again["winnable"], again["proved"]) == (1, 1, "win"), "all is seen"


async def test_a_game_that_plays_itself_is_finished_by_ordinary_moves() -> None:
    async with running_server() as running, talking(running.url) as ann:
        fresh = await made(ann, "klondike", save=KLONDIKE)
        assert (await ann.ok("finish", room=fresh))["moves"] == []
        room = await made(ann, "klondike", save=NEAR_WIN, policy={"hints": False})
        said = await ann.ok("finish", room=room)
        assert len(said["moves"]) == 2
        await asyncio.gather(*(ann.ok("move", room=room, move=move) for move in said["moves"]))
        events = (await ann.ok("history", room=room))["events"]
        kinds = [event["kind"] for event in events[-4:]]
        assert kinds == ["move", "move", "won", "ended"]
        assert [event["move"] for event in events[-4:-2]] == said["moves"]


async def test_a_race_is_finished_the_same_way() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = await race(ann, **NEAR, seats=2)
        await bob.ok("join", room=room, role="player")
        await begin(running, fake, room, ann, bob)
        moves = (await ann.ok("finish", room=room))["moves"]
        assert len(moves) == 2
        for move in moves:
            await ann.ok("move", room=room, move=move)
        await ann.refused("game-over", "finish", room=room)
        assert (await bob.ok("finish", room=room))["moves"] == moves, "his own is where it was"
        won = (await ann.ok("history", room=room))["events"][-1]
        assert (won["kind"], won["by"], won["moves"]) == ("won", ann.id, 2)


def test_a_question_holds_nothing_that_was_not_seen() -> None:
    game, rng, asked = GAMES["klondike-single"], Random(3), set[bytes]()
    start = game.deal(deck_of("5"))
    hidden = [cell.known for pile in start.piles.values() for cell in pile if not cell.up]
    for _ in range(5):
        other = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
        piles = {
            name: tuple([cell if cell.up else DOWN[other[cell.known]] for cell in pile])
            for name, pile in start.piles.items()
        }
        board = Board(Table(piles, start.counters))
        asked.add(msgspec.json.encode(question_of("move", game, board, "")))
    assert len(asked) == 1


def test_the_same_question_has_the_same_answer() -> None:
    board = Board(GAMES["thumb-and-pouch"].deal(deck_of("5")))
    patience = Patience(lambda: 0.0, 1.0, nodes=300)
    for what in ("move", "chances"):
        asked = question_of(what, GAMES["thumb-and-pouch"], board, "room 0 2")
        assert answered(asked, patience) == answered(asked, patience)


async def test_a_bot_does_not_go_back_where_it_came_from() -> None:
    """What is asked anew after each move leads on, as a bot does that remembers."""
    game, been = GAMES["klondike-single"], set[str]()
    board, patience = Board(game.deal(deck_of("11"))), Patience(lambda: 0.0, 1.0)
    for number in range(12):
        asked = question_of("move", game, board, str(number))
        move = answered(asked, patience).move
        assert move is not None
        said = TEXTS[game.name].parse(move)
        assert not isinstance(said, Request)
        board.apply("move", play(game, board.table, said, NO_CHANCE).facts)
        here = str(write_piles(board.table))
        assert here not in been
        been.add(here)


@EACH_COUNTS
async def test_only_so_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "ADVISER", NEVER)
    monkeypatch.setattr(advisers, "MOST_WAITING", 2)
    limits = replace(UNLIMITED, count_loopback=True)
    async with (
        running_server(limits=limits) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
        talking(running.url) as eve,
    ):
        rooms = [await made(talk, policy=ADVISED) for talk in (ann, bob, eve)]
        for talk, room in zip((ann, bob), rooms, strict=False):
            for _ in range(3):
                assert (await talk.ok("advise", room=room))["retry_ms"] == advisers.AGAIN_MS
        refused = await eve.refused("rate-limited", "advise", room=rooms[2])
        assert refused["limit"] == "questions that wait"
        await eventually(lambda: len(workers()) == 1)
        monkeypatch.setattr(advisers, "MOST_WAITING", 9)
        monkeypatch.setattr(advisers, "MOST_FROM_ONE", 2)
        refused = await eve.refused("rate-limited", "advise", room=rooms[2])
        assert refused["limit"] == "questions per address"
        await ann.ok("move", room=rooms[0], move="d")
        numbers = await scrape(running.http)
        for outcome, count in {"answered": 0, "failed": 0, "dropped": 0, "refused": 2}.items():
            assert numbers[f'kibitz_advice_total{{outcome="{outcome}"}}'] == count, outcome
        assert numbers["kibitz_advice_waiting"] == 2
        again = await ann.ok("advise", room=rooms[0])
        assert again["retry_ms"], "what he asked before is let be, so there is room for this"
        await eventually(lambda: len(workers()) == 1)
    assert not workers()


@EACH_HAS
async def test_who_asks_no_more_is_no_longer_worked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "ADVISER", NEVER)
    monkeypatch.setattr(advisers, "PATIENCE_SECONDS", 0.05)
    async with running_server() as running, talking(running.url) as ann:
        room = await made(ann, policy=ADVISED)
        await ann.ok("advise", room=room)
        await eventually(lambda: not running.app._advisers._asked)
        await eventually(lambda: not running.app._metrics.advising)
        assert not workers()
        numbers = await scrape(running.http)
        assert numbers['kibitz_advice_total{outcome="dropped"}'] == 1
        assert numbers["kibitz_advice_waiting"] == 0


@EACH_HAS
async def test_a_process_that_fails_is_said_to_have(
    monkeypatch: pytest.MonkeyPatch, no_failures: None
) -> None:
    monkeypatch.setattr(child, "ADVISER", DIES)
    async with running_server() as running, talking(running.url) as ann:
        room = await made(ann, policy=ADVISED)
        await ann.ok("advise", room=room)
        asked = running.app._advisers._asked[ann.id]
        await asyncio.wait([asked.task])
        refused = await ann.refused("forbidden", "advise", room=room)
        assert refused["message"] == "that could not be found out; try again later"
        assert (await scrape(running.http))['kibitz_advice_total{outcome="failed"}'] == 1
        monkeypatch.setattr(child, "ADVISER", NEVER)
        monkeypatch.setattr(questions, "STARTING_SECONDS", 0)
        with pytest.raises(Failed, match="too long"):
            await child.advised_apart(b"", 0.0)
    assert not workers()


async def test_an_operator_wants_none() -> None:
    operating = replace(USUAL, advice_seconds=0.0)
    async with running_server(operating=operating) as running, talking(running.url) as ann:
        assert unpack(ann.frames[0])["limits"]["advice"] == 0
        room = await made(ann, policy=ADVISED)
        refused = await ann.refused("forbidden", "advise", room=room)
        assert refused["message"] == "this server gives no advice"
        assert (await ann.ok("finish", room=room))["moves"] == []
    async with running_server() as running, talking(running.url) as ann:
        assert unpack(ann.frames[0])["limits"]["advice"] == 2000


def test_an_adviser_whose_server_is_gone_ends() -> None:
    game = GAMES["montana"]
    board = Board(game.deal(deck_of("1")))
    question = msgspec.json.encode(question_of("chances", game, board, ""))
    command = [*child.ADVISER, "1000", "0"]
    done = subprocess.run(command, input=question, capture_output=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, b"")
    assert msgspec.json.decode(done.stdout) == {"worlds": 1, "winnable": 0, "lost": 0}


def test_it_is_said_what_was_found_when_the_processor_or_the_clock_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spent: float = 0.0
    clock: float = 0.0
    let = list[float]()
    monkeypatch.setattr(bounds, "LET_OTHERS", lambda: let.append(clock))
    us = os.getppid()
    said = enough(2.0, us, patience=3, spent=lambda: spent, clock=lambda: clock)
    assert not said()
    assert let == []
    clock = 6.1  # on a machine that is busy
    assert said()
    assert let == [6.1], "others go first"
    clock, spent = 5.9, 2.1
    assert said()
    assert enough(2.0, us + 1)(), "the server is gone"


def test_worlds_are_looked_at_until_it_is_time_to_say() -> None:
    game, asked = GAMES["klondike-single"], iter([False] * 40 + [True] * 10_000)
    seen = redact_table(game.deal(deck_of("3")))
    patience = Patience(lambda: 0.0, 1.0, stopped=lambda: next(asked))
    found = chances(game, seen, Random(1), patience)
    assert 1 <= found.worlds < MOST_WORLDS and not found.all
