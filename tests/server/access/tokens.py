"""Servers that take an operator's tokens, and whether one of these lets somebody in."""

from pathlib import Path
from typing import Any

from operators import AUDIENCE, ISSUER
from servers import Running
from talk import connected, fetch

from kibitz.server.settings import Access, Auth

CLOSE_AUTH = 4401


def access(key: Path, **more: Any) -> Access:
    """Everybody has a token of the operator's, which this file checks."""
    return Access(auth=Auth.JWT, jwt_key=key, jwt_issuer=ISSUER, jwt_audience=AUDIENCE, **more)


async def is_let_in(server: Running, given: str | None, **hello: str) -> bool:
    """Whether a token is good for a connection; the same must be so for a download."""
    async with connected(server.url) as talk:
        talk.read()
        await talk.send({"t": "hello", "i": 0, **({"token": given} if given else {}), **hello})
        try:
            await talk.until(lambda: 0 in talk.answers)
            let_in = talk.answers[0]["t"] == "welcome"
        except ConnectionError:
            assert talk.code == CLOSE_AUTH
            let_in = False
    status, _ = await fetch(server.http, "/rooms/nothing/replay.txt", given)
    assert (status == 404) is let_in and status in (401, 404)
    return let_in
