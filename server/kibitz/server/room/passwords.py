"""Room passwords, kept as salted scrypt hashes. Slow by intent: call from a thread."""

import hashlib
import hmac

_COST = {"n": 2**14, "r": 8, "p": 1}


def hash_password(password: str, salt: bytes) -> str:
    """The form to keep: salt and hash, hex."""
    digest = hashlib.scrypt(password.encode(), salt=salt, **_COST)
    return f"{salt.hex()}${digest.hex()}"


def is_password(password: str, kept: str) -> bool:
    """Whether a password is the one that was kept."""
    salt = bytes.fromhex(kept.partition("$")[0])
    return hmac.compare_digest(hash_password(password, salt), kept)
