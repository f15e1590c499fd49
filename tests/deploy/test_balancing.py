"""Caddy as `deploy/cluster` sets it up, in front of two servers of the same rooms."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path

from brokers import NatsServer
from certificates import Authority
from deploy.test_proxies import CLIENT, NAME, Front, ask, eventually_up, free_ports
from deploying import DEPLOY, running, said
from processes import Process, standby
from servers import FREELY

from kibitz.protocol.wire import Encoding

SHIPPED = DEPLOY / "cluster" / "Caddyfile"
JSON = Encoding.JSON


@contextlib.asynccontextmanager
async def caddy(folder: Path, authority: Authority, upstreams: str) -> AsyncIterator[int]:
    """The port where it listens: that is another, and the certificate."""
    port, http = free_ports(2)
    environment = {
        "KIBITZ_HOST": f"https://{NAME}:{port}",
        "KIBITZ_UPSTREAMS": upstreams,
        "HOME": str(folder),
    }
    await said(*("caddy", "validate", "--config", SHIPPED, "--adapter", "caddyfile"), **environment)
    site = SHIPPED.read_text()
    marker = "\t@private path"
    assert site.count(marker) == 1
    site = site.replace(marker, f"\ttls {authority.cert} {authority.key}\n{marker}")
    file = folder / "Caddyfile"
    own = f"{{\n admin off\n http_port {http}\n auto_https disable_redirects\n}}\n"
    file.write_text(own + site)
    async with running("caddy", "run", "--config", file, "--adapter", "caddyfile", **environment):
        yield port


def came(server: Process) -> int:
    """How many clients have come to a server, as its log says; it knows whence."""
    lines = [json.loads(line) for line in server.said.splitlines()]
    addresses = [line["address"] for line in lines if line["event"] == "connected"]
    assert set(addresses) == {CLIENT}
    return len(addresses)


async def test_people_are_spread_and_nobody_is_sent_to_one_that_ends(
    nats_server: NatsServer, tmp_path: Path
) -> None:
    (tmp_path / "caddy").mkdir()
    authority = Authority(tmp_path)
    options = ("--nats", nats_server.url, "--trusted-proxy", "127.0.0.1", *FREELY)
    options += ("--log-level", "debug")
    async with standby(None, *options) as one, standby(None, *options) as two:
        urls = await asyncio.gather(one.start(), two.start())
        upstreams = " ".join(url.split("/")[2] for url in urls)
        async with caddy(tmp_path / "caddy", authority, upstreams) as port:
            front = Front(one, port, authority.trust)
            await eventually_up(front)
            async with contextlib.AsyncExitStack() as stack:
                sockets = [await stack.enter_async_context(front.socket(JSON)) for _ in range(4)]
                for socket in sockets:
                    await ask(socket, JSON, "hello")
                room = (await ask(sockets[0], JSON, "create", game="klondike", deal="1"))["room"]
                for socket in sockets[1:]:
                    assert (await ask(socket, JSON, "join", room=room))["role"] == "spectator"
                end = asyncio.create_task(one.terminate())
                while not end.done():
                    assert (await front.get("/readyz"))[0] == 200
                assert await end == 0 and came(one) == 2
                for _ in range(3):
                    late = await stack.enter_async_context(front.socket(JSON))
                    await ask(late, JSON, "hello")
                    assert (await ask(late, JSON, "join", room=room))["t"] == "joined"
        await two.terminate()
        assert came(two) == 5
