"""Files that the person named; a pipe or a device in place of one is not waited for for ever."""

import errno
import os
import select
import stat
from pathlib import Path

PATIENCE = 10.0
"""Seconds without anything from a pipe before it is given up."""


def read_text(path: Path, most: int) -> str:
    """The text of a file; what is no UTF-8 is replaced, so that whoever reads it objects.

    Args:
        path: The file.
        most: The most that is read, in bytes; one more, so that the reader sees it is too long.

    Raises:
        OSError: It cannot be read.

    """
    return read_bytes(path, most).decode(errors="replace")


def read_bytes(path: Path, most: int) -> bytes:
    """What a file holds, and no more than ``most`` bytes and one of it.

    Raises:
        OSError: It cannot be read, or nothing comes out of it.

    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe that nobody has opened, too
    try:
        kind = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        found = bytearray()
        while len(found) <= most:
            if not stat.S_ISREG(kind) and not select.select([descriptor], [], [], PATIENCE)[0]:
                why = f"it is no file, and nothing comes out of it for {PATIENCE:g} s"
                raise OSError(errno.ETIMEDOUT, why, str(path))
            try:
                read = os.read(descriptor, most + 1 - len(found))
            except OSError as error:  # without a name, as if something of ours could not be done
                raise OSError(error.errno, error.strerror, str(path)) from None
            if not read:
                break
            found += read
        return bytes(found)
    finally:
        os.close(descriptor)


def write_text(path: Path, text: str) -> None:
    """Write a file, over the one that was there.

    Raises:
        OSError: It cannot be written.

    """
    path.write_text(text, encoding="utf-8", newline="\n")
