"""Tokens of an operator's own: who comes in as whom, and who does not come in."""

import base64
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import operators
import pytest
from handshakes import get
from operators import AUDIENCE, ISSUER, SECRET, ec_key, made, now, pem, rsa_key, token
from server.access.tokens import CLOSE_AUTH, access, is_let_in
from servers import REAL, Running, running_server
from talk import connected, fetch, talking

from kibitz.protocol.limits import MAX_TOKEN
from kibitz.server.access.jwts import LEEWAY_MS
from kibitz.server.log.sqlite import SqliteLog


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key.pem"
    path.write_bytes(pem(rsa_key()))
    return path


@pytest.fixture
async def server(key: Path) -> AsyncIterator[Running]:
    async with running_server(access=access(key)) as started:
        yield started


async def test_who_has_a_token_is_who_it_says(server: Running) -> None:
    async with talking(server.url, token=token(name=" Ann \n Lee ")) as ann:
        welcome = ann.answers[1]
        assert welcome["you"] == {"id": ann.id, "name": "Ann Lee"}
        assert "roles" not in welcome
        assert abs(welcome["expires"] - (now() + 3600) * 1000 - LEEWAY_MS) < 60_000
        assert ann.token == welcome["token"]
        room = (await ann.ok("create", game="klondike"))["room"]
    other = token(name="Ann Lee", iat=1, roles=["player", "spectator"])
    async with talking(server.url, token=other, name="Bob") as again:
        assert again.id == ann.id
        joined = await again.ok("join", room=room, role="player")
        assert joined["seat"] == 1


async def test_one_may_choose_a_name_where_the_token_has_none(server: Running) -> None:
    async with talking(server.url, token=token(), name="Ann") as ann:
        assert ann.answers[1]["you"]["name"] == "Ann"


async def test_the_same_subject_is_the_same_one_for_ever(tmp_path: Path, key: Path) -> None:
    """And each other subject, issuer or deployment is somebody else."""
    ids: list[str] = []
    wanted = replace(access(key), jwt_issuer=None)
    for data in (tmp_path / "a.db", tmp_path / "a.db", tmp_path / "b.db"):
        async with running_server(SqliteLog(data), access=wanted) as server:
            for given in (token("ann"), token("bob"), token("ann", iss="https://other.example")):
                async with talking(server.url, token=given) as talk:
                    ids.append(talk.id)
    assert ids[:3] == ids[3:6]
    assert len(set(ids)) == 6


async def test_what_was_named_is_known_with_another_token(server: Running) -> None:
    rooms = []
    for jti in ("1", "2"):
        async with talking(server.url, token=token(jti=jti)) as ann:
            rooms.append((await ann.ok("create", "mine", game="klondike"))["room"])
    async with talking(server.url, token=token("bob")) as bob:
        rooms.append((await bob.ok("create", "mine", game="klondike"))["room"])
    assert rooms[0] == rooms[1] != rooms[2]


