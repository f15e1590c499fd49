"""What the server's tests share."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from servers import Running, running_server


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
