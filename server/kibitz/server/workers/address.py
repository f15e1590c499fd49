"""The address that all workers listen on, taken once for all of them.

Promises: a port that somebody else listens on is not shared with him; port 0 is one port for all.
Never: listen. Whoever comes is the workers' to accept, and those of a dead one go to the others.
"""

import socket


class Unshared(Exception):
    """Several processes cannot listen on one port here."""


def reserve(host: str, port: int) -> list[socket.socket]:
    """Take a port on each address that a host has, as long as these sockets are open.

    Raises:
        OSError, UnicodeError: It cannot be had.
        Unshared: It cannot be shared.

    """
    if not hasattr(socket, "SO_REUSEPORT"):
        raise Unshared
    found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    taken: list[socket.socket] = []
    try:
        for family, kind, protocol, _, address in dict.fromkeys(found):
            sock = socket.socket(family, kind, protocol)
            taken.append(sock)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            sock.bind((address[0], port_of(taken[0]) or port, *address[2:]))
            # only now: whoever listens there already is found out by the bind
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    except BaseException:
        for sock in taken:
            sock.close()
        raise
    return taken


def port_of(sock: socket.socket) -> int:
    """The port that a socket has; 0: none yet."""
    port: int = sock.getsockname()[1]
    return port
