"""What servers tell each other: its form, what was missed of it, what is known from it."""

import asyncio

from server.storage.files import entry as info
from worlds import Fake

from kibitz.server.lobby.directory import Directory
from kibitz.server.log.memory import MemoryLog
from kibitz.server.neighbours.elsewhere import SILENT_SECONDS, Elsewhere
from kibitz.server.neighbours.neighbours import (
    AHEAD_SECONDS,
    CROSSING_SECONDS,
    LOOK_SECONDS,
    TOGETHER_BYTES,
    Neighbours,
    together,
)
from kibitz.server.neighbours.news import (
    FORM,
    Ask,
    News,
    Plays,
    Please,
    RoomNews,
    read,
    size_of,
    write,
)
from kibitz.server.room.clock import Clock
from kibitz.server.room.here import NOBODY, Here


def entry(id_: str) -> RoomNews:
    return RoomNews(id_, Here(2, ["ann"], ["ann"]))


def test_what_was_missed_is_told_by_its_number() -> None:
    elsewhere = Elsewhere("us")
    assert elsewhere.take(News("a", 1, [entry("r1"), entry("r2")], whole=True), 0) == (
        {"r1", "r2"},
        False,
    )
    assert elsewhere.take(News("a", 2, [entry("r1")]), 1) == (set(), False)
    assert elsewhere.take(News("a", 4, [RoomNews("r1")]), 2) == ({"r1"}, True)
    assert elsewhere.take(News("b", 7, [entry("r2")]), 3) == ({"r2"}, True)
    assert elsewhere.here("r2") == Here(4, ["ann", "ann"], ["ann", "ann"])
    assert elsewhere.here("r1") == NOBODY
    assert elsewhere.take(News("b", 8, [], whole=True), 3) == ({"r2"}, False)
    assert elsewhere.rooms() == ["r2"] and len(elsewhere) == 2
    assert elsewhere.silent(2 + SILENT_SECONDS) == ["a"]
    assert elsewhere.forget("a") == {"r2"} and elsewhere.rooms() == []
    assert elsewhere.forget("never heard of") == set()


def test_one_server_sees_first_to_each_room() -> None:
    names = ["a", "b", "c"]
    views = {name: Elsewhere(name) for name in names}
    for name, view in views.items():
        for other in names:
            if other != name:
                view.take(News(other, 1, [], whole=True), 0)
    firsts: list[str] = []
    for number in range(100):
        ranks = {name: view.rank(f"room {number}") for name, view in views.items()}
        assert sorted(ranks.values()) == [0, 1, 2]
        firsts.append(min(ranks, key=lambda name: ranks[name]))
    assert set(firsts) == set(names)


def test_another_form_is_not_heard() -> None:
    said = News("a", 1, [entry("r1")], whole=True)
    assert read(write(said)) == said
    for data in (b"", b"\x02" + write(said)[1:], FORM, FORM + b"\xc0", write(said)[:-1]):
        assert read(data) is None


class Wire:
    """A channel that keeps what is told."""

    name = "us"

    def __init__(self) -> None:
        self.told: list[object] = []

    def tell(self, said: bytes) -> None:
        self.told.append(read(said))

    async def listen(self, hear: object) -> None:
        self.hear = hear


MANY = 20_000


class Rooms:
    """Rooms that remember what they are told of others."""

    def __init__(self) -> None:
        self.stirred: set[str] = set()
        self.got: list[str] = []
        self.seen: list[str] = []
        self.looks = 0

    def in_memory(self) -> list[str]:
        return [f"r{n}" for n in range(MANY)]

    def news(self, id_: str) -> RoomNews:
        return RoomNews(id_, due=5)

    def heard(self, news: RoomNews) -> None:
        self.got.append(news.id)

    def met(self, id_: str) -> None:
        self.seen.append(id_)

    def plays_elsewhere(self, id_: str, who: str) -> None:
        self.seen.append(f"{id_} {who}")

    async def look(self) -> None:
        self.looks += 1


