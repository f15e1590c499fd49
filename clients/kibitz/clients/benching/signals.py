"""Signals that end a measurement: each is a ``KeyboardInterrupt``, so that what was begun is ended.

Promises: a process that is started is known before such an exception comes.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def interrupt_us() -> None:
    """From now on they all do what Ctrl-C does; those that are ignored stay so."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)


@contextmanager
def later() -> Iterator[None]:
    """Signals that come meanwhile have their effect at the end.

    Raises:
        KeyboardInterrupt: One has come.

    """
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)

    heard = [number for number in ENDING if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, note) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        raise KeyboardInterrupt
