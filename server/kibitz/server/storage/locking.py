"""The lock that says who has a file: one process, by whatever name the file goes.

Promises: held by the kernel on the file itself, so that it is gone after kill -9 and links do not
get round it. Never: a second process, nor a file that is not SQLite's.
"""

import fcntl
import os
from pathlib import Path

from .schema import MAGIC, UnreadableFile


class FileInUse(Exception):
    """Another process has the file open; the message says which."""


def lock(path: Path) -> int:
    """Take the file for this process, whatever name it goes by.

    The lock is on the file itself, so links to it do not get round it; the kernel gives it back
    when the process ends. The ``.lock`` file beside it only says who has it.
    """
    owner = path.with_name(path.name + ".lock")
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise UnreadableFile(f"{path}: {error.strerror}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.pread(handle, len(MAGIC), 0) not in (b"", MAGIC):
            raise UnreadableFile(f"{path} is not a kibitz database")
        if os.fstat(handle).st_nlink > 1:  # what is not in the file yet lies beside one name only
            raise UnreadableFile(f"{path} has more than one name (hard links): keep one")
        owner.write_text(f"{os.getpid()}\n")
    except BlockingIOError:
        os.close(handle)
        pid = owner.read_text(errors="replace").strip()[:20] if owner.exists() else "unknown"
        raise FileInUse(f"{path} is in use by another kibitz process (pid {pid})") from None
    except OSError as error:
        os.close(handle)
        raise UnreadableFile(f"{owner}: {error.strerror}") from error
    except UnreadableFile:
        os.close(handle)
        raise
    return handle
