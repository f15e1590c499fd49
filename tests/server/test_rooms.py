"""Rooms over a real socket: made, listed, read, commanded; who may do what."""

import json
from pathlib import Path
from typing import Any

import pytest
from plays import KLONDIKE, NEAR_WIN, WINNING
from servers import EACH_ENDS, Running, running_server
from talk import Plain, Talk, fetch, talking

from kibitz.protocol.wire import Encoding
from kibitz.server.log.sqlite import SqliteLog


async def win(player: Talk, room: str) -> None:
    """Play ``NEAR_WIN`` to its end."""
    for move in WINNING:
        await player.ok("move", room=room, move=move)


@pytest.mark.parametrize("encoding", list(Encoding))
async def test_a_room_is_made_joined_played_and_left(encoding: Encoding) -> None:
    async with running_server() as running, talking(running.url, encoding, name="Ann") as ann:
        made = await ann.ok("create", game="thumb-and-pouch", deal="7")
        room = made["room"]
        assert (made["role"], made["seat"], made["seq"]) == ("player", 1, 2)
        assert made["view"]["seats"] == [{"seat": 1, "id": ann.id, "name": "Ann"}]
        async with talking(running.url, name="Bob") as bob:
            seen = await bob.ok("join", room=room)
            assert (seen["role"], "seat" in seen) == ("spectator", False)
            assert seen["view"] == made["view"] and seen["hash"] == made["hash"]
            ok = await ann.ok("move", room=room, move="  SW ")
            await bob.until(bob.events)
            (event,) = bob.events(room)
            assert (event["seq"], event["kind"], event["move"]) == (3, "move", "sw")
            assert (await bob.ok("ping"))["heads"] == {room: [3, ok["hash"]]}
            await bob.ok("leave", room=room)
            assert (await bob.ok("ping"))["heads"] == {}
            await bob.ok("leave", room=room)
        await ann.ok("leave", room=room)
        info = (await ann.ok("rooms"))["rooms"][0]
        assert (info["players"], info["seq"], info["status"]) == ([], 4, "open")


@pytest.mark.parametrize(
    ("code", "wish"),
    [
        ("bad-option", {"game": "chess"}),
        ("bad-option", {"options": {"shuffles": 3}}),
        ("bad-option", {"options": {"alternate_colours": 7}}),
        ("bad-message", {"options": {"alternate_colours": -1}}),
        ("bad-option", {"mode": "free-for-all"}),
        ("bad-option", {"mode": "race", "seats": 1}),
        ("bad-message", {"mode": "race", "seats": 101}),
        ("bad-message", {"mode": "race", "countdown": 61}),
        ("bad-message", {"mode": "race", "limit": 4}),
        ("bad-option", {"mode": "race", "begins": 5}),
        ("bad-option", {"mode": "race", "policy": {"cheat": True}}),
        ("bad-option", {"mode": "race", "policy": {"save": True}}),
        ("bad-option", {"mode": "race", "policy": {"masked": False}}),
        ("bad-option", {"mode": "race", "policy": {"masked": True, "delay": 5}}),
        ("bad-option", {"policy": {"masked": True}}),
        ("bad-option", {"countdown": 3}),
        ("bad-option", {"daily": True, "deal": "1"}),
        ("bad-option", {"daily": True, "visibility": "public", "password": "x"}),
        ("bad-option", {"mode": "solo", "seats": 2}),
        ("bad-option", {"mode": "coop", "seats": 9}),
        ("bad-message", {"seats": 0}),
        ("bad-option", {"deal": "ms0"}),
        ("bad-option", {"deal": "ms32001"}),
        ("bad-option", {"deal": "../../etc"}),
        ("bad-message", {"deal": ""}),
        ("bad-message", {"visibility": "secret"}),
        ("bad-message", {"policy": {"fly": True}}),
        ("bad-message", {"policy": {"delay": 86_401}}),
        ("bad-option", {"policy": {"delay": 5}, "seat": False}),
        ("bad-save", {"save": "(lp0\n."}),
        ("bad-save", {"save": "!!python/object:os.system {}"}),
        ("bad-save", {"save": KLONDIKE.replace("9c-", "10c-")}),
        ("bad-save", {"save": KLONDIKE, "game": "aces-up"}),
        ("bad-option", {"save": KLONDIKE, "deal": "1"}),
        ("bad-option", {"save": KLONDIKE, "options": {"alternate_colours": True}}),
    ],
)
async def test_a_bad_wish_makes_no_room(code: str, wish: Plain) -> None:
    async with running_server() as running, talking(running.url) as ann:
        await ann.refused(code, "create", **{"game": "klondike", **wish})
        assert (await ann.ok("rooms"))["rooms"] == []
        assert (await ann.ok("ping"))["heads"] == {}


