"""Open cards of what is past: finished rooms, and texts that somebody brings."""

import json
from itertools import pairwise
from typing import Any

import pytest
from plays import KLONDIKE
from positions import GOLDEN, VARIANTS
from servers import EACH_COUNTS, Running
from talk import Plain, Talk, eventually, fetch, talking

from kibitz.engine.deals import deck_of
from kibitz.engine.games import GAMES
from kibitz.engine.notation import read_fact
from kibitz.engine.replays import Replay, Step, read, write
from kibitz.engine.saves import write as write_save
from kibitz.engine.table import Table, fold, redact_table
from kibitz.protocol.limits import MAX_SAVE, MAX_STEPS
from kibitz.protocol.wire import Encoding
from kibitz.server.lobby.replaying import MAX_CELLS

TEXTS = {name: (GOLDEN / "v1" / f"{name}.replay.txt").read_text() for name in GAMES}


def tables(events: list[Plain]) -> list[Table]:
    """The table after every event."""
    table, seen = Table(), []
    for event in events:
        table = fold([read_fact(fact) for fact in event.get("fx", [])], table)
        seen.append(table)
    return seen


def is_opened(events: list[Plain], opened: list[Plain]) -> None:
    """Check that the second list is the first one with every card named."""
    assert [{**e, "fx": None} for e in events] == [{**e, "fx": None} for e in opened]
    assert "??" not in json.dumps(opened)
    ended = False
    for event, seen, known in zip(events, tables(events), tables(opened), strict=True):
        ended = ended or event["kind"] == "ended"
        assert seen == (known if ended else redact_table(known))


async def play_on(talk: Talk, room: str, text: str) -> None:
    """The commands of a replay text in a room."""
    for step in read(text).steps:
        word = step.command
        if word in ("undo", "redo", "restart", "resign"):
            await talk.ok(word, room=room)
        elif word:
            await talk.ok("move", room=room, move=word)
        elif step.comment:
            await talk.ok("say", room=room, text=step.comment)


@pytest.mark.parametrize("game", [name for name in GAMES if name != "montana"])
async def test_the_cards_of_a_finished_game_are_open(running: Running, game: str) -> None:
    async with talking(running.url, name="Ann") as ann, talking(running.url) as eve:
        start = read(TEXTS[game]).start
        room = (await ann.ok("create", game=game, save=write_save(GAMES[game], start)))["room"]
        await eve.ok("join", room=room)
        for talk in (ann, eve):
            await talk.refused("forbidden", "history", room=room, open=True)
        assert "open" not in json.loads(
            (await fetch(running.http, f"/rooms/{room}/replay.json"))[1]
        )
        await play_on(ann, room, TEXTS[game])
        await ann.ask("resign", room=room)
        seen = (await eve.ok("history", room=room, limit=500))["events"]
        opened = (await eve.ok("history", room=room, limit=500, open=True))["events"]
        is_opened(seen, opened)
        assert tables(opened)[0] == start
        page = await eve.ok("history", room=room, from_=3, limit=2, open=True)
        assert page["events"] == opened[2:4] and page["next"] == 5
        body = json.loads((await fetch(running.http, f"/rooms/{room}/replay.json"))[1])
        assert (body["events"], body["open"]) == (seen, opened)

        text = (await fetch(running.http, f"/rooms/{room}/replay.txt"))[1].decode()
        replayed = await eve.ok("replay", text=text)
        assert told(replayed["events"]) == told(seen)
        assert told(replayed["open"]) == told(opened)


def told(events: list[Plain]) -> list[Plain]:
    """What a text keeps of a room's events: no people but in comments, no times, no dead ends."""
    keys = ("kind", "move", "fx", "moves", "score", "result", "game", "options", "text")
    kept = [event for event in events if event["kind"] not in ("joined", "stuck")]
    return [{key: event[key] for key in keys if key in event} for event in kept]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("encoding", Encoding)
