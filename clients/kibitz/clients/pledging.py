"""A new room whose deal nobody could choose: neither the server nor we.

The server pledges its secret before it knows our nonce, and we never know the secret before the
end. Promises: a lost connection costs a pledge, not the room.
Never: believe that it was kept; event 1 is looked at.
"""

import secrets
from typing import Any

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.fairness import draw_of
from kibitz.protocol.mirror import Mirror

from .session import Client

NONCE_BYTES = 16
TRIES = 5
"""How often a pledge is asked for anew because the connection with the last one was lost."""


async def create_pledged(client: Client, game: str, **settings: Any) -> tuple[Mirror, bool | None]:
    """A new room, and whether its first event carries the pledge and our nonce.

    Args:
        client: The connection.
        game: The game.
        settings: The other fields of the request ``create``.

    Returns:
        The room; ``None`` if the server knows no pledges.

    Raises:
        Refused: The server does not make such a room.

    """
    for _ in range(TRIES):
        try:
            pledge, connection = await client.pledge(), client.welcome
        except Refused as refused:
            if refused.code is not ErrorCode.UNSUPPORTED:
                raise
            return await client.create(game, **settings), None
        nonce = secrets.token_urlsafe(NONCE_BYTES)
        try:
            mirror = await client.create(game, nonce=nonce, pledge=pledge, **settings)
        except Refused as refused:
            if refused.code is ErrorCode.BAD_OPTION and client.welcome is not connection:
                continue  # the pledge was that of a connection that is gone
            raise
        (created,), _ = await client.proved(mirror.room, 1)
        fair = created.fair
        given = [settings.get(key) is not None for key in ("save", "deal")]
        if fair is None:
            return mirror, False
        found = draw_of(fair.nonce) if settings.get("winnable") else None
        told = found[0] if found else fair.nonce
        return mirror, (pledge, nonce, *given) == (fair.pledge, told, fair.loaded, fair.numbered)
    return await client.create(game, **settings), False
