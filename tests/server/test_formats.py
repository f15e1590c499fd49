"""Positions of other programs: a room begins with one, and a room's position is given as one."""

import json

import pytest
from servers import Running
from talk import talking

from kibitz.engine.deals import deck_of
from kibitz.engine.formats import FORMATS, write
from kibitz.engine.games import GAMES


@pytest.mark.parametrize("name", FORMATS)
async def test_a_room_begins_with_it_and_gives_it_back(running: Running, name: str) -> None:
    text = write(name, GAMES["klondike"], GAMES["klondike"].deal(deck_of("7")))
    async with talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike", save=text))["room"]
        assert (await ann.ok("save", room=room, format=name))["text"] == text
        seq = (await ann.ok("ping"))["heads"][room][0]
        await ann.refused("bad-option", "save", room=room, format="gnome")
        assert (await ann.ok("ping"))["heads"][room][0] == seq
        await ann.refused("bad-save", "create", game="aces-up", save=text)
        await ann.ok("move", room=room, move="discard")
        refused = await ann.refused("bad-option", "save", room=room, format=name)
        assert "Discard" in refused["message"]


async def test_a_fault_in_it_is_told_with_its_line(running: Running) -> None:
    plain = json.dumps({"tableau piles": [[]] * 6, "stock": ["AS", "XX"]}, indent=1)
    async with talking(running.url) as ann:
        refused = await ann.refused("bad-save", "create", game="klondike", save=plain)
        assert "line 12" in refused["message"]
        assert "not a card" in refused["message"]
        assert (await ann.ok("rooms"))["rooms"] == []


@pytest.mark.parametrize(
    "text", ['{"stock": ["5\u017f"]}', '{"\\ud800": []}', '{"stock": ["\u212aS"]}']
)
async def test_odd_letters_are_refused_like_any_other(running: Running, text: str) -> None:
    async with talking(running.url) as ann:
        await ann.refused("bad-save", "create", game="klondike", save=text)
        assert (await ann.ok("ping"))["heads"] == {}
