"""Rooms that a server has archived: nobody can enter them, and their replay texts can be read.

Promises: asks the same server, under the same trust, as who we are there. Never: more than a replay
may have.
"""

import asyncio
from http import HTTPStatus
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, HTTPSHandler, ProxyHandler, Request, build_opener

from kibitz.engine.replays import MAX_REPLAY
from kibitz.protocol.codes import ErrorCode, Refused

from .trust import Trust

PATIENCE = 30.0
"""Seconds for the answer."""


CODES: dict[int, ErrorCode] = {
    HTTPStatus.BAD_REQUEST: ErrorCode.BAD_OPTION,
    HTTPStatus.NOT_FOUND: ErrorCode.NO_ROOM,
}
"""What other statuses than these mean is said beside them."""


class _Stay(HTTPRedirectHandler):
    """Goes where it was sent to, and nowhere else."""

    def redirect_request(self, *_: object) -> None:
        return None


def is_archived(refused: Refused, room: str) -> bool:
    """Whether this is what a server says of a room that it has archived."""
    return refused.code == ErrorCode.NO_ROOM and f"/rooms/{room}/replay.txt" in refused.message


async def text_of(url: str, room: str, board: int, token: str | None, trust: Trust | None) -> str:
    """The replay text of a board.

    Args:
        url: The server's socket.
        room: The room.
        board: The board's index.
        token: Who we are there.
        trust: Whose certificates are good; else those that the system trusts.

    Raises:
        Refused: It is not for us, or there is none.
        OSError: The server does not answer.

    """
    page = page_of(url, f"rooms/{room}/replay.txt", f"board={board}")
    return await asyncio.to_thread(_get, page, token, trust)


def page_of(url: str, path: str = "", query: str = "") -> str:
    """A page of the server that has its socket there."""
    at = urlsplit(url)
    scheme, base = at.scheme.replace("ws", "http"), at.path.removesuffix("/ws")
    return urlunsplit((scheme, at.netloc, f"{base}/{path}", query, ""))


def _get(page: str, token: str | None, trust: Trust | None) -> str:
    context = trust() if trust and page.startswith("https:") else None
    opener = build_opener(ProxyHandler({}), HTTPSHandler(context=context), _Stay())
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with opener.open(Request(page, headers=headers), timeout=PATIENCE) as answer:
            text: bytes = answer.read(MAX_REPLAY + 1)
    except HTTPError as error:
        with error:
            said = error.read(1000).decode(errors="replace").strip()
        raise Refused(CODES.get(error.code, ErrorCode.FORBIDDEN), said or error.reason) from None
    except HTTPException as error:
        raise OSError(f"the server does not speak HTTP ({error})") from None
    return text.decode(errors="replace")
