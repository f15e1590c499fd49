"""The lock that says who has a file: one process, by whatever name the file goes.

Promises: held by the kernel on the file itself, so that it is gone after kill -9 and links do not
get round it. Never: a second process, nor a file that is not SQLite's.
"""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from .schema import MAGIC, UnreadableFile


class FileInUse(Exception):
    """Another process has the file open; the message says which."""


def lock(path: Path) -> int:
    """Take the file for this process, whatever name it goes by; made if it is not there.

    The ``.lock`` file beside it only says who has it.

    Returns:
        What is to be closed to give it back.

    Raises:
        FileInUse: Another process has it.
        UnreadableFile: It is something else.

    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise UnreadableFile(f"{path}: {error.strerror}") from error
    try:
        _take(handle, path)
        if os.pread(handle, len(MAGIC), 0) not in (b"", MAGIC):
            raise UnreadableFile(f"{path} is not a kibitz database")
        if os.fstat(handle).st_nlink > 1:  # what is not in the file yet lies beside one name only
            raise UnreadableFile(f"{path} has more than one name (hard links): keep one")
        _owner(path).write_text(f"{os.getpid()}\n")
    except OSError as error:
        os.close(handle)
        raise UnreadableFile(f"{_owner(path)}: {error.strerror}") from error
    except BaseException:
        os.close(handle)
        raise
    return handle


@contextlib.contextmanager
def hold(path: Path) -> Iterator[os.stat_result | None]:
    """Keep everybody from a file, whatever it is, as long as the block runs.

    Yields:
        What the file is like; ``None``: there is none.

    Raises:
        FileInUse: Another process has it.
        OSError: It cannot be opened.

    """
    try:
        handle = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        yield None
        return
    try:
        _take(handle, path)
        yield os.fstat(handle)
    finally:
        os.close(handle)


def _take(handle: int, path: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = _owner(path)
        pid = owner.read_text(errors="replace").strip()[:20] if owner.exists() else "unknown"
        raise FileInUse(f"{path} is in use by another kibitz process (pid {pid})") from None


def _owner(path: Path) -> Path:
    return path.with_name(path.name + ".lock")
