"""A copy of the file, made while the server goes on writing.

Promises: what was acknowledged when the copy began is in it; it is private, and stands under its
name only when it is whole, on the disk and found sound. Never: an older copy in pieces.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from .opening import reading

MODE = 0o600
"""The decks of games that are being played are in it."""


class NotCopied(Exception):
    """There is no copy; the message says why."""


def back_up(data: Path, target: Path, *, force: bool = False) -> int:
    """Copy the file of a server.

    Args:
        data: The file.
        target: Where the copy shall be.
        force: Whether it may take the place of what is there.

    Returns:
        How many bytes the copy has.

    Raises:
        NotCopied: It could not be made; nothing has changed.
        UnreadableFile: The file is none of ours.

    """
    if not force and (target.exists() or target.is_symlink()):
        raise NotCopied(f"{target} is there already; --force puts the copy in its place")
    if target.exists() and not target.is_file():
        raise NotCopied(f"{target} is no file")
    if target.exists() and data.exists() and target.samefile(data):
        raise NotCopied(f"{target} is the file itself")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with copy_of(data, part):
            put(part, target)
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise NotCopied(f"{target}: {reason}") from error
    return target.stat().st_size


@contextlib.contextmanager
def copy_of(data: Path, part: Path, *, alone: bool = False) -> Iterator[None]:
    """A sound copy of a file, under another name as long as the block runs.

    Args:
        data: The file.
        part: The name; nothing is there.
        alone: Whether no server can have the file.

    Raises:
        NotCopied: The file is damaged.
        UnreadableFile: The file is none of ours.
        OSError: There is no place for it.
        sqlite3.Error: Likewise.

    """
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE))
    try:
        to = contextlib.closing(sqlite3.connect(part, isolation_level=None))
        with reading(data, alone=alone) as db, to as copy:
            copy.execute("pragma journal_mode=off")  # half of it is thrown away
            db.backup(copy)
        sound(part)
        yield
    finally:
        part.unlink(missing_ok=True)


def sound(path: Path) -> None:
    """See that a file that nobody else has is sound SQLite.

    Raises:
        NotCopied: It is not.
        sqlite3.Error: It is none at all.

    """
    at = f"{path.resolve().as_uri()}?immutable=1"
    with contextlib.closing(sqlite3.connect(at, uri=True)) as db:
        (said,) = db.execute("pragma quick_check(1)").fetchone()
    if said != "ok":
        raise NotCopied(f"the copy is damaged as the file is ({said}); see kibitz admin check")


def put(part: Path, target: Path) -> None:
    """Give a file its name, in the place of what is there, so that it survives a power cut."""
    sync(part)
    part.replace(target)
    sync(target.parent)


def sync(path: Path) -> None:
    """Have a file, or the names in a folder, on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
