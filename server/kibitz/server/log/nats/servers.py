"""Which NATS servers there are, who we are there, and whom of them we believe.

Promises: a password is in no URL that anything else sees, so in no error and no line of the log;
it is sent over TLS alone where TLS is asked for, by ``tls://`` or an authority, whatever a server
says. Never: one user here and another one there.
"""

import re
import ssl
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from msgspec import Struct

from ..log import UnusableLog

ENVIRONMENT = "KIBITZ_NATS"
"""The variable with the URLs where none is on the command line, which others can see."""
SCHEMES = ("nats", "tls")
MAX_BYTES = 4096
"""So much of a file is looked at."""


class Servers(Struct, frozen=True):
    """Servers of one cluster, and how to come in."""

    urls: Sequence[str]
    """Without anything secret."""
    user: str | None = None
    password: str | None = None
    token: str | None = None
    """In place of both: who has it may come in."""
    trust: ssl.SSLContext | None = None
    """What a server's certificate is measured by; ``None``: in the clear, if that is to do."""


def urls_in(text: str) -> list[str]:
    """The URLs in a text, with blanks or commas between."""
    return [url for url in re.split(r"[\s,]+", text) if url]


def places(urls: Sequence[str]) -> str:
    """Where servers are, in a line, without anything secret."""
    return ", ".join(_split(url).netloc.rpartition("@")[2] for url in urls)


def servers_of(
    urls: Sequence[str], credentials: Path | None = None, authority: Path | None = None
) -> Servers:
    """The servers that somebody means.

    Args:
        urls: ``nats://user:password@host:port``, or ``tls://``; a name without password: a token.
        credentials: A file with ``user:password``; then no URL has any.
        authority: A file with the certificates (PEM) of who vouches for the servers, in place of
            those whom this machine believes.

    Raises:
        UnusableLog: That cannot be.

    """
    split = [_split(url) for url in urls]
    said = {(url.username, url.password) for url in split if url.username is not None}
    if len(said) > 1:
        raise UnusableLog("the URLs of NATS name different users; they are servers of one cluster")
    user, password = said.pop() if said else (None, None)
    if credentials is not None:
        if user is not None:
            raise UnusableLog("who we are is in a URL of NATS and in a file: say it once")
        user, password = _read(credentials)
    elif user is not None:
        user, password = unquote(user), None if password is None else unquote(password)
    plain = [url._replace(netloc=url.netloc.rpartition("@")[2]).geturl() for url in split]
    trust = None
    if authority is not None or any(url.scheme == "tls" for url in split):
        trust = _trust(authority)
    if password is None:
        return Servers(plain, token=user, trust=trust)
    return Servers(plain, user, password, trust=trust)


def _split(url: str) -> SplitResult:
    """A URL in its parts; of one that is none nothing is said that could be secret."""
    where = url.rpartition("@")[2] or "an empty word"
    try:
        split = urlsplit(url if "://" in url else f"nats://{url}")
        split.port  # noqa: B018 - it is read to see whether it can be
    except ValueError as error:
        raise UnusableLog(f"{where} is no URL of a NATS server ({error})") from None
    if split.scheme not in SCHEMES or not split.hostname or split.path.strip("/"):
        raise UnusableLog(f"{where} is no URL of a NATS server, as nats://host:4222 is")
    return split


def _read(file: Path) -> tuple[str, str]:
    try:
        with file.open("rb") as opened:
            text = opened.read(MAX_BYTES).decode().strip()
    except OSError as error:
        raise UnusableLog(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError:
        text = ""
    user, colon, password = text.partition(":")
    if not (user and colon and password and text.isprintable()):
        raise UnusableLog(f"{file} has to be one line, user:password")
    return user, password


def _trust(authority: Path | None) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=authority)
    except ssl.SSLError:
        raise UnusableLog(f"{authority} has no certificates (PEM) in it") from None
    except OSError as error:
        raise UnusableLog(f"{authority}: {error.strerror}") from None
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