async def test_a_save_makes_the_room_it_describes() -> None:
    async with running_server() as running, talking(running.url) as ann:
        for text in (KLONDIKE, KLONDIKE.replace("\n", "\r\n")):
            made = await ann.ok("create", game="klondike", save=text)
            assert (await ann.ok("save", room=made["room"]))["text"] == KLONDIKE
        made = await ann.ok("create", game="montana", options={"shuffles": 5}, deal="ms7")
        await ann.ok("move", room=made["room"], move="s")
        text = (await ann.ok("save", room=made["room"]))["text"]
        assert text.startswith("# game: montana\n# shuffles: 4\n# deal: ms7\n")
        again = await ann.ok("create", game="montana", save=text)
        assert again["view"]["boards"][0]["counters"] == {"shuffles": 4}
        assert (await ann.ok("save", room=again["room"]))["text"] == text
        ended = NEAR_WIN.replace("Stock [ Kc+ ]", "Stock [ ]").replace("[ Qc+", "[ Kc+ Qc+")
        ended = ended.replace("PILE-1 [ Ks+ ]", "PILE-1 [ ]").replace("[ Qs+", "[ Ks+ Qs+")
        await ann.refused("bad-save", "create", game="klondike", save=ended)


async def test_stale_expectations_change_nothing() -> None:
    async with running_server() as running, talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        for t in ("move", "undo", "redo", "restart", "resign"):
            move = "discard" if t == "move" else None
            stale = await ann.refused("stale", t, room=room, expect=1, move=move)
            assert stale["seq"] == 2
        assert (await ann.ok("move", room=room, move="discard", expect=2))["seq"] == 3
        assert (await ann.ok("undo", room=room, expect=3))["seq"] == 4


async def test_policies_decide() -> None:
    policy = {"undo": False, "save": False, "hints": False, "say": False}
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        made = await ann.ok("create", game="aces-up", deal="1", policy=policy)
        assert made["info"]["policy"] == {**policy, "cheat": False}
        room = made["room"]
        await ann.ok("move", room=room, move="d")
        for t in ("undo", "redo", "restart", "save", "cheat", "moves"):
            await ann.refused("forbidden", t, room=room)
        await ann.refused("forbidden", "say", room=room, text="hm")
        assert (await ann.ok("ping"))["heads"][room][0] == 3
        free = (await ann.ok("create", game="aces-up", deal="1", policy={"cheat": True}))["room"]
        shown = await ann.ok("cheat", room=free)
        assert "??" not in json.dumps(shown["view"])
        assert [cell[-1] for cell in shown["view"]["boards"][0]["piles"]["Stock"]] == ["-"] * 48
        await ann.ok("say", room=free, text=" well\n\tmet ")
        assert [(e["kind"], e.get("text")) for e in ann.events(free)] == [
            ("cheated", None),
            ("say", "well met"),
        ]
        await ann.refused("bad-message", "say", room=free, text=" \n ")
        await ann.refused("bad-message", "say", room=free, text="x" * 501)
        await ann.refused("illegal", "undo", room=free)
        await ann.refused("illegal", "redo", room=free)


async def test_undo_redo_and_restart_are_events_like_any_other() -> None:
    async with running_server() as running, talking(running.url) as ann:
        made = await ann.ok("create", game="klondike", deal="1")
        room, start = made["room"], made["view"]["boards"]
        for t in ("move", "undo", "redo", "move", "restart", "undo"):
            await ann.ok(t, room=room, move="discard" if t == "move" else None)
        moves = [(e["kind"], e["moves"]) for e in ann.events(room)]
        assert moves == [
            ("move", 1),
            ("undo", 0),
            ("redo", 1),
            ("move", 2),
            ("restart", 0),
            ("undo", 2),
        ]
        assert (await ann.ok("view", room=room, at=4))["view"]["boards"] == start
        assert (await ann.ok("view", room=room, at=7))["view"]["boards"] == start
        before, after = [await ann.ok("view", room=room, at=at) for at in (6, 8)]
        assert before["view"]["boards"] == after["view"]["boards"] != start
        await ann.refused("bad-option", "view", room=room, at=9)


