"""Files that the person named."""

from pathlib import Path


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
        OSError: It cannot be read.

    """
    with path.open("rb") as file:
        return file.read(most + 1)


def write_text(path: Path, text: str) -> None:
    """Write a file, over the one that was there.

    Raises:
        OSError: It cannot be written.

    """
    path.write_text(text, encoding="utf-8", newline="\n")
