"""`fork`: a position as the start of a new room, of a finished game or of one's own live one."""

import json
import re

import pytest
from plays import NEAR_WIN, WINNING
from races import begin, race, seat, told
from servers import Running, running_server
from talk import Plain, Talk, fetch, talking, unpack
from worlds import Fake

from kibitz.server.log.memory import MemoryLog


async def test_a_position_of_a_finished_game_begins_a_new_room(running: Running) -> None:
    async with talking(running.url) as ann:
        made = await ann.ok("create", game="klondike", save=NEAR_WIN)
        old = made["room"]
        await ann.ok("move", room=old, move=WINNING[0])
        await ann.ok("move", room=old, move=WINNING[1])
        await ann.refused("game-over", "fork", room=old, at=4)
        await ann.refused("bad-option", "fork", room=old, at=400)
        forked = await ann.ok("fork", "again", room=old)
        assert forked["room"] != old
        assert forked["role"] == "player"
        assert forked["view"]["boards"] == made["view"]["boards"]
        history = await ann.ok("history", room=forked["room"])
        assert history["events"][0]["origin"] == {"room": old, "seq": 1}
        assert (await ann.ok("fork", "again", room=old))["room"] == forked["room"]
        await ann.refused("bad-message", "fork", "again", room=old, at=3)
        middle = await ann.ok("fork", room=old, at=3)
        assert middle["view"]["boards"] != made["view"]["boards"]


@pytest.mark.parametrize(
    "made", [{"visibility": "unlisted"}, {"visibility": "private", "password": "x"}]
)
async def test_a_fork_tells_no_more_than_its_parent(running: Running, made: Plain) -> None:
    async with talking(running.url) as ann, talking(running.url) as bob:
        old = (await ann.ok("create", game="aces-up", **made))["room"]
        await ann.ok("resign", room=old)
        forked = (await ann.ok("fork", room=old))["room"]
        assert (await bob.ok("rooms"))["rooms"] == []
        invited: Plain = {}
        if made["visibility"] == "private":
            await bob.refused("forbidden", "join", room=forked)
            invited = {"invite": (await ann.ok("invite", room=forked, role="spectator"))["invite"]}
        joined = await bob.ok("join", room=forked, **invited)
        assert joined["info"]["visibility"] == made["visibility"]
        history = await bob.ok("history", room=forked)
        assert old not in str(history)


async def test_a_fork_of_a_public_game_may_be_unlisted(running: Running) -> None:
    async with talking(running.url) as ann:
        old = (await ann.ok("create", game="aces-up"))["room"]
        await ann.ok("resign", room=old)
        await ann.ok("fork", room=old, unlisted=True)
        assert [room["id"] for room in (await ann.ok("rooms"))["rooms"]] == [old]


LIVE: Plain = {"game": "klondike-single", "deal": "1"}


def check_hidden(talk: Talk) -> None:
    """See that nothing that was sent names a card that lies face down, or what it follows from."""
    for frame in talk.frames:
        said = unpack(frame)
        if said["t"] != "welcome":
            text = json.dumps(said)
            assert not re.search(r'"[2-9TJQKA][cdhs]-"', text), text
            assert '"opened"' not in text and '"seed"' not in text


