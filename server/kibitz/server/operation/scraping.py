"""``/metrics``: who may see it, and what stands there.

With a token (``--metrics-token-file``) whoever brings it sees the page, from anywhere, and nobody
else. Without one it is for this machine and private networks, asked directly: what came through a
proxy is somebody else's request, whatever the proxy says about him. Promises: a stranger cannot
tell the page from one that does not exist; to count many connections keeps nobody waiting.
"""

import asyncio
import hmac
from collections import Counter
from collections.abc import Collection, Mapping
from http import HTTPStatus
from ipaddress import ip_address, ip_network
from typing import Protocol
from urllib.parse import urlsplit

from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from kibitz.protocol.wire import Encoding

from ..access.addresses import same_address
from ..lobby.rooms import Rooms
from ..web.pages import TEXT, nothing, page
from .metrics import NOWHERE, Metrics, Place

PATH = "/metrics"
KIND = "text/plain; version=0.0.4; charset=utf-8"
SLICE = 500
"""Connections that are counted between two looks at what has come in."""
NEAR = tuple(
    map(
        ip_network,
        (
            *("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"),
            *("::1/128", "fc00::/7", "fe80::/10"),
        ),
    )
)
"""This machine and private networks."""
BY_PROXIES = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via")
"""Headers of a request that was passed on."""


class Counted(Protocol):
    """What is needed of a connection."""

    encoding: Encoding

    @property
    def role(self) -> str | None:
        """How it takes part, if it does."""
        ...


class Scraping:
    """The page of one server."""

    def __init__(
        self,
        metrics: Metrics,
        rooms: Rooms,
        connections: Collection[Counted],
        token: str | None = None,
    ) -> None:
        self._metrics = metrics
        self._rooms = rooms
        self._connections = connections
        self._token = token

    @staticmethod
    def is_wanted(request: Request) -> bool:
        """Whether a request is for this page."""
        try:
            return request.method == "GET" and urlsplit(request.path).path == PATH
        except ValueError:
            return False

    async def answer(self, socket: ServerConnection, request: Request) -> Response:
        """The page, or none for strangers."""
        if not self._may_see(socket, request):
            if self._token is None:
                return nothing()
            return page(b"that is for the operator\n", TEXT, HTTPStatus.UNAUTHORIZED)
        self._metrics.rooms = len(self._rooms)
        self._metrics.places = await self._places()
        return page(self._metrics.text(), KIND)

    def _may_see(self, socket: ServerConnection, request: Request) -> bool:
        if self._token is not None:
            given = request.headers.get_all("Authorization")
            wanted = f"Bearer {self._token}".encode()
            return len(given) == 1 and hmac.compare_digest(given[0].encode(), wanted)
        peer = socket.remote_address
        passed_on = any(name in request.headers for name in BY_PROXIES)
        return peer is not None and not passed_on and is_near(str(peer[0]))

    async def _places(self) -> Mapping[Place, int]:
        """How many connections there are of each kind."""
        counts: Counter[Place] = Counter()
        everybody = list(self._connections)
        for begin in range(0, len(everybody), SLICE):
            for each in everybody[begin : begin + SLICE]:
                if each in self._connections:  # not gone meanwhile
                    counts[each.role or NOWHERE, each.encoding.name.lower()] += 1
            await asyncio.sleep(0)
        return counts


def is_near(text: str) -> bool:
    """Whether an address is this machine's or of a private network."""
    try:
        address = same_address(ip_address(text))
    except ValueError:
        return False
    return any(address in network for network in NEAR)
