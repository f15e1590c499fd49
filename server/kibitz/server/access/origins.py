"""Which web pages may open a connection: the server's own, and those that are named.

Browsers say in ``Origin`` whose page it is that wants to connect; programs say nothing and pass.
Promises: a page of another site gets no connection unless it was named; a proxy says which name
the browser used only if it is trusted. Never: a cookie, a right of its own to anything.
"""

import re
from collections.abc import Sequence

from websockets.datastructures import Headers

ANY = "*"
"""Named like this, every page may."""
NULL = "null"
"""What browsers say of a page that comes from nowhere: a file, a frame in a sandbox."""
_ORIGIN = re.compile(r"([a-z][a-z0-9+.-]*)://([a-z0-9._:\[\]-]+)", re.ASCII)
_USUAL = {"http": ":80", "https": ":443", "ws": ":80", "wss": ":443"}
_HOST = "Host"
_FORWARDED = "X-Forwarded-Host"


def origin_of(text: str) -> str:
    """An origin as command lines have it, in the one form in which it is compared.

    Raises:
        ValueError: It is none.

    """
    if text in (ANY, NULL):
        return text
    found = _ORIGIN.fullmatch(text.lower().removesuffix("/")) if text.isascii() else None
    if found is None:
        raise ValueError(f"{text}: an origin looks like https://example.org")
    return f"{found[1]}://{_without_usual_port(found[2], found[1])}"


class Origins:
    """The pages that may."""

    def __init__(self, allowed: Sequence[str] = ()) -> None:
        self._allowed = frozenset(map(origin_of, allowed))

    def admit(self, headers: Headers, by_trusted: bool) -> bool:
        """Whether whoever asks with these headers may connect.

        Args:
            headers: Of the opening handshake.
            by_trusted: Whether a trusted proxy sent them.

        """
        given = headers.get_all("Origin")
        if not given or ANY in self._allowed:
            return True
        if len(given) > 1:
            return False
        try:
            origin = origin_of(given[0])
        except ValueError:
            return False
        if origin in self._allowed:
            return True
        scheme, _, name = origin.partition("://")
        own = _own_name(headers, by_trusted)
        return bool(name and own) and name == _without_usual_port(own.lower(), scheme)


def _own_name(headers: Headers, by_trusted: bool) -> str:
    """The name by which the browser knows this server; empty, if that is not clear."""
    if by_trusted and (forwarded := headers.get_all(_FORWARDED)):
        return forwarded[-1].rpartition(",")[2].strip(" \t")  # the one that our proxy wrote
    hosts = headers.get_all(_HOST)
    return hosts[0].strip(" \t") if len(hosts) == 1 else ""


def _without_usual_port(name: str, scheme: str) -> str:
    return name.removesuffix(_USUAL.get(scheme, "?"))
