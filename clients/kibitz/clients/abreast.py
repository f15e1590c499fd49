"""The same work for many things, in processes of their own.

Promises: what comes back is in the order of the things; where nobody listens any more, what runs is
ended and what has not begun never does; no process is left when this one is gone.
"""

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool as Broken
from typing import TypeVar

__all__ = ["Broken", "abreast", "end_with_parent"]

Thing = TypeVar("Thing")
Done = TypeVar("Done")


def abreast(work: Callable[[Thing], Done], things: Sequence[Thing], jobs: int) -> Iterator[Done]:
    """Do a work for each of some things, so many at a time; it must be one that can be pickled.

    Raises:
        Broken: A process has ended in the midst of its work.

    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(things)), context, end_with_parent) as pool:
        try:
            yield from pool.map(work, things)
        except BaseException:
            for child in multiprocessing.active_children():
                child.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def end_with_parent() -> None:
    """End this process when the one that began it is gone, whatever it does by then."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "it was begun by another one"

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
