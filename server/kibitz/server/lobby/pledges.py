"""The secret of a room to come, fixed before the player says his nonce.

Promises: one secret is one room's, whatever becomes of that room; nobody learns it from here.
"""

from collections.abc import Callable

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
