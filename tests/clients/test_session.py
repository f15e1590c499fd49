"""The Python client against the real server: what is asked once happens once."""

import asyncio
import contextlib

import pytest
from clients.commands import PATIENCE
from servers import REAL, Running, running_server
from talk import eventually

from kibitz.clients.bot import legal_moves
from kibitz.clients.session import (
    Client,
    Closed,
    Link,
    NoSocket,
    Push,
    Pushes,
    Refused,
    Unreachable,
    connect,
)
from kibitz.protocol import requests as ask
from kibitz.protocol.codes import ErrorCode
from kibitz.protocol.replies import Error, LobbyRoom, Ok, Position, Presence
from kibitz.protocol.views import Event
from kibitz.protocol.wire import Encoding
from kibitz.server.app import App, running
from kibitz.server.limits.rates import Rate
from kibitz.server.log.memory import MemoryLog
from kibitz.server.settings import Listening, Settings

pytestmark = pytest.mark.usefixtures("no_task_is_left")


def cut(client: Client) -> None:
    """Break the connection without a close frame, if there is one."""
    if client._socket is not None:
        client._socket.transport.abort()


async def read_all(pushes: Pushes) -> list[Push]:
    return [push async for push in pushes]


@pytest.mark.parametrize("encoding", Encoding)
async def test_a_mirror_is_up_to_date_with_every_answer(
    server: Running, encoding: Encoding
) -> None:
    async with connect(server.url, name="Ann", encoding=encoding) as client:
        assert client.welcome.you.name == "Ann"
        mirror = await client.create("klondike", deal="42")
        for _ in range(30):
            ok = await client.move(mirror.room, legal_moves(mirror)[0], expect=mirror.seq)
            assert (ok.seq, ok.hash) == (mirror.seq, mirror.hash)
        await client.undo(mirror.room)
        await client.redo(mirror.room)
        assert mirror.board.moves == 30
        await client.restart(mirror.room)
        assert mirror.board.moves == 0
        assert legal_moves(mirror) == await client.moves(mirror.room)
        await client.resign(mirror.room)
        assert mirror.status == "resigned"
        assert "Stock [ " in await client.save(mirror.room)


async def test_refusals_are_typed(server: Running) -> None:
    async with connect(server.url) as client:
        mirror = await client.create("montana")
        for asking, code in [
            (client.move(mirror.room, "1 1 1 1"), ErrorCode.ILLEGAL),
            (client.move(mirror.room, "dance"), ErrorCode.BAD_MOVE),
            (client.cheat(mirror.room), ErrorCode.FORBIDDEN),
            (client.join("nowhere"), ErrorCode.NO_ROOM),
            (client.create("chess"), ErrorCode.BAD_OPTION),
        ]:
            with pytest.raises(Refused) as caught:
                await asking
            assert caught.value.code is code


async def test_events_reach_others_in_order(server: Running) -> None:
    async with connect(server.url) as player, connect(server.url) as watcher:
        mine = await player.create("aces-up", deal="1")
        pushes = watcher.events()
        seen = await watcher.join(mine.room)
        for _ in range(5):
            await player.move(mine.room, "d")
        await player.say(mine.room, "five")
        kinds: list[str] = []
        async with asyncio.timeout(PATIENCE):
            while "say" not in kinds:
                push = await anext(pushes)
                if isinstance(push, Event):
                    kinds.append(push.kind)
        assert kinds == ["move"] * 5 + ["say"]
        assert (seen.seq, seen.hash) == (mine.seq, mine.hash)


async def test_lobby_and_presence_are_pushed(server: Running) -> None:
    async with connect(server.url) as client:
        pushes = client.events()
        await client.lobby()
        mirror = await client.create("aces-up")
        met: set[type] = set()
        async with asyncio.timeout(PATIENCE):
            while met < {LobbyRoom, Presence}:
                met.add(type(await anext(pushes)))
        assert mirror.room in [info.id for info in (await client.rooms()).rooms]


async def test_a_broken_connection_is_not_noticed(server: Running) -> None:
    async with connect(server.url) as player, connect(server.url) as watcher:
        mine = await player.create("klondike", deal="7")
        pushes = watcher.events()
        theirs = await watcher.join(mine.room)
        for n in range(20):
            if n % 4 == 0:
                cut(player)
            if n % 3 == 0:
                cut(watcher)
            await player.move(mine.room, legal_moves(mine)[0])
        await player.say(mine.room, "done")
        seqs: list[int] = []
        async with asyncio.timeout(PATIENCE):
            while theirs.seq < mine.seq or (seqs and seqs[-1] < mine.seq):
                push = await anext(pushes)
                if isinstance(push, Event):
                    seqs.append(push.seq)
        assert seqs == list(range(seqs[0], mine.seq + 1))
        assert theirs.hash == mine.hash
        assert mine.board.moves == 20
        assert mine.seat == 1


