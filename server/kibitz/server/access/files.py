"""Files that are read while others are served, or again and again: none that is waited for."""

import contextlib
from pathlib import Path

from .authority import Unusable


def check_regular(path: Path) -> None:
    """Check that a file is none that somebody has to write first, as into a pipe.

    What is not there, or may not be looked at, is left to whoever opens it.

    Raises:
        Unusable: It is one.

    """
    with contextlib.suppress(OSError):
        if path.exists() and not path.is_file():
            raise Unusable(f"{path} is no regular file")