ATTACKS: dict[str, Callable[[], str | None]] = {
    "nothing": lambda: None,
    "a guest's": lambda: "kbz_" + "0" * 43,
    "nonsense": lambda: "a.b.c",
    "alg none": lambda: made({"alg": "none"}, good_claims(), rsa_key()).rpartition(".")[0] + ".",
    "alg None": lambda: made({"alg": "None"}, good_claims(), rsa_key()).rpartition(".")[0] + ".",
    "alg absent": lambda: made({}, good_claims(), rsa_key()),
    "alg a list": lambda: made({"alg": ["RS256"]}, good_claims(), rsa_key()),
    "no signature": lambda: token().rpartition(".")[0] + ".",
    "HS256 with the public key": lambda: token(key=pem(rsa_key()), alg="HS256"),
    "HS256 with the stripped key": lambda: token(key=pem(rsa_key()).strip(), alg="HS256"),
    "HS256 with the operator's other key": lambda: token(key=SECRET, alg="HS256"),
    "another RSA key": lambda: token(key=rsa_key(1)),
    "another kind of key": lambda: token(key=ec_key(), alg="ES256"),
    "a key that it brings": lambda: token(
        key=rsa_key(1), header={"jwk": operators.jwk(rsa_key(1))}
    ),
    "a place of keys": lambda: token(key=rsa_key(1), header={"jku": "http://127.0.0.1/"}),
    "crit": lambda: token(header={"crit": ["exp"]}),
    "b64": lambda: token(header={"b64": False, "crit": ["b64"]}),
    "wrong aud": lambda: token(aud="elsewhere"),
    "aud absent": lambda: token(aud=None),
    "aud a prefix": lambda: token(aud=AUDIENCE[:-1]),
    "aud a map": lambda: token(aud={AUDIENCE: 1}),
    "wrong iss": lambda: token(iss=ISSUER + "/"),
    "iss absent": lambda: token(iss=None),
    "iss a list": lambda: token(iss=[ISSUER]),
    "expired": lambda: token(exp=now() - 11),
    "for ever": lambda: token(exp=None, iat=now()),
    "exp a text": lambda: token(exp=str(now() + 3600)),
    "exp true": lambda: token(exp=True),
    "exp infinite": lambda: token(exp=float("inf")),
    "exp not a number": lambda: token(exp=float("nan")),
    "exp huge": lambda: token(exp=10**400),
    "not yet": lambda: token(nbf=now() + 60),
    "nbf null": lambda: token(nbf={}),
    "sub absent": lambda: token(None),
    "sub empty": lambda: token(""),
    "sub a number": lambda: token(7),
    "sub endless": lambda: token("a" * 1025),
    "roles a text": lambda: token(roles="admin"),
    "roles a map": lambda: token(roles={"admin": True}),
    "claims a list": lambda: made({"alg": "RS256"}, ["sub"], rsa_key()),
    "roles tampered": lambda: tampered(roles=["admin", "player"]),
    "sub tampered": lambda: tampered(sub="bob"),
    "header tampered": lambda: token(header={"kid": "x"}).replace("e", "f", 1),
    "blanks": lambda: f" {token()}",
    "two": lambda: f"{token()} {token()}",
}


def good_claims() -> dict[str, object]:
    return {"sub": "ann", "iss": ISSUER, "aud": AUDIENCE, "exp": now() + 3600}


def tampered(**claims: object) -> str:
    head, _, signature = token().split(".")
    said = json.dumps(good_claims() | claims).encode()
    return f"{head}.{base64.urlsafe_b64encode(said).decode().rstrip('=')}.{signature}"


@pytest.mark.parametrize("attack", ATTACKS)
async def test_nobody_comes_in_with(server: Running, attack: str) -> None:
    given = ATTACKS[attack]()
    if attack in ("blanks", "two"):  # of a header, blanks round it are none of it
        async with connected(server.url) as talk:
            talk.read()
            await talk.send({"t": "hello", "i": 0, "token": given})
            assert await talk.closed() == CLOSE_AUTH
    else:
        assert not await is_let_in(server, given)


@pytest.mark.parametrize(
    "given",
    [
        lambda: token(exp=now() - 5),
        lambda: token(nbf=now() + 5),
        lambda: token(exp=now() + 0.5),
        lambda: token(aud=["elsewhere", AUDIENCE]),
        lambda: token(iat=now() + 10**6),
        lambda: token(sub="a" * 1024),
        lambda: token(sub="\ud800 \0 é"),
        lambda: token(header={"kid": "whatever"}),
        lambda: token(roles=["player", 7, "king"]),
    ],
)
async def test_these_come_in(server: Running, given: Callable[[], str]) -> None:
    assert await is_let_in(server, given())


async def test_a_huge_token_is_refused_and_costs_nobody_anything(server: Running) -> None:
    huge = token(filler="a" * 100_000)
    async with connected(server.url) as talk:
        talk.read()
        await talk.send({"t": "hello", "i": 0, "token": huge})
        await talk.until(lambda: 0 in talk.answers)
        assert talk.answers[0]["code"] == "too-large"
        await talk.send({"t": "hello", "i": 1, "token": "a" * (MAX_TOKEN + 1)})
        await talk.until(lambda: 1 in talk.answers)
        assert talk.answers[1]["code"] == "bad-message"
    status, _ = await get(
        server, f"Host: x\r\nAuthorization: Bearer {huge}\r\n", "/rooms/x/save.txt"
    )
    assert status in (400, 431)
    assert await is_let_in(server, token())