async def test_a_live_game_is_forked_by_its_player(running: Running) -> None:
    async with talking(running.url, name="Ann") as ann, talking(running.url) as eve:
        made = await ann.ok("create", **LIVE)
        old = made["room"]
        await eve.ok("join", room=old)
        for _ in range(3):
            await ann.ok("move", room=old, move="sw")
        refused = await eve.refused("not-seated", "fork", room=old, at=1)
        assert refused["message"].startswith("not allowed")
        await ann.refused("bad-option", "fork", room=old, at=6)
        await ann.refused("bad-option", "fork", room=old, at=1, board=1)
        forked = await ann.ok("fork", "f1", room=old, at=4)
        shown = await ann.ok("view", room=old, at=4)
        (board,), (there,) = forked["view"]["boards"], shown["view"]["boards"]
        assert board == {**there, "moves": 0}
        assert forked["info"]["visibility"] == "unlisted"
        assert forked["info"]["policy"] == {**made["info"]["policy"], "save": False}
        assert (forked["view"]["mode"], forked["seat"]) == ("solo", 1)
        assert (await ann.ok("fork", "f1", room=old, at=4))["room"] == forked["room"]
        await running.abreast()
        assert [info["id"] for info in (await eve.ok("rooms"))["rooms"]] == [old]
        await ann.ok("move", room=old, move="sw")  # both go on, each for itself
        await ann.ok("move", room=forked["room"], move="sw")
        await ann.ok("undo", room=forked["room"])
        assert (await ann.ok("view", room=old, at=6))["view"]["boards"][0]["moves"] == 4
        await eve.ok("join", room=forked["room"])
        check_hidden(ann)
        check_hidden(eve)


@pytest.mark.parametrize(
    "wish",
    [
        {"policy": {"undo": False}},
        {"mode": "race", "countdown": 0},
        {"game": "montana", "deal": None, "daily": True},
    ],
)
async def test_what_may_not_be_tried_again_is_not_forked(wish: Plain) -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = (await ann.ok("create", **{**LIVE, **wish}))["room"]
        if wish.get("mode") == "race":
            await seat(room, bob)
            await begin(running, fake, room, ann, bob)
            await bob.ok("resign", room=room)
            await bob.refused("forbidden", "fork", room=room, at=1)
        await ann.refused("forbidden", "fork", room=room, at=1)


async def test_a_fork_of_a_live_game_opens_nothing_before_that_has_ended(running: Running) -> None:
    """By no way of asking, not in a fork of the fork either; then everything as ever."""
    async with talking(running.url) as ann, talking(running.url) as eve:
        root = (await ann.ok("create", **LIVE, policy={"cheat": True}))["room"]
        await ann.ok("move", room=root, move="sw")
        child = (await ann.ok("fork", room=root, at=2))["room"]
        await ann.ok("move", room=child, move="sw")
        grandchild = (await ann.ok("fork", room=child, at=1))["room"]
        for room in (child, grandchild):
            await eve.ok("join", room=room)
            for talk in (ann, eve):
                code = "forbidden" if talk is ann else "not-seated"
                for t in ("resign", "save", "cheat"):
                    await talk.refused(code, t, room=room)
                for t, fields in (("history", {"open": True}), ("present", {})):
                    await talk.refused("forbidden", t, room=room, **fields)
                at = f"/rooms/{room}"
                assert (await fetch(running.http, f"{at}/save.txt", talk.token))[0] == 403
                for name in ("replay.txt", "replay.json"):
                    status, text = await fetch(running.http, f"{at}/{name}", talk.token)
                    assert status == 200 and b"??" in text
                    assert not re.search(rb"[2-9TJQKA][cdhs]-", text) and b"opened" not in text
                view = await talk.ok("view", room=room, at=1)
                assert view["view"]["boards"][0]["piles"]["Stock"] == ["??"] * (
                    len(view["view"]["boards"][0]["piles"]["Stock"])
                )
                check_hidden(talk)
        await ann.refused("forbidden", "rematch", room=child)
        await ann.ok("resign", "r1", room=root)
        await ann.ok("resign", room=grandchild)
        await ann.ok("resign", room=child)
        opened = [e["opened"] for e in ann.events() if e["kind"] == "ended"]
        assert len(opened) == 3 and opened[0]["start"] == opened[1]["start"]
        assert (await ann.ok("save", room=child))["text"].startswith("# game: klondike-single")


async def test_a_fork_of_a_fork_that_was_won_is_bound_too(running: Running) -> None:
    async with talking(running.url) as ann:
        root = (await ann.ok("create", game="klondike", save=NEAR_WIN))["room"]
        child = (await ann.ok("fork", room=root, at=2))["room"]
        for move in WINNING:
            await ann.ok("move", room=child, move=move)
        grandchild = await ann.ok("fork", room=child, at=1)
        assert grandchild["info"]["policy"]["save"] is False
        await ann.refused("forbidden", "resign", room=grandchild["room"])
        await ann.ok("resign", room=root)
        await ann.ok("resign", room=grandchild["room"])


