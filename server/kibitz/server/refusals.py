"""Why there can be no server as the command line wants it: sentences for whoever starts one."""

import errno
import os
import socket

from .settings import Access, Auth, Keeping, Listening

NATS = "nats://127.0.0.1:4222"
"""Where a NATS server is if nobody says otherwise."""
MAX_PORT = 65535


def contradiction(listening: Listening, access: Access, keeping: Keeping, demo: bool) -> str | None:
    """Why some options do not go together."""
    if keeping.memory and keeping.data:
        return "--memory keeps nothing, --data keeps everything: choose one"
    if keeping.memory and keeping.keep:
        return "--memory keeps nothing, --keep archives rooms in the file: choose one"
    if demo and access.auth is not Auth.GUEST:
        return "--demo needs --auth guest: its bots have no tokens of yours"
    if keeping.nats_replicas > 1 and not keeping.nats:
        return "--nats-replicas says on how many NATS servers things are kept: it needs --nats"
    if listening.workers > 1 and not keeping.nats:
        return (
            "--workers needs --nats: processes that serve the same rooms keep them on a NATS "
            "server; start one with `nats-server -a 127.0.0.1 -js -sd FOLDER`, then say "
            f"--nats {NATS}"
        )
    last = (listening.metrics_port or 0) + listening.workers - 1
    if last > MAX_PORT:
        return f"--metrics-port {listening.metrics_port} leaves no ports for --workers"
    return None


def unbound(error: OSError | UnicodeError, listening: Listening) -> str:
    """Why nothing can be listened to there: a sentence for whoever starts the server."""
    host, port = listening.host, listening.port
    if isinstance(error, UnicodeError | socket.gaierror):
        return f"{host} is no address and no name of one; choose another with --host"
    match error.errno:
        case errno.EADDRINUSE:
            return f"port {port} is taken; choose another with --port"
        case errno.EADDRNOTAVAIL | errno.EINVAL:
            return f"{host} is no address of this machine; choose another with --host"
        case errno.EACCES | errno.EPERM:
            return f"port {port} is not for everybody to take; choose another with --port"
        case _:
            why = os.strerror(error.errno) if error.errno else error
            return f"cannot listen on {host}, port {port}: {why}"
