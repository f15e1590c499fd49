"""Whether what stands where a secret should be is known to others: a public key, a page, a token.

Whoever knows it could sign tokens. Promises: a key is recognized in its usual encodings, bare or
with its frame. Never: say what it is; it may be a secret all the same.
"""

import base64
import binascii
import contextlib
import re
from collections.abc import Callable, Iterator

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_der_private_key, load_der_public_key
from cryptography.x509 import load_der_x509_certificate, load_der_x509_csr

_BEGINNINGS = (
    *(b"ssh-", b"sk-", b"ecdsa-", b"AAAA"),  # SSH, with its kind and without
    *(
        b"mQENB",
        b"mQGNB",
        b"mQINB",
        b"mQMNB",
        b"mDME",
        b"xsBNB",
        b"xsDNB",
        b"xsFNB",
        b"xjME",
    ),  # PGP
    *(b"{", b"[", b"eyJ", b"----"),  # JWK, token, any other block
    *(b"http:", b"https:", b"file:"),
)
_SSH = re.compile(rb"\0\0\0[\x07-\x40](ssh-|sk-|ecdsa-)")
"""How the binary form of a key for SSH begins."""
_LOADERS: tuple[Callable[[bytes], object], ...] = (
    load_der_public_key,
    lambda der: load_der_private_key(der, None),
    load_der_x509_certificate,
    load_der_x509_csr,
)
_NOT_ASCII_TEXT = re.compile(rb"[^!-~]|<")


def can_be_secret(text: bytes) -> bool:
    """Whether this is text as secrets are written: printable ASCII, no blanks, nothing of HTML."""
    return not _NOT_ASCII_TEXT.search(text)


def is_known(content: bytes) -> bool:
    """Whether it is a key, a token, or the place of one, in any of the usual encodings."""
    return any(_is_key(each) for each in (content, *_decoded(content)))


def _is_key(content: bytes) -> bool:
    is_text = content.isascii()  # which what a secret encodes by chance is not
    if is_text and (content.startswith(_BEGINNINGS) or b"-----BEGIN" in content):
        return True
    if _SSH.match(content):
        return True
    for load in _LOADERS:
        try:
            load(content)
        except TypeError:  # it wants a password: a private key
            return True
        except (ValueError, UnsupportedAlgorithm):
            continue
        return True
    return False


def _decoded(content: bytes) -> Iterator[bytes]:
    """What it may be the encoded form of."""
    for encoding in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"):
        try:
            yield content.decode(encoding).strip().encode()
        except UnicodeError:
            continue
    plain = re.sub(rb"\s", b"", content).rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
    with contextlib.suppress(binascii.Error):
        yield base64.b64decode(plain + b"=" * (-len(plain) % 4), validate=True)
    with contextlib.suppress(ValueError):
        yield bytes.fromhex(content.decode("ascii"))
