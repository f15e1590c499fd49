"""Who is stopped with everything he was to read costs the others nothing, and finds back."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest
from chaos.nursery import nursery
from chaos.onlookers import onlookers
from servers import FREELY

from kibitz.clients.session import connect

PROCESSES, EACH = 5, 10
LONG = "🂡" * 450
COMMENTS = 60
"""How many are written at once, each of 1.8 KB."""
ROUNDS = 8
"""Of so many: 1 MiB, more than an outbox holds for one who reads nothing, and the kernel here."""
MOST_MIB = 64


def resident(pid: int) -> float:
    """MiB of memory of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


async def test_a_fifth_of_the_lookers_on_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    async with nursery() as home:
        life = await home.begin(
            "chaos.onlookers:prepare",
            {},
            *("--port", "0", "--data", str(tmp_path / "log"), *FREELY),
        )
        url = await life.listening()
        assert url, life.said
        async with connect(url, name="player") as player:
            room = (await player.create("klondike")).room
            async with onlookers(url, room, PROCESSES, EACH) as (stopped, *others):
                before = most = resident(life.pid)
                stopped.process.send_signal(signal.SIGSTOP)
                for number in range(ROUNDS):
                    texts = [f"{number}:{n}{LONG}" for n in range(COMMENTS)]
                    await asyncio.gather(*(player.say(room, text) for text in texts))
                    await player.move(room, "discard")
                    last = (await player.undo(room)).seq
                    for each in others:
                        ((seq, hash_, many),) = await each.ask("have", last)
                        mirror = player.session.mirrors[room]
                        assert (seq, hash_, many) == (mirror.seq, mirror.hash, EACH)
                        assert await each.ask("views") == 0, "they missed nothing"
                    most = max(most, resident(life.pid))
                assert most - before < MOST_MIB, f"{before:.0f} MiB became {most:.0f}"
                stopped.process.send_signal(signal.SIGCONT)
                ((seq, hash_, many),) = await stopped.ask("have", last)
                assert (seq, hash_, many) == (mirror.seq, mirror.hash, EACH)
                assert await stopped.ask("views") > 0, "they were never behind"
                print(f"{before:.0f} MiB became {most:.0f}")
        life.send(signal.SIGTERM)
        assert await life.ended() == 0, life.said
        assert not life.mistakes
