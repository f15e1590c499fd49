"""Who may not come in, comment, or sit down somewhere: kept in the log, known at once.

Promises: what an operator has ordered survives a restart, and holds for every server on the same
log when it hears of that, and within ``REFRESH_SECONDS`` if it does not; it ends when its time is
up. Never: who may order, connections.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from itertools import islice

import msgspec
import structlog
from msgspec.structs import replace

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.operating import Ban

from ..access.addresses import (
    MAX_IPV4,
    NAT64,
    SIX_TO_FOUR,
    SIX_TO_FOUR_BITS,
    Address,
    same_address,
)
from ..limits.places import place_of
from ..log.log import EventLog
from ..world import World

PREFIX = "ban/"
"""What the names of bans in the log begin with."""
REFRESH_SECONDS = 1.0
"""How often the log is asked what others have ordered, whether they said so or not."""
MAX_CLOSE_REASON = 123
"""Longest reason of a close, in bytes, as WebSockets have it."""
MAX_BANS = 10_000
"""Most that are kept; expired ones make room."""
MOST_SWEPT = 100
"""So many expired ones are forgotten when another one comes."""

_DAY_MS = 86_400_000
_UNITS = (("s", 1000, 120), ("min", 60_000, 120), ("h", 3_600_000, 48))
"""How a time is said: the unit, its length in ms, and from how many on the next one serves."""

Network = IPv4Network | IPv6Network

log = structlog.get_logger("kibitz.bans")


class Bans:
    """All bans, mutes and kicks of one server."""

    def __init__(self, log: EventLog, world: World) -> None:
        self._log = log
        self._world = world
        self._stored: Mapping[str, bytes] = {}
        self._bans: dict[str, Ban] = {}
        """By their names in the log, in the order of these."""
        self._networks: dict[tuple[int, int], dict[int, str]] = {}
        """By version and length of the prefix: its number, and the name of the ban."""
        self.on_change: Callable[[], object] = lambda: None
        """Told when one has been added or lifted here."""
        self.on_news: Callable[[], object] = lambda: None
        """Told when others hold than before, whoever learnt of it and for what."""

    async def refresh(self) -> None:
        """Learn from the log what holds.

        Raises:
            LogFailure: It could not be read.

        """
        stored = await self._log.kept(PREFIX)
        if stored == self._stored:
            return
        self._stored = stored
        self._bans = {}
        networks: defaultdict[tuple[int, int], dict[int, str]] = defaultdict(dict)
        for name, data in stored.items():
            try:
                ban = msgspec.msgpack.decode(data, type=Ban)
                network = banned_network(ban.address) if ban.address is not None else None
            except (msgspec.MsgspecError, UnicodeDecodeError, Refused) as error:
                log.error("ban not read", error=type(error).__name__)  # all others hold
                continue
            self._bans[name] = ban
            if ban.kind == "ban" and network is not None:
                number = int(network.network_address) >> (network.max_prefixlen - network.prefixlen)
                networks[network.version, network.prefixlen][number] = name
        self._networks = dict(networks)
        self.on_news()

    async def add(self, ban: Ban) -> None:
        """Let it hold from now on, in place of one about the same.

        Raises:
            Refused: There are too many.
            LogFailure: It could not be written; nothing has changed.

        """
        name = _name(ban)
        gone = (each for each, other in self._bans.items() if not self._holds(other))
        for expired in list(islice(gone, MOST_SWEPT)):
            await self._log.keep(expired, None)
        await self.refresh()
        if name not in self._bans and len(self._bans) >= MAX_BANS:
            raise Refused(ErrorCode.FULL, f"there are {MAX_BANS} bans: lift some first")
        await self._log.keep(name, msgspec.msgpack.encode(ban))
        self.on_change()
        await self.refresh()

    async def lift(self, ban: Ban) -> bool:
        """End the one that is about the same; whether it held.

        Raises:
            LogFailure: It could not be written; nothing has changed.

        """
        name = _name(ban)
        await self.refresh()
        same = [each for each, other in self._bans.items() if each == name or _was(other) == name]
        held = any(self._holds(self._bans[each]) for each in same)
        for each in same:
            await self._log.keep(each, None)
        self.on_change()
        await self.refresh()
        return held

    def all(self) -> Iterator[tuple[str, Ban]]:
        """Everything that holds, with its name in the log, in the order of the names."""
        return ((name, ban) for name, ban in self._bans.items() if self._holds(ban))

    def banned(self, id_: str | None, address: str) -> Ban | None:
        """What keeps an identity, or whoever comes from an address, from coming in."""
        if not self._bans:
            return None
        if id_ and (ban := self._found("ban", id_)):
            return ban
        return self._banned_address(address) if self._networks else None

    def muted(self, id_: str) -> Ban | None:
        """What keeps an identity from commenting."""
        return self._found("mute", id_)

    def kicked(self, room: str, id_: str) -> Ban | None:
        """What keeps an identity from sitting down in a room."""
        return self._found("kick", id_, room)

    def check(self, id_: str | None, address: str) -> None:
        """Let nobody ask who is banned.

        Raises:
            Refused: This one is.

        """
        if ban := self.banned(id_, address):
            raise self.refused(ban)

    def refused(self, ban: Ban, room: str | None = None) -> Refused:
        """What somebody is told, and when he may come back.

        Who is banned gets this as a page, which has no ``retry_ms``: there the sentence says it.
        """
        said = self.told(ban) if ban.kind == "ban" else says(ban)
        return Refused(ErrorCode.FORBIDDEN, said, room=room, retry_ms=self._wait_ms(ban))

    def told(self, ban: Ban, most: int | None = None) -> str:
        """What somebody is told, and for how long yet, where no ``retry_ms`` says it.

        Args:
            ban: What it is about.
            most: Longest it may be, in bytes; the reason is cut, the time never.

        """
        wait = self._wait_ms(ban)
        term = "" if wait is None else f"; try again in {span_of(wait)}"
        left = None if most is None else most - len(term)
        return says(ban).encode()[:left].decode(errors="ignore") + term

    def close_reason(self, ban: Ban) -> str:
        """The same, for a connection that is closed because of it."""
        return self.told(ban, MAX_CLOSE_REASON)

    def _wait_ms(self, ban: Ban) -> int | None:
        return None if ban.until is None else max(1, ban.until - self._world.now_ms())

    def _found(self, kind: str, id_: str, room: str | None = None) -> Ban | None:
        ban = self._bans.get(f"{PREFIX}{kind}/{room or ''}/id:{id_}")
        return ban if ban and self._holds(ban) else None

    def _banned_address(self, text: str) -> Ban | None:
        address = _address(text)
        if address is None:
            return None
        for (version, length), numbers in self._networks.items():
            if version == address.version:
                name = numbers.get(int(address) >> (address.max_prefixlen - length))
                if name is not None and self._holds(self._bans[name]):
                    return self._bans[name]
        return None

    def _holds(self, ban: Ban) -> bool:
        return ban.until is None or ban.until > self._world.now_ms()


def network_of(text: str) -> Network:
    """An address or a network of them.

    Raises:
        Refused: It is neither.

    """
    try:
        network = ip_network(text.partition("%")[0], strict=False)
    except ValueError:
        message = f"{text} is no address and no network: they look like 192.0.2.7, 2001:db8::/48"
        raise Refused(ErrorCode.BAD_OPTION, message) from None
    if isinstance(network, IPv6Network):
        mapped = network.network_address.ipv4_mapped
        if (mapped is not None or network.subnet_of(NAT64)) and network.prefixlen >= 96:
            inner = int(network.network_address) & MAX_IPV4
            return ip_network((inner, network.prefixlen - 96))
        if network.subnet_of(SIX_TO_FOUR) and network.prefixlen >= SIX_TO_FOUR_BITS:
            address = same_address(network.network_address)
            return network if isinstance(address, IPv6Address) else ip_network(address)
    return network


def banned_network(text: str) -> Network:
    """Whom a ban of an address or a network keeps out: of one IPv6 address, its whole line.

    Who has one has the 2**64 round it (:mod:`..limits.places`), and takes another at will.

    Raises:
        Refused: It is neither.

    """
    network = network_of(text)
    place = place_of(str(network.network_address), count_loopback=True)
    return ip_network(place) if place and network.num_addresses == 1 else network


def is_network(text: str) -> bool:
    """Whether a text is an address, or a network of them."""
    try:
        network_of(text)
    except Refused:
        return False
    return True


def lies_in(address: str, network: Network) -> bool:
    """Whether an address is one of these."""
    found = _address(address)
    return found is not None and found in network


def _address(text: str) -> Address | None:
    """The address in a text; ``None``: there is none, the connection is gone already."""
    try:
        return same_address(ip_address(text))
    except ValueError:
        return None


def named(network: Network) -> str:
    """How an address or a network is written: one address without its length."""
    return str(network if network.num_addresses > 1 else network.network_address)


def says(ban: Ban) -> str:
    """What somebody is told whom it is about."""
    done = {
        "ban": "you are banned from this server",
        "mute": "you may not comment on this server",
        "kick": "you may not sit down in this room",
    }[ban.kind]
    return f"{done}: {ban.reason}" if ban.reason else done


def span_of(ms: int) -> str:
    """A time, roughly and never too short: ``30 s``, ``5 min``, ``7 d``."""
    for unit, size, below in _UNITS:
        count = -(-ms // size)
        if count < below:
            return f"{count} {unit}"
    return f"{-(-ms // _DAY_MS)} d"


def _name(ban: Ban) -> str:
    """What it is kept under: one of a kind for everybody it can be about."""
    whom = f"at:{ban.address}" if ban.id is None else f"id:{ban.id}"
    return f"{PREFIX}{ban.kind}/{ban.room or ''}/{whom}"


def _was(ban: Ban) -> str | None:
    """What one that was written when an IPv6 address meant itself alone is kept under today."""
    if ban.address is None or ":" not in ban.address or "/" in ban.address:
        return None
    return _name(about(ban))


def about(ban: Ban) -> Ban:
    """The same with its address in the one form that addresses have.

    Raises:
        Refused: It is none.

    """
    if ban.address is None:
        return ban
    return replace(ban, address=named(banned_network(ban.address)))
