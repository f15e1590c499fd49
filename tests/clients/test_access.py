"""Our programs under TLS, and with tokens that somebody gave them."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import operators
import pytest
from certificates import Authority
from clients.commands import Command
from operators import AUDIENCE, ISSUER, now, pem, rsa_key, token
from processes import standby
from servers import running_server
from talk import PATIENCE, talking

from kibitz.clients.session import Refused, connect
from kibitz.server.settings import Access, Auth


@dataclass
class Guarded:
    """A server under TLS that wants tokens, and what a client needs."""

    url: str
    authority: Authority
    home: Path

    def command(self, **environ: str) -> Command:
        return Command(self.url, self.home, environ)


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    key = tmp_path / "jwt.pem"
    key.write_bytes(pem(rsa_key()))
    access = Access(auth=Auth.JWT, jwt_key=key, jwt_issuer=ISSUER, jwt_audience=AUDIENCE)
    authority = Authority(tmp_path)
    (home := tmp_path / "home").mkdir()
    async with running_server(access=access, tls=authority.files) as server:
        yield Guarded(server.url, authority, home)


async def test_a_bot_plays_and_is_watched(guarded: Guarded) -> None:
    (file := guarded.home / "token").write_text(token(name="Robo") + "\n")
    ca = ("--tls-ca", str(guarded.authority.ca))
    command = guarded.command()
    done = await command.run("bot", "random", "aces-up", *ca, "--token-file", str(file))
    assert done.code == 0, done.err
    room = done.out.splitlines()[1].split("\t")[0]
    environ = {"KIBITZ_TOKEN": token("eve"), "KIBITZ_TLS_CA": ca[1]}
    done = await guarded.command(**environ).run("watch", room)
    assert done.code == 0 and "foundation" in done.out
    done = await guarded.command(**environ).run("rooms", "--all")
    assert room in done.out and "Robo" in done.out
    assert (await guarded.command(**environ).run("replay", room)).code == 0


async def test_a_person_plays_and_a_token_that_was_given_is_not_kept(guarded: Guarded) -> None:
    environ = {"KIBITZ_TOKEN": token("ann"), "KIBITZ_TLS_CA": str(guarded.authority.ca)}
    done = await guarded.command(**environ).run("play", "klondike", lines="discard\nquit\n")
    assert done.code == 0, done.err
    assert f"--tls-ca {guarded.authority.ca}" in done.out
    assert not (guarded.home / "kibitz" / "token").exists()
    assert environ["KIBITZ_TOKEN"] not in done.out + done.err


async def test_without_a_token_it_says_what_is_missing(guarded: Guarded) -> None:
    done = await guarded.command(KIBITZ_TLS_CA=str(guarded.authority.ca)).run("rooms")
    assert (done.code, done.out) == (1, "")
    assert "wants a token" in done.err and "--token-file" in done.err


async def test_an_authority_that_is_not_trusted_is_said(guarded: Guarded) -> None:
    done = await guarded.command().run("rooms")
    assert done.code == 2 and "--tls-ca" in done.err and "is not trusted" in done.err
    done = await guarded.command().run("rooms", "--tls-ca", str(guarded.authority.key))
    assert done.code == 2 and "is no certificate" in done.err
    done = await guarded.command().run("rooms", "--tls-ca", "nothing.pem")
    assert done.code == 2 and "could not open nothing.pem" in done.err


async def test_a_certificate_for_another_name_is_not_trusted(tmp_path: Path) -> None:
    authority = Authority(tmp_path, "play.example.org")
    async with running_server(tls=authority.files) as server:
        command = Command(server.url, tmp_path)
        done = await command.run("rooms", "--tls-ca", str(authority.ca))
    assert done.code == 2 and "is not trusted" in done.err


async def test_a_client_stays_longer_with_a_fresh_token(guarded: Guarded) -> None:
    trust = lambda: guarded.authority.trust  # noqa: E731
    async with connect(guarded.url, token=token(exp=now() + 60), trust=trust) as ann:
        before = ann.welcome.expires
        await ann.renew(token(exp=now() + 600))
        assert before and ann.welcome.expires and ann.welcome.expires > before
        with pytest.raises(Refused, match="somebody else"):
            await ann.renew(token("bob"))
        await ann.create("klondike")


async def test_the_demo_plays_under_tls_whatever_name_the_certificate_has(tmp_path: Path) -> None:
    authority = Authority(tmp_path, "play.example.org")
    options = ("--tls-cert", str(authority.cert), "--tls-key", str(authority.key), "--demo")
    trust = authority.trust
    trust.check_hostname = False
    async with standby(tmp_path / "data.db", *options) as process:
        url = await process.start()
        async with talking(url, trust=trust) as ann, asyncio.timeout(PATIENCE):
            rooms: list[object] = []
            while len(rooms) < 5:
                rooms = (await ann.ok("rooms"))["rooms"]
                await asyncio.sleep(0.1)
        assert await process.terminate() == 0


async def test_the_demo_is_for_guests(tmp_path: Path) -> None:
    from processes import run

    key = operators.write_jwks(tmp_path / "keys.json", operators.jwk(rsa_key()))
    code, said = await run("--memory", "--demo", "--auth", "jwt", "--jwt-jwks", str(key))
    assert code == 2 and "--demo needs --auth guest" in said
