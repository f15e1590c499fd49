"""A server process and its key: where it comes from, that it is nowhere else, what outlives it."""

import asyncio
import os
from pathlib import Path

import pytest
from processes import PATIENCE, run, standby
from server.admin.operators import KEY, Operator
from talk import connected, eventually, talking

from kibitz.server.admin.key import read_key


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    """A file with the key."""
    path = tmp_path / "key"
    path.write_text(f"{KEY}\n")
    return path


def files_with(text: str, folder: Path) -> list[Path]:
    """The files in which a text stands."""
    return [path for path in folder.iterdir() if text.encode() in path.read_bytes()]


def environments(parent: int) -> list[str]:
    """The environments of the clients that a process has started."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    folders = [Path("/proc") / child for child in children]
    ours = [each for each in folders if b"kibitz.clients" in (each / "cmdline").read_bytes()]
    return [os.fsdecode((each / "environ").read_bytes()) for each in ours]


async def test_bans_and_closed_rooms_outlive_kill_and_the_key_is_in_no_log(
    tmp_path: Path, key_file: Path
) -> None:
    data, option = tmp_path / "k.db", ("--admin-token-file", str(key_file), "--log-level", "debug")
    async with standby(data, *option) as first:
        url = await first.start()
        async with talking(url) as ann, talking(url) as bob, talking(url) as talk:
            op = Operator(talk)
            room = (await ann.ok("create", game="klondike"))["room"]
            await op.order("mute", id=bob.id)
            await op.order("close", room=room)
            await op.order("ban", id=ann.id, reason="enough")
            await talk.refused("auth", "admin", act="drain", key=f"{KEY} but wrong")
            await talk.refused("bad-message", "admin", act="?", key=KEY)
            await first.until("not an operator")
            await first.kill()
    async with standby(data, *option) as second:
        url = await second.start()
        async with connected(url) as back:
            back.read()
            await back.send({"t": "hello", "token": ann.token})
            assert await back.closed() == 4403
        async with talking(url, token=bob.token) as bob, talking(url) as talk:
            op = Operator(talk)
            assert {each["kind"] for each in (await op.order("bans"))["bans"]} == {"ban", "mute"}
            assert (await bob.ok("join", room=room))["view"]["status"] == "closed"
            other = (await bob.ok("create", game="klondike"))["room"]
            await bob.refused("forbidden", "say", room=other, text="hello")
            await op.order("unban", id=ann.id)
        async with talking(url, token=ann.token):
            pass
        assert await second.terminate() == 0
    for process in (first, second):
        assert '"ordered"' in process.said and KEY not in process.said
    assert "not an operator" in first.said
    assert not [path for path in files_with(KEY, tmp_path) if path != key_file]


async def test_a_drain_ends_the_process_as_a_signal_does(tmp_path: Path, key_file: Path) -> None:
    async with standby(tmp_path / "k.db", "--admin-token-file", str(key_file)) as process:
        url = await process.start()
        async with talking(url) as ann, talking(url) as talk:
            room = (await ann.ok("create", game="klondike"))["room"]
            moved = await ann.ok("move", room=room, move="discard")
            await Operator(talk).order("drain")
            assert await ann.closed() == await talk.closed() == 4503
        async with asyncio.timeout(PATIENCE):
            assert await process.process.wait() == 0
    async with standby(tmp_path / "k.db") as process, talking(await process.start()) as bob:
        assert (await bob.ok("join", room=room))["seq"] == moved["seq"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"too short\n", "one line of 16 to 256 characters"),
        (b"", "one line of 16 to 256 characters"),
        (b"x" * 300, "one line of 16 to 256 characters"),
        (b"two lines are\nno admin token at all", "one line of 16 to 256 characters"),
        (b"\xff" * 30, "it is no text"),
        (None, "could not read the admin token"),
    ],
)
async def test_a_key_that_is_none_is_refused_at_the_start(
    tmp_path: Path, content: bytes | None, says: str
) -> None:
    path = tmp_path / "key"
    if content is not None:
        path.write_bytes(content)
    code, said = await run("--port", "0", "--memory", "--admin-token-file", str(path))
    assert (code, said.count("\n")) == (2, 1) and says in said
    assert not content or content.decode(errors="replace").strip() not in said


async def test_a_key_comes_from_a_shells_pipe_and_nobody_waits_for_one_with_a_name(
    tmp_path: Path,
) -> None:
    path = tmp_path / "key"
    os.mkfifo(path)
    code, said = await run("--port", "0", "--memory", "--admin-token-file", str(path))
    assert (code, said.count("\n")) == (2, 1) and f"{path} is no regular file" in said
    end, other = os.pipe()
    os.write(other, f"{KEY}\n".encode())
    os.close(other)
    assert read_key(Path(f"/dev/fd/{end}"), None) == KEY
    os.close(end)


async def test_the_environment_may_hold_it_and_nobody_inherits_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIBITZ_ADMIN_TOKEN", "short")
    code, said = await run("--port", "0", "--memory")
    assert code == 2 and "KIBITZ_ADMIN_TOKEN" in said and "short" not in said
    monkeypatch.setenv("KIBITZ_ADMIN_TOKEN", KEY)
    async with standby(tmp_path / "k.db", "--demo") as process:
        async with talking(await process.start()) as talk:
            await Operator(talk).order("bans")
        await eventually(lambda: environments(process.process.pid))
        assert not [each for each in environments(process.process.pid) if KEY in each]
        assert await process.terminate() == 0
