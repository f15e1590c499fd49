"""What a server process holds, counted by itself when SIGUSR2 comes, and said on stderr."""

import asyncio
import gc
import json
import os
import signal
import sys
import threading
from collections import Counter
from functools import partial

from kibitz.server import app
from kibitz.server.limits.buckets import Buckets

COUNTED = "counted"
POOL = "asyncio_"
"""Threads of the loop's pool: it makes some more when it is busy, and has a most."""
OURS = "kibitz.server.", "websockets."


def prepare() -> None:
    """In the server's process: count when asked, and hold buckets and lookers-on for less long."""
    app.TICK_SECONDS = 0.02
    start = app.App.start

    async def started(self: app.App) -> None:
        await start(self)
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGUSR2, partial(_count, self))

    app.App.start = started  # type: ignore[method-assign]


def _count(running: app.App) -> None:
    gc.unfreeze()
    gc.collect()
    objects = gc.get_objects()
    kinds = Counter(type(each) for each in objects)
    ours = {
        f"{kind.__dict__['__module__']}.{kind.__name__}": count
        for kind, count in kinds.items()
        if str(kind.__dict__.get("__module__")).startswith(OURS)
    }
    counts = {
        "rooms": len(running.rooms),
        "connections": len(running._connections),
        "buckets": sum(len(each) for each in objects if type(each) is Buckets),
        "tasks": len(asyncio.all_tasks()),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "threads": sum(not name.startswith(POOL) for name in thread_names()),
        "timers": len(running_timers()),
        **ours,
    }
    print(json.dumps({"event": COUNTED, "counts": counts}), file=sys.stderr, flush=True)


def thread_names() -> list[str]:
    """Of every thread."""
    return [thread.name for thread in threading.enumerate()]


def running_timers() -> list[asyncio.TimerHandle]:
    """What the loop is to call later, and was not called off."""
    scheduled = asyncio.get_running_loop()._scheduled  # type: ignore[attr-defined]
    return [timer for timer in scheduled if not timer.cancelled()]
