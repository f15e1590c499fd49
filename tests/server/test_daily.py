"""The deal of the day: one for everybody, shown to nobody else before the day is over."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace
from servers import EACH_HAS, Running, running_server
from talk import Plain, Talk, fetch, talking
from worlds import START_MS, Fake

from kibitz.engine.deals import shuffled
from kibitz.engine.games import GAMES
from kibitz.engine.notation import write_piles
from kibitz.server.lobby.daily import _rank
from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.room.entries import entry_of

DAY_MS = 86_400_000
TODAY = "2023-11-14"
"""The day of the tests' clock; it is over after 6,400 seconds."""
UNTIL = START_MS - START_MS % DAY_MS + DAY_MS


async def daily(talk: Talk, game: str = "montana", i: str | None = None) -> Plain:
    return await talk.ok("create", i, game=game, daily=True)


async def rows(talk: Talk, game: str, date: str | None = None) -> list[tuple[int, str]]:
    table = await talk.ok("daily", game=game, date=date)
    return [(row["place"], row["name"]) for row in table["rows"]]


def keeping(secret: bytes) -> MemoryLog:
    """An empty log of a deployment that has this secret already."""
    log = MemoryLog()
    log._secrets["daily"] = secret
    return log


@pytest.mark.parametrize("game", GAMES)
async def test_everybody_has_the_same_deal_on_every_server_with_the_secret(game: str) -> None:
    opened: list[Plain] = []
    for seed in (b"one", b"two"):
        fake = Fake(seed=seed)
        async with running_server(keeping(b"s" * 32), fake.world) as running:
            for name in ("Ann", "Bob"):
                async with talking(running.url, name=name) as talk:
                    made = await daily(talk, game)
                    assert made["view"]["daily"] == TODAY
                    await talk.ok("resign", room=made["room"])
                    await talk.settle()
                    opened.append(talk.events()[-1]["opened"])
    assert all(one == opened[0] for one in opened) and opened[0]["start"]


async def test_another_day_or_game_or_secret_is_another_deal() -> None:
    starts: list[str] = []
    for secret, game, wait in (
        (b"s" * 32, "klondike", 0),
        (b"s" * 32, "klondike", 1),
        (b"s" * 32, "klondike-single", 0),
        (b"t" * 32, "klondike", 0),
    ):
        fake = Fake(ms=START_MS + wait * DAY_MS)
        async with (
            running_server(keeping(secret), fake.world) as running,
            talking(running.url) as ann,
        ):
            await ann.ok("resign", room=(await daily(ann, game))["room"])
            await ann.settle()
            opened = ann.events()[-1]["opened"]
            starts.append(opened["seed"])
            deck = shuffled(bytes.fromhex(opened["seed"]))
            dealt = write_piles(GAMES[game].deal(deck))
            assert opened["start"] == dealt, "the deal follows from what is opened"
    assert len(set(starts)) == 4


async def test_chance_in_it_is_the_same_for_everybody(running: Running) -> None:
    shuffled = []
    for name in ("Ann", "Bob"):
        async with talking(running.url, name=name) as talk:
            room = (await daily(talk))["room"]
            at = (await talk.ok("move", room=room, move="s"))["seq"]
            shuffled.append((await talk.ok("view", room=room, at=at))["view"]["boards"])
    assert shuffled[0] == shuffled[1]


async def test_asked_again_it_is_the_same_room_for_a_day() -> None:
    fake = Fake()
    async with running_server(world=fake.world) as running, talking(running.url) as ann:
        first = await daily(ann)
        assert (first["role"], first["seat"]) == ("player", 1)
        assert first["info"]["visibility"] == "unlisted"
        await ann.ok("move", room=first["room"], move="s")
        fake.pass_time(6399)
        again = await daily(ann, i="by name")
        assert (again["room"], again["seq"]) == (first["room"], 3)
        made = await asyncio.gather(*(daily(ann, "aces-up") for _ in range(3)))
        assert len({one["room"] for one in made}) == 1
        await ann.ok("leave", room=first["room"])  # the seat is kept
        assert (await daily(ann))["seat"] == 1
        fake.pass_time(1)
        assert (await daily(ann))["room"] != first["room"]
        async with talking(running.url) as bob:
            assert (await daily(bob, "aces-up"))["room"] != made[0]["room"]


