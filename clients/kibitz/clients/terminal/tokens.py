"""The file with our identity on every server, so that a seat is ours again after a crash.

Promises: a token goes to the server that handed it out and to those that were named together with
it, and to no other; the file is ours alone
(mode 0600) and is replaced whole or not at all.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Self
from urllib.parse import quote, unquote

from kibitz.protocol.limits import MAX_NAME

VARIABLE = "KIBITZ_TOKEN"
"""The variable that may hold a token for whatever server is named."""


def default_path(environ: Mapping[str, str] = os.environ) -> Path:
    """Where the file is if nobody says otherwise."""
    data = environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "kibitz" / "token"


class Tokens:
    """The file: one line a server, its address and the token.

    An identity of its own on a server has a key of its own, such as ``demo:ADDRESS``; the name
    that we had there last stands under ``name:ADDRESS``.
    """

    def __init__(self, path: Path, given: str | None = None) -> None:
        """Look at nothing yet.

        Args:
            path: The file.
            given: A token that we were given, to be used instead.

        """
        self.path = path
        self._given = given

    @classmethod
    def chosen(cls, path: Path | None, environ: Mapping[str, str] = os.environ) -> Self:
        """The file that was named; else the token that the environment holds; else our file."""
        return cls(path or default_path(environ), None if path else environ.get(VARIABLE))

    def get(self, *urls: str) -> str | None:
        """Our token on a server, if there is one: under the first of its addresses that has any."""
        return self.given() or self._first(*urls)

    def name(self, *urls: str) -> str | None:
        """The name that we had on a server last, if the identity there is still ours."""
        kept = self._first(*(f"name:{url}" for url in urls))
        return None if kept is None or self.given() else unquote(kept)[:MAX_NAME]

    def _first(self, *keys: str) -> str | None:
        kept = self._read()
        return next((kept[key] for key in keys if key in kept), None)

    def given(self) -> str | None:
        """A token that somebody gave us, here or as all that stands in the file."""
        if self._given:
            return self._given
        try:
            words = self.path.read_text(encoding="utf-8").split()
        except (OSError, UnicodeDecodeError):
            return None
        return words[0] if len(words) == 1 else None

    def put(self, url: str, token: str) -> None:
        """Keep the token of a server.

        Raises:
            OSError: The file cannot be written.

        """
        tokens = self._read()
        if tokens.get(url) == token:
            return
        lines = [f"{url} {token}\n" for url, token in {**tokens, url: token}.items()]
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        with open(new, "w", encoding="utf-8", opener=_private) as file:
            file.writelines(lines)
        new.replace(self.path)

    def keep(self, url: str, token: str, name: str | None = None) -> None:
        """Keep the token of a server, or say why that cannot be; one that was given is not ours.

        A name is kept with it, until there is another one.
        """
        if self.given():
            return
        try:
            self.put(url, token)
            if name is not None:
                self.put(f"name:{url}", quote(name, safe=""))
        except OSError as error:
            sys.stderr.write(f"your identity cannot be kept: {error}\n")

    def _read(self) -> dict[str, str]:
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            return {}
        pairs = (line.split(" ") for line in lines)
        return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
