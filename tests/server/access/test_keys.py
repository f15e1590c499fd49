"""The keys that an operator's tokens are checked with: which ones do, and when they are read."""

import base64
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import operators
import pytest
from operators import ISSUER, SECRET, ec_key, ed_key, pem, rsa_key, token
from server.access.tokens import access, is_let_in
from servers import EACH_HAS, REAL, running_server
from structlog.testing import capture_logs
from talk import talking

from kibitz.server.access.authority import Unusable
from kibitz.server.access.opening import authority_of
from kibitz.server.log.memory import MemoryLog
from kibitz.server.settings import Access, Auth


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key.pem"
    path.write_bytes(pem(rsa_key()))
    return path


@pytest.mark.parametrize(
    ("content", "private", "alg"),
    [
        (lambda: pem(rsa_key()), rsa_key, "RS256"),
        (lambda: pem(ec_key()), ec_key, "ES256"),
        (lambda: pem(ed_key()), ed_key, "EdDSA"),
        (lambda: SECRET + b"\n", lambda: SECRET, "HS256"),
    ],
)
async def test_every_kind_of_key(
    tmp_path: Path, content: Callable[[], bytes], private: Callable[[], Any], alg: str
) -> None:
    path = tmp_path / "key"
    path.write_bytes(content())
    async with running_server(access=access(path)) as server:
        assert await is_let_in(server, token(key=private(), alg=alg))
        for other in ("RS256", "ES256", "EdDSA", "HS256", "HS512", "none"):
            if other != alg:
                assert not await is_let_in(server, token(key=private(), alg=other))


@EACH_HAS
async def test_a_jwks_names_its_keys_and_is_read_again(tmp_path: Path) -> None:
    path = operators.write_jwks(
        tmp_path / "keys.json",
        operators.jwk(rsa_key(), kid="old", use="sig", alg="RS256"),
        operators.jwk(ec_key(), kid="other"),
        operators.jwk(rsa_key(2), kid="for something else", use="enc"),
        {"kty": "strange", "kid": "strange"},
    )
    wanted = replace(access(path), jwt_key=None, jwt_jwks=path)
    async with running_server(access=wanted) as server:
        old = token(header={"kid": "old"})
        assert await is_let_in(server, old)
        assert await is_let_in(server, token(key=ec_key(), alg="ES256", header={"kid": "other"}))
        assert not await is_let_in(server, token())
        for kid in ("unknown", "other", 7, "strange", None, ["old"]):
            assert not await is_let_in(server, token(header={"kid": kid}))
        crossed = token(key=rsa_key(2), header={"kid": "for something else"})
        assert not await is_let_in(server, crossed)

        async with talking(server.url, token=old) as ann:
            operators.write_jwks(path, operators.jwk(rsa_key(1), kid="new"))
            with capture_logs() as lines:
                server.app.reload()
            assert [(each["event"], each["what"]) for each in lines] == [("reloaded", "keys")]
            assert not await is_let_in(server, old)
            new = token(key=rsa_key(1), header={"kid": "new"})
            assert await is_let_in(server, new)
            assert await is_let_in(server, token(key=rsa_key(1)))  # there is only one
            await ann.ok("ping")

        path.write_text("{}")
        server.app.reload()
        assert await is_let_in(server, new)


@EACH_HAS
@pytest.mark.parametrize("name", ["jwt_key", "jwt_jwks"])
async def test_keys_come_from_a_pipe_at_the_start_and_nobody_waits_for_one_later(
    tmp_path: Path, name: str
) -> None:
    path = operators.write_jwks(tmp_path / "keys", operators.jwk(rsa_key()))
    if name == "jwt_key":
        path.write_bytes(pem(rsa_key()))
    end, other = os.pipe()
    os.write(other, path.read_bytes())
    os.close(other)
    path.unlink()
    path.symlink_to(f"/dev/fd/{end}")
    wanted = Access(auth=Auth.JWT, **{name: path})  # type: ignore[arg-type]
    async with running_server(access=wanted) as server:
        for _ in range(2):
            assert await is_let_in(server, token())
            with capture_logs() as lines:
                server.app.reload()
            assert [(each["event"], each["why"]) for each in lines] == [
                ("not reloaded", f"{path} is no regular file")
            ]
            path.unlink()
            os.mkfifo(path)
        assert await is_let_in(server, token())
    os.close(end)