async def test_nobody_else_looks_at_it_before_the_day_is_over() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Eve") as eve,
    ):
        room = (await daily(ann))["room"]
        fake.pass_time(100)
        await ann.ok("move", room=room, move="s")
        for over in (False, True):
            for role in ("spectator", "player"):
                refused = await eve.refused("forbidden", "join", room=room, role=role)
                assert refused["retry_ms"] == UNTIL - fake.ms
            for name in ("replay.json", "replay.txt", "save.txt"):
                path = f"/rooms/{room}/{name}"
                assert (await fetch(running.http, path))[0] == 403
                assert (await fetch(running.http, path, eve.token))[0] == 403
                mine = 403 if name == "save.txt" and not over else 200
                assert (await fetch(running.http, path, ann.token))[0] == mine
            assert (await eve.ok("rooms"))["rooms"] == []
            table = await eve.ok("daily", game="montana")
            assert "room" not in table["rows"][0] and room not in str(table)
            if not over:
                await ann.refused("forbidden", "save", room=room)
                await ann.refused("forbidden", "cheat", room=room)
                await ann.refused("forbidden", "fork", room=room)
                await ann.ok("resign", room=room)
        await ann.refused("forbidden", "fork", room=room)
        await ann.refused("forbidden", "present", room=room)
        fake.pass_time((UNTIL - fake.ms) / 1000)
        joined = await eve.ok("join", room=room)
        assert joined["view"]["status"] == "resigned"
        await eve.refused("game-over", "join", room=room, role="player")
        assert (await fetch(running.http, f"/rooms/{room}/save.txt"))[0] == 200
        (row,) = (await eve.ok("daily", game="montana", date=TODAY))["rows"]
        assert row["room"] == room
        await eve.ok("fork", room=room)
        await eve.ok("present", room=room)


async def test_an_open_deal_of_the_day_has_one_seat_only() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as eve,
    ):
        room = (await daily(ann))["room"]
        fake.pass_time(6400)
        await eve.ok("join", room=room)
        await eve.refused("full", "join", room=room, role="player")
        fake.pass_time(30 * 86_400)
        await ann.drop()
        await eve.refused("full", "join", room=room, role="player")


async def test_the_table_of_the_day() -> None:
    """By score, and giving up early is no merit; who is as good as another shares his place."""
    fake = Fake()
    async with running_server(world=fake.world) as running:
        people = {"Ann": 2, "Bob": 0, "Cid": 1, "Dan": 2}
        for name, draws in people.items():
            async with talking(running.url, name=name) as talk:
                room = (await daily(talk, "aces-up"))["room"]
                for _ in range(draws):
                    await talk.ok("move", room=room, move="d")
                if name == "Dan":
                    await talk.ok("resign", room=room)
            fake.pass_time(1)
        async with talking(running.url) as eve:
            await running.abreast()
            table = await eve.ok("daily", game="aces-up")
            assert (table["date"], table["until"]) == (TODAY, UNTIL)
            assert [(row["place"], row["name"], row["moves"]) for row in table["rows"]] == [
                (1, "Ann", 2),
                (1, "Bob", 0),
                (1, "Cid", 1),
                (1, "Dan", 2),
            ]
            assert [row["status"] for row in table["rows"]] == ["open"] * 3 + ["resigned"]
            assert await rows(eve, "montana") == []
            fake.pass_time(6400)
            assert await rows(eve, "aces-up") == []
            assert len(await rows(eve, "aces-up", TODAY)) == 4


async def test_who_has_won_stands_before_the_others_by_time() -> None:
    fake = Fake()
    async with running_server(world=fake.world) as running, talking(running.url) as ann:
        made = await daily(ann)
        entry = entry_of("r", (await running.app.rooms.get(made["room"])).state)
        won = {"game": entry.game, "daily": TODAY, "owner": "x", "status": "won", "score": 52}
        infos = [
            {"id": "a", "players": ["slow"], "ms": 9, "moves": 5, **won},
            {"id": "b", "players": ["quick"], "ms": 3, "moves": 50, **won},
            {"id": "c", "players": ["as quick"], "ms": 3, "moves": 5, **won},
        ]
        for info in infos:
            running.app.rooms.days.note(type(entry)(**{**_plain(entry), **info}))
        table = (await ann.ok("daily", game="montana"))["rows"]
        assert [(row["place"], row["name"], row.get("ms")) for row in table[:3]] == [
            (1, "quick", 3),
            (1, "as quick", 3),
            (3, "slow", 9),
        ]
        assert _rank(entry)[0] == 1 and table[3]["id"] == ann.id


