"""nginx and Caddy, as `deploy/` sets them up, in front of a real server.

Only ports, certificates and folders are others. The client has an address of its own, 127.0.0.2.
"""

import asyncio
import contextlib
import json
import re
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from certificates import Authority
from deploying import DEPLOY, running, said
from processes import Process, standby
from talk import Plain, pack, unpack
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from kibitz.protocol.wire import Encoding

CLIENT = "127.0.0.2"
NAME = "localhost"


@dataclass
class Front:
    """A server behind a proxy."""

    server: Process
    port: int
    trust: ssl.SSLContext

    async def request(self, head: str) -> tuple[int, bytes]:
        """Status and body of what an HTTP request is answered."""
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self.port, ssl=self.trust, server_hostname=NAME, local_addr=(CLIENT, 0)
        )
        writer.write(f"{head}\r\nHost: {NAME}:{self.port}\r\nConnection: close\r\n\r\n".encode())
        async with asyncio.timeout(20):
            answer = await reader.read()
        writer.transport.abort()
        top, _, body = answer.partition(b"\r\n\r\n")
        return int(top.split()[1]), body

    async def get(self, path: str) -> tuple[int, bytes]:
        """Status and body of a page."""
        return await self.request(f"GET {path} HTTP/1.1")

    def socket(self, encoding: Encoding, **headers: str) -> connect:
        """A WebSocket, to be entered."""
        return connect(
            f"wss://{NAME}:{self.port}/ws",
            subprotocols=[Subprotocol(encoding.value)],
            ssl=self.trust,
            origin=f"https://{NAME}:{self.port}",  # type: ignore[arg-type]
            additional_headers=headers,
            host="127.0.0.1",
            local_addr=(CLIENT, 0),
            compression=None,
            proxy=None,
        )


async def ask(socket: ClientConnection, encoding: Encoding, t: str, **fields: object) -> Plain:
    """The answer to a request."""
    await socket.send(pack(encoding, {"t": t, "i": t, **fields}))
    while True:
        answer = unpack(await socket.recv())
        if answer.get("i") == t:
            return answer


def free_ports(many: int) -> list[int]:
    """Ports that nobody has."""
    import socket as sockets

    held = [sockets.create_server(("127.0.0.1", 0)) for _ in range(many)]
    ports: list[int] = [each.getsockname()[1] for each in held]
    for each in held:
        each.close()
    return ports


def nginx_files(folder: Path, authority: Authority, port: int, http: int, upstream: int) -> Path:
    """The shipped site, in the smallest nginx.conf that there can be."""
    site = (DEPLOY / "nginx.conf").read_text()
    for old, new in (
        ("server 127.0.0.1:8765;", f"server 127.0.0.1:{upstream};"),
        ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
        ("    listen [::]:443 ssl;\n", ""),
        ("listen 80;", f"listen 127.0.0.1:{http};"),
        ("    listen [::]:80;\n", ""),
        ("/etc/letsencrypt/live/play.example.org/fullchain.pem", str(authority.cert)),
        ("/etc/letsencrypt/live/play.example.org/privkey.pem", str(authority.key)),
        ("server_name play.example.org;", f"server_name {NAME};"),
    ):
        assert old in site, old
        site = site.replace(old, new)
    (folder / "site.conf").write_text(site)
    paths = " ".join(
        f"{kind}_temp_path {folder}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    main = folder / "nginx.conf"
    main.write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log; user root;\n"
        f"events {{}}\nhttp {{ access_log off; {paths} include {folder}/site.conf; }}\n"
    )
    return main


@contextlib.asynccontextmanager
async def nginx(folder: Path, authority: Authority, upstream: int) -> AsyncIterator[int]:
    port, http = free_ports(2)
    main = nginx_files(folder, authority, port, http, upstream)
    arguments = ("-c", main, "-e", folder / "error.log")
    await said("nginx", "-t", *arguments)
    async with running("nginx", *arguments):
        yield port


@contextlib.asynccontextmanager
async def caddy(folder: Path, authority: Authority, upstream: int) -> AsyncIterator[int]:
    port, http = free_ports(2)
    site = (DEPLOY / "Caddyfile").read_text()
    environment = {
        "KIBITZ_HOST": f"https://{NAME}:{port}",
        "KIBITZ_UPSTREAM": f"127.0.0.1:{upstream}",
        "HOME": str(folder),
    }
    shipped = ("--config", DEPLOY / "Caddyfile", "--adapter", "caddyfile")
    await said("caddy", "validate", *shipped, **environment)
    marker = "reverse_proxy {$KIBITZ_UPSTREAM:127.0.0.1:8765}"
    assert marker in site
    own = f"{{\n admin off\n http_port {http}\n auto_https disable_redirects\n}}\n"
    tls = f"tls {authority.cert} {authority.key}\n\t"
    file = folder / "Caddyfile"
    file.write_text(own + site.replace(marker, tls + marker))
    async with running("caddy", "run", "--config", file, "--adapter", "caddyfile", **environment):
        yield port


