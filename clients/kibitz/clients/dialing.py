"""Connections to an address, and what it means that there is none."""

import re
from ssl import SSLCertVerificationError, SSLError

from websockets.asyncio.client import connect
from websockets.exceptions import (
    ConnectionClosed,
    InvalidMessage,
    InvalidStatus,
    InvalidURI,
    WebSocketException,
)
from websockets.http11 import Response
from websockets.typing import Subprotocol

from kibitz.protocol.codes import FINAL_CLOSES, CloseCode
from kibitz.protocol.wire import Encoding

from .ends import Busy, Closed, Garbled, NoSocket, Unreachable, Untrusted
from .telling import printable
from .trust import Trust

CLOSE_TIMEOUT = 2.0
"""Seconds the server has to answer a close."""
OPEN_TIMEOUT = 10.0
"""Seconds it may take to get a connection; half of it where another server can be tried."""
MAX_ANSWER = 8 * 2**20
"""Largest message from a server, in bytes: a long history of shuffles."""

UNREADABLE = {
    1002: "was no WebSocket message",
    1003: "was a kind of message that it does not take",
    1007: "was no text",
    1009: "was too large",
}
"""How WebSockets refuse what was sent (RFC 6455, 7.4.1): it would be refused again."""
_FINAL = FINAL_CLOSES | UNREADABLE.keys()

NO_CONNECTION = (OSError, WebSocketException, UnicodeError)
"""What is raised when there is no connection, or no longer."""


MAX_AWAY = 60.0
"""The longest that a server may ask us to stay away, in seconds."""
NOT_NOW = (429, 502, 503, 504)
"""What HTTP says of a server that is there, or will be, but takes nobody in."""
MAX_SENTENCE = 200
"""Characters of what it says that are told."""
_RETRY = re.compile(r"retry_ms=([0-9]{1,9})\b", re.ASCII)
_SECONDS = re.compile(r"[0-9]{1,9}", re.ASCII)


def away_for(error: Exception | None) -> float:
    """Seconds after which a server that went away, or is too busy, wants us back."""
    if isinstance(error, InvalidStatus) and error.response.status_code in NOT_NOW:
        after = error.response.headers.get_all("Retry-After")
        known = len(after) == 1 and _SECONDS.fullmatch(after[0])
        return min(float(after[0]), MAX_AWAY) if known else 0.0
    if not isinstance(error, ConnectionClosed) or error.rcvd is None:
        return 0.0
    said = _RETRY.search(error.rcvd.reason)
    if not is_going(error) or said is None:
        return 0.0
    return min(int(said[1]) / 1000, MAX_AWAY)


def is_going(error: Exception | None) -> bool:
    """Whether the server said that it goes away."""
    code = error.rcvd.code if isinstance(error, ConnectionClosed) and error.rcvd else None
    return code == CloseCode.GOING_AWAY


def dial(url: str, encoding: Encoding, trust: Trust | None = None, alone: bool = True) -> connect:
    """A connection, to be entered with ``async with``.

    Args:
        url: The address.
        encoding: How messages are written.
        trust: Whose certificates are good, for ``wss``.
        alone: Whether there is no other address to be tried.

    """
    secured = trust() if trust else True
    return connect(
        url,
        ssl=secured if url.lower().startswith("wss:") else None,
        subprotocols=[Subprotocol(encoding.value)],
        compression=None,
        proxy=None,
        max_size=MAX_ANSWER,
        close_timeout=CLOSE_TIMEOUT,
        open_timeout=OPEN_TIMEOUT if alone else OPEN_TIMEOUT / 2,
    )


def why_not(url: str, error: Exception) -> Unreachable:
    """What to tell if there is no other connection soon.

    Raises:
        Unreachable: There can be none at such an address.
        Closed: The server ended the talk for good.

    """
    match error:
        case InvalidURI() | UnicodeError():
            raise Unreachable(url, str(error)) from None
        case ConnectionClosed(rcvd=rcvd) if rcvd is not None and rcvd.code in _FINAL:
            raise Closed(rcvd.code, _why(error)) from None
        case InvalidStatus(response=response) if response.status_code in NOT_NOW:
            return Busy(url, _sentence(response))
        case InvalidStatus(response=response):
            return NoSocket(url, response.status_code)
        case SSLCertVerificationError(verify_message=why):
            return Untrusted(url, why)
        case InvalidMessage() | SSLError():
            return Garbled(url, str(error))
        case _:
            said = error.strerror if isinstance(error, OSError) else None
            return Unreachable(url, said or str(error) or type(error).__name__)


def _why(closed: ConnectionClosed) -> str:
    """What to say of a connection that was closed for good."""
    code, reason = (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd else (1006, "")
    if code not in UNREADABLE:
        return reason
    who = "the server" if closed.rcvd_then_sent else "we"
    whose = "was sent to it" if closed.rcvd_then_sent else "the server sent"
    said = f"{who} closed the connection ({code}): what {whose} {UNREADABLE[code]}"
    return f"{said} ({reason})" if reason else said


def _sentence(response: Response) -> str:
    """What a server says that takes nobody in: the first line, if that is for people."""
    said = (response.body or b"").decode(errors="replace").strip().partition("\n")[0]
    if not said or said[0] in "<{[":
        return f"HTTP status {response.status_code}"
    return " ".join(printable(said[:MAX_SENTENCE]).split())
