"""Who may connect: how many there are already, and how often somebody came.

Promises: who is refused is told why while he is patient, and cut off when he is not; whoever is in
stays in. What is counted is one dictionary for each thing, an entry only while somebody is here.
Never: look at what is asked.
"""

import resource
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from math import ceil

from websockets.datastructures import Headers
from websockets.http11 import Response

from ..sockets.reader import Guest
from .places import place_of
from .settings import Limits
from .table import Over, Table, Who, span_of

SPARE_DESCRIPTORS = 96
"""Open files that are kept free of connections: the log's, and those that are refused just now."""
PATIENCE_SECONDS = 3.0
"""Longest wait of somebody new until he is heard."""
HANDSHAKES, REFUSALS = "handshakes per address", "refusals per address"
UNREAD = "unread bytes per address"
RETRY_SECONDS = 5
"""When to come back to a server that is full."""


@dataclass(slots=True)
class _Counted:
    peer: str | None
    place: str | None = None
    admitted: bool = False
    size: int = 0


class Door:
    """All connections of a server, counted."""

    def __init__(
        self,
        limits: Limits,
        table: Table,
        count: Callable[[str], None],
        is_proxy: Callable[[str], bool],
    ) -> None:
        """Nobody is here yet.

        Args:
            limits: How many there may be.
            table: How often somebody may come.
            count: Told which limit somebody was refused for.
            is_proxy: Whether an address is that of a proxy, behind which others are.

        """
        self._limits = limits
        self._table = table
        self._count = count
        self._is_proxy = is_proxy
        self.most = min(limits.connections, _descriptors() - SPARE_DESCRIPTORS)
        self._guests: dict[Guest, _Counted] = {}
        self._unfinished: dict[Guest, None] = {}
        """Those who do not stay, or have not said so yet: the first to come first."""
        self._unfinished_of: Counter[str] = Counter()
        self._admitted = 0
        self._admitted_of: Counter[str] = Counter()
        self._sending_to: Counter[str] = Counter()
        """Bytes of pages that are on their way."""
        self._keeping: dict[str, dict[Guest, int]] = {}
        """Bytes of large messages that have not come whole, or wait; the first to begin first."""

    def __len__(self) -> int:
        return len(self._guests)

    def came(self, socket: Guest, address: str) -> float | None:
        """Somebody is there, at this end of the wire.

        Returns:
            How long he has to wait until he may say what he wants, in seconds; ``None``: for ever.

        """
        peer = place_of(address, self._limits.count_loopback)
        peer = None if peer is None or self._is_proxy(address) else peer
        over, wait = self._is_too_much(peer), self._wait(peer)
        if over or wait is None:
            self._count(over or HANDSHAKES)
            return None
        self._guests[socket] = _Counted(peer)
        self._unfinished[socket] = None
        if peer is not None:
            self._unfinished_of[peer] += 1
        if len(self._unfinished) > self._limits.unfinished:
            self._count("unfinished connections")
            first = next(iter(self._unfinished))
            self._finished(first)
            first.cut()
        return wait

    def _wait(self, place: str | None) -> float | None:
        return self._table.reserve("handshakes", PATIENCE_SECONDS, (None, None, place))

    def hears(self, socket: Guest) -> bool:
        """Whether somebody who has waited may say what he wants."""
        guest = self._guests.get(socket)
        if guest is None or not self._table.over("refusals", (None, None, guest.peer)):
            return True
        self._count(REFUSALS)
        return False

    def waits(self, socket: Guest, *, stays: bool) -> float | None:
        """How long somebody who has said what he wants waits for the answer, in seconds.

        Args:
            socket: His connection.
            stays: Whether he wants to stay, which is twice the work.

        Returns:
            The seconds; ``None``: so long that he should rather come back.

        """
        guest = self._guests.get(socket)
        if guest is None or guest.place is None:
            return 0.0
        wait = 0.0
        for _ in range(stays + (guest.peer is None)):  # who came by himself has waited for one
            turn = self._wait(guest.place)
            if turn is None:
                return None
            wait = turn
        return wait

    def _is_too_much(self, peer: str | None) -> str | None:
        if len(self._guests) >= self.most + SPARE_DESCRIPTORS // 2:
            return "connections"
        if peer is None:
            return None
        if self._unfinished_of[peer] >= self._limits.unfinished_per_address:
            return "unfinished connections per address"
        if self._table.over("refusals", (None, None, peer)):
            return REFUSALS
        return None

    def refused(self, socket: Guest) -> Response:
        """The refusal of somebody who would have to wait too long."""
        guest = self._guests.get(socket)
        over = Over(HANDSHAKES, RETRY_SECONDS * 1000)
        who: Who = (None, None, guest.place if guest else None)
        return self._refuse(HTTPStatus.TOO_MANY_REQUESTS, over, who)

    def asked(self, socket: Guest, address: str, *, stays: bool) -> Response | None:
        """Somebody has said what he wants: the refusal, if he cannot have it.

        Args:
            socket: His connection.
            address: Where he comes from, whoever stands between.
            stays: Whether he wants to stay, not only one page.

        """
        guest = self._guests.get(socket)
        if guest is None:
            return None
        guest.place = place = place_of(address, self._limits.count_loopback)
        who: Who = (None, None, place)
        if over := self._table.take((("connects", 1.0),), who):
            return self._refuse(HTTPStatus.TOO_MANY_REQUESTS, over, who)
        if not stays:
            return None
        here = self._admitted_of[place] if place is not None else 0
        full = Over("connections", RETRY_SECONDS * 1000) if self._admitted >= self.most else None
        if here >= self._limits.connections_per_address:
            full = Over("connections per address", RETRY_SECONDS * 1000)
        if full is not None:
            return self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, full, who)
        self._finished(socket)
        guest.admitted = True
        self._admitted += 1
        if place is not None:
            self._admitted_of[place] += 1
        return None

    def sends(self, socket: Guest, size: int) -> Response | None:
        """A page of so many bytes is sent to somebody: the refusal, if too much is on its way."""
        guest = self._guests.get(socket)
        if guest is None or guest.place is None:
            return None
        sending = self._sending_to[guest.place]
        if sending and sending + size > self._limits.outbox_per_address:
            over = Over("bytes per address", RETRY_SECONDS * 1000)
            return self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, over, (None, None, guest.place))
        self._sending_to[guest.place] += size
        guest.size += size
        return None

    def keeps(self, socket: Guest, size: int) -> bool:
        """So many bytes of large messages of somebody are kept by now; whether they may be.

        Whoever began first gives way to one more from his address: he has had the most time.
        """
        guest = self._guests.get(socket)
        if guest is None or guest.place is None:
            return True
        keeping = self._keeping.setdefault(guest.place, {})
        if size:
            keeping[socket] = size
        else:
            keeping.pop(socket, None)
        may = True
        while sum(keeping.values()) > self._limits.inbox_per_address:
            self._count(UNREAD)
            first = next(iter(keeping))
            del keeping[first]
            if first is socket:
                may = False
            else:
                first.overfull()
        if not keeping:
            self._keeping.pop(guest.place, None)
        return may

    def gone(self, socket: Guest) -> None:
        """Somebody is not there any more."""
        self._finished(socket)
        guest = self._guests.pop(socket, None)
        if guest is None:
            return
        _less(self._sending_to, guest.place, guest.size)
        if guest.place is not None and socket in (keeping := self._keeping.get(guest.place, {})):
            del keeping[socket]
            if not keeping:
                del self._keeping[guest.place]
        if guest.admitted:
            self._admitted -= 1
            _less(self._admitted_of, guest.place)

    def _finished(self, socket: Guest) -> None:
        if socket in self._unfinished:
            del self._unfinished[socket]
            _less(self._unfinished_of, self._guests[socket].peer)

    def _refuse(self, status: HTTPStatus, over: Over, who: Who) -> Response:
        self._table.charge("refusals", 1.0, who)
        self._count(over.limit)
        return refusal(status, over)


def refusal(status: HTTPStatus, over: Over) -> Response:
    """The answer to a request over HTTP that is too much."""
    seconds = max(1, ceil(over.retry_ms / 1000))
    body = f"too many {over.limit}; come back in {span_of(seconds, 0)}\n".encode()
    headers = Headers(
        {
            "Content-Type": "text/plain; charset=utf-8",
            "Content-Length": str(len(body)),
            "Connection": "close",
            "Cache-Control": "no-store",
            "Retry-After": str(seconds),
        }
    )
    return Response(status.value, status.phrase, headers, body)


def _less(counts: Counter[str], place: str | None, by: int = 1) -> None:
    if place is None:
        return
    counts[place] -= by
    if not counts[place]:
        del counts[place]


def _descriptors() -> int:
    """How many files this process may have open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 20 if soft == resource.RLIM_INFINITY else soft
