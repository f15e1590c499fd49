"""What the server's tests share."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from apart import IDLE
from servers import Running, running_server


@pytest.fixture(autouse=True)
def work_takes_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """How busy the machine is decides nothing: what is decided together, or paid for."""
    for where in ("room.writing", "sockets.turn"):
        monkeypatch.setattr(f"kibitz.server.{where}.work_clock", lambda: 0.0)


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots of the server's sit there and do nothing."""
    monkeypatch.setattr("kibitz.server.bots.child.PLAYER", IDLE)


@pytest.fixture
async def running() -> AsyncIterator[Running]:
    """A server of its own with its rooms in memory."""
    async with running_server() as server:
        yield server


@pytest.fixture
async def no_failures() -> AsyncIterator[None]:
    """No callback and no task of the loop fails unnoticed."""
    failures: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, what: failures.append(what))
    yield
    assert failures == []
