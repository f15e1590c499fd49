"""Identities by an operator's own tokens: JSON Web Tokens, signed with a key that we can check.

Promises: the same issuer and subject are the same identity for ever, whatever else the token says;
an id tells nothing about them, for it follows from a secret of this deployment as well. Nothing of
a token counts before its signature is right, and the algorithm is the key's, not the token's; no
token counts for ever.
"""

import hmac
from collections.abc import Callable, Mapping
from typing import Any

import jwt
from jwt.types import Options

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.limits import MAX_NAME, MAX_TOKEN

from ..identity import Identity, clean_name, id_of
from ..log.log import EventLog
from ..world import World
from .authority import ID_SECRET, SECRET_BYTES, needs_token
from .keys import Keys
from .roles import GUEST_ROLES, ROLES

LEEWAY_MS = 10_000
"""How far the clocks of this server and of the issuer may be apart."""
HOUR_MS = 3_600_000
MAX_SECONDS = 1 << 40
"""What is no time any more, in seconds since 1970."""
MAX_SUBJECT = 1024
"""Longest issuer and subject, in characters."""
_CHECKED_BY_US: Options = {
    "verify_exp": False,
    "verify_nbf": False,
    "verify_iat": False,
    "verify_aud": False,
    "verify_iss": False,
    "verify_sub": False,
    "verify_jti": False,
}
"""The library reads the clock of the machine; ours is handed in."""


class Jwts:
    """Everybody has a token of the operator's."""

    files = True

    def __init__(
        self,
        world: World,
        read_keys: Callable[[bool], Keys],
        issuer: str | None = None,
        audience: str | None = None,
        max_age: float | None = None,
    ) -> None:
        """Read the keys.

        Args:
            world: Tells the time.
            read_keys: Reads the keys from where they are; is told whether that is done again.
            issuer: The only one whose tokens count, if not every one's do.
            audience: Whom a token must be for, if it may not be for anybody.
            max_age: Hours after which a token ends at the latest; ``None``: when it says so itself.

        Raises:
            Unusable: There are no keys that could be used.

        """
        self._world = world
        self._read_keys = read_keys
        self._keys = read_keys(False)
        self._issuer = issuer
        self._audience = audience
        self._max_age_ms = None if max_age is None else int(max_age * HOUR_MS)
        self._secret = b""

    async def open(self, log: EventLog) -> None:
        """Learn the secret from which ids follow."""
        self._secret = await log.secret(ID_SECRET, self._world.random_bytes(SECRET_BYTES))

    def reload(self) -> None:
        """Read the keys anew; who is here stays until his token expires."""
        self._keys = self._read_keys(True)

    def greet(self, token: str | None, name: str | None) -> tuple[Identity, str]:
        """Who says hello."""
        if token is None:
            raise needs_token()
        return self._identify(token, name), token

    def bearer(self, token: str | None) -> Identity:
        """Who asks for a page."""
        if token is None:
            raise needs_token()
        return self._identify(token, None)

    def _identify(self, token: str, name: str | None) -> Identity:
        claims = self._claims(token)
        expires = self._check_times(claims)
        issuer, subject = claims.get("iss", ""), claims.get("sub")
        if not isinstance(issuer, str) or not isinstance(subject, str) or not subject:
            raise _refused("the token does not say whose it is (sub)")
        if len(issuer) > MAX_SUBJECT or len(subject) > MAX_SUBJECT:
            raise _refused("the token's subject is too long")
        if self._issuer is not None and issuer != self._issuer:
            raise _refused("the token comes from somebody else (iss)")
        if self._audience is not None and not _is_for(self._audience, claims.get("aud")):
            raise _refused("the token is for somebody else (aud)")
        whose = f"{len(issuer)}\0{issuer}\0{subject}".encode("utf-8", "surrogatepass")
        id_ = id_of(hmac.digest(self._secret, b"id\0" + whose, "sha256"))
        said = claims.get("name")
        return Identity(
            id_,
            clean_name(said if isinstance(said, str) else name, id_)[:MAX_NAME].strip(),
            hmac.digest(self._secret, b"secret\0" + whose, "sha256"),
            _roles(claims),
            expires + LEEWAY_MS,
        )

    def _claims(self, token: str) -> Mapping[str, Any]:
        """What a token claims, once its signature is right."""
        if len(token) > MAX_TOKEN or not token.isascii():
            raise _refused("that is no token of this server's")
        try:
            header = jwt.get_unverified_header(token)
            key = self._keys.of(header.get("kid"))
            if key is None or "crit" in header or header.get("alg") not in key.algorithms:
                raise _refused("that is no token of this server's")
            claims: dict[str, Any] = jwt.decode(
                token, key.key, algorithms=list(key.algorithms), options=_CHECKED_BY_US
            )
        except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
            raise _refused("that is no token of this server's") from None
        return claims

    def _check_times(self, claims: Mapping[str, Any]) -> int:
        """When the token ends, Unix ms.

        Raises:
            Refused: It has ended, or has not begun, or does not say when it ends or was made.

        """
        now = self._world.now_ms()
        begins, ends = _ms(claims, "nbf"), _ms(claims, "exp")
        if self._max_age_ms is not None:
            if (made := _ms(claims, "iat")) is None:
                raise _refused("the token does not say when it was made (iat)")
            begins = made if begins is None else max(begins, made)
            latest = made + self._max_age_ms
            ends = latest if ends is None else min(ends, latest)
        if ends is None:
            raise _refused("the token does not say when it ends (exp)")
        if begins is not None and now + LEEWAY_MS < begins:
            raise _refused("the token is not valid yet")
        if now >= ends + LEEWAY_MS:
            raise _refused("the token has expired")
        return ends


def _ms(claims: Mapping[str, Any], name: str) -> int | None:
    """A time in a token, seconds there, as Unix ms."""
    if name not in claims:
        return None
    seconds = claims[name]
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not (is_number and abs(seconds) < MAX_SECONDS):
        raise _refused(f"the token says no time ({name})")
    return int(seconds * 1000)


def _is_for(audience: str, given: object) -> bool:
    return given == audience or (isinstance(given, list) and audience in given)


def _roles(claims: Mapping[str, Any]) -> frozenset[str]:
    """What the token lets its owner do; a guest's roles, if it says nothing of that."""
    if "roles" not in claims:
        return GUEST_ROLES
    given = claims["roles"]
    if not isinstance(given, list):
        raise _refused("the token's roles are no list")
    return frozenset(role for role in given if isinstance(role, str)) & ROLES


def _refused(message: str) -> Refused:
    return Refused(ErrorCode.AUTH, message)
