"""The keys that tokens are checked with, from a file.

Promises: what a key may be used for follows from the key alone, never from a token: a public key
checks signatures of its own kind, a secret checks HMACs. Never: take a private key, a weak one.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from cryptography.x509 import load_pem_x509_certificate
from jwt import PyJWK
from jwt.exceptions import PyJWTError

from .authority import Unusable
from .files import check_regular
from .known import can_be_secret, is_known

MAX_FILE = 1 << 20
"""Largest file of keys, in bytes."""
MIN_RSA_BITS = 2048
PEM = b"-----BEGIN"
HMACS = {"HS256": 32, "HS384": 48, "HS512": 64}
"""How long a secret has to be for each, in bytes."""
RSAS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
CURVES = {"secp256r1": "ES256", "secp384r1": "ES384", "secp521r1": "ES512"}
PUBLIC_MEMBERS = frozenset({"kty", "n", "e", "crv", "x", "y", "k", "alg", "kid"})
"""Of a JWK: what is looked at. ``k`` is a secret's only member."""

log = structlog.get_logger("kibitz.access")


@dataclass(frozen=True, slots=True)
class Key:
    """A key and the algorithms it is for."""

    key: Any
    algorithms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Keys:
    """All keys: one for every token, or one for each id of a key."""

    by_id: Mapping[str | None, Key]
    named: bool
    """Whether tokens say which of them is meant."""

    def of(self, kid: object) -> Key | None:
        """The key for a token whose header names this one, or none."""
        if not self.named or (kid is None and len(self.by_id) == 1):
            return next(iter(self.by_id.values()))
        return self.by_id.get(kid) if isinstance(kid, str) else None


def key_of_file(path: Path, again: bool = False) -> Keys:
    """The one key in a file: a public key as PEM, or a secret.

    Args:
        path: The file.
        again: Whether others are served meanwhile: a file that is waited for is refused then.

    Raises:
        Unusable: It is neither.

    """
    content = _read(path, again).strip()
    if PEM in content:
        return Keys({None: _pem(content, path)}, named=False)
    key = _secret(content, str(path))
    if not can_be_secret(content):
        raise Unusable(
            f"{path}: a secret is one line of printable ASCII without blanks and <, as of"
            " openssl rand -hex 32; a public key has to be PEM, in ASCII"
        )
    return Keys({None: key}, named=False)


def keys_of_jwks(path: Path, again: bool = False) -> Keys:
    """The keys of a JWKS file.

    Args:
        path: The file.
        again: Whether others are served meanwhile: a file that is waited for is refused then.

    Raises:
        Unusable: It is none, or none of its keys can be used.

    """
    content = _read(path, again)
    try:
        found = json.loads(content)
        listed: Sequence[Any] = found["keys"]
        assert isinstance(listed, list)
    except (ValueError, LookupError, TypeError, AssertionError, RecursionError):
        raise Unusable(f'{path} is no JWKS file: {{"keys": [...]}}') from None
    by_id: dict[str | None, Key] = {}
    for each in listed:
        if (key := _jwk(each, path)) is None:
            continue
        kid = each.get("kid")
        if kid in by_id:
            raise Unusable(f"{path}: two keys are called {kid!r}")
        by_id[kid] = key
    if not by_id:
        raise Unusable(f"{path}: there is no key in it that can check a token")
    if None in by_id and len(by_id) > 1:
        raise Unusable(f"{path}: where there are several keys, each needs a kid")
    return Keys(by_id, named=True)


def _read(path: Path, again: bool) -> bytes:
    if again:  # at the start it may be a pipe, as a shell makes one of <(...)
        check_regular(path)
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE + 1)
    except OSError as error:
        raise Unusable(f"{path}: {error.strerror}") from None
    if len(content) > MAX_FILE:
        raise Unusable(f"{path} is too large for a file of keys")
    return content


def _pem(content: bytes, path: Path) -> Key:
    try:
        if b"BEGIN CERTIFICATE" in content:
            key: object = load_pem_x509_certificate(content).public_key()
        else:
            key = load_pem_public_key(content)
    except (ValueError, UnsupportedAlgorithm):
        message = f"{path} is no public key (PEM, -----BEGIN PUBLIC KEY-----)"
        raise Unusable(message) from None
    return _public(key, str(path))


def _public(key: object, where: str) -> Key:
    if isinstance(key, RSAPublicKey):
        if key.key_size < MIN_RSA_BITS:
            raise Unusable(f"{where}: an RSA key has at least {MIN_RSA_BITS} bits")
        return Key(key, RSAS)
    if isinstance(key, EllipticCurvePublicKey) and key.curve.name in CURVES:
        return Key(key, (CURVES[key.curve.name],))
    if isinstance(key, Ed25519PublicKey | Ed448PublicKey):
        return Key(key, ("EdDSA",))
    raise Unusable(f"{where}: keys are RSA, EC (P-256, P-384, P-521) or Ed25519")


def _secret(content: bytes, where: str) -> Key:
    if len(content) < (least := min(HMACS.values())):
        raise Unusable(f"{where}: a secret has at least {least} bytes")
    if is_known(content):
        message = "that is known to others, so it is no secret"
        raise Unusable(f"{where}: {message}; a public key has to be PEM, a JWKS is for --jwt-jwks")
    return Key(content, tuple(name for name, size in HMACS.items() if len(content) >= size))


def _jwk(given: Any, path: Path) -> Key | None:
    """One key of a JWKS; ``None``: it is not for checking signatures, or of no kind we know."""
    if not isinstance(given, dict) or not isinstance(given.get("kid"), str | None):
        raise Unusable(f"{path}: that is no key: {str(given)[:40]}")
    if given.get("use", "sig") != "sig" or "verify" not in given.get("key_ops", ["verify"]):
        return None
    where = f"{path}, key {given.get('kid')!r}"
    public = {name: value for name, value in given.items() if name in PUBLIC_MEMBERS}
    try:
        loaded = PyJWK(public | {"alg": _any_algorithm(public)}).key
    except (PyJWTError, ValueError, LookupError, TypeError, UnsupportedAlgorithm):
        log.warning("key not used", key=where)
        return None
    key = _secret(loaded, where) if isinstance(loaded, bytes) else _public(loaded, where)
    if (alg := given.get("alg")) is not None:
        if alg not in key.algorithms:
            raise Unusable(f"{where}: it cannot be for {alg!r}")
        key = Key(key.key, (alg,))
    return key


def _any_algorithm(public: Mapping[str, Any]) -> str:
    """An algorithm with which the library reads a key of this kind."""
    match public:
        case {"kty": "RSA"}:
            return "RS256"
        case {"kty": "EC", "crv": "P-256"}:
            return "ES256"
        case {"kty": "EC", "crv": "P-384"}:
            return "ES384"
        case {"kty": "EC", "crv": "P-521"}:
            return "ES512"
        case {"kty": "OKP"}:
            return "EdDSA"
        case {"kty": "oct"}:
            return "HS256"
        case _:
            raise ValueError("no kind of key that we know")
