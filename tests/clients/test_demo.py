"""The demo: bots play all games, from start to end and again, until they are stopped."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from clients.commands import PATIENCE, Command
from servers import Running

from kibitz.clients import demo
from kibitz.clients.session import connect
from kibitz.clients.terminal.tokens import Tokens
from kibitz.engine.games import GAMES


async def test_the_demo_plays_all_games_until_it_is_stopped(
    server: Running, tmp_path: Path
) -> None:
    kibitz = Command(server.url, tmp_path)
    async with kibitz.running("demo") as process, connect(server.url) as client:
        async with asyncio.timeout(PATIENCE):
            games, modes = set[str](), set[str]()
            while games != set(GAMES) or "race" not in modes:
                rooms = (await client.rooms()).rooms
                games, modes = {info.game for info in rooms}, {info.mode for info in rooms}
                await asyncio.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            out, err = await process.communicate()
        assert (process.returncode, out, err) == (0, b"", b"")


@pytest.fixture
def demo_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The demo plays without pauses and has a home of its own."""
    monkeypatch.setattr(demo, "PACE", (0.0, 0.0))
    monkeypatch.setattr(demo, "PAUSE", 0.0)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


@contextlib.asynccontextmanager
async def demo_of(server: Running) -> AsyncIterator[None]:
    """The demo in our own loop, for a while."""
    playing = asyncio.create_task(demo.demo(server.url))
    try:
        yield
    finally:
        signal.raise_signal(signal.SIGTERM)
        await playing
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().remove_signal_handler(number)


@pytest.mark.usefixtures("demo_at_once")
async def test_the_demo_goes_on_after_an_end(server: Running) -> None:
    async with demo_of(server), connect(server.url) as client, asyncio.timeout(PATIENCE):
        while True:
            rooms = (await client.rooms(game="aces-up")).rooms
            if len([info for info in rooms if info.status != "open"]) >= 3:
                break
            await asyncio.sleep(0.02)


@pytest.mark.usefixtures("demo_at_once")
async def test_the_next_demo_takes_up_what_was_left(server: Running, tmp_path: Path) -> None:
    """As after a kill -9: the newest open room of a game is played on, others are given up."""
    async with connect(server.url, name="demo bot") as client, connect(server.url) as other:
        mine = [(await client.create("aces-up", deal="1")).room for _ in range(2)]
        token = client.welcome.token
        theirs = (await other.create("aces-up", deal="1")).room
    Tokens(tmp_path / "kibitz" / "token").put(f"demo:{server.url}", token)
    await server.abreast()
    async with demo_of(server), connect(server.url) as client, asyncio.timeout(PATIENCE):
        old, new, others = [await client.join(room) for room in (*mine, theirs)]
        while "open" in (old.status, new.status):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    assert (old.board.moves, old.status) == (0, "resigned")
    assert new.board.moves > 0
    assert (others.status, others.board.moves) == ("open", 0)


@pytest.mark.usefixtures("demo_at_once")
async def test_the_demo_keeps_its_identity(server: Running, tmp_path: Path) -> None:
    tokens = Tokens(tmp_path / "kibitz" / "token")
    tokens.put(server.url, "kbz_mine")
    async with connect(server.url) as client:
        seen = set()
        for _ in range(2):
            async with demo_of(server), asyncio.timeout(PATIENCE):
                while not (await client.rooms(status="open")).rooms:  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
            seen.add(tokens.get(f"demo:{server.url}"))
    assert len(seen) == 1 and None not in seen
    assert tokens.get(server.url) == "kbz_mine"


async def test_the_demo_ends_with_the_process_that_started_it(
    server: Running, tmp_path: Path
) -> None:
    code = (
        "import subprocess, sys\n"
        f"words = ['-m', 'kibitz.clients', 'demo', '--with-parent', '--server', '{server.url}']\n"
        "print(subprocess.Popen([sys.executable, *words]).pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    parent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code),
        env=Command(server.url, tmp_path).environ,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert parent.stdout is not None
    pid = int(await parent.stdout.readline())
    async with connect(server.url) as client, asyncio.timeout(PATIENCE):
        while not (await client.rooms()).rooms:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        parent.kill()
        await parent.communicate()
        while is_alive(pid):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


def is_alive(pid: int) -> bool:
    """Whether a process is there, and not only because nobody has asked for its end."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
