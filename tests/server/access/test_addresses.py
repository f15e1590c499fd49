"""Where a client comes from, and that nobody but a trusted proxy is believed about it."""

import ipaddress
from types import SimpleNamespace
from typing import cast

import pytest
from handshakes import UPGRADE
from hypothesis import given
from hypothesis import strategies as st
from raw import dialled
from servers import running_server
from talk import eventually
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.http11 import Request

from kibitz.server.access.addresses import MAX_PROXIES, NOWHERE, Proxies, network_of
from kibitz.server.limits.places import place_of
from kibitz.server.settings import Access

TRUSTED = ("10.0.0.0/8", "::1", "192.0.2.1")


def address(peer: str | None, *given: str, trusted: tuple[str, ...] = TRUSTED) -> str:
    headers = Headers()
    for value in given:
        headers["X-Forwarded-For"] = value
    socket = SimpleNamespace(remote_address=(peer, 1) if peer else None)
    request = Request("/ws", headers)
    return Proxies(trusted).address_of(cast(ServerConnection, socket), request)


@pytest.mark.parametrize(
    ("peer", "given", "expected"),
    [
        (None, ["1.1.1.1"], ""),
        ("203.0.113.9", [], "203.0.113.9"),
        ("203.0.113.9", ["1.1.1.1"], "203.0.113.9"),
        ("::ffff:203.0.113.9", ["1.1.1.1"], "203.0.113.9"),
        ("64:ff9b::101:101", [], "1.1.1.1"),
        ("64:ff9b::7f00:1", [], "64:ff9b::7f00:1"),
        ("64:ff9b::a01:203", ["1.1.1.1"], "64:ff9b::a01:203"),
        ("fe80::1%eth0", [], "fe80::1"),
        ("2001:DB8:0::1", [], "2001:db8::1"),
        ("10.1.2.3", [], "10.1.2.3"),
        ("10.1.2.3", ["1.1.1.1"], "1.1.1.1"),
        ("::ffff:10.1.2.3", ["1.1.1.1"], "1.1.1.1"),
        ("::1", ["2001:DB8::7"], "2001:db8::7"),
        ("10.1.2.3", ["::ffff:1.1.1.1"], "1.1.1.1"),
        ("10.1.2.3", ["6.6.6.6, 1.1.1.1"], "1.1.1.1"),
        ("10.1.2.3", ["6.6.6.6", "1.1.1.1"], "1.1.1.1"),
        ("10.1.2.3", ["6.6.6.6, 1.1.1.1, 10.9.9.9"], "1.1.1.1"),
        ("10.1.2.3", ["6.6.6.6, 1.1.1.1,10.9.9.9", "192.0.2.1"], "1.1.1.1"),
        ("10.1.2.3", ["10.8.8.8"], "10.8.8.8"),
        ("10.1.2.3", ["1.1.1.1:4711"], "1.1.1.1"),
        ("10.1.2.3", ["[2001:db8::7]:4711"], "2001:db8::7"),
        ("10.1.2.3", ["[2001:db8::7]"], "2001:db8::7"),
        ("10.1.2.3", ["6.6.6.6, unknown"], "unknown, by 10.1.2.3"),
        ("10.1.2.3", ["6.6.6.6, unknown, 10.9.9.9"], "unknown, by 10.9.9.9"),
        ("10.1.2.3", ["6.6.6.6,"], "unknown, by 10.1.2.3"),
        ("10.1.2.3", ["6.6.6.6, 010.1.1.1"], "unknown, by 10.1.2.3"),
        ("10.1.2.3", ["6.6.6.6, 1.1.1.1 7"], "unknown, by 10.1.2.3"),
        ("10.1.2.3", ["6.6.6.6, " + "1" * 5000], "unknown, by 10.1.2.3"),
        ("::1", ["203.0.113.05"], "unknown, by ::1"),
        ("::1", [""], "unknown, by ::1"),
        ("10.1.2.3", ["for=6.6.6.6"], "unknown, by 10.1.2.3"),
        ("10.1.2.3", ["6.6.6.6, " + ", ".join(["10.0.0.1"] * MAX_PROXIES)], "10.0.0.1"),
        ("10.1.2.3", [",".join(["6.6.6.6"] * 100_000)], "6.6.6.6"),
    ],
)
def test_address(peer: str | None, given: list[str], expected: str) -> None:
    assert address(peer, *given) == expected


def test_nobody_is_trusted_by_default() -> None:
    assert address("127.0.0.1", "1.1.1.1", trusted=()) == "127.0.0.1"


@given(st.lists(st.text(alphabet='0123456789abcdef.:,[]% \t"x\u00e9', max_size=80), max_size=4))
def test_nothing_that_is_sent_breaks_it_or_says_who_is_trusted(values: list[str]) -> None:
    """An address comes out, or a proxy's unknown; what it wrote last is believed first."""
    assert address("203.0.113.9", *values) == "203.0.113.9"
    said = address("10.1.2.3", *values)
    ipaddress.ip_address(said.removeprefix(NOWHERE.format("")))
    assert address("10.1.2.3", *values, "198.51.100.4") == "198.51.100.4"


@pytest.mark.parametrize("text", ["", "x", "10.0.0.1/8", "10.0.0.0/33", "10.0.0"])
def test_what_is_no_network_is_not_trusted(text: str) -> None:
    with pytest.raises(ValueError, match=r"host bits|not appear"):
        network_of(text)


@pytest.mark.parametrize(
    ("trusted", "expected"), [([], "127.0.0.1"), (["127.0.0.1"], "198.51.100.4")]
)
async def test_a_connection_knows_where_its_client_is(trusted: list[str], expected: str) -> None:
    async with (
        running_server(access=Access(trusted_proxy=trusted)) as server,
        dialled(server.url) as client,
    ):
        said = "Host: x\r\nX-Forwarded-For: 6.6.6.6, 198.51.100.4\r\n"
        client.write(f"GET /ws HTTP/1.1\r\n{said}{UPGRADE}\r\n".encode())
        assert b" 101 " in await client.head()
        await eventually(lambda: server.app._connections)
        assert [each.address for each in server.app._connections] == [expected]


def test_unknown_clients_of_a_proxy_on_this_machine_are_counted_as_one() -> None:
    places = {
        place_of(address("127.0.0.1", said, trusted=("127.0.0.1",)))
        for said in ("unknown", "203.0.113.05", "", "garbage", "6.6.6.6, x")
    }
    assert len(places) == 1 and None not in places
    assert place_of(address("127.0.0.1", trusted=("127.0.0.1",))) is None
