"""TLS: nothing leaves in the clear, certificates change under open connections."""

import asyncio
import contextlib
import os
import signal
import ssl
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from certificates import Authority
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from processes import run, standby
from raw import Raw, upgrade
from servers import EACH_HAS, Running, running_server
from structlog.testing import capture_logs
from talk import PATIENCE, eventually, talking

from kibitz.protocol.limits import MAX_SAVE
from kibitz.protocol.wire import Encoding as WireEncoding
from kibitz.server.access.authority import Unusable
from kibitz.server.access.certificates import certificates_of
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.room.fanout import GATHER_FROM
from kibitz.server.sockets.descriptors import descriptor_of
from kibitz.server.sockets.listening import TLS_READ_BYTES
from kibitz.server.sockets.socket import Socket

RECORDS = range(20, 24)
"""What TLS records may begin with: change, alert, handshake, data."""
MAX_RECORD = (1 << 14) + 256


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


class Tap:
    """A wire between clients and a server: what the server sends is kept, as it comes."""

    def __init__(self, server: Running) -> None:
        at = urlsplit(server.url)
        self._host, self._port = at.hostname, at.port
        self.streams: list[bytearray] = []
        self._tasks: set[asyncio.Task[None]] = set()

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[int]:
        """Its port."""
        listening = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        try:
            yield listening.sockets[0].getsockname()[1]
        finally:
            listening.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(self._host, self._port)
        stream = bytearray()
        self.streams.append(stream)
        for source, to, kept in ((reader, back, bytearray()), (there, writer, stream)):
            self._tasks.add(asyncio.create_task(self._carry(source, to, kept)))

    @staticmethod
    async def _carry(
        source: asyncio.StreamReader, to: asyncio.StreamWriter, kept: bytearray
    ) -> None:
        try:
            while data := await source.read(2**16):
                kept += data
                to.write(data)
        except OSError:
            pass
        finally:
            to.transport.abort()


def check_records(stream: bytes | bytearray) -> int:
    """Check that bytes are TLS records and nothing else; how many of them carry data."""
    at = count = 0
    while at < len(stream):
        kind, version, size = stream[at], stream[at + 1], int.from_bytes(stream[at + 3 : at + 5])
        assert kind in RECORDS and version == 3 and size <= MAX_RECORD, stream[at : at + 40]
        at += 5 + size
        count += kind == 23
    assert at == len(stream), "whole records"
    return count


async def spectator(port: int, room: str, trust: ssl.SSLContext) -> Raw:
    """Somebody who looks on through the tap."""
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", port, ssl=trust, server_hostname="127.0.0.1"
    )
    client = Raw(reader, writer, WireEncoding.JSON)
    client.write(upgrade(f"ws://127.0.0.1:{port}/ws"))
    assert b" 101 " in await client.head()
    client.ask("hello", i=0)
    client.ask("join", i=1, room=room)
    await client.until(1)
    return client


async def until_event(client: Raw, seq: int) -> None:
    """Read up to an event."""
    while seq not in client.events:
        assert await client.read() is not None


