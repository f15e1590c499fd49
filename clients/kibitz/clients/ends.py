"""How a talk with a server ends."""


class Unreachable(Exception):
    """There is no kibitz server at the address, or it is gone for good."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"no server at {url} ({reason})")
        self.url = url
        self.reason = reason


class NoSocket(Unreachable):
    """Something answers at the address, but not as a kibitz server does."""

    def __init__(self, url: str, status: int) -> None:
        super().__init__(url, f"HTTP status {status}")


class Busy(Unreachable):
    """There is a server, or one behind that address, that takes nobody in just now."""


class Garbled(Unreachable):
    """Something answers at the address, but in another language: under TLS, or not."""


class Untrusted(Unreachable):
    """Whoever answers there cannot show that it is the server."""


class Closed(Exception):
    """The talk is over: the server ended it for good, or we did."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason or f"the server closed the connection ({code})")
        self.code = code
        self.reason = reason