@pytest.mark.parametrize(
    "headers",
    [
        "",
        "Authorization: Basic YW5uOmNhdHM=\r\n",
        "Authorization: Bearer\r\n",
        "Authorization: Bearer \r\n",
        "Authorization: {good}\r\n",
        "Authorization: Bearer {good} {good}\r\n",
        "Authorization: Bearer {good}\r\nAuthorization: Bearer {good}\r\n",
        "Authorization: Bearer {good}\r\nauthorization: Bearer x\r\n",
        "Proxy-Authorization: Bearer {good}\r\n",
        "X-Authorization: Bearer {good}\r\n",
        "Cookie: token={good}\r\n",
        "Authorization : Bearer {good}\r\n",
        "X: y\r\n Authorization: Bearer {good}\r\n",
    ],
)
async def test_a_download_takes_one_header_and_nothing_else(server: Running, headers: str) -> None:
    sent = "Host: x\r\n" + headers.format(good=token())
    status, answer = await get(server, sent, "/rooms/nothing/replay.txt")
    assert status in (0, 400, 401), answer
    assert status != 401 or b"\r\nwww-authenticate: bearer\r\n" in answer.lower()


async def test_a_token_in_an_address_counts_for_nothing(server: Running) -> None:
    for query in ("token", "access_token", "authorization"):
        path = f"/rooms/nothing/replay.txt?{query}={token()}"
        assert (await fetch(server.http, path))[0] == 401


async def test_the_page_and_what_everybody_may_know_need_no_token(server: Running) -> None:
    for path in ("/", "/healthz", "/readyz", "/protocol"):
        assert (await fetch(server.http, path))[0] == 200


# Roles


async def test_whoever_only_watches_changes_nothing(server: Running) -> None:
    async with (
        talking(server.url, token=token("ann")) as ann,
        talking(server.url, token=token("bob", roles=["spectator"])) as bob,
    ):
        assert bob.answers[1]["roles"] == ["spectator"]
        room = (await ann.ok("create", game="klondike", mode="coop"))["room"]
        await bob.refused("forbidden", "create", game="klondike")
        await bob.refused("forbidden", "join", room=room, role="player")
        await bob.ok("join", room=room)
        await bob.refused("forbidden", "join", room=room, role="player")
        commands: dict[str, dict[str, object]] = {
            "move": {"move": "discard"},
            "undo": {},
            "restart": {},
            "resign": {},
            "ready": {},
            "comments": {"on": False},
            "fork": {},
            "rematch": {},
            "present": {},
            "control": {"control": {"at": 1}},
        }
        for t, fields in commands.items():
            await bob.refused("forbidden", t, None, room=room, **fields)
        await bob.refused("forbidden", "save", room=room)
        await bob.refused("forbidden", "cheat", room=room)
        await bob.ok("say", room=room, text="hello")
        await bob.ok("moves", room=room)
        await bob.ok("history", room=room)
        replay = f"/rooms/{room}/replay.txt"
        assert (await fetch(server.http, replay, bob.token))[0] == 200


@pytest.mark.parametrize("roles", [[], ["admin"], ["king"]])
async def test_without_a_role_one_does_nothing(server: Running, roles: list[str]) -> None:
    async with (
        talking(server.url, token=token("ann")) as ann,
        talking(server.url, token=token("eve", roles=roles)) as eve,
    ):
        room = (await ann.ok("create", game="klondike"))["room"]
        await eve.refused("forbidden", "join", room=room)
        await eve.refused("forbidden", "rooms")
        await eve.refused("forbidden", "lobby")
        await eve.refused("forbidden", "tv")
        await eve.refused("forbidden", "replay", text="# game: aces-up\n")
        await eve.ok("ping")
        for name in ("replay.txt", "replay.json", "save.txt"):
            assert (await fetch(server.http, f"/rooms/{room}/{name}", eve.token))[0] == 403


