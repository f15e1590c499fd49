"""Breaths of who computes for long, in which others go first.

However little a process counts, whoever wakes on its processor waits until its turn is over, some
milliseconds. Who offers his turn often enough costs nobody that. Never: a clock of its own, or a
call to the system; both are handed in.
"""

from collections.abc import Callable

EVERY = 0.0005
"""Seconds from one breath to the next, at least: each costs a part of one's own share."""


def breathing(clock: Callable[[], float], let_others: Callable[[], object]) -> Callable[[], None]:
    """What is called as often as possible, and takes a breath when it is time.

    Args:
        clock: Seconds that never go back.
        let_others: Offers the processor to others that wait for it.

    """
    last = clock()

    def breathe() -> None:
        nonlocal last
        if clock() - last >= EVERY:
            let_others()
            last = clock()

    return breathe
