"""Who is banned, muted or kicked: at once, everywhere, as long as it holds."""

from typing import Any

import msgspec
import pytest
from server.admin.operators import KEY, Operator, operated
from servers import running_server
from talk import Talk, connected, eventually, fetch, talking
from websockets.exceptions import InvalidStatus
from worlds import Fake

from kibitz.protocol.operating import Act, Ban
from kibitz.server.log.memory import MemoryLog
from kibitz.server.settings import Access

PROXY = Access(trusted_proxy=["127.0.0.0/8"])
"""Everybody comes from the address that the test says."""


async def gone(talk: Talk) -> tuple[int, str]:
    """The code and the reason of a connection's close."""
    return await talk.closed(), talk.socket.close_reason or ""


async def test_a_ban_by_identity_holds_at_once_and_by_every_way() -> None:
    async with operated() as (running, op):
        async with talking(running.url) as ann, talking(running.url, token=ann.token) as other:
            made = await ann.ok("create", game="klondike")
            reason = "  far\ttoo loud "
            done = await op.order("ban", id=ann.id, reason=reason, seconds=7000)
            assert done["count"] == 2 or not running.alone
            why = "you are banned from this server: far too loud; try again in 117 min"
            for talk in (ann, other):
                assert await gone(talk) == (4403, why)
            await op.order("ban", id=ann.id, reason=reason)  # in its place: for good
        async with connected(running.url) as back:
            back.read()
            await back.send({"t": "hello", "token": ann.token})
            assert await gone(back) == (4403, why.partition(";")[0])
        path = f"/rooms/{made['room']}/replay.txt"
        status, body = await fetch(running.http, path, ann.token)
        assert (status, body) == (403, b"you are banned from this server: far too loud\n")
        assert (await fetch(running.http, path))[0] == 200, "others are not"
        await op.order("unban", id=ann.id)
        async with talking(running.url, token=ann.token) as again:
            assert (await again.ok("join", room=made["room"], role="player"))["role"] == "player"


@pytest.mark.parametrize(
    ("address", "meant", "others"),
    [
        ("203.0.113.9", "203.0.113.9", "203.0.113.8"),
        ("203.0.113.0/24", "203.0.113.77", "203.0.114.1"),
        ("203.0.113.9/24", "203.0.113.77", "203.0.112.255"),
        ("2001:db8:1::/48", "2001:db8:1:2::3", "2001:db8:2::3"),
        ("2001:DB8::1", "2001:db8::1", "2001:db8:0:1::1"),
        ("2001:db8:1:2::5%eth0", "2001:db8:1:2:ffff::7", "2001:db8:1:3::5"),
        ("2001:db8:1:2::/127", "2001:db8:1:2::1", "2001:db8:1:2::2"),
        ("2002:101:101::1", "1.1.1.1", "1.1.1.2"),
        ("1.1.1.1", "2002:101:101:7::9", "2002:101:102::9"),
        ("::ffff:203.0.113.9", "203.0.113.9", "203.0.113.8"),
        ("64:ff9b::1.1.1.0/120", "1.1.1.9", "1.1.2.9"),
        ("1.1.1.1", "64:ff9b::101:101", "64:ff9b::101:102"),
    ],
)
async def test_a_ban_by_address_refuses_the_handshake_and_every_page(
    address: str, meant: str, others: str
) -> None:
    async with operated(access=PROXY) as (running, op):
        async with (
            talking(running.url, forwarded=meant) as bad,
            connected(running.url, forwarded=meant) as silent,
            talking(running.url, forwarded=others) as good,
        ):
            silent.read()
            done = await op.order("ban", address=address)
            assert done["count"] == 2 or not running.alone
            assert (
                await gone(bad) == await gone(silent) == (4403, "you are banned from this server")
            )
            await good.settle()
        with pytest.raises(InvalidStatus) as refused:
            async with connected(running.url, forwarded=meant):
                pass
        assert refused.value.response.status_code == 403
        for path in ("/", "/healthz", "/protocol", "/ws", "/rooms/x/replay.txt"):
            assert (await fetch(running.http, path, forwarded=meant))[0] == 403
        assert (await fetch(running.http, "/healthz", forwarded=others))[0] == 200
        (held,) = (await op.order("bans"))["bans"]
        assert done["bans"] == [held], "whom it keeps out is said at once"
        await op.order("unban", address=address)
        async with talking(running.url, forwarded=meant):
            pass


