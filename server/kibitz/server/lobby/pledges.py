"""The secret of a room to come, fixed before the player says his nonce.

Promises: one secret is one room's, whatever becomes of that room; nobody learns it from here.
"""

from collections.abc import Callable

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.fairness import SECRET_BYTES, pledge_of


class Pledge:
    """What is kept for one connection."""

    __slots__ = ("secret",)

    def __init__(self) -> None:
        self.secret: bytes | None = None
        """The secret, while no room has it."""

    def given(self, random_bytes: Callable[[int], bytes]) -> str:
        """What stands for the secret, hex: the same until a room has it."""
        if self.secret is None:
            self.secret = random_bytes(SECRET_BYTES)
        return pledge_of(self.secret)


def secret_for(
    wished: str | None, pledge: Pledge | None, random_bytes: Callable[[int], bytes]
) -> bytes:
    """A fresh secret, or the one that somebody was given a pledge of.

    Raises:
        Refused: No such secret is kept for him.

    """
    if wished is None:
        return random_bytes(SECRET_BYTES)
    if pledge is None or pledge.secret is None or pledge_of(pledge.secret) != wished:
        message = "that pledge is not open on this connection: ask for one first"
        raise Refused(ErrorCode.BAD_OPTION, message)
    return pledge.secret
