"""Error codes and close codes: the two vocabularies of refusal."""

from enum import IntEnum, StrEnum


class ErrorCode(StrEnum):
    """Why a request was refused; the socket stays open."""

    BAD_MESSAGE = "bad-message"
    UNSUPPORTED = "unsupported"
    TOO_LARGE = "too-large"
    AUTH = "auth"
    FORBIDDEN = "forbidden"
    NO_ROOM = "no-room"
    FULL = "full"
    NOT_SEATED = "not-seated"
    STALE = "stale"
    BAD_MOVE = "bad-move"
    """The move is not in the game's grammar (``illegal``: the rules forbid it now)."""
    ILLEGAL = "illegal"
    GAME_OVER = "game-over"
    RATE_LIMITED = "rate-limited"
    BAD_SAVE = "bad-save"
    BAD_OPTION = "bad-option"
    DRAINING = "draining"
    INTERNAL = "internal"


class CloseCode(IntEnum):
    """Why the server closed a connection."""

    PROTOCOL = 4400
    AUTH = 4401
    FORBIDDEN = 4403
    TOO_SLOW = 4408
    REPLACED = 4409
    ABUSE = 4429
    GOING_AWAY = 4503


FINAL_CLOSES = frozenset(
    {CloseCode.PROTOCOL, CloseCode.AUTH, CloseCode.FORBIDDEN, CloseCode.REPLACED, CloseCode.ABUSE}
)
"""Closes after which a client must not come back by itself."""


class Refused(Exception):
    """A request that is answered with ``error``; nothing has changed."""

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        room: str | None = None,
        seq: int | None = None,
        retry_ms: int | None = None,
        limit: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.room = room
        self.seq = seq
        self.retry_ms = retry_ms
        self.limit = limit
