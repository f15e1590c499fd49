"""The server as a process: how it ends, and what it says when it cannot begin."""

import asyncio
import signal
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from processes import run, standby
from servers import REAL
from talk import talking

from kibitz.server.__main__ import _token
from kibitz.server.access.authority import Unusable
from kibitz.server.admin.key import UnusableKey
from kibitz.server.app import running
from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.refusals import unbound
from kibitz.server.settings import Listening, Settings
from kibitz.server.storage.schema import SCHEMA_VERSION


async def test_sigterm_sends_everybody_away_and_loses_nothing(tmp_path: Path) -> None:
    data = tmp_path / "log"
    async with standby(data, "--says", "1000") as server:
        url = await server.start()
        async with talking(url) as ann, talking(url) as bob:
            room = (await ann.ok("create", game="klondike", deal="1"))["room"]
            await bob.ok("join", room=room)
            for number in range(35):  # as many as one may at once
                await ann.send({"t": "say", "i": 100 + number, "room": room, "text": "hm"})
            await ann.until(lambda: 110 in ann.answers)
            assert await server.terminate() == 0
            assert (await ann.closed(), await bob.closed()) == (4503, 4503)
            assert ann.socket.close_reason and "retry_ms=" in ann.socket.close_reason
            oks = [answer for i, answer in ann.answers.items() if isinstance(i, int) and i >= 100]
            assert {answer["t"] for answer in oks} == {"ok"}
    log = SqliteLog(data)
    (info,) = await log.rooms()
    events = [event for record in await log.read(room) for event in record.events]
    await log.close()
    assert [event.seq for event in events] == list(range(1, info.seq + 1))
    assert info.seq >= oks[-1]["seq"] >= 13


async def test_a_file_has_one_server(tmp_path: Path) -> None:
    data = tmp_path / "log"
    async with standby(data) as server:
        url = await server.start()
        code, said = await run("--port", "0", "--data", str(data))
        assert code == 2
        assert "is in use by another kibitz process" in said and "Traceback" not in said
        assert f"pid {server.process.pid}" in said
        server.process.send_signal(signal.SIGHUP)  # a reload, though there is nothing to be read
        async with talking(url) as ann:
            await ann.ok("create", game="klondike")
        await server.kill()
    async with standby(data) as server, talking(await server.start()) as ann:
        assert len((await ann.ok("rooms"))["rooms"]) == 1


def no_database(folder: Path) -> Path:
    """A file of something else."""
    path = folder / "poem"
    path.write_text("Wie herrlich leuchtet mir die Natur! " * 100)
    return path


def newer(folder: Path) -> Path:
    """A file of a later version."""
    path = folder / "later"
    db = sqlite3.connect(path)
    db.execute(f"pragma user_version = {SCHEMA_VERSION + 1}")
    db.close()
    return path


def missing_folder(folder: Path) -> Path:
    """A file in a folder that is not there."""
    return folder / "no" / "such" / "log"


def is_folder(folder: Path) -> Path:
    """A folder."""
    return folder


def content(path: Path) -> bytes:
    """The bytes of a file, if it is one."""
    return path.read_bytes() if path.is_file() else b""


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (no_database, "not a kibitz database"),
        (newer, "later version"),
        (missing_folder, "No such file or directory"),
        (is_folder, "Is a directory"),
    ],
)
async def test_a_file_that_is_no_log_is_refused(
    tmp_path: Path, make: Callable[[Path], Path], reason: str
) -> None:
    path = make(tmp_path)
    before = content(path)
    code, said = await run("--port", "0", "--data", str(path))
    assert code == 2 and reason in said and str(path) in said
    assert len(said.splitlines()) == 1, "one clear sentence"
    assert content(path) == before


async def test_a_port_in_use_is_refused(tmp_path: Path) -> None:
    holder = await asyncio.start_server(lambda _, __: None, "127.0.0.1", 0)
    async with holder:
        port = holder.sockets[0].getsockname()[1]
        code, said = await run("--port", str(port), "--data", str(tmp_path / "log"))
    assert code == 2 and "is taken" in said and str(port) in said
    assert len(said.splitlines()) == 1, "one clear sentence"
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
        settings = Settings(Listening(port=0, metrics_port=port))
        taken = rf"^port {port} of 127.0.0.1 is taken; --metrics-port says"
        with pytest.raises(Unusable, match=taken):
            async with running(settings, MemoryLog(), REAL):
                pass
    code, said = await run("--port", "70000")
    assert code == 2


@pytest.mark.parametrize(
    ("host", "says"),
    [
        ("192.0.2.1", "192.0.2.1 is no address of this machine; choose another with --host"),
        ("a b", "a b is no address and no name of one; choose another with --host"),
        ("x" * 300, f"{'x' * 300} is no address and no name of one; choose another with --host"),
    ],
)
async def test_where_nobody_can_listen_is_said_in_a_sentence(host: str, says: str) -> None:
    with pytest.raises((OSError, UnicodeError)) as failed:
        await asyncio.get_running_loop().create_server(asyncio.Protocol, host, 0)
    assert isinstance(failed.value, OSError | UnicodeError)
    assert unbound(failed.value, Listening(host)) == says


def test_a_token_that_cannot_be_read_is_said_in_a_sentence(tmp_path: Path) -> None:
    for file, why in ((tmp_path / "no", "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(UnusableKey) as failed:
            _token(file)
        assert str(failed.value) == f"could not read the metrics token: {file}: {why}"
