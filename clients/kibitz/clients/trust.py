"""Whose certificates are good: the system's authorities, one that is named, or one certificate.

Promises: a connection under TLS is always checked; what is trusted is read anew for each.
"""

import ssl
from collections.abc import Callable
from functools import partial
from pathlib import Path

Trust = Callable[[], ssl.SSLContext]
"""What a connection under TLS is made with."""

END = "-----END CERTIFICATE-----"


def of_authority(file: Path) -> Trust:
    """Trust what an authority has signed, and nothing else."""
    return partial(ssl.create_default_context, cafile=file)


def of_certificate(file: Path) -> Trust:
    """Trust the first certificate in a file and no other, under whatever name it is met."""

    def context() -> ssl.SSLContext:
        first = file.read_text(encoding="ascii").partition(END)[0] + END
        pinned = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        pinned.check_hostname = False  # it is this very certificate, or none
        pinned.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        pinned.load_verify_locations(cadata=first)
        return pinned

    return context
