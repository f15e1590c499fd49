"""Files that a player names: one path element inside one folder, and nothing else.

Promises: no name leads out of the folder, by ``..``, a separator or a symlink; devices and pipes
are not opened; no more of a file is read than a save can be long.
"""

from dataclasses import dataclass
from pathlib import Path

from kibitz.engine.saves import MAX_SAVE, Save, SaveError, read

MAX_NAME = 128
"""Longest file name, in characters."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder for saves."""

    path: Path

    def read(self, name: str) -> Save:
        """The save in a file of the folder.

        Raises:
            OSError: There is no such file, or the name is not allowed.
            SaveError: The file is no save.

        """
        path = self._inside(name)
        if not path.is_file():
            raise FileNotFoundError(name)
        return read_save(path)

    def write(self, name: str, text: str) -> None:
        """Write a file of the folder, over the one that was there.

        Raises:
            OSError: It cannot be written, or the name is not allowed.

        """
        path = self._inside(name)
        if path.exists() and not path.is_file():
            raise FileExistsError(name)
        path.write_text(text, encoding="utf-8", newline="\n")

    def _inside(self, name: str) -> Path:
        allowed = 0 < len(name) <= MAX_NAME and name not in (".", "..")
        if not allowed or not set(name).isdisjoint("/\\\0"):
            raise FileNotFoundError(name)
        try:
            folder, path = self.path.resolve(), (self.path / name).resolve()
        except (RuntimeError, ValueError) as error:  # links in a circle, unencodable names
            raise FileNotFoundError(name) from error
        if path.parent != folder:
            raise FileNotFoundError(name)
        return path


def read_save(path: Path) -> Save:
    """The save in a file.

    Raises:
        OSError: The file cannot be read.
        SaveError: It is no save.

    """
    with path.open("rb") as file:
        data = file.read(MAX_SAVE + 1)
    try:
        return read(data.decode())
    except UnicodeDecodeError:
        raise SaveError(1, 1, "not a text file") from None
