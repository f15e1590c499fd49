"""A copy takes the place of a server's file.

Promises: the copy is checked first; nobody has the file meanwhile; the old one stays beside it, and
at every moment there is a whole file, or one that a server refuses to open and ``restore`` can
begin with anew. Never: a log of the old file that is written into the new one.
"""

import contextlib
import os
import sqlite3
from itertools import islice
from pathlib import Path

from .backup import MODE, NotCopied, copy_of, put, sync
from .check import Check
from .locking import hold
from .opening import reading

MAX_FAULTS = 5
"""Faults of the copy that are said."""


def restore(source: Path, data: Path) -> Path | None:
    """Put a copy in the place of a server's file.

    Args:
        source: The copy.
        data: The server's file, if there is one.

    Returns:
        Where the old file is now, if there was one.

    Raises:
        NotCopied: It was not done; nothing has changed.
        UnreadableFile: The copy is none of our files.
        FileInUse: A server has the file.

    """
    if data.exists() and source.exists() and data.samefile(source):
        raise NotCopied(f"{source} is the file itself")
    if data.exists() and not data.is_file():
        raise NotCopied(f"{data} is no file")
    data = data.resolve()  # what a link leads to is replaced, not the link
    faults = [str(fault) for fault in islice(Check(source, alone=True).faults(), MAX_FAULTS)]
    if faults:
        raise NotCopied(f"{source} is damaged, nothing is restored: {'; '.join(faults)}")
    part = data.with_name(f".{data.name}.{os.getpid()}.part")
    try:
        with hold(data) as there, copy_of(source, part, alone=True):
            if there is not None:
                _like(part, there)
            aside = _set_aside(data) if there is not None else None
            put(part, data)
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise NotCopied(f"{data}: {reason}") from error
    return aside


def _like(part: Path, there: os.stat_result) -> None:
    """Give the new file the mode of the old one, and its owner, if we may."""
    part.chmod(there.st_mode & 0o777 or MODE)
    with contextlib.suppress(PermissionError):
        os.chown(part, there.st_uid, there.st_gid)


def _set_aside(data: Path) -> Path:
    """Give the old file, with all that belongs to it, another name too.

    From here on until the new one has its place the old one has two names, and no server opens it.
    """
    with contextlib.suppress(Exception), reading(data) as db:  # what can be read is made whole
        db.execute("commit")
        db.execute("pragma query_only=off")
        db.execute("pragma wal_checkpoint(truncate)")
    number = 1
    while (aside := data.with_name(f"{data.name}.old-{number}")).exists():
        number += 1
    aside.hardlink_to(data)
    wal, shm = (data.with_name(f"{data.name}{end}") for end in ("-wal", "-shm"))
    if wal.exists():
        wal.replace(aside.with_name(f"{aside.name}-wal"))
    shm.unlink(missing_ok=True)
    sync(data.parent)
    return aside
