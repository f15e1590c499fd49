"""Whether a file is a replay at all, however broken.

Promises: what has any sign of a replay is taken for one, for a forger may spoil the others.
"""

import re

from kibitz.engine import saves
from kibitz.engine.saves import MAX_SAVE, SaveError

BEGINNING = 4096
"""Bytes within which a replay shows that it is one."""
_SIGNS = re.compile(
    rb'kibitz-replay|"events"|"sha256"|"fair"|^# (format|sha256|root|pledge):|^> ?[a-z0-9]', re.M
)


def what_else(data: bytes) -> str | None:
    """What a file is that is no replay; ``None`` if it is one, right or wrong."""
    if _SIGNS.search(data, 0, BEGINNING) and not data.startswith(b"SQLite format 3\0"):
        return None
    try:
        saves.read(data[: MAX_SAVE + 1].decode())
    except (SaveError, UnicodeDecodeError):
        return "is no replay"
    return "is a save, not a replay"
