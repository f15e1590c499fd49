"""Rooms by invitation: who gets in with which key, and who does not."""

import asyncio
import base64
import hmac
import itertools
import threading
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from servers import EACH_HAS, Running, running_server
from talk import Plain, Talk, fetch, talking

from kibitz.server.access import entrance
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.room import passwords
from kibitz.server.room.ids import ROOM_ID_BYTES

COOP = {"game": "klondike", "deal": "1", "mode": "coop", "seats": 3, "visibility": "private"}


async def keys(ann: Talk, **settings: object) -> tuple[str, str, str]:
    """A closed room of somebody's, its key for players, its key for spectators."""
    room = (await ann.ok("create", None, **{**COOP, **settings}))["room"]
    player = (await ann.ok("invite", room=room, role="player"))["invite"]
    return room, player, (await ann.ok("invite", room=room))["invite"]


async def test_an_invite_lets_in_as_what_it_is_for(running: Running) -> None:
    async with (
        talking(running.url) as ann,
        talking(running.url) as bob,
        talking(running.url) as eve,
        talking(running.url) as dan,
    ):
        room, player, looker = await keys(ann)
        said = await eve.refused("forbidden", "join", room=room)
        assert said["message"] == "this room is by invitation"
        await eve.refused("forbidden", "join", room=room, role="player")
        await eve.ok("join", room=room, invite=looker)
        await eve.refused("forbidden", "join", room=room, role="player")
        await eve.refused("forbidden", "join", room=room, role="player", invite=looker)
        await eve.refused("not-seated", "invite", room=room, role="player")
        await eve.refused("not-seated", "move", room=room, move="discard")
        assert (await bob.ok("join", room=room, role="player", invite=player))["seat"] == 2
        assert (await dan.ok("join", room=room, invite=player))["role"] == "spectator"
        assert (await dan.ok("join", room=room, role="player"))["seat"] == 3  # it was for players
        assert (await bob.ok("invite", room=room, role="player"))["invite"] == player
        assert (await eve.ok("join", room=room))["already"]  # still there, still looking on


async def test_a_seat_that_is_held_needs_no_invite(running: Running) -> None:
    async with talking(running.url) as ann:
        room, player, looker = await keys(ann)
        async with talking(running.url) as bob:
            await bob.ok("join", room=room, role="player", invite=player)
            token = bob.token
    async with talking(running.url, token=token) as bob:
        await bob.ok("join", room=room, role="player")
        await bob.ok("leave", room=room)
        await bob.refused("forbidden", "join", room=room)  # he has given it up
        await bob.refused("forbidden", "join", room=room, role="player", invite=looker)
    async with talking(running.url, token=ann.token) as ann:
        await ann.ok("join", room=room)


async def test_whoever_made_the_room_is_let_in(running: Running) -> None:
    async with talking(running.url) as ann:
        room, *_ = await keys(ann, seat=False)
    async with talking(running.url, token=ann.token) as ann:
        assert (await ann.ok("join", room=room, role="player"))["seat"] == 1
        path = f"/rooms/{room}/replay.txt"
        assert (await fetch(running.http, path, ann.token))[0] == 200


async def test_a_password_lets_in_as_either_and_invites_as_well(running: Running) -> None:
    async with (
        talking(running.url) as ann,
        talking(running.url) as bob,
        talking(running.url) as eve,
    ):
        room, player, looker = await keys(ann, password="cats")
        said = await bob.refused("forbidden", "join", room=room)
        assert said["message"] == "this room has a password"
        said = await bob.refused("forbidden", "join", room=room, password="dogs")
        assert said["message"] == "that is not the room's password"
        await bob.ok("join", room=room, password="cats")
        assert (await bob.ok("join", room=room, role="player"))["seat"] == 2
        await eve.ok("join", room=room, invite=looker, password="dogs")
        await eve.refused("forbidden", "join", room=room, role="player", invite=looker)
        joined = await eve.ok("join", room=room, role="player", invite="x", password="cats")
        assert joined["seat"] == 3
        assert player != looker


