"""The file as others than its server open it: to look, while the server goes on writing.

Promises: nothing is written into it, and no lock is taken that a server would meet: under WAL who
reads sees the file as it was when he began and holds nobody up. Never: a file that is no log of
ours, or one that this version cannot read.
"""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from .schema import UnreadableFile, is_sqlite, version_of

BUSY_SECONDS = 10.0
"""How long somebody waits who meets a lock: a server takes one for the blink of an eye."""


@contextlib.contextmanager
def reading(path: Path, *, alone: bool = False) -> Iterator[sqlite3.Connection]:
    """The file, to be read at one moment from the first query on.

    Args:
        path: The file.
        alone: Whether no server can have it, so that it may lie where nothing can be written.

    Raises:
        UnreadableFile: It is not there, is something else, or was written by a later version.

    """
    if not path.is_file():
        raise UnreadableFile(f"{path}: there is no such file")
    try:
        if not is_sqlite(path):
            raise UnreadableFile(f"{path} is not a kibitz database")
        beside = path.with_name(f"{path.name}-wal").exists()
        how = "immutable=1" if alone and not beside else "mode=rw"
        at = f"file:{quote(str(path.resolve()))}?{how}"
        db = sqlite3.connect(at, uri=True, isolation_level=None, timeout=BUSY_SECONDS)
    except (OSError, sqlite3.Error) as error:
        raise UnreadableFile(f"{path}: {error}") from error
    with contextlib.closing(db):
        try:
            db.execute("pragma query_only=on")
            if version_of(db, path) == 0:
                raise UnreadableFile(f"{path} is empty")
            db.execute("begin")
            db.execute("select count(*) from sqlite_schema").fetchone()  # the moment is now
        except sqlite3.Error as error:
            raise UnreadableFile(f"{path}: {error}") from error
        yield db


def has_archive(db: sqlite3.Connection) -> bool:
    """Whether rooms can have been put away in the file: the first versions could not."""
    return bool(db.execute("select 1 from sqlite_schema where name = 'archive'").fetchone())
