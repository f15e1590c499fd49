"""Who asks too much is told which limit it is, and when to come back; that is true."""

import itertools
from dataclasses import replace
from typing import Any

import pytest
from servers import EACH_COUNTS, UNLIMITED, running_server
from talk import Plain, Talk, fetch, talking
from worlds import Fake

from kibitz.server.limits.rates import Rate
from kibitz.server.limits.settings import Limits
from kibitz.server.limits.table import BY, ROWS, setting

SLOW = Rate(per_second=0.3, burst=3)
ROOM: Plain = {"game": "klondike", "deal": "1"}


def limited(**rates: object) -> Limits:
    """These limits and no others, this machine counted like any."""
    return replace(UNLIMITED, count_loopback=True, **rates)  # type: ignore[arg-type]


ASKED: dict[str, tuple[str, Plain]] = {
    "requests": ("lobby", {}),
    "reads": ("rooms", {}),
    "joins": ("join", {"room": "a" * 16}),
    "creates": ("create", ROOM),
    "comments": ("say", {"text": "hm"}),
    "passwords": ("join", {"room": "a" * 16, "password": "cats"}),
    "replays": ("replay", {"text": "# game: aces-up\n"}),
}
ALL = [(kind, by) for kind, counted in ROWS for by in counted if kind in ASKED]


@pytest.mark.parametrize(("kind", "by"), ALL, ids=[setting(kind, by) for kind, by in ALL])
async def test_a_refusal_says_which_limit_and_when_to_come_back(kind: Any, by: int) -> None:
    fake, (t, fields) = Fake(), ASKED[kind]
    limits = limited(**{setting(kind, by): SLOW})
    async with (
        running_server(world=fake.world, limits=limits) as running,
        talking(running.url) as bob,
    ):
        room = (await bob.ok("create", **ROOM))["room"]
        fake.pass_time(1000)
        async with talking(running.url) as ann:
            if t == "say":
                fields = {**fields, "room": room}
                await ann.ok("join", room=room)
            fake.pass_time(1000)
            for _ in range(50):
                answer = await ann.ask(t, **fields)
                if answer.get("code") == "rate-limited":
                    break
            assert answer["code"] == "rate-limited"
            assert (
                answer["limit"] == f"{kind} per {BY[by]}" and answer["limit"] in answer["message"]
            )
            fake.pass_time((answer["retry_ms"] - 2) / 1000)
            again = await ann.ask(t, **fields)
            assert again["code"] == "rate-limited"
            fake.pass_time(again["retry_ms"] / 1000)
            assert (await ann.ask(t, **fields)).get("code") != "rate-limited"
            numbers = [(await fetch(running.http, "/metrics"))[1] for _ in running.apps]
            said = b"".join(numbers).decode()
            assert f'kibitz_limit_refusals_total{{limit="{kind} per {BY[by]}"}}' in said


async def read_own(ann: Talk, room: str) -> None:
    """Everything with which somebody sees how his room is."""
    await ann.ok("ping")
    await ann.ok("view", room=room, at=1)
    await ann.ok("history", room=room, limit=500)
    await ann.ok("moves", room=room)
    await ann.ok("join", room=room, role="player")


EVERY = [(kind, by) for kind, counted in ROWS for by in counted]


@pytest.mark.parametrize(("kind", "by"), EVERY, ids=[setting(kind, by) for kind, by in EVERY])
async def test_ones_own_room_can_be_read_once_a_second_whatever_is_used_up(
    kind: Any, by: int
) -> None:
    fake = Fake()
    async with running_server(world=fake.world, limits=limited()) as running:
        async with talking(running.url, name="Ann") as ann:
            made = await ann.ok("create", **ROOM)
            room, token = made["room"], ann.token
            (connection,) = running.app._connections
            running.app._table.charge(kind, 1e12, connection.account._who)
            for _ in range(5):
                await read_own(ann, room)
                fake.pass_time(1)
            for _ in range(10):  # more than that is no promise
                await ann.ask("view", room=room, at=1)
        if kind in (
            "connects",
            "handshakes",
            "refusals",
        ):  # who is in stays in, but nobody comes in
            return
        async with talking(running.url, token=token) as ann:  # hello is granted, and coming back
            head = {"from": made["seq"], "hash": made["hash"]}
            for _ in range(3):
                answer = await ann.ok("join", room=room, role="player", **head)
                assert answer["role"] == "player"
                fake.pass_time(1)