async def test_who_has_missed_something_asks_and_is_told_everything() -> None:
    wire, rooms, fake = Wire(), Rooms(), Fake()
    us = Neighbours(wire, Elsewhere("us"), rooms, fake.world)
    await us.open()
    assert wire.told == [Ask("us")]
    rooms.in_memory = lambda: ["r1"]  # type: ignore[method-assign]
    us.tick()
    assert wire.told.pop() == News("us", 1, [RoomNews("r1", due=5)], whole=True)
    del rooms.in_memory
    wire.told.clear()
    rooms.stirred.add("r3")
    us.tick()
    assert wire.told == [News("us", 2, [RoomNews("r3", due=5)])]
    us.tick()
    assert wire.told[-1] == News("us", 3, []), "it says that it is there"
    await asyncio.sleep(0)
    assert rooms.looks == 0
    us._hear(write(News("them", 5, [entry("r9")])))
    assert wire.told.pop() == Ask("us", "them") and rooms.got == rooms.seen == ["r9"]
    us.tick()
    await asyncio.sleep(0)
    assert rooms.looks == 1
    wire.told.clear()
    asked: list[str] = []
    us.on_please = asked.append
    us.please("r1")
    assert wire.told.pop() == Please("us", "r1")
    us._hear(write(Please("them", "r2")))
    us._hear(write(Please("us", "r1")))
    assert asked == ["r2"]
    us._hear(write(Ask("them", "others")))
    us._hear(write(Ask("us")))
    assert wire.told == [], "that was for somebody else, or from us"
    us._hear(write(Ask("them")))
    said = [news for news in wire.told if isinstance(news, News)]
    assert [news.number for news in said] == list(range(5, 5 + len(said))) and len(said) > 2
    assert [news.whole for news in said] == [True] + [False] * (len(said) - 1)
    assert sum(len(news.rooms) for news in said) == MANY
    us._hear(write(News("them", 9, [], whole=True)))
    us.tick()
    await asyncio.sleep(0)
    assert rooms.looks == 1, "not yet again"
    fake.pass_time(LOOK_SECONDS)
    us.tick()
    await asyncio.sleep(0)
    assert rooms.looks == 2, "what it said before that was missed, and may be gone from its memory"


def test_what_is_said_goes_into_messages_that_are_not_too_large() -> None:
    large = RoomNews("r", Here(100, ["x" * 128] * 100, ["x" * 128] * 100))
    parts = list(together([large] * 10))
    assert sum(len(part) for part in parts) == 10
    assert all(sum(map(size_of, part)) < TOGETHER_BYTES + size_of(large) + 1 for part in parts)
    assert list(together([])) == [[]]


async def test_of_two_that_cross_the_later_connection_stays() -> None:
    wires, rooms, fake = [Wire(), Wire()], [Rooms(), Rooms()], Fake()
    wires[1].name = "you"
    we, you = (
        Neighbours(wire, Elsewhere(wire.name), each, fake.world)
        for wire, each in zip(wires, rooms, strict=True)
    )

    def cross(*order: Neighbours, apart: float) -> list[list[str]]:
        for each in order:
            each.plays("r1", "ann")
            fake.pass_time(apart)
        for wire, other in zip(wires, (you, we), strict=True):
            other._hear(write(wire.told.pop()))  # type: ignore[arg-type]
        return [each.seen for each in rooms]

    assert cross(we, you, apart=0.001) == [["r1 ann"], []]
    assert cross(you, we, apart=0.001) == [["r1 ann"], ["r1 ann"]]
    for each in rooms:
        each.seen.clear()
    assert sorted(map(len, cross(we, you, apart=0))) == [0, 1], (
        "one of them, though nobody is later"
    )


async def test_who_was_heard_of_before_is_replaced_whatever_the_clocks_say() -> None:
    wire, rooms, fake = Wire(), Rooms(), Fake()
    we = Neighbours(wire, Elsewhere(wire.name), rooms, fake.world)
    for ahead, name in (0, "zoe"), (0, "abe"), (3, "zoe"):
        we._hear(write(Plays(name, "r1", "ann", fake.world.now_ms() + ahead)))
        we.plays("r1", "ann")
        said = wire.told.pop()
        assert isinstance(said, Plays)
        theirs = Rooms()
        other = Neighbours(None, Elsewhere(name), theirs, fake.world)
        other._playing["r1", "ann"] = fake.world.now_ms() + ahead, name
        other._answer(said)
        assert theirs.seen == ["r1 ann"]


async def test_what_others_told_of_is_kept_for_tv_no_longer_than_it_is_on() -> None:
    fake = Fake()

    async def wake(id_: str) -> None:
        raise AssertionError(id_)

    directory = Directory(MemoryLog(), fake.world, Clock(fake.world, wake), {})
    for name in ("r1", "r2", "r1", "r3"):
        directory.heard(RoomNews(name, entry=info(name)))
        fake.pass_time(31)
    assert [*directory._lately] == ["r1", "r3"], "of r2 it was 62 seconds before"


async def test_nobody_plays_from_a_time_far_ahead() -> None:
    wire, rooms, fake = Wire(), Rooms(), Fake()
    we = Neighbours(wire, Elsewhere(wire.name), rooms, fake.world)
    for ahead in (AHEAD_SECONDS + 1, 2**53):
        we._hear(write(Plays("zoe", "r1", "ann", fake.world.now_ms() + int(ahead * 1000))))
    we._hear(write(Plays("zoe", "r1", "ann", 2**64 - 1)))
    assert not rooms.seen and not we._playing
    we.plays("r1", "ann")
    we._hear(write(Plays("zoe", "r1", "ann", fake.world.now_ms() + int(AHEAD_SECONDS * 1000))))
    assert rooms.seen == ["r1 ann"]
    fake.pass_time(AHEAD_SECONDS + CROSSING_SECONDS + 1)
    we.tick()
    assert not we._playing
