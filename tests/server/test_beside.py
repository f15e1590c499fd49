"""Processes beside the server give way to it, however the system shares the processor out."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest
from talk import eventually

from kibitz.server.processes import NICE, OURSELVES, bound, started

COMMAND = (sys.executable, "-c", "import sys; sys.stdin.read()")
MOST_NICE = 19


async def test_a_process_gives_way() -> None:
    async with started(COMMAND) as child:
        bound(child.pid, address_bytes=1 << 30, seconds=60)
        ours = os.getpriority(os.PRIO_PROCESS, OURSELVES)
        assert os.getpriority(os.PRIO_PROCESS, child.pid) == min(ours + NICE, MOST_NICE)


async def test_it_gives_way_in_our_session_and_hears_no_ctrl_c_of_ours() -> None:
    async with started(COMMAND) as child:
        assert os.getsid(child.pid) == os.getsid(OURSELVES)
        assert os.getpgid(child.pid) == child.pid


async def test_one_that_is_no_longer_wanted_is_gone_however_often_that_is_said() -> None:
    begun = asyncio.Event()
    children: list[Process] = []

    async def use() -> None:
        async with started(COMMAND) as child:
            children.append(child)
            begun.set()
            await asyncio.Event().wait()

    using = asyncio.create_task(use())
    await begun.wait()
    for _ in range(5):
        using.cancel()
        await asyncio.sleep(0)
    await asyncio.wait([using])
    assert using.cancelled() and children[0].returncode is not None


PARENT = """
import asyncio, sys
from kibitz.server.processes import started

async def start():
    async with started((sys.executable, "-c", "print('here', flush=True); input()")) as child:
        await child.stdout.readline()
        print(child.pid, flush=True)
        await asyncio.Event().wait()

asyncio.run(start())
"""


def is_there(process: int) -> bool:
    """Whether a process has not ended; who sees to those without parents may be late."""
    try:
        said = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return said.rpartition(")")[2].split()[0] not in "ZX"


@pytest.mark.skipif(sys.platform != "linux", reason="only there the system does that")
async def test_one_that_is_stopped_ends_with_its_server_all_the_same() -> None:
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", PARENT, stdout=PIPE)
    assert parent.stdout is not None
    child = int(await parent.stdout.readline())
    os.kill(child, signal.SIGSTOP)
    parent.kill()
    await parent.wait()
    try:
        await eventually(lambda: not is_there(child))
    finally:
        if is_there(child):
            os.kill(child, signal.SIGKILL)
