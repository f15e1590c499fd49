"""The interpreter, set up for a server: many long-lived objects, one loop that must not wait.

Only a process that is nothing but a server calls this; ``tests/bench`` does as ``kibitz serve``.
"""

import gc
import sys

SWITCH_SECONDS = 0.0001
"""How long work beside the loop may go on before the loop has its turn."""
GC_THRESHOLDS = (1_000, 5, 20_000)
"""Short collections, of a few milliseconds, and hardly ever one of everything: a move leaves eight
objects that the collector knows; rooms and connections that are done with lie in no cycle."""


def set_up() -> None:
    """Set the process up, before the loop runs."""
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.set_threshold(*GC_THRESHOLDS)


def settle() -> None:
    """Take what is there once everything is loaded out of every later collection."""
    gc.collect()
    gc.freeze()