@pytest.mark.parametrize("crowd", [1, GATHER_FROM + 20])
async def test_nothing_leaves_in_the_clear(
    authority: Authority, crowd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not to a player, not to one who looks on, not to a crowd that is told by shared bytes."""
    monkeypatch.setattr("kibitz.server.app.TICKS_PER_PING", 10**6)  # bare clients answer none
    async with (
        running_server(tls=authority.files) as server,
        talking(server.url, trust=authority.trust) as ann,
    ):
        tap = Tap(server)
        async with tap.open() as port:
            room = (await ann.ok("create", game="klondike", deal="1"))["room"]
            trust = authority.trust
            lookers = [await spectator(port, room, trust) for _ in range(crowd)]
            before = [check_records(stream) for stream in tap.streams]
            for text in ("one", "two"):
                await ann.ok("move", room=room, move="discard")
                await ann.ok("say", room=room, text=f"a secret word {text}")
            for looker in lookers:
                await until_event(looker, 6)
            assert len(tap.streams) == crowd
            for stream, records in zip(tap.streams, before, strict=True):
                assert check_records(stream) > records
                assert (
                    b"secret" not in stream and b'"t":"' not in stream
                )  # long enough not to be chance
            for each in server.app._connections:
                assert each.socket.descriptor == -1 and not each.socket.ready
            for looker in lookers:
                looker.writer.transport.abort()


async def test_no_more_of_it_comes_at_once_than_a_record(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    received = Socket.data_received

    def seen(socket: Socket, data: bytes) -> None:
        sizes.append(len(data))
        received(socket, data)

    monkeypatch.setattr(Socket, "data_received", seen)
    async with (
        running_server(tls=authority.files) as running,
        talking(running.url, trust=authority.trust) as ann,
    ):
        for _ in range(8):
            await ann.refused("bad-save", "create", game="klondike", save="x" * MAX_SAVE)
    assert sum(sizes) > 8 * MAX_SAVE and max(sizes) < 2 * TLS_READ_BYTES


async def test_only_a_plain_connection_is_written_past_its_transport(authority: Authority) -> None:
    transports: list[asyncio.BaseTransport] = []

    class Keep(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            transports.append(transport)

    loop = asyncio.get_running_loop()
    for files in ((None, None), authority.files):
        async with running_server(tls=files) as server:
            at = urlsplit(server.url)
            trust = authority.trust if files[0] else None
            await loop.create_connection(Keep, at.hostname or "", at.port or 0, ssl=trust)
            descriptor = descriptor_of(transports[-1])
            assert (descriptor >= 0) is (files[0] is None)
            transports[-1].abort()  # type: ignore[attr-defined]


async def subject(server: Running, trust: ssl.SSLContext) -> bytes:
    """The certificate that a new connection gets."""
    at = urlsplit(server.url)
    _, writer = await asyncio.open_connection(at.hostname, at.port, ssl=trust)
    got: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.transport.abort()
    return got


@EACH_HAS
async def test_a_new_certificate_is_for_new_connections(authority: Authority) -> None:
    async with (
        running_server(tls=authority.files) as server,
        talking(server.url, trust=authority.trust) as ann,
    ):
        room = (await ann.ok("create", game="klondike"))["room"]
        first = await subject(server, authority.trust)
        authority.issue()
        assert await subject(server, authority.trust) == first
        with capture_logs() as lines:
            server.app.reload()
        assert [(each["event"], each["what"]) for each in lines] == [("reloaded", "certificate")]
        second = await subject(server, authority.trust)
        assert second != first

        for bad in (b"", b"nonsense", authority.ca.read_bytes()):
            kept = authority.cert.read_bytes()
            authority.cert.write_bytes(bad)
            server.app.reload()
            assert await subject(server, authority.trust) == second
            authority.cert.write_bytes(kept)
        authority.key.unlink()
        with capture_logs() as lines:
            server.app.reload()
        assert [(each["event"], each["what"]) for each in lines] == [
            ("not reloaded", "certificate")
        ]
        assert await subject(server, authority.trust) == second
        await ann.ok("move", room=room, move="discard")


def test_a_certificate_without_its_key_asks_for_that(authority: Authority) -> None:
    with pytest.raises(Unusable, match=r"^no private key in \S+: say --tls-key$"):
        certificates_of(authority.cert, None)
    for content in (b"nonsense", authority.key.read_bytes()):
        authority.cert.write_bytes(content)
        with pytest.raises(Unusable, match=r"^\S+ is no certificate and its key"):
            certificates_of(authority.cert, None)


async def test_no_pipe_is_waited_for(authority: Authority, tmp_path: Path) -> None:
    """Not at the start, and not while others are served."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for cert, key in ((pipe, authority.key), (authority.cert, pipe)):
        tls = ("--tls-cert", str(cert), "--tls-key", str(key))
        code, said = await run("--port", "0", "--memory", *tls)
        assert (code, said.count("\n")) == (2, 1) and f"{pipe} is no regular file" in said
    async with running_server(tls=authority.files) as server:
        first = await subject(server, authority.trust)
        for path in (authority.key, authority.cert):
            path.unlink()
            os.mkfifo(path)
            with capture_logs() as lines:
                server.app.reload()
            assert [(each["event"], each["why"]) for each in lines] == [
                ("not reloaded", f"{path} is no regular file")
            ]
        assert await subject(server, authority.trust) == first


async def test_what_speaks_no_tls_gets_nothing(authority: Authority) -> None:
    async with running_server(tls=authority.files) as server:
        at = urlsplit(server.url)
        for said in (upgrade(server.url), b"\x16\x03\x01\xff\xff" + b"a" * 100, b"\x80" * 50):
            reader, writer = await asyncio.open_connection(at.hostname, at.port)
            writer.write(said)
            writer.write_eof()
            async with asyncio.timeout(PATIENCE):
                check_records(await reader.read())
            writer.transport.abort()
        old = authority.trust
        old.maximum_version = ssl.TLSVersion.TLSv1_2
        assert await subject(server, old)
        async with talking(server.url, trust=authority.trust) as ann:
            await ann.ok("ping")


async def test_a_slow_one_under_tls_costs_the_others_nothing(authority: Authority) -> None:
    """Who does not read is sent a fresh view later, or is left behind; the game goes on."""
    async with (
        running_server(tls=authority.files) as server,
        talking(server.url, trust=authority.trust) as ann,
        talking(server.url, trust=authority.trust) as bob,
    ):
        room = (await ann.ok("create", game="klondike-single", deal="1"))["room"]
        slow = await spectator(urlsplit(server.url).port or 0, room, authority.trust)
        slow.writer.transport.pause_reading()  # type: ignore[attr-defined]
        await bob.ok("join", room=room)
        for _ in range(300):
            await ann.ok("move", room=room, move="sw")
        await bob.until(lambda: len(bob.events(room)) == 300)
        slow.writer.transport.resume_reading()  # type: ignore[attr-defined]
        await until_event(slow, 302)
        slow.writer.transport.abort()
        await eventually(lambda: len(server.app._connections) == 2)


# The command


@pytest.mark.parametrize("what", ["missing", "no certificate", "other key", "locked", "key alone"])
async def test_a_certificate_that_cannot_be_used_is_refused(tmp_path: Path, what: str) -> None:
    authority = Authority(tmp_path)
    arguments = ["--tls-cert", str(authority.cert), "--tls-key", str(authority.key)]
    match what:
        case "missing":
            authority.cert.unlink()
        case "no certificate":
            authority.cert.write_text("nonsense")
        case "other key":
            authority.key.write_bytes(_other_key(tmp_path))
        case "locked":
            key = load_pem_private_key(authority.key.read_bytes(), None)
            secret = BestAvailableEncryption(b"cats")
            pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, secret)
            authority.key.write_bytes(pem)
        case "key alone":
            arguments = arguments[2:]
    code, said = await run("--memory", "--port", "0", *arguments)
    assert code == 2
    assert said.startswith("kibitz serve: ") and said.count("\n") == 1, said