async def test_reading_more_often_than_that_is_refused() -> None:
    fake = Fake()
    limits = limited(reads=Rate(0.001, 1), joins=Rate(0.001, 1))
    async with (
        running_server(world=fake.world, limits=limits) as running,
        talking(running.url) as ann,
    ):
        room = (await ann.ok("create", **ROOM))["room"]
        asked = [await ann.ask("view", room=room, at=1) for _ in range(10)]
        assert [a["t"] for a in asked][-6:] == ["error"] * 6
        for _ in range(8):
            other = await ann.ask("join", room="a" * 16)
        assert other["limit"] == "joins per connection", "a room that is not one's own"


@EACH_COUNTS
async def test_a_page_that_is_asked_for_too_often_is_refused_with_a_time() -> None:
    fake = Fake()
    limits = limited(downloads_per_address=Rate(0.5, 2), tokens_per_address=Rate(0.5, 2))
    async with (
        running_server(world=fake.world, limits=limits) as running,
        talking(running.url) as ann,
    ):
        room = (await ann.ok("create", **ROOM))["room"]
        path = f"/rooms/{room}/replay.txt"
        wrong = [await fetch(running.http, path, token="kbz_no") for _ in range(3)]
        assert [status for status, _ in wrong] == [401, 401, 429]
        assert wrong[-1][1] == b"too many tokens per address; come back in 2 s\n"
        got = [await fetch(running.http, path) for _ in range(3)]
        assert [status for status, _ in got] == [200, 200, 429]
        fake.pass_time(2)
        assert (await fetch(running.http, path))[0] == 200


@EACH_COUNTS
async def test_who_tries_tokens_is_closed_as_abuse() -> None:
    limits = limited(tokens_per_address=Rate(0.01, 2))
    codes = []
    async with running_server(limits=limits) as running:
        for _ in range(3):
            with pytest.raises(ConnectionError) as closed:
                async with talking(running.url, token="kbz_no"):
                    pass
            codes.append(str(closed.value)[-4:])
    assert codes == ["4401", "4401", "4429"]


@EACH_COUNTS
async def test_whoever_is_closed_for_abuse_cannot_come_back_at_will() -> None:
    limits = limited(requests=Rate(0.01, 5), refused=5, connects_per_address=Rate(0.01, 150))
    async with running_server(limits=limits) as running:
        statuses = []
        for _ in range(3):
            try:
                async with talking(running.url) as eve:
                    for _ in range(50):
                        await eve.send({"t": "rooms"})
                    statuses.append(await eve.closed())
            except Exception as error:
                statuses.append(getattr(getattr(error, "response", None), "status_code", 0))
        assert statuses[0] == 4429 and statuses[-1] in (429, 0)


async def test_moves_that_take_long_to_decide_count_for_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A dead end is searched for after each move; who makes the server search pays for it."""
    ticks, fake = itertools.count(), Fake()
    monkeypatch.setattr("kibitz.server.room.writing.work_clock", lambda: next(ticks) * 0.01)
    async with (
        running_server(world=fake.world, limits=limited(requests=Rate(10, 60))) as running,
        talking(running.url) as ann,
    ):
        room = (await ann.ok("create", game="aces-up", deal="7"))["room"]
        await ann.ok("move", room=room, move="d")
        refused = await ann.ask("move", room=room, move="d")
        assert (refused["code"], refused["limit"]) == ("rate-limited", "requests per connection")
        fake.pass_time(10)
        await ann.ok("move", room=room, move="d")
