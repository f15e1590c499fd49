"""Our programs under TLS, and with tokens that somebody gave them."""

import asyncio
import io
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import operators
import pytest
from certificates import Authority
from clients.commands import Command, read_until, write
from operators import AUDIENCE, ISSUER, now, pem, rsa_key, token
from processes import standby
from servers import Running, running_server
from talk import PATIENCE, talking
from typer import Exit

from kibitz.clients import outcome
from kibitz.clients.benching.line import Lines, Lost
from kibitz.clients.commands.reaching import Entry
from kibitz.clients.session import Refused, connect
from kibitz.server.log.memory import MemoryLog
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
    done = await guarded.command(**environ).run_here("watch", room)
    assert done.code == 0 and "foundation" in done.out
    done = await guarded.command(**environ).run_here("rooms", "--all")
    assert room in done.out and "Robo" in done.out
    assert (await guarded.command(**environ).run_here("replay", room)).code == 0
    file.write_text(token("boss", roles=["admin"]))
    listed = await command.run_here("admin", "rooms", "--all", *ca, "--token-file", str(file))
    assert (listed.code, listed.out.split("\n")[1].split("\t")[0]) == (0, room), listed.err


async def test_a_game_is_verified_under_tls_with_a_token(guarded: Guarded) -> None:
    environ = {"KIBITZ_TOKEN": token("ann"), "KIBITZ_TLS_CA": str(guarded.authority.ca)}
    done = await guarded.command(**environ).run("play", "aces-up", "--private", lines="d\n")
    _, *words = done.out.partition("check them with: kibitz ")[2].split("\n")[0].split()
    done = await guarded.command(KIBITZ_TOKEN=token("ann")).run_here("verify", *words)
    assert (done.code, done.err, done.out.count(" ok ")) == (0, "", 4)
    for environ, says in ({}, "wants a token"), ({"KIBITZ_TOKEN": token("eve")}, "by invitation"):
        done = await guarded.command(**environ).run_here("verify", *words)
        assert (done.code, done.out) == (2, "") and says in done.err