def unusable(tmp_path: Path, content: bytes, name: str = "jwt_key") -> str:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(Unusable) as error:
        authority_of(Access(auth=Auth.JWT, **{name: path}), REAL)  # type: ignore[arg-type]
    return str(error.value)


def test_what_is_no_key_is_refused_at_the_start(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric import ec, rsa
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    private = rsa_key().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    assert "no public key" in unusable(tmp_path, private)
    assert "2048 bits" in unusable(tmp_path, pem(rsa.generate_private_key(65537, 1024)))
    assert "keys are" in unusable(tmp_path, pem(ec.generate_private_key(ec.SECP256K1())))
    assert "32 bytes" in unusable(tmp_path, b"short")
    assert "public key has to be PEM" in unusable(tmp_path, b"ssh-ed25519 " + b"A" * 60)
    assert "no public key" in unusable(tmp_path, b"-----BEGIN PUBLIC KEY-----\n" + b"A" * 60)
    assert "too large" in unusable(tmp_path, b"a" * (1 << 21))
    for text in (b"", b"[]", b"{}", b'{"keys": 7}', b"[" * 100_000, b'{"keys": [7]}'):
        assert "key" in unusable(tmp_path, text, "jwt_jwks").lower()
    two = [operators.jwk(rsa_key(), kid="a"), operators.jwk(rsa_key(1), kid="a")]
    assert "two keys" in unusable(tmp_path, json.dumps({"keys": two}).encode(), "jwt_jwks")
    wrong = [operators.jwk(rsa_key(), kid="a", alg="HS256")]
    assert "cannot be" in unusable(tmp_path, json.dumps({"keys": wrong}).encode(), "jwt_jwks")


def test_what_others_know_is_no_secret(tmp_path: Path) -> None:
    """Nor what no secret looks like: whoever knows the file could sign tokens."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    public = pem(rsa_key()).strip()
    lines = public.splitlines()[1:-1]
    der = base64.b64decode(b"".join(lines))
    ssh = ed_key().public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    for content in (
        *(public.decode().encode(each) for each in ("utf-16", "utf-16-le", "utf-16-be", "utf-32")),
        *(b"\n".join(lines), b"".join(lines), der, der.hex().encode(), base64.b64encode(public)),
        *(base64.urlsafe_b64encode(der).rstrip(b"="), base64.b32encode(der) + b"==" + b"\n" + der),
        *(ssh, ssh.split()[1], b"sk-" + ssh, b"sk-ssh-ed25519@openssh.com" + b"A" * 40),
        *(b"xsBNBF" + b"a" * 60, b"mQINBF" + b"a" * 60, b"\0" * 40, b"an operator's secret " * 3),
        *(b"<html><body>404 Not Found</body></html>", b"<html><body>404</body></html>" + b"x" * 20),
        *(json.dumps(operators.jwk(rsa_key())).encode(), token().encode()),
        *(SECRET.decode().encode("utf-8-sig"), SECRET.decode().encode("utf-16"), SECRET + b"\xe9"),
    ):
        for given in (content, b" \n" + content + b"\r\n"):
            assert "public key has to be PEM" in unusable(tmp_path, given), given
    known = {"kty": "oct", "kid": "a", "k": base64.urlsafe_b64encode(public).decode().rstrip("=")}
    jwks = json.dumps({"keys": [known]}).encode()
    assert "known to others" in unusable(tmp_path, jwks, "jwt_jwks")
    for number in range(200):  # what is made as we advise is one
        made_ = hashlib.sha256(b"%d" % number)
        for text in (made_.hexdigest(), base64.b64encode(made_.digest()).decode()):
            (tmp_path / "file").write_text(text + "\n")
            authority_of(Access(auth=Auth.JWT, jwt_key=tmp_path / "file"), REAL)


def test_settings_that_do_not_go_together_are_refused(key: Path) -> None:
    for settings in (
        Access(jwt_key=key),
        Access(jwt_issuer=ISSUER),
        Access(jwt_max_age=1.0),
        Access(auth=Auth.JWT),
        Access(auth=Auth.JWT, jwt_key=key, jwt_jwks=key),
    ):
        with pytest.raises(Unusable, match="jwt"):
            authority_of(settings, REAL)


async def test_the_key_of_ids_is_the_deployments(key: Path) -> None:
    log = MemoryLog()
    async with (
        running_server(log, access=access(key)) as server,
        talking(server.url, token=token()) as ann,
    ):
        assert len(await log.secret("identity", b"other")) == 32
        assert ann.id not in (b"ann", "ann")
