"""Who is asked for rooms on NATS, as whom; and that nobody else is told the password."""

import asyncio
import json
from pathlib import Path

import pytest
from certificates import Authority

from kibitz.server.log.log import UnusableLog
from kibitz.server.log.nats.connection import Connection
from kibitz.server.log.nats.health import Health
from kibitz.server.log.nats.servers import servers_of, urls_in
from kibitz.server.operation.measures import Meter

SECRET = "pa55:w0rd@x"
QUOTED = "pa55%3Aw0rd%40x"


def test_urls_stand_between_blanks_or_commas() -> None:
    assert urls_in(" nats://a:1,tls://b \n nats://c, ") == ["nats://a:1", "tls://b", "nats://c"]
    assert urls_in("") == urls_in(" , ") == []


def test_what_is_secret_is_taken_out_of_the_urls(tmp_path: Path) -> None:
    one, two = f"nats://node:{QUOTED}@a:1", "nats://b:2/"
    servers = servers_of([one, two])
    assert (list(servers.urls), servers.user, servers.password) == (
        ["nats://a:1", "nats://b:2/"],
        "node",
        SECRET,
    )
    assert servers.token is None and servers.trust is None
    assert servers_of(["nats://t0ken@a"]).token == "t0ken"
    assert servers_of(["a:1"]).urls == ["nats://a:1"]
    file = tmp_path / "credentials"
    file.write_text(f"node:{SECRET}\n")
    from_file = servers_of([two, "tls://c"], file)
    assert (from_file.user, from_file.password) == ("node", SECRET) and from_file.trust


@pytest.mark.parametrize(
    ("urls", "credentials", "why"),
    [
        ([f"nats://a:{QUOTED}@x", f"nats://b:{QUOTED}@y"], None, "name different users"),
        ([f"nats://node:{QUOTED}@a"], f"node:{SECRET}", "say it once"),
        (["nats://a"], "node", "one line, user:password"),
        (["nats://a"], f"node:{SECRET}\nx:y", "one line, user:password"),
        ([f"nats://node:{SECRET}:x"], None, "x is no URL of a NATS server"),
        ([f"http://node:{QUOTED}@a"], None, "no URL of a NATS server, as"),
        ([f"nats://node:{QUOTED}@a:port"], None, "a:port is no URL"),
        (["nats://"], None, "no URL"),
    ],
)
def test_what_cannot_be_is_said_without_the_password(
    tmp_path: Path, urls: list[str], credentials: str | None, why: str
) -> None:
    file = None if credentials is None else tmp_path / "credentials"
    if file is not None and credentials is not None:
        file.write_text(credentials)
    with pytest.raises(UnusableLog, match=why) as refused:
        servers_of(urls, file)
    assert not [word for word in (SECRET, QUOTED) if word in str(refused.value)]


def test_files_that_are_none_are_named(tmp_path: Path) -> None:
    for credentials, authority in ((tmp_path / "no", None), (None, tmp_path / "no")):
        with pytest.raises(UnusableLog, match="no: No such file"):
            servers_of(["nats://a"], credentials, authority)
    empty = tmp_path / "empty"
    empty.write_text("no certificate")
    with pytest.raises(UnusableLog, match="has no certificates"):
        servers_of(["nats://a"], None, empty)


@pytest.mark.parametrize("authority", [True, False])
async def test_who_does_not_speak_tls_is_not_told_the_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, authority: bool
) -> None:
    monkeypatch.setattr("kibitz.server.log.nats.connection.OPEN_SECONDS", 0.3)
    told = b""

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal told
        said = {"server_id": "x", "version": "2.15.1", "max_payload": 1 << 20, "headers": True}
        writer.write(f"INFO {json.dumps(said)}\r\n".encode())
        while line := await reader.readline():
            told += line
            if line == b"PING\r\n":
                writer.write(b"PONG\r\n")
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    address = f"node:{QUOTED}@127.0.0.1:{port}"
    tls = servers_of(
        [f"{'nats' if authority else 'tls'}://{address}"], None, _ca(tmp_path, authority)
    )
    async with server:
        connection = Connection(lambda: None, lambda: None, Health(Meter()))
        with pytest.raises(UnusableLog, match="does not speak TLS"):
            await connection.open(tls)
        assert told == b""
        await connection.open(servers_of([f"nats://{address}"]))
        assert SECRET.encode() in told
        await connection.close()


def _ca(folder: Path, wanted: bool) -> Path | None:
    return Authority(folder).ca if wanted else None