@EACH_HAS
async def test_a_table_tells_the_best_and_ones_own(running: Running) -> None:
    async with talking(running.url, name="Ann") as ann, talking(running.url) as bob:
        days = running.app.rooms.days
        own = running.app.rooms.at_hand((await daily(ann))["room"])
        assert own is not None
        for n in range(250):
            other = replace(own.whole_entry(), id=f"{n}", owner=f"{n}", score=52 - n // 10)
            days.note(other)
        days.note(replace(own.whole_entry(), score=-1))
        table = await ann.ok("daily", game="montana")
        assert [row["place"] for row in table["rows"][9:11]] == [1, 11]
        assert (len(table["rows"]), table["total"]) == (201, 251)
        last = table["rows"][-1]
        assert (last["place"], last["id"]) == (251, ann.id)
        days.note(replace(own.whole_entry(), score=60))
        table = await bob.ok("daily", game="montana")
        assert (len(table["rows"]), table["rows"][0]["id"]) == (200, ann.id)


def _plain(entry: object) -> Plain:
    fields: tuple[str, ...] = entry.__struct_fields__  # type: ignore[attr-defined]
    return {name: getattr(entry, name) for name in fields}


@pytest.mark.parametrize(
    ("code", "date"),
    [
        ("bad-option", "2023-11-15"),
        ("bad-option", "9999-12-31"),
        ("bad-option", "2023-02-30"),
        ("bad-option", "2023-00-10"),
        ("bad-option", "0000-00-00"),
        ("bad-message", "yesterday"),
        ("bad-message", "2023-1-1"),
        ("bad-message", "2023-11-14\n"),
    ],
)
async def test_a_table_is_of_a_day_that_was(code: str, date: str) -> None:
    fake = Fake()
    async with running_server(world=fake.world) as running, talking(running.url) as ann:
        await ann.refused(code, "daily", game="montana", date=date)
        await ann.refused("bad-option", "daily", game="chess")
        assert await rows(ann, "montana", "2023-11-13") == []
        assert await rows(ann, "montana", "0001-01-01") == []


@pytest.mark.parametrize(
    "wish",
    [
        {"deal": "1"},
        {"options": {"shuffles": 5}},
        {"mode": "coop"},
        {"visibility": "private", "password": "x"},
        {"policy": {"cheat": True}},
        {"policy": {"delay": 5}},
        {"save": "# game: montana\n"},
    ],
)
async def test_nothing_but_the_game_can_be_chosen(running: Running, wish: Plain) -> None:
    async with talking(running.url) as ann:
        refused = await ann.refused("bad-option", "create", game="montana", daily=True, **wish)
        assert "only the game" in refused["message"]
        await ann.refused("bad-option", "create", game="chess", daily=True)


async def test_secret_rooms_and_table_survive_a_restart(tmp_path: Path) -> None:
    fake = Fake()
    boards: list[object] = []
    ids: list[str] = []
    token: str | None = None
    for _ in range(2):
        async with (
            running_server(SqliteLog(tmp_path / "log"), fake.world) as running,
            talking(running.url, name="Ann", token=token) as ann,
            talking(running.url, name="Bob") as bob,
        ):
            made = await daily(ann)
            token = ann.token
            ids.append(made["room"])
            boards += [made["view"]["boards"], (await daily(bob))["view"]["boards"]]
            assert [place for place, _ in await rows(ann, "montana")] == [1] * (1 + len(ids))
            (secret,) = [running.app.rooms.days.secret]
            assert secret.hex() not in str(ann.frames + bob.frames)
        fake.pass_time(10)
        fake.seed = b"another run"
    assert ids[0] == ids[1]
    assert all(board == boards[0] for board in boards)
