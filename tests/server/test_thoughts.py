"""What bots think, shown to those who see their boards: never sooner, and to nobody else."""

import pytest
from races import begin, race, seat, told, wake
from servers import Running, running_server
from talk import Plain, Talk, talking
from worlds import Fake

from kibitz.clients import bot
from kibitz.clients.bots import STRATEGIES
from kibitz.protocol.limits import MAX_THOUGHTS
from kibitz.protocol.views import BoardView

VALUES = [["sw", 0.5], ["tt 1 2", -3.25]]


def thoughts(talk: Talk) -> list[Plain]:
    return [said for said in talk.strays if said["t"] == "thought"]


async def test_everybody_at_a_table_sees_what_its_player_thinks(running: Running) -> None:
    async with talking(running.url, name="Ann") as ann, talking(running.url, name="Bob") as bob:
        room = (await ann.ok("create", game="klondike-single"))["room"]
        await bob.ok("join", room=room)
        before = (await ann.ok("join", room=room, role="player"))["seq"]
        await ann.ok("think", room=room, moves=[["  SW ", 0.5], ["tt  1 2", -3.25]])
        await bob.until(lambda: thoughts(bob))
        shown = {"t": "thought", "room": room, "board": 0, "seq": before, "moves": VALUES}
        assert thoughts(bob) == thoughts(ann) == [shown]
        events = (await bob.ok("history", room=room))["events"]
        assert len(events) == before and "think" not in str(events), "it is written down nowhere"


@pytest.mark.parametrize(
    ("code", "moves"),
    [
        ("bad-message", []),
        ("bad-message", [["sw", 1.0]] * (MAX_THOUGHTS + 1)),
        ("bad-message", [["sw", 1e9]]),
        ("bad-message", [["s" * 65, 1.0]]),
        ("bad-message", [["sw", "much"]]),
        ("bad-move", [["sw", 1.0], ["buy my cards", 1.0]]),
        ("bad-move", [["undo", 1.0]]),
    ],
)
async def test_only_moves_and_numbers_can_be_said(
    running: Running, code: str, moves: list[list[object]]
) -> None:
    async with talking(running.url) as ann, talking(running.url) as bob:
        room = (await ann.ok("create", game="klondike-single"))["room"]
        await bob.ok("join", room=room)
        await ann.refused(code, "think", room=room, moves=moves)
        await bob.refused("not-seated", "think", room=room, moves=VALUES)
        await bob.settle()
        assert not thoughts(bob)


async def test_a_value_that_is_no_number_is_refused(running: Running) -> None:
    from kibitz.protocol.wire import Encoding

    async with talking(running.url, Encoding.MSGPACK) as ann:
        room = (await ann.ok("create", game="klondike-single"))["room"]
        for value in (float("nan"), float("inf")):
            await ann.refused("bad-message", "think", room=room, moves=[["sw", value]])


async def test_in_a_race_nobody_who_still_plays_or_may_not_see_it_is_told() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
        talking(running.url, name="Cid") as cid,
        talking(running.url, name="Eve") as eve,
    ):
        room = await race(ann, seats=3)
        await seat(room, bob, cid)
        await eve.ok("join", room=room)
        await ann.refused("illegal", "think", room=room, moves=VALUES)
        await begin(running, fake, room, ann, bob, cid)
        await cid.ok("resign", room=room)
        await told(bob, room, "resigned")
        await ann.ok("think", room=room, moves=VALUES)
        await cid.until(lambda: thoughts(cid))
        assert [thought["board"] for thought in thoughts(cid)] == [0], "who is done sees all boards"
        for each in (bob, eve):
            await each.settle()
            assert not thoughts(each)
        await cid.refused("game-over", "think", room=room, moves=VALUES)


async def test_who_sees_a_room_later_sees_them_later() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
    ):
        created = await ann.ok("create", game="klondike-single", policy={"delay": 10})
        room = created["room"]
        fake.pass_time(10)
        await wake(running)
        await bob.ok("join", room=room)
        for value in (1.0, 2.0):
            await ann.ok("think", room=room, moves=[["sw", value]])
        await ann.ok("move", room=room, move="sw")
        await running.abreast()
        fake.pass_time(9)
        await wake(running)
        await bob.settle()
        assert not thoughts(bob)
        fake.pass_time(1)
        await wake(running)
        await told(bob, room, "move")
        assert [thought["moves"] for thought in thoughts(bob)] == [[["sw", 2.0]]]
        await ann.ok("think", room=room, moves=VALUES)
        await running.abreast()
        fake.pass_time(10)
        await wake(running)
        await bob.until(lambda: len(thoughts(bob)) == 2)


async def test_a_program_that_plays_says_what_it_thinks(running: Running) -> None:
    class Says:
        def __call__(self, view: BoardView, legal: list[str]) -> str | None:
            return "d" if view.moves < 2 else None

        def explain(self) -> dict[str, float]:
            return {"f 1": -1.0, "d": 0.5}

    async with talking(running.url, name="Bob") as bob:
        await bob.ok("lobby", on=True)
        room = (await bob.ok("create", game="aces-up", seat=False))["room"]
        for explain, made in ((False, lambda game, rng: Says()), (True, STRATEGIES["greedy"])):
            await bot.run(made, "aces-up", running.url, explain=explain)
        assert not thoughts(bob)
        await bot.run(lambda game, rng: Says(), "aces-up", running.url, room=room, explain=True)
        await bob.settle()
        assert [thought["moves"] for thought in thoughts(bob)] == [[["d", 0.5], ["f 1", -1.0]]] * 2
