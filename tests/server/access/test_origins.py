"""Which pages may connect: ours, those that are named, and programs, which are no pages."""

import pytest
from handshakes import get, shake
from servers import Running, running_server
from talk import talking

from kibitz.server.access.origins import origin_of
from kibitz.server.settings import Access

HOST = "Host: play.example.org"


@pytest.mark.parametrize(
    "headers",
    [
        [HOST],
        [HOST, "Origin: https://play.example.org"],
        [HOST, "Origin: http://PLAY.example.org"],
        [HOST, "Origin: https://play.example.org:443"],
        ["Host: play.example.org:80", "Origin: http://play.example.org"],
        ["Host: localhost:8765", "Origin: http://localhost:8765"],
        ["Host: [::1]:8765", "Origin: http://[::1]:8765"],
    ],
)
async def test_our_own_pages_and_programs_connect(running: Running, headers: list[str]) -> None:
    assert (await shake(running, *headers))[0] == 101


@pytest.mark.parametrize(
    "headers",
    [
        [HOST, "Origin: https://evil.example"],
        [HOST, "Origin: https://play.example.org.evil.example"],
        [HOST, "Origin: https://evil.example/play.example.org"],
        [HOST, "Origin: https://evil.example#play.example.org"],
        [HOST, "Origin: https://play.example.org@evil.example"],
        [HOST, "Origin: https://play.example.org:8443"],
        [HOST, "Origin: play.example.org"],
        [HOST, "Origin: null"],
        [HOST, "Origin: "],
        [HOST, "Origin: https://"],
        [HOST, "Origin: *"],
        [HOST, "Origin: https://play.\xe9xample.org"],
        [HOST, "Origin: https://play.example.org", "Origin: https://evil.example"],
        [HOST, "Origin: https://play.example.org, https://evil.example"],
        [HOST, "Host: evil.example", "Origin: https://evil.example"],
        [HOST, "X-Forwarded-Host: evil.example", "Origin: https://evil.example"],
        [HOST, "Forwarded: host=evil.example", "Origin: https://evil.example"],
        [HOST, "X-Original-Host: evil.example", "Origin: https://evil.example"],
        ["Origin: https://play.example.org"],
        ["Origin: http://"],
        ["Host: ", "Origin: http://"],
    ],
)
async def test_another_sites_page_does_not(running: Running, headers: list[str]) -> None:
    status, answer = await shake(running, *headers)
    assert status == 403 or (status == 400 and headers.count(HOST) != 1), answer
    if status == 403:
        assert b"--allow-origin" in answer and b"example" not in answer.partition(b"\r\n\r\n")[2]


@pytest.mark.parametrize(
    "path", ["/ws?a=1", "/ws?", "/ws#x", "//x/ws", "http://x/ws", "/ws/", "/x"]
)
async def test_no_other_way_leads_round_the_check(running: Running, path: str) -> None:
    assert (await shake(running, HOST, "Origin: https://evil.example", path=path))[0] in (403, 404)


async def test_named_sites_connect() -> None:
    access = Access(allow_origin=["https://Friends.example/", "app://kibitz"])
    async with running_server(access=access) as server:
        for origin, status in [
            ("https://friends.example", 101),
            ("https://friends.example:443", 101),
            ("http://friends.example", 403),
            ("https://friends.example:444", 403),
            ("https://sub.friends.example", 403),
            ("app://kibitz", 101),
            ("null", 403),
        ]:
            assert (await shake(server, HOST, f"Origin: {origin}"))[0] == status, origin


async def test_a_star_lets_all_in() -> None:
    async with running_server(access=Access(allow_origin=["*"])) as server:
        for origin in ("https://evil.example", "null", "nonsense"):
            assert (await shake(server, HOST, f"Origin: {origin}"))[0] == 101


async def test_a_trusted_proxy_says_which_name_the_browser_used() -> None:
    async with running_server(access=Access(trusted_proxy=["127.0.0.0/8"])) as server:
        own = "X-Forwarded-Host: play.example.org"
        for headers, status in [
            (["Host: 127.0.0.1:8765", own, "Origin: https://play.example.org"], 101),
            (["Host: 127.0.0.1:8765", own, "Origin: https://evil.example"], 403),
            ([HOST, "Origin: https://play.example.org"], 101),
            # What the browser's own site wrote stands left of what the proxy added.
            ([HOST, f"{own}", "Origin: https://play.example.org"], 101),
            (
                [HOST, "X-Forwarded-Host: evil.example, a.example", "Origin: https://evil.example"],
                403,
            ),
            (
                [HOST, "X-Forwarded-Host: evil.example", own, "Origin: https://evil.example"],
                403,
            ),
        ]:
            assert (await shake(server, *headers))[0] == status, headers


@pytest.mark.parametrize("allowed", [[], ["https://evil.example"], ["*"]])
async def test_no_page_of_another_site_reads_a_download(allowed: list[str]) -> None:
    """Whoever may connect: no header of CORS is ever sent, so that browsers show them nothing."""
    async with (
        running_server(access=Access(allow_origin=allowed)) as server,
        talking(server.url) as ann,
    ):
        room = (await ann.ok("create", game="klondike", deal="1"))["room"]
        paths = [f"/rooms/{room}/replay.txt", f"/rooms/{room}/replay.json", "/protocol", "/"]
        for path in paths:
            status, answer = await get(server, f"{HOST}\r\nOrigin: https://evil.example\r\n", path)
            head = answer.partition(b"\r\n\r\n")[0].lower()
            assert status == 200
            assert b"access-control-" not in head
            assert b"x-content-type-options: nosniff" in head


@pytest.mark.parametrize("text", ["example.org", "https://a b", "https://a/b", "", "https://"])
def test_what_is_no_origin_is_not_named(text: str) -> None:
    with pytest.raises(ValueError, match="an origin looks like"):
        origin_of(text)