async def test_an_open_room_needs_none(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url) as eve:
        room = (await ann.ok("create", game="klondike", visibility="unlisted"))["room"]
        await ann.refused("bad-option", "invite", room=room)
        await eve.ok("join", room=room, invite="whatever")
        await eve.refused("not-seated", "invite", room=room)
        await eve.refused("no-room", "invite", room="other")


async def test_keys_tell_nothing_of_each_other_and_last_for_ever(tmp_path: Path) -> None:
    found: list[str] = []
    for data, _ in itertools.product((tmp_path / "a.db", tmp_path / "b.db"), range(2)):
        async with running_server(SqliteLog(data)) as server, talking(server.url) as ann:
            room, player, looker = await keys(ann)
            found += [player, looker]
            async with talking(server.url) as bob:
                for made_up in (
                    "",
                    player[:-1],
                    player + "a",
                    player.upper(),
                    room,
                    found[0] if len(found) > 2 else looker[::-1],
                    "\u00e9",
                ):
                    for role in ("spectator", "player"):
                        await bob.refused("forbidden", "join", room=room, role=role, invite=made_up)
                await bob.refused("bad-message", "join", room=room, invite="a" * 65)
    assert len(set(found)) == len(found)
    assert {len(key) for key in found} == {26}, "128 bits"


async def test_they_survive_the_server(tmp_path: Path) -> None:
    async with (
        running_server(SqliteLog(tmp_path / "a.db")) as server,
        talking(server.url) as ann,
    ):
        room, player, looker = await keys(ann)
    async with (
        running_server(SqliteLog(tmp_path / "a.db")) as server,
        talking(server.url) as eve,
        talking(server.url) as bob,
    ):
        await eve.ok("join", room=room, invite=looker)
        await bob.ok("join", room=room, role="player", invite=player)


async def test_what_the_end_opens_is_no_key(running: Running) -> None:
    """Nothing that is told of a game, to its very end, has one in it, or makes one."""
    async with talking(running.url) as ann, talking(running.url) as eve:
        room, player, looker = await keys(ann)
        await eve.ok("join", room=room, invite=looker)
        await ann.ok("resign", room=room)
        rematch = (await ann.ok("rematch", room=room))["room"]
        history = await eve.ok("history", room=room, open=True)
        said = (
            str(history) + str(eve.frames) + str([f for f in ann.frames if "invited" not in str(f)])
        )
        assert player not in said and looker not in said
        await eve.refused("forbidden", "join", room=room, role="player", invite=looker)
        # A key is for the whole series, in its role.
        assert (await ann.ok("invite", room=rematch, role="player"))["invite"] == player
        await eve.refused("forbidden", "join", room=rematch)
        await eve.refused("forbidden", "join", room=rematch, role="player", invite=looker)
        await eve.ok("join", room=rematch, invite=looker)
        # The id of the next room followed from the seed once.
        (opened,) = [event["opened"] for event in history["events"] if event["kind"] == "ended"]
        digest = hmac.digest(opened["seed"].encode(), b"rematch", "sha256")[:ROOM_ID_BYTES]
        assert base64.b32encode(digest).decode().lower() != rematch


async def test_downloads_take_a_key(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url) as eve:
        room, player, looker = await keys(ann)
        for name in ("replay.txt", "replay.json"):
            path = f"/rooms/{room}/{name}"
            for query in ("", "?invite=", "?invite=x", f"?invite={player[:-1]}", f"?key={player}"):
                assert (await fetch(running.http, path + query))[0] == 403
            assert (await fetch(running.http, path, eve.token))[0] == 403
            for key in (player, looker):
                assert (await fetch(running.http, f"{path}?invite={key}"))[0] == 200
            assert (await fetch(running.http, path, ann.token))[0] == 200
        save = f"/rooms/{room}/save.txt?invite={player}"
        assert (await fetch(running.http, save))[0] == 403  # the game runs


