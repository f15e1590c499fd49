"""What the server's tests share."""

from collections.abc import AsyncIterator

import pytest
from servers import Running, running_server


@pytest.fixture
async def running() -> AsyncIterator[Running]:
    """A server of its own with its rooms in memory."""
    async with running_server() as server:
        yield server
