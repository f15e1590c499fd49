"""Moves by drag: the same as those by text, refused in the same words, done once under a name."""

from random import Random

import pytest
from servers import Running, running_server
from talk import Plain, Talk, talking

from kibitz.engine.games import GAMES
from kibitz.protocol.wire import Encoding
from kibitz.server.log.memory import MemoryLog


async def created(talk: Talk, game: str = "klondike", policy: Plain | None = None) -> str:
    """A new room."""
    room: str = (await talk.ok("create", game=game, deal="1", policy=policy))["room"]
    return room


@pytest.mark.parametrize("game", GAMES)
async def test_a_game_by_drags_is_the_game_by_text(running: Running, game: str) -> None:
    async with talking(running.url) as ann, talking(running.url, Encoding.MSGPACK) as bob:
        rooms = [await created(ann, game), await created(bob, game)]
        rng = Random(game)
        for _ in range(40):
            hints = await ann.ok("moves", room=rooms[0])
            both = list(zip(hints["moves"], hints["drags"], strict=True))
            both = [(move, drag) for move, drag in both if move != "s"]  # chance is a room's own
            if not both:
                break
            move, drag = rng.choice(both)
            wish: Plain = {"move": move}
            if drag:
                wish = {"from": drag[0], "to": drag[1], "cards": drag[2]}
            if drag and drag[2] == 1 and rng.random() < 0.5:
                del wish["cards"]
            await ann.ok("move", room=rooms[0], **wish)
            await bob.ok("move", room=rooms[1], move=move)
        seen = []
        for talk, room in zip((ann, bob), rooms, strict=True):
            events = (await talk.ok("history", room=room, limit=500))["events"]
            seen.append([(e["kind"], e.get("move"), e.get("fx")) for e in events])
        assert seen[0] == seen[1]
        assert [kind for kind, _, _ in seen[0]].count("move") > 8


async def test_what_fits_nowhere_is_refused_in_the_words_of_the_game(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url) as eve:
        room = await created(ann)
        await eve.ok("join", room=room)
        for source, target, cards in [
            ("PILE-1", "PILE-1", 1),
            ("Stock", "Discard", 3),
            ("Spades", "PILE-1", 1),
            ("PILE-7", "PILE-1", 7),
            ("PILE-1", "Hearts", 52),
        ]:
            wish: Plain = {"from": source, "to": target, "cards": cards}
            refused = await ann.refused("illegal", "move", room=room, **wish)
            assert refused["message"] == "move: illegal move"
        for source, target in [("PILE-8", "PILE-1"), ("PILE-1", "suit"), ("pile-1", "PILE-2")]:
            wish = {"from": source, "to": target}
            refused = await ann.refused("bad-move", "move", room=room, **wish)
            assert refused["message"].startswith("klondike has no pile ")
        await eve.refused("not-seated", "move", room=room, from_="PILE-1", to="PILE-2")
        await ann.refused("stale", "move", room=room, from_="PILE-1", to="PILE-2", expect=1)
        await ann.ok("resign", room=room)
        await ann.refused("game-over", "move", room=room, from_="PILE-1", to="PILE-2")


@pytest.mark.parametrize(
    "wish",
    [
        {},
        {"from": "PILE-1"},
        {"to": "PILE-1"},
        {"cards": 1},
        {"move": "discard", "from": "PILE-1", "to": "PILE-2"},
        {"move": "discard", "to": "PILE-2"},
        {"move": "discard", "cards": 1},
        {"from": "PILE-1", "to": "PILE-2", "cards": 0},
        {"from": "PILE-1", "to": "PILE-2", "cards": 53},
        {"from": "PILE-1", "to": "PILE-2", "cards": True},
        {"from": "", "to": "PILE-2"},
        {"from": "P" * 33, "to": "PILE-2"},
        {"from": ["PILE-1"], "to": "PILE-2"},
    ],
)
async def test_half_a_drag_is_no_message(running: Running, wish: Plain) -> None:
    async with talking(running.url) as ann:
        room = await created(ann)
        await ann.refused("bad-message", "move", room=room, **wish)


async def first_drag(talk: Talk, room: str) -> tuple[str, Plain]:
    """The first legal move that is a drag, both ways."""
    hints = await talk.ok("moves", room=room)
    for move, drag in zip(hints["moves"], hints["drags"], strict=True):
        if drag:
            return move, {"from": drag[0], "to": drag[1], "cards": drag[2]}
    raise AssertionError("there is none")


async def test_a_named_drag_is_done_once() -> None:
    """Whatever happened since, and after a restart; another one under its name is refused."""
    log = MemoryLog()
    async with running_server(log) as running, talking(running.url) as ann:
        room = await created(ann)
        move, drag = await first_drag(ann, room)
        first = await ann.ok("move", "one", room=room, **drag)
        assert await ann.ok("move", "one", room=room, **drag) == first
        for _ in range(3):
            await ann.ok("move", room=room, move="discard")
        await ann.ok("move", "two", room=room, move="discard")
        assert await ann.ok("move", "one", room=room, **drag, expect=2) == first
        assert await ann.ok("move", "one", room=room, move=move) == first
        for other in (
            {**drag, "cards": drag["cards"] + 1},
            {**drag, "to": "Discard"},
            {**drag, "from": drag["to"]},
            {"move": "discard"},
        ):
            await ann.refused("bad-message", "move", "one", room=room, **other)
        carried = {"from": "Stock", "to": "Discard", "cards": 1}
        await ann.refused("bad-message", "move", "two", room=room, **carried)
        await ann.refused("bad-message", "undo", "one", room=room)
        assert (await ann.ok("ping"))["heads"][room][0] == 7
    async with (
        running_server(log) as running,
        talking(running.url, token=ann.token) as again,
    ):
        await again.ok("join", room=room, role="player")
        assert await again.ok("move", "one", room=room, **drag) == first
        await again.refused("bad-message", "move", "two", room=room, **carried)


async def test_a_refused_drag_may_be_asked_again_under_its_name(running: Running) -> None:
    async with talking(running.url) as ann:
        room = await created(ann)
        _, drag = await first_drag(ann, room)
        await ann.refused("illegal", "move", "one", room=room, **(drag | {"cards": 52}))
        assert (await ann.ok("move", "one", room=room, **drag))["seq"] == 3


async def test_whether_there_is_something_to_take_back(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url) as eve:
        room, fixed = await created(ann), await created(ann, policy={"undo": False})
        await eve.ok("join", room=room)

        async def back(where: str) -> tuple[bool, bool]:
            hints = await (eve if where == room else ann).ok("moves", room=where)
            return hints["undo"], hints["redo"]

        assert await back(room) == (False, False)
        for line in ("move", "undo", "redo", "restart"):
            await ann.ok(line, room=room, move="discard" if line == "move" else None)
            assert await back(room) == (line != "undo", line == "undo")
        await ann.ok("undo", room=room)
        assert await back(room) == (True, True)
        await ann.ok("move", room=fixed, move="discard")
        assert await back(fixed) == (False, False)
        await ann.ok("resign", room=room)
        hints = await ann.ok("moves", room=room)
        assert (hints["moves"], hints["drags"]) == ([], [])
        assert await back(room) == (False, False)


async def test_the_welcome_names_the_actions(running: Running) -> None:
    async with talking(running.url) as ann:
        games = next(iter(ann.answers.values()))["games"]
        assert games["montana"]["actions"] == [{"move": "s", "label": "Shuffle"}]
        for name, info in games.items():
            for action in info["actions"]:
                room = await created(ann, name)
                answer = await ann.ask("move", room=room, move=action["move"])
                assert answer.get("code") in (None, "illegal")