async def test_an_address_that_was_banned_alone_means_its_line_and_is_let_in_again() -> None:
    log = MemoryLog()
    old = Ban(kind="ban", address="2001:db8::1", since=1)
    await log.keep("ban/ban//at:2001:db8::1", msgspec.msgpack.encode(old))
    async with operated(log=log, access=PROXY) as (running, op):
        other = "2001:db8::2"
        assert (await fetch(running.http, "/healthz", forwarded=other))[0] == 403
        await op.order("unban", address="2001:db8::1")
        assert (await fetch(running.http, "/healthz", forwarded=other))[0] == 200
        await op.refused("bad-option", "unban", address="2001:db8::1")


async def test_a_ban_ends_when_its_time_is_up_and_says_when() -> None:
    fake = Fake()
    async with operated(world=fake.world, access=PROXY) as (running, op):
        long = "ω" * 100
        await op.order("ban", address="203.0.113.9", seconds=3600, reason=long)
        (ban,) = [ban for _, ban in running.app._bans.all()]
        reason = running.app._bans.close_reason(ban).encode()
        assert 122 <= len(reason) <= 123 and reason.endswith("ω; try again in 60 min".encode())
        with pytest.raises(InvalidStatus) as refused:
            async with connected(running.url, forwarded="203.0.113.9"):
                pass
        assert refused.value.response.headers["Retry-After"] == "3601"
        assert refused.value.response.body.endswith(b"; try again in 60 min\n")
        assert [ban["until"] - ban["since"] for ban in (await op.order("bans"))["bans"]] == [
            3600000
        ]
        fake.pass_time(3599)
        assert (await fetch(running.http, "/healthz", forwarded="203.0.113.9"))[0] == 403
        fake.pass_time(1)
        async with talking(running.url, forwarded="203.0.113.9"):
            pass
        assert (await op.order("bans"))["bans"] == []
        await op.refused("bad-option", "unban", address="203.0.113.9")


async def test_who_is_muted_comments_nowhere_and_may_do_all_else() -> None:
    async with operated() as (running, op), talking(running.url) as ann:
        rooms = [(await ann.ok("create", game="klondike"))["room"] for _ in range(2)]
        said = await ann.ok("say", "named", room=rooms[0], text="hello")
        await op.order("mute", id=ann.id, reason="cool down", seconds=3600)
        for room in rooms:
            refused = await ann.refused("forbidden", "say", room=room, text="again")
            assert refused["message"] == "you may not comment on this server: cool down"
            assert 0 < refused["retry_ms"] <= 3_600_000
        assert await ann.ok("say", "named", room=rooms[0], text="hello") == said, "it was said"
        await ann.ok("move", room=rooms[0], move="discard")
        await op.order("unmute", id=ann.id)
        await ann.ok("say", room=rooms[1], text="again")


async def test_who_is_kicked_loses_his_seat_and_the_race_begins_without_him() -> None:
    async with (
        operated() as (running, op),
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
        talking(running.url, name="Cy") as cy,
    ):
        race: dict[str, Any] = {"mode": "race", "seats": 3, "countdown": 60, "password": "cats"}
        room = (await ann.ok("create", game="klondike", **race))["room"]
        for talk in (bob, cy):
            await talk.ok("join", room=room, role="player", password="cats")
        for talk in (ann, bob):
            await talk.ok("ready", room=room)
        await ann.settle()
        assert "countdown" not in [event["kind"] for event in ann.events(room)]
        await op.order("kick", room=room, id=cy.id, reason="not ready")
        await ann.until(lambda: ann.events(room)[-1]["kind"] == "countdown")
        left = ann.events(room)[-2]
        assert (left["kind"], left["seat"], "by" in left) == ("left", 3, False)
        refused = await cy.refused("forbidden", "join", room=room, role="player")
        assert refused["message"] == "you may not sit down in this room: not ready"
        await cy.refused("not-seated", "ready", room=room)
        assert (await cy.ok("join", room=room))["role"] == "spectator"
        await cy.ok("create", game="klondike")
        await op.refused("not-seated", "kick", room=room, id=cy.id)
        await op.order("unkick", room=room, id=cy.id)
        assert (await cy.ok("join", room=room, role="player", password="cats"))["seat"] == 3


