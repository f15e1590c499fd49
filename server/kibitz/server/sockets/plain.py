"""What is answered to bytes that are no request which the library reads: it would only hang up."""


def _plain(status: str, says: str, header: str = "") -> bytes:
    """A whole answer of HTTP."""
    kind = "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n"
    head = f"HTTP/1.1 {status}\r\n{kind}{header}Content-Length: {len(says) + 1}\r\n\r\n"
    return f"{head}{says}\n".encode()


METHODS = b"GET ", b"HEAD "
NO_REQUEST = _plain("400 Bad Request", "that is no request")
NOT_GET = _plain("405 Method Not Allowed", "only GET", "Allow: GET, HEAD\r\n")
