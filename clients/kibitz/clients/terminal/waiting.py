"""Waiting for whatever comes first."""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def first_of(*waits: Coroutine[Any, Any, None], seconds: float | None = None) -> None:
    """Wait until one of them is done or the time is over; the others are waited for no longer.

    Raises:
        Exception: What one of them raises.

    """
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
    for task in done:
        task.result()
