"""An operator with keys of his own: tokens as he signs them, and as an attacker would."""

import base64
import hashlib
import hmac
import json
import time
from functools import cache
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

ISSUER, AUDIENCE = "https://id.example", "kibitz"
SECRET = b"an_operator's_own_secret_of_enough_length"


@cache
def rsa_key(number: int = 0) -> rsa.RSAPrivateKey:
    """A key, the same for the same number."""
    return rsa.generate_private_key(65537, 2048)


@cache
def ec_key(number: int = 0) -> ec.EllipticCurvePrivateKey:
    """A key, the same for the same number."""
    return ec.generate_private_key(ec.SECP256R1())


@cache
def ed_key() -> ed25519.Ed25519PrivateKey:
    """A key."""
    return ed25519.Ed25519PrivateKey.generate()


def pem(private: Any) -> bytes:
    """The public half of a key."""
    public: bytes = private.public_key().public_bytes(
        Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
    )
    return public


def jwk(private: Any, **more: object) -> dict[str, object]:
    """The public half of a key, for a JWKS."""
    algorithm = RSAAlgorithm if isinstance(private, rsa.RSAPrivateKey) else ECAlgorithm
    return {**json.loads(algorithm.to_jwk(private.public_key())), **more}


def write_jwks(path: Path, *keys: dict[str, object]) -> Path:
    """A JWKS file."""
    path.write_text(json.dumps({"keys": keys}))
    return path


def token(
    sub: object = "ann",
    key: Any = None,
    alg: str = "RS256",
    *,
    header: dict[str, object] | None = None,
    **claims: object,
) -> str:
    """A token, good for an hour; a claim that is ``None`` is left out."""
    usual: dict[str, object] = {"sub": sub, "iss": ISSUER, "aud": AUDIENCE, "exp": now() + 3600}
    said = {name: value for name, value in (usual | claims).items() if value is not None}
    return made({"alg": alg, "typ": "JWT", **(header or {})}, said, key or rsa_key())


def made(header: dict[str, object], claims: object, key: Any) -> str:
    """A token with exactly this header; signed by the library, whatever the header says."""
    signed = ".".join(map(_b64, (json.dumps(header).encode(), json.dumps(claims).encode())))
    name = "HS256" if isinstance(key, bytes) else _ALGORITHMS[type(key).__name__]
    if isinstance(key, bytes):
        signature = hmac.new(key, signed.encode(), hashlib.sha256).digest()
    else:
        signature = jwt.get_algorithm_by_name(name).sign(signed.encode(), key)
    return f"{signed}.{_b64(signature)}"


_ALGORITHMS = {"RSAPrivateKey": "RS256", "ECPrivateKey": "ES256", "Ed25519PrivateKey": "EdDSA"}


def now() -> int:
    """Seconds."""
    return int(time.time())


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
