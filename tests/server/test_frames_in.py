"""Whatever pieces frames come in, every message is heard once and in order, every ping answered."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

import pytest
from raw import CONT, OPCODES, PING, PONG, Raw, dialled, frame, raw, request, said, upgrade
from servers import Running
from talk import talking

from kibitz.protocol.limits import MAX_SAVE
from kibitz.protocol.wire import Encoding

pytestmark = pytest.mark.usefixtures("no_failures")

LONG = "x" * 300
"""Makes a message longer than 125 bytes, and shorter than 64 KiB."""


@dataclass
class Script:
    """What is written, and what must come back."""

    encoding: Encoding
    with_pings: bool = True
    data: bytes = b""
    answers: list[int | str] = field(default_factory=list)
    pongs: list[bytes] = field(default_factory=list)

    def ask(self, t: str, i: int | str, *, width: int | None = None, **fields: object) -> None:
        """Say something in one frame."""
        payload = said(self.encoding, t, i=i, **fields)
        self.data += frame(OPCODES[self.encoding], payload, width=width)
        self.answers.append(i)

    def ping(self, payload: bytes) -> None:
        """Ping."""
        if not self.with_pings:
            return
        self.data += frame(PING, payload)
        self.pongs.append(payload)

    def ask_in_parts(self, t: str, i: int | str, parts: int, **fields: object) -> None:
        """Say something in fragments: first and last are empty, a ping and a pong between."""
        payload = said(self.encoding, t, i=i, **fields)
        self.data += frame(OPCODES[self.encoding], fin=False)
        size = -(-len(payload) // parts)
        for at in range(0, len(payload), size):
            self.data += frame(CONT, payload[at : at + size], fin=False, width=16)
            self.ping(b"part %d" % at)
            self.data += frame(PONG, b"nobody asked")
        self.data += frame(CONT)
        self.answers.append(i)


def script(talk: Script, token: str, room: str, save: str | None) -> Script:
    """A conversation with every kind of frame that is allowed."""
    talk.ask("hello", 1, token=token)
    talk.ping(b"")
    talk.ask("create", "mine", game="klondike", deal="1")
    talk.ask("move", "short", room=room, move="discard")
    talk.ping(b"a ping")
    talk.ask("move", "16 bits", room=room, move="discard", x=LONG)
    talk.ask("move", "64 bits", width=64, room=room, move="discard")
    talk.ask("ping", 2, width=16)
    if save is not None:
        talk.ask("create", "large", game="klondike", save=save)
    talk.ask_in_parts("move", "parts", 3, room=room, move="discard")
    talk.ping(bytes(range(125)))
    talk.ask("undo", "undo", room=room)
    talk.ask_in_parts("ping", 3, 40)
    talk.ask("moves", 4, room=room)
    return talk


def cut_up(data: bytes, longest: int, rng: Random) -> Iterator[bytes]:
    """The same bytes in pieces."""
    at = 0
    while at < len(data):
        size = rng.randint(1, longest)
        yield data[at : at + size]
        at += size


async def mine(running: Running, encoding: Encoding) -> tuple[str, str]:
    """The token of somebody new, and the room that he makes under the name ``mine``."""
    async with talking(running.url, encoding) as talk:
        made = await talk.ok("create", "mine", game="klondike", deal="1")
        return talk.token, made["room"]


async def check(client: Raw, talk: Script) -> None:
    """Everything is answered, in order, and nothing else is said."""
    await client.until(4)
    assert client.answers == talk.answers
    while len(client.pongs) < len(talk.pongs):
        assert await client.read()
    assert client.pongs == talk.pongs
    kinds = [(said["t"], said.get("code")) for said in client.messages if "i" in said]
    wrong = [kind for kind in kinds if kind[0] == "error"]
    assert wrong == ([("error", "bad-save")] if "large" in talk.answers else [])
    assert client.events == list(range(client.events[0], client.events[0] + 5))


@pytest.mark.parametrize("encoding", list(Encoding))
@pytest.mark.parametrize("longest", [1, 2, 3, 7, 30, 200, 5000])
async def test_a_conversation_in_any_pieces(
    running: Running, encoding: Encoding, longest: int
) -> None:
    rng = Random(longest)
    for _ in range(1 if longest == 1 else 3):
        token, room = await mine(running, encoding)
        save = "x" * MAX_SAVE if longest >= 200 else None
        talk = script(Script(encoding), token, room, save)
        async with dialled(running.url, encoding) as client:
            client.write(upgrade(running.url, encoding))
            await client.head()
            await client.write_pieces(cut_up(talk.data, longest, rng))
            await check(client, talk)


@pytest.mark.parametrize("encoding", list(Encoding))
async def test_a_conversation_in_pieces_together_with_the_request(
    running: Running, encoding: Encoding
) -> None:
    """Bytes that come behind the HTTP request, in its segment or before its answer.

    No pings: the library would answer them before it answers the request.
    """
    for seed in range(12):
        rng = Random(seed)
        token, room = await mine(running, encoding)
        save = "x" * MAX_SAVE if seed % 2 else None
        talk = script(Script(encoding, with_pings=False), token, room, save)
        head = upgrade(running.url, encoding)
        begin = rng.choice([len(head), rng.randint(1, 30), rng.randint(1, len(head))])
        data = head + talk.data
        async with dialled(running.url, encoding) as client:
            client.write(data[: len(head) - begin])
            await asyncio.sleep(0.001 * rng.randint(0, 2))
            pieces = cut_up(data[len(head) - begin :], rng.choice([500, 5000, 500_000]), rng)
            await client.write_pieces(pieces)
            assert b" 101 " in await client.head()
            await check(client, talk)


@pytest.mark.parametrize("more", [0, 1, 2, 5, 6, 7, 20, 1000])
async def test_bytes_in_the_segment_of_the_request(running: Running, more: int) -> None:
    frames = b"".join(
        request(Encoding.JSON, t, i=i) for i, t in enumerate(["hello", "ping", "rooms"])
    )
    async with dialled(running.url) as client:
        client.write(upgrade(running.url) + frames[:more])
        assert b" 101 " in await client.head()
        await client.write_pieces([frames[more : more + 3], frames[more + 3 :]])
        await client.until(2)
        assert client.answers == [0, 1, 2]


async def test_a_ping_between_fragments_is_answered_at_once(running: Running) -> None:
    async with raw(running.url) as client:
        payload = said(Encoding.JSON, "ping", i=5)
        client.write(frame(1, payload[:4], fin=False) + frame(PING, b"now"))
        assert await client.read() == (PONG, b"now")
        client.write(frame(CONT, payload[4:9], fin=False) + frame(PING, b"")[:3])
        await asyncio.sleep(0.01)
        client.write(frame(PING, b"")[3:])
        assert await client.read() == (PONG, b"")
        client.write(frame(CONT, payload[9:]))
        await client.until(5)


async def test_a_large_message_byte_by_byte(running: Running) -> None:
    async with raw(running.url) as client:
        (connection,) = running.app._connections
        data = request(Encoding.JSON, "create", i="large", game="klondike", save="x" * MAX_SAVE)
        for at in range(len(data)):
            connection.socket.data_received(data[at : at + 1])
        assert (await client.until("large"))["code"] == "bad-save"
        client.ask("ping", i=1)
        await client.until(1)