async def test_nobody_is_kicked_out_of_a_race_that_has_begun() -> None:
    async with (
        operated() as (running, op),
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = (await ann.ok("create", game="klondike", mode="race", seats=2, countdown=0))["room"]
        await bob.ok("join", room=room, role="player")
        for talk in (ann, bob):
            await talk.ok("ready", room=room)
        await ann.until(lambda: ann.events(room)[-1]["kind"] == "dealt")
        await op.refused("illegal", "kick", room=room, id=bob.id)
        assert (await op.order("bans"))["bans"] == []
        await bob.ok("resign", room=room)


async def test_an_operator_locks_himself_out_on_purpose_only() -> None:
    async with operated(access=PROXY) as (running, _):
        async with talking(running.url, forwarded="198.51.100.7") as talk:
            op = Operator(talk, running)
            for address in ("127.0.0.1", "127.0.0.0/8", "0.0.0.0/0", "::1", "::/0"):
                refused = await op.refused("bad-option", "ban", address=address)
                assert "this machine itself" in refused["message"]
            refused = await op.refused("bad-option", "ban", address="198.51.0.0/16")
            assert "where you are" in refused["message"]
            refused = await op.refused("bad-option", "ban", id=talk.id)
            assert "that is you" in refused["message"]
            assert (await op.order("bans"))["bans"] == []
            done = await op.order("ban", address="0.0.0.0/0", force=True)
            assert done["count"] == 2 or not running.alone
            assert (await gone(talk))[0] == 4403
        assert (await fetch(running.http, "/healthz"))[0] == 403


@pytest.mark.parametrize("address", ["", "300.1.1.1", "203.0.113.0/40", "example.org", "1", "::g"])
async def test_what_is_no_address_is_not_banned(address: str) -> None:
    async with operated() as (_, op):
        answer = await op.talk.ask("admin", key=KEY, act="ban", address=address)
        assert answer["t"] == "error" and answer["code"] in ("bad-option", "bad-message")
        assert (await op.order("bans"))["bans"] == []


@pytest.mark.parametrize(
    "whom", ["nonsense", "192.0.2.7", "2001:db8::/48", "GQ3TCOBYGA4T", "1" * 12]
)
async def test_what_is_no_identity_is_neither_banned_nor_muted(whom: str) -> None:
    async with operated() as (_, op):
        for act in ("ban", "mute"):
            said = (await op.refused("bad-option", act, id=whom))["message"]
            assert said.startswith(whom) and ("address" in said) is (":" in whom or "." in whom)
        assert (await op.order("bans"))["bans"] == []


async def test_two_servers_on_one_log_know_the_same_bans() -> None:
    log = MemoryLog()
    async with operated(log=log) as (_, op), running_server(log) as second:
        async with talking(second.url) as ann:
            await op.order("ban", id=ann.id)
            assert (await gone(ann))[0] == 4403
        await op.order("unban", id=ann.id)
        await eventually(lambda: second.app._bans.banned(ann.id, "") is None)
        async with talking(second.url, token=ann.token):
            pass


@pytest.mark.parametrize("act", ["bans", "mute", "unmute"])
async def test_an_order_on_another_server_hides_none_that_was_just_given(
    act: Act, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kibitz.server.app.REFRESH_SECONDS", 3600)
    log = MemoryLog()
    async with (
        operated(log=log) as (_, op),
        operated(log=log) as (second, other),
        talking(second.url) as ann,
        talking(second.url) as bob,
    ):
        await op.order("ban", id=ann.id)
        await other.talk.ask("admin", key=KEY, act=act, id=bob.id)
        assert (await gone(ann))[0] == 4403
        await op.order("mute", id=bob.id)
        assert [ban["id"] for ban in (await other.order("bans"))["bans"]] == [ann.id, bob.id]


async def test_many_bans_are_listed_page_by_page_and_found() -> None:
    async with operated(access=PROXY) as (running, op):
        for number in range(120):
            await op.order("ban", address=f"203.0.113.{number}")
        seen, after = list[str](), None
        while True:
            page = await op.order("bans", limit=50, after=after)
            seen += [ban["address"] for ban in page["bans"]]
            after = page.get("next")
            if after is None:
                break
        assert sorted(seen) == sorted(f"203.0.113.{number}" for number in range(120))
        assert (await fetch(running.http, "/healthz", forwarded="203.0.113.119"))[0] == 403
        assert (await fetch(running.http, "/healthz", forwarded="203.0.113.120"))[0] == 200
