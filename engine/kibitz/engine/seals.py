"""The digest that a replay text carries of itself: its last header, over all other bytes.

Promises: whatever is changed in a sealed text, the seal included, shows; CRLF counts as LF, or a
text would not survive the mail. Never: say who wrote it.
"""

import hashlib
from enum import Enum

SEAL = b"# sha256: "


class Seal(Enum):
    """What a text says of itself."""

    NONE = "there is none"
    RIGHT = "nothing was changed"
    BROKEN = "the text is not what it was when it was written"
    MISPLACED = "`# sha256` must be the last header, once"


def sealed(text: str) -> str:
    """A replay text with its digest as the last header."""
    lines = text.encode().split(b"\n")
    at = next(at for at, line in enumerate(lines) if not line.startswith(b"#"))
    lines.insert(at, SEAL + hashlib.sha256(text.encode()).hexdigest().encode())
    return b"\n".join(lines).decode()


def seal_of(text: bytes) -> Seal:
    """How the seal of a text fits it."""
    lines = text.replace(b"\r\n", b"\n").split(b"\n")
    heads = next((at for at, line in enumerate(lines) if not line.startswith(b"#")), len(lines))
    found = [at for at in range(heads) if lines[at].startswith(SEAL)]
    if not found:
        return Seal.NONE
    if found != [heads - 1]:
        return Seal.MISPLACED
    said = lines.pop(heads - 1)
    right = SEAL + hashlib.sha256(b"\n".join(lines)).hexdigest().encode()
    return Seal.RIGHT if said == right else Seal.BROKEN