@pytest.fixture(params=[nginx, caddy], ids=["nginx", "caddy"])
async def front(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Front]:
    (tmp_path / "proxy").mkdir()
    authority = Authority(tmp_path)
    options = ("--trusted-proxy", "127.0.0.1", "--log-level", "debug")
    async with standby(tmp_path / "log", *options) as server:
        upstream = int((await server.start()).split(":")[2].split("/")[0])
        async with request.param(tmp_path / "proxy", authority, upstream) as port:
            made = Front(server, port, authority.trust)
            await eventually_up(made)
            yield made


async def eventually_up(front: Front) -> None:
    """Wait until the proxy listens."""
    up = asyncio.Event()

    async def look() -> None:
        while not up.is_set():
            with contextlib.suppress(OSError):
                if (await front.get("/readyz"))[0] == 200:
                    up.set()
            await asyncio.sleep(0.02)

    async with asyncio.timeout(20):
        await look()


async def test_a_game_is_played_and_watched_through_it(front: Front) -> None:
    status, index = await front.get("/")
    assert status == 200
    module = re.search(rb'(web/[0-9a-f]+/main\.js)"', index)
    assert module and (await front.get("/" + module[1].decode()))[0] == 200
    for method in ("HEAD / HTTP/1.1", "HEAD /readyz HTTP/1.1"):
        assert await front.request(method) == (200, b"")
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
        assert (await front.request(f"{method} / HTTP/1.1"))[0] == 405, method

    forged = {"X-Forwarded-For": "198.51.100.7", "X-Real-IP": "198.51.100.7", "Forwarded": "for=x"}
    json_, packed = Encoding.JSON, Encoding.MSGPACK
    async with front.socket(json_) as ann, front.socket(packed, **forged) as eve:
        assert ann.subprotocol == json_.value and eve.subprotocol == packed.value
        await ask(ann, json_, "hello", name="Ann")
        await ask(eve, packed, "hello")
        room = (await ask(ann, json_, "create", game="klondike", deal="1"))["room"]
        assert (await ask(eve, packed, "join", room=room))["role"] == "spectator"
        move = (await ask(ann, json_, "moves", room=room))["moves"][0]
        assert (await ask(ann, json_, "move", room=room, move=move))["t"] == "ok"
        while unpack(await eve.recv()).get("kind") != "move":
            pass
        async with front.socket(json_) as rude:
            with pytest.raises(ConnectionClosed) as closed:
                await ask(rude, json_, "ping")
            assert closed.value.rcvd and closed.value.rcvd.code == 4401
        assert (await front.get(f"/rooms/{room}/replay.txt"))[0] == 200
        end = asyncio.create_task(front.server.terminate())
        for socket in (ann, eve):
            with contextlib.suppress(ConnectionClosed):
                while True:
                    await socket.recv()
            await socket.wait_closed()
            assert socket.close_code == 4503 and "retry_ms=" in (socket.close_reason or "")
        assert await end == 0
    lines = [json.loads(line) for line in front.server.said.splitlines()]
    addresses = {line["address"] for line in lines if line["event"] == "connected"}
    assert addresses == {CLIENT}, "whatever a client says of himself"


SPELLINGS = (
    *("/metrics", "/metrics?x=1", "/metrics/", "//metrics", "/./metrics", "/x/../metrics"),
    *("/%6detrics", "/%6Detric%73", "/metrics%3f", "/metrics#", "/METRICS", "/metrics;x"),
    *("/%2fmetrics", "/x/%2e%2e/metrics", "/metrics%00", "/web/../metrics", "/metrics%20"),
)


async def test_nobody_reaches_the_metrics_through_it(front: Front) -> None:
    for path in SPELLINGS:
        status, body = await front.get(path)
        assert status in (400, 404, 405) and b"kibitz_" not in body, path
    status, body = await front.request("GET /metrics HTTP/1.1\r\nX-Forwarded-For: 127.0.0.1")
    assert status == 404 and b"kibitz_" not in body
    await front.server.terminate()