async def test_a_closed_room_is_shown_to_nobody_else(running: Running) -> None:
    async with talking(running.url) as ann:
        room, *_ = await keys(ann)
        assert (await ann.ok("rooms"))["rooms"] == []
        await ann.ok("resign", room=room)
        await ann.refused("forbidden", "present", room=room)
        fork = await ann.ok("fork", room=room)
        assert fork["info"]["visibility"] == "private"


async def test_nobody_finds_a_room_by_trying(running: Running) -> None:
    """Of an id that is not there, not listed, or not in the list, all errors say the same."""
    async with talking(running.url) as ann, talking(running.url) as eve:
        rooms = [
            (await ann.ok("create", game="klondike", visibility="unlisted"))["room"]
            for _ in range(20)
        ]
        assert len(set(rooms)) == 20
        assert {len(room) for room in rooms} == {16}, "80 bits"

        async def said(room: str, ask: Callable[[str], dict[str, object]]) -> Plain:
            fields = dict(ask(room))
            answer = await eve.ask(str(fields.pop("t")), None, **fields)
            return {k: str(v).replace(room, "ID") for k, v in answer.items() if k != "i"}

        other = rooms[0][:-1] + ("a" if rooms[0][-1] != "a" else "q")
        after: Callable[[str], dict[str, object]] = lambda room: {"t": "rooms", "after": room}  # noqa: E731
        assert await said(rooms[0], after) == await said(other, after)
        follow: Callable[[str], dict[str, object]] = lambda room: {"t": "moves", "room": room}  # noqa: E731
        assert await said(rooms[0], follow) == await said(other, follow)
        errors = [
            await said(rooms[0][:n] + "a" * (16 - n), lambda room: {"t": "join", "room": room})
            for n in (0, 8, 14)
        ]
        assert errors[0] == errors[1] == errors[2]
        assert errors[0]["code"] == "no-room"


async def test_a_name_finds_no_room_of_somebody_else(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url) as eve:
        mine = (await ann.ok("create", "my room", game="klondike", visibility="private"))["room"]
        assert (await eve.ok("create", "my room", game="klondike"))["room"] != mine


@EACH_HAS
async def test_no_password_is_hashed_for_somebody_who_has_gone(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[str] = []
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()

    def counted(password: str, kept: str) -> bool:
        hashed.append(password)
        loop.call_soon_threadsafe(begun.set)
        return passwords.is_password(password, kept)

    monkeypatch.setattr(entrance, "is_password", counted)
    async with talking(running.url) as ann, talking(running.url) as bob:
        room, *_ = await keys(ann, password="cats")
        gate = running.app.rooms.entrance._turn
        async with gate:
            crowd = [await _try(running, room, f"guess {n}") for n in range(20)]
            for each in crowd:
                await each.drop()
            await asyncio.sleep(0)
        await bob.ok("join", room=room, password="cats")
    assert hashed == ["cats"]


@EACH_HAS
async def test_passwords_are_hashed_in_one_thread(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory that a hash takes is taken once."""
    threads: set[int] = set()

    def seen(password: str, kept: str) -> bool:
        threads.add(threading.get_ident())
        return passwords.is_password(password, kept)

    monkeypatch.setattr(entrance, "is_password", seen)
    async with AsyncExitStack() as stack:
        ann, *crowd = [await stack.enter_async_context(talking(running.url)) for _ in range(5)]
        room, *_ = await keys(ann, password="cats")
        guess: Plain = {"room": room, "password": "dogs"}
        await asyncio.gather(*(each.refused("forbidden", "join", **guess) for each in crowd))
    assert len(threads) == 1 and threading.get_ident() not in threads


async def _try(running: Running, room: str, password: str) -> Talk:
    talk = await talking(running.url).__aenter__()
    await talk.send({"t": "join", "i": 2, "room": room, "password": password})
    await talk.socket.ping()
    return talk