async def test_history_comes_in_pages_without_holes() -> None:
    async with running_server() as running, talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        for number in range(300):
            await ann.ok("say", room=room, text=f"{number}")
        found: list[Plain] = []
        start: int | None = 1
        while start:
            page = await ann.ok("history", room=room, from_=start, limit=77)
            found += page["events"]
            start = page.get("next")
        assert [event["seq"] for event in found] == list(range(1, 303))
        assert found[2:] == ann.events(room)
        some = await ann.ok("history", room=room, from_=5, to=7)
        assert [event["seq"] for event in some["events"]] == [5, 6, 7] and "next" not in some
        assert (await ann.ok("history", room=room, from_=400))["events"] == []
        assert (await ann.ok("history", room=room, from_=7, to=6))["events"] == []


async def test_passwords_keep_out() -> None:
    async with (
        running_server() as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        wish: Plain = {"visibility": "private", "password": "wrzlbrmft"}
        room = (await ann.ok("create", game="klondike", mode="coop", **wish))["room"]
        for wrong in (None, "", "wrzlbrmf"):
            await bob.refused("forbidden", "join", room=room, password=wrong)
            await bob.refused("forbidden", "join", room=room, role="player", password=wrong)
        await bob.refused("no-room", "moves", room=room)
        for name in ("replay.json", "replay.txt", "save.txt"):
            path = f"/rooms/{room}/{name}"
            assert (await fetch(running.http, path))[0] == 403
            assert (await fetch(running.http, path, bob.token))[0] == 403
            assert (await fetch(running.http, path, "kbz_no"))[0] == 401
            assert (await fetch(running.http, path, ann.token))[0] == 200
        await bob.ok("join", room=room, password="wrzlbrmft")
        assert (await bob.ok("rooms"))["rooms"] == []
        assert b"wrzlbrmft" not in b"".join(str(frame).encode() for frame in ann.frames)
        async with talking(running.url, token=ann.token) as again:
            await again.ok("join", room=room, role="player")


async def test_downloads_show_what_a_viewer_may_see() -> None:
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        room = (await ann.ok("create", game="klondike", save=NEAR_WIN))["room"]
        at = f"/rooms/{room}"
        assert (await fetch(running.http, "/rooms/nowhere/replay.json"))[0] == 404
        assert (await fetch(running.http, f"{at}/save.txt"))[0] == 403
        status, text = await fetch(running.http, f"{at}/save.txt", ann.token)
        assert (status, text.decode()) == (200, NEAR_WIN)
        await ann.until(lambda: ann.events(room))
        assert ann.events(room)[0]["kind"] == "saved"
        await win(ann, room)
        assert (await fetch(running.http, f"{at}/save.txt"))[0] == 200
        status, body = await fetch(running.http, f"{at}/replay.json")
        replay = json.loads(body)
        assert [e["kind"] for e in replay["events"]][-3:] == ["move", "won", "ended"]
        assert [replay["seq"], replay["hash"]] == (await ann.ok("ping"))["heads"][room]
        assert b"# result: won" in (await fetch(running.http, f"{at}/replay.txt"))[1]


async def listed(talk: Talk, **wish: Any) -> list[str]:
    """The ids of all rooms, page by page."""
    found: list[str] = []
    after: str | None = None
    while True:
        page = await talk.ok("rooms", limit=2, after=after, **wish)
        found += [info["id"] for info in page["rooms"]]
        after = page.get("next")
        if after is None:
            return found


async def test_rooms_are_listed_newest_first_by_game_and_status(tmp_path: Path) -> None:
    made: dict[str, list[str]] = {"klondike": [], "aces-up": []}
    async with running_server(SqliteLog(tmp_path / "log")) as running, talking(running.url) as ann:
        for number in range(10):
            game = ["klondike", "aces-up"][number % 2]
            made[game].append((await ann.ok("create", game=game, deal="1"))["room"])
        for visibility in ("unlisted", "private"):
            await ann.ok("create", game="klondike", visibility=visibility, password="x")
        await ann.ok("resign", room=made["aces-up"][1])
        await check_lists(ann, made)
    async with running_server(SqliteLog(tmp_path / "log")) as running, talking(running.url) as ann:
        await check_lists(ann, made)


async def check_lists(talk: Talk, made: dict[str, list[str]]) -> None:
    """See that the lists name these rooms."""
    both = [room for pair in zip(made["klondike"], made["aces-up"], strict=True) for room in pair]
    assert await listed(talk) == both[::-1]
    assert await listed(talk, game="aces-up") == made["aces-up"][::-1]
    assert await listed(talk, status="resigned") == made["aces-up"][1:2]
    assert await listed(talk, game="montana") == []


@EACH_ENDS
async def test_no_room_is_made_while_the_server_goes_down(running: Running) -> None:
    async with talking(running.url) as ann:
        running.app._answers.draining = True
        refused = await ann.refused("draining", "create", game="klondike")
        assert refused["retry_ms"] == 1000
        assert (await fetch(running.http, "/readyz"))[0] == 503


async def test_a_page_of_rooms_goes_on_behind_a_room_that_no_longer_fits() -> None:
    async with running_server() as running, talking(running.url) as ann:
        for _ in range(7):
            await ann.ok("create", game="aces-up")
        first = await ann.ok("rooms", status="open", limit=3)
        await ann.ok("resign", room=first["next"])
        rest = await ann.ok("rooms", status="open", limit=9, after=first["next"])
        assert len(rest["rooms"]) == 4
        await ann.refused("bad-option", "rooms", after="nowhere")


async def test_a_deal_number_is_only_told_if_the_game_was_dealt_from_it() -> None:
    """A save may say what it likes of where it comes from."""
    async with running_server() as running, talking(running.url) as ann:
        played = await ann.ok("create", game="klondike-single", deal="3")
        true = (await ann.ok("save", room=played["room"]))["text"]
        await ann.ok("move", room=played["room"], move="sw")
        later = (await ann.ok("save", room=played["room"]))["text"]
        forged = true.replace("# deal: 3", "# deal: 42")
        assert true != later and true != forged
        deals = {}
        for name, save in (("true", true), ("later", later), ("forged", forged)):
            room = (await ann.ok("create", game="klondike-single", save=save))["room"]
            assert (await ann.ok("save", room=room))["text"] == save
            await ann.ok("resign", room=room)
            await ann.settle()
            deals[name] = ann.events(room)[-1]["opened"].get("deal")
        assert deals == {"true": "3", "later": None, "forged": None}


async def test_a_shuffle_taken_back_is_no_second_chance() -> None:
    async with running_server() as running, talking(running.url) as ann:
        room = (await ann.ok("create", game="montana", deal="1"))["room"]
        boards: list[object] = []
        for command in ("s", "undo", "s", "undo", "redo", "s"):
            if command == "s":
                await ann.ok("move", room=room, move="s")
            else:
                await ann.ok(command, room=room)
            view = (await ann.ok("view", room=room, at=len(boards) + 3))["view"]
            boards.append(view["boards"][0]["piles"])
        assert boards[0] == boards[2] == boards[4] != boards[1] == boards[3]
        assert boards[5] != boards[0]


async def test_after_a_restart_nobody_looks_on(tmp_path: Path) -> None:
    async with (
        running_server(SqliteLog(tmp_path / "log")) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = (await ann.ok("create", game="klondike"))["room"]
        await bob.ok("join", room=room)
        await ann.ok("move", room=room, move="discard")
    async with running_server(SqliteLog(tmp_path / "log")) as running, talking(running.url) as eve:
        (info,) = (await eve.ok("rooms"))["rooms"]
        assert (info["id"], info["seq"], info["spectators"]) == (room, 3, 0)


async def test_a_room_is_brought_back_with_rests(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    rests: list[float] = []
    async with talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        for _ in range(5):
            await ann.ok("move", room=room, move="discard")
        await ann.ok("leave", room=room)
        del running.app.rooms._rooms[room]
        monkeypatch.setattr("kibitz.server.pace.PIECE_SECONDS", -1.0)
        monkeypatch.setattr("kibitz.server.pace.time.sleep", rests.append)
        await ann.ok("join", room=room)
    assert len(rests) >= 5
