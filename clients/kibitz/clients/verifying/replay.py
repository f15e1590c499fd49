"""All checks of a recording, one after the other."""

from collections.abc import Callable

from ..nonsense import NONSENSE, said_of
from . import chain, deal, file, openings, rules
from .recording import Recording
from .verdict import Check, Finding, Verdict


def verdict_on(recording: Recording, whole: Finding) -> Verdict:
    """What the checks make of a recording.

    Args:
        recording: What was told.
        whole: The finding about where it comes from.

    """
    opened = tried("openings", lambda: openings.check(recording))
    proved = opened.result == "ok"
    hashed = tried("chain", lambda: chain.check(recording))
    dealt = tried("deal", lambda: deal.check(recording))
    played = tried("rules", lambda: rules.check(recording, proved))
    return Verdict([whole, hashed, opened, dealt, played])


def tried(name: Check, check: Callable[[], Finding]) -> Finding:
    """What a check has found; what it stumbles over no honest server writes."""
    try:
        return check()
    except NONSENSE as error:
        return Finding(name, "failed", f"it cannot have been so: {said_of(error)}")


def verdict_on_file(data: bytes) -> Verdict:
    """What the checks make of a replay as JSON."""
    recording, whole = file.read(data)
    return Verdict([whole]) if recording is None else verdict_on(recording, whole)