async def test_a_replay_text_is_played(running: Running, game: str, encoding: Encoding) -> None:
    async with talking(running.url, encoding) as ann:
        replayed = await ann.ok("replay", text=TEXTS[game])
    events = replayed["events"]
    is_opened(events, replayed["open"])
    assert (replayed["game"], replayed["options"]) == (game, dict(GAMES[game].options))
    assert [event["seq"] for event in events] == [*range(1, len(events) + 1)]
    assert all(one["at"] <= other["at"] for one, other in pairwise(events))
    assert not any("by" in event or "room" in event for event in events)
    assert "fault" not in replayed
    assert events[0]["kind"] == "created" and events[0]["mode"] == "solo"
    result = read(TEXTS[game]).headers["result"]
    assert (events[-1]["kind"] == "ended") is (result != "open")
    assert events[-1].get("result", "open") == result


@pytest.mark.parametrize("name", VARIANTS)
async def test_a_save_is_just_the_start(running: Running, name: str) -> None:
    game = VARIANTS[name]
    start = game.deal(deck_of("7"))
    async with talking(running.url) as ann:
        replayed = await ann.ok("replay", text=write_save(game, start))
    (created,) = replayed["events"]
    assert (created["game"], created["options"]) == (game.name, dict(game.options))
    assert tables(replayed["open"]) == [start]
    is_opened(replayed["events"], replayed["open"])


async def test_comments_and_marks_are_told(running: Running) -> None:
    klondike = GAMES["klondike"]
    said = ["Ann: hm: well", "(saved)", "just so", "(cheated)", "", f"{'x' * 33}: long", "Eve: "]
    steps = (Step("discard"), *(Step(comment=comment) for comment in said), Step("resign"))
    text = write(Replay(klondike, klondike.deal(deck_of("1")), (*steps, Step(comment="gg"))))
    async with talking(running.url) as ann:
        events = (await ann.ok("replay", text=text))["events"]
    assert [(e["kind"], e.get("name"), e.get("text")) for e in events[2:]] == [
        ("say", "Ann", "hm: well"),
        ("saved", None, None),
        ("say", None, "just so"),
        ("cheated", None, None),
        ("say", None, f"{'x' * 33}: long"),
        ("say", None, "Eve:"),
        ("resigned", None, None),
        ("ended", None, None),
        ("say", None, "gg"),
    ]


async def test_what_fits_is_played_and_then_it_says_why_not(running: Running) -> None:
    lines = TEXTS["klondike"].splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("> "))
    async with talking(running.url) as ann:
        for bad, reason in [
            ("> reset", "reset: illegal move"),
            ("> nonsense", "nonsense: illegal command"),
            (">", "expected `> command`"),
        ]:
            text = "\n".join([*lines[: first + 3], bad, *lines[first + 3 :]])
            replayed = await ann.ok("replay", text=text)
            assert replayed["fault"].startswith(f"line {first + 4}, column ")
            assert replayed["fault"].endswith(reason)
            assert len(replayed["events"]) == len(replayed["open"]) == 4
        replayed = await ann.ok("replay", text="\n".join([*lines[:first], "> undo"]))
        assert len(replayed["events"]) == 1 and "nothing to undo" in replayed["fault"]
        won = TEXTS["aces-up"].rstrip("\n")
        whole = await ann.ok("replay", text=won)
        for more in ("> d", "> undo", "> restart", "> resign"):
            replayed = await ann.ok("replay", text=f"{won}\n{more}\n")
            assert replayed["fault"].endswith(("is over", "was resigned before", "is over."))
            assert replayed["events"] == whole["events"]


HIDDEN = write(Replay(GAMES["klondike"], redact_table(GAMES["klondike"].deal(deck_of("1"))), ()))