async def test_a_load_trusts_the_authority_that_is_named(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    async with running_server(tls=authority.files) as server:
        lines = Lines(server.url, str(authority.ca))
        await lines.open()
        await lines.close()
        with pytest.raises(Lost, match="no connection"):
            await Lines(server.url).open()


async def test_a_room_with_a_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_server() as server:
        kibitz = Command(server.url, tmp_path, {"KIBITZ_ROOM_PASSWORD": "cats"})
        done = await kibitz.run("play", "aces-up", "--password", lines="resign\n")
        line = done.out.partition("watch it with: kibitz ")[2].split("\n")[0].split()
        assert line[-1] == "--password" and "cats" not in done.out
        assert (await kibitz.run_here(*line)).code == 0
        (tmp_path / "bob").mkdir()
        bob = Command(server.url, tmp_path / "bob", {"KIBITZ_ROOM_PASSWORD": "cats"})
        done = await bob.run_here("fork", line[1])
        assert done.code == 1 and "this room has a password" in done.err
        done = await bob.run("fork", *line[1:], lines="quit\n")
        assert done.code == 0 and "--password" not in done.out
        _, room, _, _, option, key = re.search(r"watch it with: kibitz (.*)", done.out)[1].split()  # type: ignore[index]
        assert option == "--invite" and "sit down at it" not in done.out, "it has no other seat"
        async with connect(server.url) as eve:
            assert room not in [each.id for each in (await eve.rooms()).rooms]
            with pytest.raises(Refused, match="this room is by invitation"):
                await eve.join(room)
            await eve.join(room, invite=key)
        async with connect(server.url) as eve:
            with pytest.raises(Refused, match="this room has a password"):
                await eve.join(line[1])
            with pytest.raises(Refused, match="that is not the room's password"):
                await eve.join(line[1], password="dogs")
    monkeypatch.delenv("KIBITZ_ROOM_PASSWORD", raising=False)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with pytest.raises(Exit):
        Entry(password=True).secret()
    typed = iter(["cats", "cats", "cats", "dogs"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("getpass.getpass", lambda prompt: next(typed))
    assert Entry(password=True).secret(new=True) == "cats"
    with pytest.raises(Exit):
        Entry(password=True).secret(new=True)
    assert Entry().secret() is None


async def test_a_person_plays_and_a_token_that_was_given_is_not_kept(guarded: Guarded) -> None:
    environ = {"KIBITZ_TOKEN": token("ann"), "KIBITZ_TLS_CA": str(guarded.authority.ca)}
    done = await guarded.command(**environ).run("play", "klondike", lines="discard\nquit\n")
    assert done.code == 0, done.err
    assert f"--tls-ca {guarded.authority.ca}" in done.out
    assert not (guarded.home / "kibitz" / "token").exists()
    assert environ["KIBITZ_TOKEN"] not in done.out + done.err


async def test_without_a_token_it_says_what_is_missing(guarded: Guarded) -> None:
    done = await guarded.command(KIBITZ_TLS_CA=str(guarded.authority.ca)).run_here("rooms")
    assert (done.code, done.out) == (1, "")
    assert "wants a token" in done.err and "--token-file" in done.err
    words = ("--token-file", "nothing", "--tls-ca", str(guarded.authority.ca))
    coming = ("play", "montana"), ("bot", "random", "montana")
    looking = ("rooms",), ("watch", "a"), ("verify", "a")
    for command, code in [*((each, 2) for each in looking), *((each, 1) for each in coming)]:
        done = await guarded.command().run_here(*command, *words)
        assert (done.code, done.out) == (code, "") and "nothing: no such file" in done.err, command


async def test_an_authority_that_is_not_trusted_is_said(guarded: Guarded) -> None:
    done = await guarded.command().run_here("rooms")
    assert done.code == 2 and "--tls-ca" in done.err and "is not trusted" in done.err
    done = await guarded.command().run_here("rooms", "--tls-ca", str(guarded.authority.key))
    assert done.code == 2 and "is no certificate" in done.err
    done = await guarded.command().run_here("rooms", "--tls-ca", "nothing.pem")
    assert done.code == 2 and "could not open nothing.pem" in done.err
    open_ = guarded.url.replace("wss:", "ws:")
    done = await guarded.command().run_here("rooms", "--server", open_)
    assert done.code == 2 and f"try {guarded.url}, or" in done.err


async def test_a_certificate_for_another_name_is_not_trusted(tmp_path: Path) -> None:
    authority = Authority(tmp_path, "play.example.org")
    async with running_server(tls=authority.files) as server:
        command = Command(server.url, tmp_path)
        done = await command.run_here("rooms", "--tls-ca", str(authority.ca))
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


async def test_a_private_game_prints_the_lines_that_let_others_in(tmp_path: Path) -> None:
    """Each line as it is printed does what it says; the one for lookers-on gives no seat."""
    async with running_server() as server:
        ann, bob, eve = (Command(server.url, tmp_path / name) for name in ("ann", "bob", "eve"))
        for command in (ann, bob, eve):
            command.home.mkdir()
        words = ("play", "aces-up", "--private", "--seats", "2", "--deal", "1")
        async with ann.running(*words) as process:
            out = await read_until(process, "foundation")  # the board stands below them
            sit = out.partition("sit down at it with: kibitz ")[2].split("\n")[0].split()
            watch = out.partition("watch it with: kibitz ")[2].split("\n")[0].split()
            assert sit[-2] == watch[-2] == "--invite" and sit[-1] != watch[-1]
            room = watch[1]

            done = await bob.run(*sit, lines="d\nquit\n")
            assert done.code == 0, done.err
            seated = await eve.run("play", "--room", room, *watch[-2:], lines="d\nquit\n")
            assert seated.code == 1 and "this invite is for looking on" in seated.err
            assert (await eve.run_here("watch", room)).code == 1
            await write(process, "resign")
            await read_until(process, "The game is over")
            assert (await eve.run_here(*watch)).code == 0
            assert (await eve.run_here("replay", room, *watch[-2:])).code == 0
            assert (await eve.run_here("replay", room)).code == 1
            done = await eve.run_here("watch", room, "--invite", "a" * 65)
            assert done.code == 2 and "is no invite" in done.err


async def test_a_client_comes_back_into_a_private_room(tmp_path: Path) -> None:
    """What was shown at the door is shown again on the next connection."""
    log = MemoryLog()
    async with running_server(log) as server, connect(server.url) as ann:
        mirror = await ann.create("klondike", visibility="private")
        key = await ann.invite(mirror.room)
        port = server.app.port
        eve = await connect(server.url, wait=True).__aenter__()
        await eve.join(mirror.room, invite=key)
        with pytest.raises(Refused, match="looking on"):
            await eve.join(mirror.room, "player")
    try:
        async with (
            running_server(log, port=port) as server,
            connect(server.url, token=ann.welcome.token) as ann,
        ):
            await ann.join(mirror.room, "player")
            await ann.say(mirror.room, "here again")
            theirs = eve.session.mirrors[mirror.room]
            seq = ann.session.mirrors[mirror.room].seq
            await eve.until(lambda: theirs.seq >= seq)
    finally:
        await eve.__aexit__(None, None, None)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("http://127.0.0.1:8765/", "ws://127.0.0.1:8765/ws"),
        ("http://127.0.0.1:8765", "ws://127.0.0.1:8765/ws"),
        ("https://example.org/cards/?room=abc#move=5", "wss://example.org/cards/ws"),
        ("https://example.org/ws", "wss://example.org/ws"),
        ("http://example.org/ws/", "ws://example.org/ws"),
        ("ws://127.0.0.1:8765/ws", "ws://127.0.0.1:8765/ws"),
        ("http://[::1", "http://[::1"),
        ("nonsense", "nonsense"),
    ],
)
def test_the_address_of_a_page_is_that_of_its_server(said: str, meant: str) -> None:
    assert outcome.address(said) == meant


async def test_every_command_understands_the_address_of_the_page(
    kibitz: Command, server: Running
) -> None:
    for words in (("rooms",), ("daily",), ("play", "aces-up"), ("bot", "random", "aces-up")):
        kibitz.environ["KIBITZ_SERVER"] = f"{server.http}/"
        done = await kibitz.run_here(*words)
        assert (done.code, "no address" in done.err) == (0, False)
    kibitz.environ["KIBITZ_SERVER"] = f"ws://127.0.0.1:1/ws {server.http}/"
    assert (await kibitz.run_here("rooms")).code == 0
