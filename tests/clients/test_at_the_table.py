"""What somebody at the table is told: an operator's orders, and limits; never left at a prompt."""

import asyncio
import contextlib
import io
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any, TextIO

import pytest
from servers import UNLIMITED, Running, running_server
from talk import Talk, eventually, talking

from kibitz.clients.commands.reaching import LONGEST_WAIT
from kibitz.clients.session import Client, Closed, Refused, connect
from kibitz.clients.terminal.keyboard import Keyboard
from kibitz.clients.terminal.play import play
from kibitz.clients.terminal.screen import Screen
from kibitz.clients.terminal.seating import Ways, new_room
from kibitz.server.limits.rates import Rate

KEY = "correct horse battery staple"
RARELY = Rate(0.01, 1.0)


@dataclass
class Player:
    """Somebody who plays in the test's own process, line by line."""

    client: Client
    playing: asyncio.Task[None]
    out: io.StringIO
    keys: TextIO

    @property
    def room(self) -> str:
        return next(iter(self.client.session.mirrors))

    async def shows(self, text: str) -> str:
        await eventually(lambda: text in self.out.getvalue() or self.playing.done())
        assert text in self.out.getvalue()
        return self.out.getvalue()

    async def types(self, *lines: str) -> None:
        self.keys.write("".join(f"{line}\n" for line in lines))
        self.keys.flush()


@contextlib.asynccontextmanager
async def player(server: Running, **settings: object) -> AsyncIterator[Player]:
    read, write = os.pipe()
    out = io.StringIO()
    async with connect(server.url, name="Ann") as client:
        client.waits = LONGEST_WAIT
        with os.fdopen(read) as source, os.fdopen(write, "w") as keys, Keyboard(source) as keyboard:
            ways, seating = Ways("", " --token-file my"), new_room("aces-up", **settings)
            playing = asyncio.create_task(play(client, seating, Screen(out), keyboard, ways))
            try:
                seat = Player(client, playing, out, keys)
                await seat.shows("tableau")
                yield seat
            finally:
                playing.cancel()
                await asyncio.wait([playing])


async def order(boss: Talk, act: str, **fields: Any) -> None:
    await boss.ok("admin", act=act, key=KEY, **fields)


async def test_an_operator_takes_the_seat_closes_the_room_or_mutes() -> None:
    async with running_server(admin_key=KEY) as server, talking(server.url) as boss:
        async with player(server) as ann:
            whom = {"id": ann.client.welcome.you.id, "reason": "far too loud", "seconds": 7200}
            await order(boss, "mute", **whom)
            await ann.types("say hello", "d")
            await ann.shows("you may not comment on this server: far too loud; try again in 2 h")
            await eventually(lambda: ann.out.getvalue().count("tableau") == 2)
            await order(boss, "kick", room=ann.room, **whom)
            with pytest.raises(Refused, match=r"taken from you: .*: far too loud; try again in"):
                await ann.playing
        async with player(server) as bob:
            await order(boss, "close", room=bob.room, reason="that is all")
            with pytest.raises(Refused, match="the room was closed: that is all"):
                await bob.playing
            assert "The room was closed: that is all.\n" in bob.out.getvalue()


async def test_who_is_banned_is_told_why_and_not_thanked() -> None:
    async with running_server(admin_key=KEY) as server, talking(server.url) as boss:
        async with player(server) as ann:
            await order(boss, "ban", id=ann.client.welcome.you.id, reason="far too loud")
            with pytest.raises(Closed, match="far too loud"):
                await ann.playing
            said = ann.out.getvalue()
        assert "Thank you" not in said and "go on with" not in said


async def test_a_limit_is_told_at_once_and_the_game_goes_on() -> None:
    limits = replace(UNLIMITED, says=RARELY, creates=RARELY)
    async with running_server(limits=limits) as server, player(server) as ann:
        await ann.types("say one", "say two", "new", "d", "quit")
        await ann.playing
        said = ann.out.getvalue()
    assert "Ann: one\ntoo many comments per identity and room; come back in " in said
    assert "too many creates per connection; come back in " in said
    assert said.count("tableau") == 2
    assert "\ngo on with: kibitz play --room " in said and " --token-file my\n" in said


async def test_another_deal_is_as_closed_as_the_first() -> None:
    async with running_server() as server, player(server, visibility="private") as ann:
        ann.client.password = "cats"
        await ann.types("new", "quit")
        await ann.playing
        mirror = list(ann.client.session.mirrors.values())[-1]
        assert mirror.info.visibility == "private"
        async with connect(server.url) as eve:
            await eve.join(mirror.room, password="cats")
