"""TLS: the certificate that new connections get, read again without closing any.

Promises: a connection gets a certificate and the key that belongs to it, whatever happens to the
files meanwhile; a file that cannot be used changes nothing. Never: ask for a passphrase, wait for a
file.
"""

import contextlib
import ssl
from pathlib import Path

from .authority import Unusable
from .files import check_regular

PROTOCOLS = ("http/1.1",)
"""What is spoken inside."""
CERTIFICATE, PRIVATE = b"CERTIFICATE-----", b"PRIVATE KEY-----"
"""How lines end that begin these in PEM."""


class Certificates:
    """The certificate there is now."""

    files = True

    def __init__(self, certificate: Path, key: Path | None) -> None:
        """Read the files.

        Args:
            certificate: The chain, PEM, the server's own certificate first.
            key: Its private key; ``None``: it is in the same file.

        Raises:
            Unusable: They are none, or do not belong together.

        """
        self._paths = certificate, key
        self._current = self._read()
        self.context = self._read()
        """What to listen with: hands each new connection to the current certificate."""
        self.context.sni_callback = self._choose

    def reload(self) -> None:
        """Read the files again; who is connected keeps his connection.

        Raises:
            Unusable: They cannot be used; the old certificate stays.

        """
        self._current = self._read()

    def _choose(self, connection: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
        connection.context = self._current

    def _read(self) -> ssl.SSLContext:
        certificate, key = self._paths
        check_regular(certificate)
        if key is not None:
            check_regular(key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(list(PROTOCOLS))
        try:
            context.load_cert_chain(certificate, key, password=_no_passphrase)
        except _Locked:
            raise Unusable(f"{key or certificate}: the key must have no passphrase") from None
        except ssl.SSLError as error:
            raise Unusable(_said(certificate, key, error.reason or "no PEM")) from None
        except OSError as error:
            named = certificate if key is None else f"{certificate}, {key}"
            raise Unusable(f"{_unread(certificate, key) or named}: {error.strerror}") from None
        return context


def _said(certificate: Path, key: Path | None, why: str) -> str:
    """What is wrong with files that can be read."""
    if key is not None:
        return f"{certificate} and {key} are no certificate and its key ({why})"
    if CERTIFICATE in (content := certificate.read_bytes()) and PRIVATE not in content:
        return f"no private key in {certificate}: say --tls-key"
    return f"{certificate} is no certificate and its key ({why})"


def _unread(*files: Path | None) -> Path | None:
    """The first of some files that cannot be read: nobody else says which one it was."""
    for file in files:
        try:
            with contextlib.nullcontext() if file is None else file.open("rb"):
                pass
        except OSError:
            return file
    return None


class _Locked(Exception):
    """The key has a passphrase."""


def _no_passphrase() -> str:
    raise _Locked


def certificates_of(certificate: Path | None, key: Path | None) -> Certificates | None:
    """The certificate that the command line names, if it names one.

    Raises:
        Unusable: It cannot be used.

    """
    if certificate is None:
        if key is not None:
            raise Unusable("--tls-key needs --tls-cert")
        return None
    return Certificates(certificate, key)
