"""Who somebody is: a token that only its owner has, and the public id that follows from it.

The id is a hash of the token, so nothing is stored, an identity survives every restart, and an
id tells nothing about the token.
"""

import base64
import hashlib
import re
from dataclasses import dataclass, field

from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.views import Bot

from .access.roles import GUEST_ROLES
from .world import World

TOKEN_BYTES = 32
ID_LENGTH = 12
"""Characters of a public id (60 bits)."""

_ID = re.compile(rf"[a-z2-7]{{{ID_LENGTH}}}", re.ASCII)
_TOKEN = re.compile(r"kbz_[A-Za-z0-9_-]{43}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody.

    Attributes:
        id: The public id.
        name: The display name.
        secret: What only he and the server can know.
        roles: What he may do: ``player``, ``spectator``, ``admin``.
        expires: When he has to say once more who he is, Unix ms; ``None``: never.
        bot: How he plays, if he is a bot of the server's.

    """

    id: str
    name: str
    secret: bytes = field(default=b"", repr=False, compare=False)
    roles: frozenset[str] = field(default=GUEST_ROLES, repr=False, compare=False)
    expires: int | None = field(default=None, repr=False, compare=False)
    bot: Bot | None = field(default=None, repr=False, compare=False)


def new_token(world: World) -> str:
    """A token for a newcomer."""
    return "kbz_" + base64.urlsafe_b64encode(world.random_bytes(TOKEN_BYTES)).decode().rstrip("=")


def identify(token: str, name: str | None) -> Identity:
    """The owner of a token, under the name he gives.

    Raises:
        Refused: No server has handed out such a token.

    """
    id_ = identity_id(token)
    secret = hashlib.sha256(b"kibitz secret\0" + token.encode()).digest()
    return Identity(id_, clean_name(name, id_), secret)


def identity_id(token: str) -> str:
    """The public id of a token's owner.

    Raises:
        Refused: No server has handed out such a token.

    """
    if not _TOKEN.fullmatch(token):
        raise Refused(ErrorCode.AUTH, "that is not a kibitz token")
    return id_of(hashlib.sha256(b"kibitz identity\0" + token.encode()).digest())


def id_of(digest: bytes) -> str:
    """The public id that follows from a digest."""
    return base64.b32encode(digest).decode().lower()[:ID_LENGTH]


def is_id(text: str) -> bool:
    """Whether a text has the form of a public id."""
    return _ID.fullmatch(text) is not None


def clean_name(name: str | None, id_: str) -> str:
    """The display name: printable, without outer or doubled blanks; a guest's if there is none."""
    kept = "".join(c for c in name or "" if c.isprintable())
    return " ".join(kept.split()) or f"guest-{id_[:4]}"


def clean_text(text: str) -> str:
    """A comment on one line: what cannot be printed becomes a blank."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
