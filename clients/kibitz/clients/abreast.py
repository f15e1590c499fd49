"""The same work for many things, in processes of their own.

Promises: what comes back is in the order of the things; where nobody listens any more, what has not
begun never does.
"""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

Thing = TypeVar("Thing")
Done = TypeVar("Done")


def abreast(work: Callable[[Thing], Done], things: Sequence[Thing], jobs: int) -> Iterator[Done]:
    """Do a work for each of some things, so many at a time; it must be one that can be pickled."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(things)), mp_context=context) as pool:
        try:
            yield from pool.map(work, things)
        finally:
            pool.shutdown(cancel_futures=True)
