"""Certificates of an authority made for a test."""

import ssl
from pathlib import Path

import trustme


class Authority:
    """An authority, and what it has issued."""

    def __init__(self, folder: Path, *names: str) -> None:
        """Make it, and a certificate for some names, or for ``127.0.0.1`` and ``localhost``."""
        self._ca = trustme.CA()
        self.folder = folder
        self.ca, self.cert, self.key = (folder / f"{name}.pem" for name in ("ca", "cert", "key"))
        self._ca.cert_pem.write_to_path(str(self.ca))
        self.issue(*names)

    def issue(self, *names: str) -> None:
        """Put another certificate into the place of the one before."""
        issued = self._ca.issue_cert(*(names or ("127.0.0.1", "localhost")))
        self.cert.write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
        issued.private_key_pem.write_to_path(str(self.key))

    @property
    def files(self) -> tuple[Path, Path]:
        """Certificate and key."""
        return self.cert, self.key

    @property
    def trust(self) -> ssl.SSLContext:
        """What a client needs to trust it."""
        return ssl.create_default_context(cafile=str(self.ca))
