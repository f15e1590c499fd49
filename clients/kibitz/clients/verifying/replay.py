"""All checks of a recording, one after the other."""

from . import chain, deal, file, openings, rules
from .recording import Recording
from .verdict import Finding, Verdict


def verdict_on(recording: Recording, whole: Finding) -> Verdict:
    """What the checks make of a recording.

    Args:
        recording: What was told.
        whole: The finding about where it comes from.

    """
    opened = openings.check(recording)
    played = rules.check(recording, proved=opened.result == "ok")
    return Verdict([whole, chain.check(recording), opened, deal.check(recording), played])


def verdict_on_file(data: bytes) -> Verdict:
    """What the checks make of a replay as JSON."""
    recording, whole = file.read(data)
    return Verdict([whole]) if recording is None else verdict_on(recording, whole)
