"""The operator's key: who says it may administer.

Promises: it is compared in the same time whatever is said, and never shown. Never: log it.
"""

import hashlib
import hmac
from pathlib import Path

from kibitz.protocol.limits import MAX_KEY, MIN_KEY

ENVIRONMENT = "KIBITZ_ADMIN_TOKEN"
"""The variable that holds it where no file is named."""
MAX_BYTES = 4096
"""So much of a file is looked at, in bytes."""


class UnusableKey(Exception):
    """There is to be a key, and this is none; the message says why and not what it is."""


class Key:
    """A key, or none: then nothing opens."""

    def __init__(self, text: str | None) -> None:
        self._digest = None if text is None else _digest(text)

    def opens(self, said: str | None) -> bool:
        """Whether this is the key."""
        digest = _digest(said or "")
        return hmac.compare_digest(digest, self._digest or b"") and said is not None


def read_key(file: Path | None, variable: str | None) -> str | None:
    """The key from a file, or else from the variable; ``None``: there is to be none.

    Raises:
        UnusableKey: It is too short, too long or cannot be read.

    """
    if file is None:
        return None if variable is None else _checked(variable, ENVIRONMENT)
    try:
        # a pipe of the shell's, as of <(...), has no name, and whoever writes into it is there
        if file.resolve().exists() and not file.is_file():
            raise UnusableKey(f"could not read the admin token: {file} is no regular file")
        with file.open("rb") as opened:
            text = opened.read(MAX_BYTES).decode()
    except OSError as error:
        raise UnusableKey(f"could not read the admin token: {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UnusableKey(f"{file} holds no admin token: it is no text") from None
    return _checked(text, str(file))


def _checked(text: str, where: str) -> str:
    key = text.strip()
    if not MIN_KEY <= len(key) <= MAX_KEY or not key.isprintable():
        raise UnusableKey(
            f"the admin token in {where} has to be one line of {MIN_KEY} to {MAX_KEY} characters;"
            " make one with: openssl rand -hex 32"
        )
    return key


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode(errors="surrogatepass")).digest()