async def test_the_bond_survives_a_restart() -> None:
    log = MemoryLog()
    async with running_server(log) as running, talking(running.url) as ann:
        root = (await ann.ok("create", **LIVE))["room"]
        child = (await ann.ok("fork", room=root))["room"]
        token = ann.token
    async with running_server(log) as running, talking(running.url, token=token) as ann:
        await ann.ok("join", room=child, role="player")
        await ann.refused("forbidden", "resign", room=child)
        await ann.refused("forbidden", "save", room=child)
        await ann.ok("join", room=root, role="player")
        await ann.ok("resign", room=root)
        await ann.ok("resign", room=child)


async def test_a_fork_of_a_coop_game_is_for_each_of_its_players(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url) as bob:
        room = (await ann.ok("create", **LIVE, mode="coop"))["room"]
        await seat(room, bob)
        forked = await bob.ok("fork", room=room, at=3)
        assert (forked["view"]["mode"], len(forked["view"]["seats"])) == ("solo", 1)
        assert forked["view"]["seats"][0]["id"] == bob.id
        await bob.ok("leave", room=room)
        await bob.ok("join", room=room)
        await bob.refused("not-seated", "fork", room=room, at=3)


async def test_a_board_of_a_race_that_has_ended_begins_a_new_room() -> None:
    """One's own if none is named; before the start there is nothing to begin with."""
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
        talking(running.url) as eve,
    ):
        room = (await ann.ok("create", **LIVE, mode="race", countdown=0))["room"]
        await seat(room, bob)
        await begin(running, fake, room, ann, bob)
        for moves, talk in ((1, ann), (2, bob)):
            for _ in range(moves):
                await talk.ok("move", room=room, move="sw")
        for talk in (ann, bob):
            await talk.ok("resign", room=room)
        await eve.ok("join", room=room)
        last = (await eve.ok("ping"))["heads"][room][0]
        page = await eve.ok("history", room=room, open=True)
        started = next(e["seq"] for e in page["events"] if e["kind"] == "started")
        for at in (1, started):
            await ann.refused("bad-option", "fork", room=room, at=at)
        for board, talk in ((0, ann), (1, bob), (0, eve)):
            forked = await talk.ok("fork", room=room, at=last)
            (there,) = forked["view"]["boards"]
            assert len(there["piles"]["Waste"]) == board + 2
        forked = await ann.ok("fork", room=room, at=last, board=1)
        assert len(forked["view"]["boards"][0]["piles"]["Waste"]) == 3
        (created, *_) = (await ann.ok("history", room=forked["room"]))["events"]
        assert created["origin"] == {"room": room, "seq": last, "board": 1}
        await ann.refused("bad-option", "fork", room=room, at=last, board=2)


async def test_a_fork_of_a_race_begins_with_the_deal_if_nothing_else_is_said(
    running: Running,
) -> None:
    async with talking(running.url) as ann, talking(running.url) as bob:
        room = await race(ann, countdown=0)
        await seat(room, bob)
        for racer in (ann, bob):
            await racer.ok("ready", room=room)
        start = await told(ann, room, "dealt")
        for racer in (ann, bob):
            await racer.ok("resign", room=room)
        forked = await bob.ok("fork", room=room)
        piles = {fact[1]: fact[2] for fact in start["fx"]}
        assert forked["view"]["boards"][0]["piles"] == piles


async def test_a_player_forks_his_live_game_from_another_connection(running: Running) -> None:
    """As a second terminal does, which looks on beside the first."""
    async with talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        async with talking(running.url, token=ann.token) as again:
            await again.ok("join", room=room)
            forked = await again.ok("fork", room=room)
            assert forked["role"] == "player"
        await ann.ok("move", room=room, move="discard")