@pytest.mark.parametrize(
    ("code", "text", "said"),
    [
        ("bad-save", "", "format error in file: line 1, column 1"),
        ("bad-save", "hello", "format error in file: line 1, column 1"),
        ("bad-save", "# format: kibitz-replay-9\n", "format error in file: line 1, column 1"),
        ("bad-save", "# format: kibitz-replay-1\n# game: chess\n", "format error in file: line 2"),
        ("bad-save", KLONDIKE.replace("Kh", "Kx"), "format error in file: line "),
        ("bad-save", HIDDEN, "cards are hidden: this game was still running"),
        ("bad-save", HIDDEN + "> discard\n", "cards are hidden: this game was still running"),
        ("too-large", "x" * (MAX_SAVE + 1), ""),
        ("too-large", "é" * (MAX_SAVE // 2 + 1), ""),
        ("bad-message", None, ""),
        ("bad-message", 5, ""),
        ("bad-message", ["x"], ""),
    ],
)
async def test_what_is_no_replay(running: Running, code: str, text: Any, said: str) -> None:
    async with talking(running.url) as ann:
        refused = await ann.refused(code, "replay", text=text)
        assert refused["message"].startswith(said)
        await ann.ok("ping")


async def test_a_game_that_still_runs_cannot_be_replayed_from_its_text(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url) as eve:
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        text = (await fetch(running.http, f"/rooms/{room}/replay.txt"))[1].decode()
        refused = await eve.refused("bad-save", "replay", text=text)
        assert refused["message"] == "cards are hidden: this game was still running"


async def test_a_text_is_played_as_far_as_the_limits_go(running: Running) -> None:
    aces, montana = GAMES["aces-up"], GAMES["montana"]
    deal = aces.deal(deck_of("1"))
    many = write(Replay(aces, deal, (Step("d"), *[Step("undo"), Step("redo")] * MAX_STEPS)))
    wide = write(Replay(montana, montana.deal(deck_of("1")), (Step("restart"),) * 3000))
    async with talking(running.url) as ann:
        for text in (many[:60_000].rsplit("\n", 1)[0], wide):
            replayed = await ann.ok("replay", text=text)
            facts = [fact for event in replayed["events"] for fact in event["fx"]]
            cells = sum(len(fact[-1]) for fact in facts if fact[0] in ("mv", "set"))
            assert len(replayed["events"]) <= MAX_STEPS + 1
            assert len(facts) + cells <= MAX_CELLS + 200
            assert len(facts) + cells > MAX_CELLS / 2 or len(replayed["events"]) == MAX_STEPS + 1
            assert replayed["fault"].endswith("the game is too long to be played from here on")


async def test_texts_wait_for_their_turn(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much is asked for, others are answered; who comes too late is told when to return."""
    async with talking(running.url) as ann, talking(running.url) as bob:
        text = write(
            Replay(GAMES["klondike"], read(TEXTS["klondike"]).start, (Step("restart"),) * 900)
        )
        for i in range(4):
            await ann.send({"t": "replay", "i": i + 100, "text": text})
        between = 0
        while 103 not in ann.answers:
            await bob.ok("ping")
            between += 1
        assert between > 4
        monkeypatch.setattr(running.app._past._long, "_most", 0)
        refused = await ann.refused("rate-limited", "replay", text=text)
        assert refused["retry_ms"] > 0 and "room" not in refused


@EACH_COUNTS
async def test_who_asks_for_little_does_not_wait_for_texts(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those who bring long texts wait for each other; a short room has a lane of its own."""
    monkeypatch.setattr(running.app._past._long, "_most", 2)
    text = TEXTS["klondike"]
    async with (
        talking(running.url) as ann,
        talking(running.url) as bob,
        talking(running.url) as eve,
    ):
        room = (await ann.ok("create", game="klondike-single", deal="1"))["room"]
        for _ in range(50):
            await ann.ok("move", room=room, move="sw")
        async with running.app._past._long._turn:  # somebody's long text is gone through
            for talk in (bob, eve):  # on one connection they would wait for each other before
                await talk.send({"t": "replay", "i": 100, "text": text})
            await eventually(lambda: running.app._past._long._waiting == 2)
            await ann.refused("rate-limited", "replay", text=text)
            for kind in ("txt", "json"):
                assert (await fetch(running.http, f"/rooms/{room}/replay.{kind}"))[0] == 200
            assert not (100 in bob.answers or 100 in eve.answers)
            monkeypatch.setattr("kibitz.server.room.past.SHORT_ROOM", 40)  # now it is a long one
            assert (await fetch(running.http, f"/rooms/{room}/replay.txt"))[0] == 429
        await eventually(lambda: 100 in bob.answers and 100 in eve.answers)
