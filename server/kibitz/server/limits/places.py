"""What counts as one address: a whole home, as far as an address tells.

Promises: the 2**64 addresses that one line has in IPv6 are one place. Never: ask anybody else.
"""

from functools import lru_cache
from ipaddress import IPv6Address, ip_address

from ..access.addresses import same_address

PREFIX_BITS = 64
"""Leading bits of an IPv6 address that are counted."""


@lru_cache(1024)
def place_of(address: str, count_loopback: bool = False) -> str | None:
    """What an address is counted as; ``None``: it is not counted.

    Args:
        address: As text; what is no address is counted as it is.
        count_loopback: Whether this machine is counted, too.

    """
    if not address:
        return None
    try:
        ip = same_address(ip_address(address.partition("%")[0]))
    except ValueError:
        return address
    if ip.is_loopback and not count_loopback:
        return None
    if isinstance(ip, IPv6Address) and not ip.is_loopback:
        rest = 128 - PREFIX_BITS
        return f"{IPv6Address(int(ip) >> rest << rest)}/{PREFIX_BITS}"
    return str(ip)
