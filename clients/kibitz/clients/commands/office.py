"""Where orders are given from: a server, who we are there, and the key that lets us give them.

Promises: the key comes from a file or the environment, never from the command line, where others
could read it. Whoever has a token with the role ``admin`` needs none; on a server with ``--auth
jwt`` the key alone does not let anybody in.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from .. import outcome
from .reaching import Access

KEY = "KIBITZ_ADMIN_TOKEN"
"""Where the key is if no file is named."""

KeyFile = Annotated[
    Path | None,
    typer.Option(
        help=f"The server's admin token, which {KEY} may hold, too; not needed by whoever has a "
        "token with the role `admin` (--token-file, KIBITZ_TOKEN)."
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Office(Access):
    """A server, and what an operator shows there."""

    admin_token_file: KeyFile = None

    def key(self) -> str | None:
        """The key; ``None`` where a token stands for it."""
        from kibitz.protocol.limits import MAX_KEY

        from ..terminal.files import read_text

        file = self.admin_token_file
        try:
            said = os.environ.get(KEY) if file is None else read_text(file, 4 * MAX_KEY)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no text"
            raise outcome.unusable(f"could not read {file}: {why}") from None
        key = (said or "").strip()
        if not key and file is None and self.token:
            return None
        if not 0 < len(key) <= MAX_KEY:
            raise outcome.unusable(f"which admin token? (--admin-token-file FILE, or in {KEY})")
        if any(map(outcome.is_in_the_open, self.server)):
            typer.echo(
                "kibitz: the admin token goes over the network as it is; use wss://", err=True
            )
        return key
