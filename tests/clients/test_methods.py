"""Methods of the Python client that no other test of the clients needs."""

import asyncio

import pytest
from clients.commands import PATIENCE
from servers import REAL, Running

from kibitz.clients import bot
from kibitz.clients.bots import STRATEGIES
from kibitz.clients.session import Client, Refused, connect
from kibitz.protocol.codes import ErrorCode
from kibitz.protocol.replies import TvRoom
from kibitz.protocol.views import Control


def cut(client: Client) -> None:
    """Break the connection without a close frame."""
    assert client._socket is not None
    client._socket.transport.abort()


async def test_a_move_can_be_a_drag(server: Running) -> None:
    async with connect(server.url) as client:
        mirror = await client.create("aces-up", deal="42")
        for _ in range(3):
            await client.move(mirror.room, "d")
        await client.move(mirror.room, from_="COLUMN-1", to="Foundation", cards=1)
        assert mirror.board.score == 1
        with pytest.raises(Refused) as caught:
            await client.move(mirror.room, from_="COLUMN-1", to="Stock")
        assert caught.value.code in (ErrorCode.ILLEGAL, ErrorCode.BAD_MOVE)


async def test_positions_saves_and_texts(server: Running) -> None:
    async with connect(server.url) as client:
        mirror = await client.create("klondike", deal="42")
        await client.move(mirror.room, "discard")
        assert (await client.view(mirror.room, 2)).boards[0].moves == 0
        assert await client.moves(mirror.room, board=0) == await client.moves(mirror.room)
        await client.resign(mirror.room)
        opened = [event async for event in client.history(mirror.room, open=True)]
        assert opened[0].fx and "??" not in str(opened[0].fx)
        saved = await client.save(mirror.room)
        played = await client.replay(saved)
        assert (played.game, len(played.events)) == ("klondike", 1)
        fork = await client.fork(mirror.room, 2, unlisted=True)
        assert fork.info.visibility == "unlisted"


async def test_comments_can_be_off(server: Running) -> None:
    async with connect(server.url) as client:
        mirror = await client.create("klondike")
        await client.comments(mirror.room, on=False)
        assert mirror.view.comments is False
        with pytest.raises(Refused):
            await client.say(mirror.room, "hello")
        await client.comments(mirror.room, on=True)
        await client.say(mirror.room, "hello")


async def test_the_day(server: Running) -> None:
    async with connect(server.url, name="Ann") as client:
        mirror = await client.create("aces-up", daily=True)
        again = await client.create("aces-up", daily=True)
        assert again.room == mirror.room
        await client.move(mirror.room, "d")
        await client.resign(mirror.room)
        table = await client.daily("aces-up")
        assert (table.date, table.game) == (mirror.view.daily, "aces-up")
        assert [(row.name, row.moves, row.room) for row in table.rows] == [("Ann", 1, None)]
        assert (await client.daily("aces-up", "2020-02-29")).rows == []


async def test_tv_goes_on_after_a_broken_connection(server: Running) -> None:
    async with connect(server.url) as ann, connect(server.url) as eve, asyncio.timeout(PATIENCE):
        await eve.tv()
        pushes = eve.events()
        cut(eve)
        room = (await ann.create("aces-up")).room
        while True:
            push = await anext(pushes)
            if isinstance(push, TvRoom) and push.room and push.room.id == room:
                break
        await eve.tv(on=False)


async def test_the_controls_of_a_replay_are_one_persons(server: Running) -> None:
    async with connect(server.url) as ann, connect(server.url) as bob, asyncio.timeout(PATIENCE):
        room = (await ann.create("aces-up")).room
        await ann.resign(room)
        mine = await ann.present(room, unlisted=True)
        his = await bob.join(mine.room)
        with pytest.raises(Refused):
            await bob.control(his.room, Control(at=2))
        await ann.leave(mine.room)
        taken = await bob.join(his.room, "player")
        assert taken.seat == 1
        await bob.control(his.room, Control(at=2, playing=True, speed=400))
        recorded = taken.course.recorded
        assert recorded and recorded.control.speed == 400


async def test_a_bot_opens_races(server: Running) -> None:
    async with connect(server.url) as ann, asyncio.timeout(PATIENCE):
        race = {"seats": 2, "countdown": 0}
        playing = asyncio.create_task(
            bot.run(STRATEGIES["random"], "montana", server.url, race=race, seed=1)
        )
        while not (rooms := (await ann.rooms()).rooms):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        assert (rooms[0].mode, rooms[0].waiting) == ("race", True)
        mine = await ann.join(rooms[0].id, "player")
        await ann.ready(mine.room)
        (result,) = await playing
        assert (result.room, mine.course.lines[0].status) == (mine.room, "resigned")


async def test_the_servers_clock_is_known(server: Running) -> None:
    before = REAL.now_ms()
    async with connect(server.url) as client:
        assert before <= client.now <= REAL.now_ms() + 1  # it is rounded
