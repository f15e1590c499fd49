"""Whether anything can be written into the file: tried, while nobody writes.

Promises: what is written to try is forgotten again. Never: mistake a fault of some records for one
of the disk.
"""

import contextlib
import sqlite3

SECONDS = 1.0
"""How often it is tried, while nothing can be written and nobody asks for it."""
NAME = "probe"
BYTES = 65536
"""What is written: more than a move, or the room that one makes."""


def is_of_the_disk(error: Exception) -> bool:
    """Whether nothing else could have been written either; of some it is the rows' own fault."""
    if isinstance(error, (sqlite3.OperationalError, sqlite3.ProgrammingError)):
        return True
    return type(error) is sqlite3.DatabaseError


def can_write(db: sqlite3.Connection) -> bool:
    """Whether a few pages can be written."""
    with contextlib.suppress(sqlite3.Error):
        db.execute("insert or replace into kept values (?, zeroblob(?))", (NAME, BYTES))
        db.execute("delete from kept where name = ?", (NAME,))
        return True
    return False