def _other_key(folder: Path) -> bytes:
    (folder / "other").mkdir()
    return Authority(folder / "other").key.read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="no signals")
async def test_sighup_reads_the_certificate_again(tmp_path: Path) -> None:
    """And SIGTERM sends everybody away as it does without TLS, whoever reads and answers."""
    authority = Authority(tmp_path)
    options = ("--tls-cert", str(authority.cert), "--tls-key", str(authority.key))
    async with standby(tmp_path / "data.db", *options) as process:
        url = await process.start()
        assert url.startswith("wss://127.0.0.1:") and '"page": "https://' in process.said
        server = Running(None, url, "")  # type: ignore[arg-type]
        async with talking(url, trust=authority.trust) as ann:
            first = await subject(server, authority.trust)
            authority.issue()
            process.process.send_signal(signal.SIGHUP)
            async with asyncio.timeout(PATIENCE):
                while await subject(server, authority.trust) == first:  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
            room = (await ann.ok("create", game="klondike"))["room"]
            for number in range(8):
                await ann.send({"t": "say", "i": 100 + number, "room": room, "text": "hm"})
            at = urlsplit(url)
            _, half = await asyncio.open_connection(at.hostname, at.port, ssl=authority.trust)
            half.write(b"GET /ws HTTP/1.1\r\n")
            await ann.until(lambda: 100 in ann.answers)
            assert await process.terminate() == 0, process.said
            half.transport.abort()
            assert await ann.closed() == 4503
            oks = [answer for i, answer in ann.answers.items() if isinstance(i, int) and i >= 100]
            assert {answer["t"] for answer in oks} == {"ok"}
        assert '"event": "stopped"' in process.said and "not flushed" not in process.said
    log = SqliteLog(tmp_path / "data.db")
    assert [info.seq >= oks[-1]["seq"] for info in await log.rooms()] == [True]
    await log.close()