async def test_a_change_is_done_once_though_asked_again(server: Running) -> None:
    async with connect(server.url) as client:
        mirror = await client.create("klondike", deal="7")
        for _ in range(10):
            change = asyncio.create_task(client.move(mirror.room, "discard"))
            await asyncio.sleep(0)  # it has been sent, nothing has been read
            cut(client)
            await change
            await client.undo(mirror.room)
        assert mirror.board.moves == 0
        events = [event.kind async for event in client.history(mirror.room)]
        assert events.count("move") == events.count("undo") == 10


async def test_the_same_name_gets_the_first_answer_again(server: Running) -> None:
    async with connect(server.url) as client:
        mirror = await client.create("klondike")
        move = ask.Move(i="a name", room=mirror.room, move="discard")
        first, again = await client.request(move), await client.request(move)
        assert isinstance(first, Ok)
        assert first == again
        assert mirror.board.moves == 1


async def test_a_token_brings_the_seat_back(server: Running) -> None:
    async with connect(server.url) as client:
        mirror = await client.create("klondike")
        token, who = client.welcome.token, client.welcome.you.id
    async with connect(server.url, token=token) as client:
        assert client.welcome.you.id == who
        assert (await client.join(mirror.room, "player")).seat == 1


def at(port: int, log: MemoryLog | None = None) -> contextlib.AbstractAsyncContextManager[App]:
    """A server on a certain port."""
    return running(Settings(Listening(port=port)), log or MemoryLog(), REAL)


async def test_every_public_room_is_listed(server: Running) -> None:
    async with connect(server.url) as client:
        made = [(await client.create("aces-up")).room for _ in range(5)]
        listed = [info.id async for info in client.all_rooms(limit=2)]
        assert listed == made[::-1]


async def test_a_server_that_comes_back_is_found(unused_port: int) -> None:
    log = MemoryLog()
    async with contextlib.AsyncExitStack() as stack:
        async with at(unused_port, log):
            client = connect(f"ws://127.0.0.1:{unused_port}/ws")
            await stack.enter_async_context(client)
            mirror = await client.create("klondike", deal="7")
            pushes = client.events()
        asking = asyncio.create_task(client.move(mirror.room, "discard"))
        await asyncio.sleep(0.1)
        assert not asking.done()
        await eventually(lambda: not client.connected)
        async with at(unused_port, log), asyncio.timeout(PATIENCE):
            await asking
            assert mirror.board.moves == 1
            events = [push for push in pushes.waiting() if isinstance(push, Event)]
            assert [event.kind for event in events] == ["move"]


async def test_a_room_that_is_lost_is_told_of(unused_port: int) -> None:
    async with contextlib.AsyncExitStack() as stack:
        async with at(unused_port):
            client = connect(f"ws://127.0.0.1:{unused_port}/ws")
            await stack.enter_async_context(client)
            mirror = await client.create("klondike")
            pushes = client.events()
        async with at(unused_port), asyncio.timeout(PATIENCE):
            assert await anext(pushes) == Link(up=False, going=True), "it said so"
            assert await anext(pushes) == Link(up=True)
            lost = await anext(pushes)
            assert isinstance(lost, Error)
            assert (lost.code, lost.room) == (ErrorCode.NO_ROOM, mirror.room)
            with pytest.raises(Refused):
                await client.move(mirror.room, "discard")


async def test_a_forked_room_begins_anew(server: Running) -> None:
    async with connect(server.url) as client:
        mirror = await client.create("klondike")
        pushes = client.events()
        mirror._hash = bytes(16)
        cut(client)
        async with asyncio.timeout(PATIENCE):
            assert [await anext(pushes) for _ in range(2)] == [Link(up=False), Link(up=True)]
            push = await anext(pushes)
            assert isinstance(push, Position)
            assert push.seq == mirror.seq
            assert push.hash == mirror.hash


async def test_a_private_room_is_resumed_by_who_watches_it(server: Running) -> None:
    async with connect(server.url) as player, connect(server.url) as watcher:
        mine = await player.create("klondike", visibility="private", password="open sesame")
        with pytest.raises(Refused):
            await watcher.join(mine.room)
        theirs = await watcher.join(mine.room, password="open sesame")
        cut(watcher)
        await player.move(mine.room, "discard")
        async with asyncio.timeout(PATIENCE):
            while theirs.seq < mine.seq:  # noqa: ASYNC110
                await asyncio.sleep(0.01)