async def test_a_seat_does_not_outlive_the_role(server: Running) -> None:
    async with talking(server.url, token=token()) as ann:
        room = (await ann.ok("create", game="klondike"))["room"]
    async with talking(server.url, token=token(roles=["spectator"])) as ann:
        await ann.refused("forbidden", "join", room=room, role="player")
        await ann.ok("join", room=room)
        await ann.refused("forbidden", "save", room=room)
        await ann.refused("forbidden", "resign", room=room)


# Time


class Watch:
    """A clock that can be set forward."""

    def __init__(self) -> None:
        self.ahead = 0

    def now_ms(self) -> int:
        return REAL.now_ms() + self.ahead


async def test_a_connection_ends_soon_after_its_token(key: Path) -> None:
    watch = Watch()
    world = replace(REAL, now_ms=watch.now_ms)
    async with (
        running_server(world=world, access=access(key)) as server,
        talking(server.url, token=token("ann", exp=now() + 600)) as ann,
        talking(server.url, token=token("bob", exp=now() + 600)) as bob,
        talking(server.url, token=token("eve", exp=now() + 900)) as eve,
    ):
        room = (await ann.ok("create", game="klondike"))["room"]
        watch.ahead = 590_000
        await bob.settle()
        fresh = await ann.ok("hello", token=token("ann", exp=now() + 7200))
        assert fresh["you"]["id"] == ann.id
        watch.ahead = 600_000 + LEEWAY_MS + 1000
        assert await bob.closed() == CLOSE_AUTH
        await ann.ok("move", room=room, move="discard")
        await eve.ok("ping")


async def test_a_token_that_does_not_say_when_it_ends_may_have_an_age(key: Path) -> None:
    """Counted from when it was made; what says that it lasts longer does not."""
    async with running_server(access=access(key, jwt_max_age=2.0)) as server:
        for given, hours in (
            (token(exp=None, iat=now() - 3600), 1),
            (token(exp=now() + 1800, iat=now() - 3600), 0.5),
            (token(exp=now() + 9 * 3600, iat=now() - 3600), 1),
            (token(exp=now() + 9 * 3600, iat=now() + 5), 2),
        ):
            async with talking(server.url, token=given) as ann:
                expires = (await ann.ok("hello", token=given))["expires"]
                assert abs(expires - (now() + hours * 3600) * 1000 - LEEWAY_MS) < 60_000
        for said in (
            {"exp": None},
            {"exp": None, "iat": now() - 3 * 3600},
            {},  # nothing says how old it is
            {"iat": None},
            {"iat": now() + 60},  # it would end later than it may
            {"iat": now() + 60, "nbf": now()},
            {"iat": str(now())},
            {"exp": 0, "iat": now()},
        ):
            assert not await is_let_in(server, token(**said)), said


async def test_a_fresh_token_is_of_the_same_person_and_no_less(server: Running) -> None:
    async with talking(server.url, token=token("ann")) as ann:
        for other in (
            token("bob"),
            token("ann", roles=["spectator"]),
            token("ann", exp=now() - 60),
            token("ann", key=rsa_key(1)),
        ):
            await ann.refused("auth", "hello", token=other)
        assert (await ann.ok("hello", token=token("ann"), name="x"))["you"]["id"] == ann.id
        await ann.ok("create", game="klondike")
        await ann.send({"t": "hello", "i": 99})
        assert await ann.closed() == 4400


async def test_a_guest_may_say_hello_again_but_not_become_another(running: Running) -> None:
    async with talking(running.url) as ann, talking(running.url) as bob:
        assert (await ann.ok("hello", token=ann.token, name="Ann"))["you"]["name"] == "Ann"
        await ann.refused("auth", "hello", token=bob.token)
        await ann.refused("auth", "hello", token="nonsense")
        await ann.ok("ping")
