"""Where a client comes from: the address that limits and bans count.

A proxy that is trusted says it in ``X-Forwarded-For``, where each one on the way adds who came to
it at the right end. Promises: text that is the same for the same address; what is believed was
written by a trusted proxy, however much else stands there. Never: believe what a client says.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request

UNKNOWN = ""
"""The address of a connection that is gone already."""
NOWHERE = "unknown, by {}"
"""That of a client of whom a trusted proxy said something else than an address: all of one proxy
are counted as one, and none of them as the proxy, which may be this machine."""
HEADER = "X-Forwarded-For"
MAX_PROXIES = 16
"""Most proxies that a request is followed back through."""
MAX_TEXT = 64
"""Longest text of an address, with brackets and a port, in characters."""

NAT64 = IPv6Network("64:ff9b::/96")
"""Where translators put all of IPv4; only what is public may stand there."""
SIX_TO_FOUR = IPv6Network("2002::/16")
"""Where everybody who has an address of IPv4 has a network of IPv6 (6to4)."""
SIX_TO_FOUR_BITS = 48
"""The length of its prefix."""
MAX_IPV4 = 2**32 - 1

Address = IPv4Address | IPv6Address


def network_of(text: str) -> str:
    """A trusted proxy as command lines have it, an address or a network, as CIDR.

    Raises:
        ValueError: It is neither.

    """
    try:
        return str(ip_network(text))
    except ValueError as error:
        message = f"{error}: an address or a network looks like 192.0.2.7, 10.0.0.0/8"
        raise ValueError(message) from None


def same_address(address: Address) -> Address:
    """The address without a zone; the one of IPv4 that is written as one of IPv6.

    A socket for both families writes it so, a translator (NAT64) makes one of a client's, and 6to4
    gives him 2**80 of them.
    """
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in NAT64 and (inner := IPv4Address(int(address) & MAX_IPV4)).is_global:
        return inner
    if (owner := address.sixtofour) is not None and owner.is_global:
        return owner
    return IPv6Address(int(address)) if address.scope_id else address


class Proxies:
    """The proxies that are believed."""

    def __init__(self, networks: Sequence[str] = ()) -> None:
        self._networks = tuple(map(ip_network, networks))

    def has(self, address: str) -> bool:
        """Whether an address is one of them."""
        return self._has(_read(address))

    def are_trusted(self, socket: ServerConnection) -> bool:
        """Whether a request comes from one of them."""
        return self._has(_peer(socket))

    def address_of(self, socket: ServerConnection, request: Request) -> str:
        """The client's address, ``192.0.2.7`` or ``2001:db8::1``."""
        peer = _peer(socket)
        if peer is None:
            return UNKNOWN
        if not self._has(peer):
            return str(peer)
        return self._client(peer, request.headers.get_all(HEADER))

    def _client(self, proxy: Address, given: Sequence[str]) -> str:
        """The last one on the way back who is no proxy of ours, as far as that is known."""
        if not given:  # it asks by itself
            return str(proxy)
        said = ",".join(given)
        for text in reversed(said.rsplit(",", MAX_PROXIES)[-MAX_PROXIES:]):
            address = _read(text)
            if address is None:
                return NOWHERE.format(proxy)
            proxy = address
            if not self._has(address):
                break
        return str(proxy)

    def _has(self, address: Address | None) -> bool:
        return address is not None and any(address in network for network in self._networks)


def _peer(socket: ServerConnection) -> Address | None:
    peer = socket.remote_address
    return _read(str(peer[0])) if peer else None


def _read(text: str) -> Address | None:
    """An address, perhaps with a port, as proxies write it; ``None``: it is none."""
    text = text.strip(" \t")
    if len(text) > MAX_TEXT:
        return None
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return same_address(ip_address(text))
    except ValueError:
        return None