async def test_too_many_requests_only_take_longer() -> None:
    async with (
        running_server(requests=Rate(100.0, 5.0)) as server,
        connect(server.url) as client,
        asyncio.timeout(PATIENCE),
    ):
        mirror = await client.create("klondike")
        for _ in range(10):
            await client.move(mirror.room, "discard")
            await client.undo(mirror.room)
        await asyncio.gather(*(client.moves(mirror.room) for _ in range(20)))


async def test_whose_seat_is_taken_over_is_told_so(server: Running) -> None:
    async with connect(server.url) as client:
        mirror = await client.create("klondike")
        pushes = client.events()
        async with connect(server.url, token=client.welcome.token) as other:
            await other.join(mirror.room, "player")
            with pytest.raises(Closed) as caught:
                await asyncio.wait_for(read_all(pushes), PATIENCE)
            assert caught.value.code == 4409
        with pytest.raises(Closed):
            await client.move(mirror.room, "discard")
        with pytest.raises(Closed):
            await anext(client.events())


async def test_our_own_end_ends_the_pushes_quietly(server: Running) -> None:
    async with connect(server.url) as client:
        pushes = client.events()
    assert await read_all(pushes) == []
    with pytest.raises(Closed):
        await client.rooms()


async def test_a_forged_token_is_refused(server: Running) -> None:
    with pytest.raises(Closed) as caught:
        async with connect(server.url, token="mine"):
            pass
    assert caught.value.code == 4401


@pytest.mark.parametrize("url", ["ws://127.0.0.1:1/ws", "nonsense", "ws://"])
async def test_no_server(url: str) -> None:
    with pytest.raises(Unreachable):
        async with connect(url):
            pass


async def test_no_kibitz_server(server: Running) -> None:
    with pytest.raises(NoSocket, match="404"):
        async with connect(f"{server.url}/elsewhere"):
            pass


async def test_patience_ends() -> None:
    with pytest.raises(Unreachable):
        async with asyncio.timeout(PATIENCE), connect("ws://127.0.0.1:1/ws", patience=0, wait=True):
            pass


async def test_who_made_a_private_room_and_only_watches_gets_back_in(server: Running) -> None:
    async with connect(server.url) as maker:
        room = await maker.create("klondike", visibility="private", password="x", seat=False)
        pushes = maker.events()
        cut(maker)
        async with asyncio.timeout(PATIENCE):
            assert [await anext(pushes) for _ in range(2)] == [Link(up=False), Link(up=True)]
            assert await maker.moves(room.room)


async def test_many_rooms_are_taken_up_again_at_the_server_s_pace() -> None:
    """One connection is enough, however much it asks for at once."""
    async with (
        running_server(requests=Rate(200.0, 60.0)) as server,
        connect(server.url) as client,
    ):
        made = [await client.create("klondike", deal=str(deal), seat=False) for deal in range(4)]
        for mirror in made:
            await client.leave(mirror.room)
        rooms = [await client.join(mirror.room, password="needless") for mirror in made]
        pushes = client.events()
        cut(client)
        async with asyncio.timeout(PATIENCE):
            for mirror in rooms:
                await client.say(mirror.room, "back")
        links = [push for push in pushes.waiting() if isinstance(push, Link)]
        assert links == [Link(up=False), Link(up=True)]
        assert [mirror.seq for mirror in rooms] == [2, 2, 2, 2]


async def test_who_asks_for_everything_at_once_is_served_and_not_thrown_out() -> None:
    async with (
        running_server(requests=Rate(2000.0, 100.0)) as server,
        connect(server.url) as client,
        asyncio.timeout(PATIENCE),
    ):
        room = (await client.create("klondike")).room
        answers = await asyncio.gather(*(client.say(room, str(n)) for n in range(300)))
        assert len({answer.seq for answer in answers}) == 300


async def test_who_is_cancelled_while_he_hangs_up_is_cancelled(server: Running) -> None:
    leaving, stayed = asyncio.Event(), asyncio.Event()
    clients: list[Client] = []

    async def visit() -> None:
        async with connect(server.url) as client:
            clients.append(client)
            leaving.set()
        stayed.set()

    visiting = asyncio.create_task(visit())
    await leaving.wait()
    visiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await visiting
    assert not stayed.is_set()
    await asyncio.wait([clients[0]._task])
