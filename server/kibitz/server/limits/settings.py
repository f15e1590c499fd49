"""Every limit: a name, a unit, a default and an option of ``kibitz serve``.

A rate is so many a second and so many at once: of each connection, of each identity
(``-per-identity``), from each address (``-per-address``). The defaults let a class of thirty play
behind one address.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from typer import Option

from kibitz.protocol.limits import HELLO_TIMEOUT

from ..options import saying
from .buckets import MOST
from .rates import Rate, rate_of

REQUESTS = Rate(per_second=200.0, burst=400.0)
SAYS = Rate(per_second=1.0, burst=10.0)
OUTBOX_BYTES = 256 * 1024
"""Bytes that may wait for one client before it counts as slow."""
OUTBOX_BYTES_PER_ADDRESS = 8 * 1024 * 1024
INBOX = 64
"""Messages that may wait before no more are read."""
MAX_REFUSED = 1000
"""Requests over a rate that are answered, each one within it making up for one; one more closes
with 4429."""
IDLE_SECONDS = 30.0
"""How long a room without anybody stays in memory."""
PAST_WAITING = 8
"""How many may wait for their turn to have a long game gone through."""
LOOPBACK = (
    "Count the addresses of this machine, too. Without it whoever comes from 127.0.0.0/8 or ::1 is "
    "not limited by address: programs here, and everybody behind a proxy that is not declared."
)


def _rate(says: str) -> Any:
    return Option(help=says, parser=saying(rate_of), metavar="PER_SECOND[:BURST]")


def _most(says: str) -> Any:
    return Option(help=says, min=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much anybody may ask for."""

    # rates: what is asked (limits.table says who is counted for what)
    requests: Annotated[Rate, _rate("Requests of a connection.")] = REQUESTS
    requests_per_identity: Annotated[Rate, _rate("Requests of an identity.")] = Rate(400, 800)
    requests_per_address: Annotated[Rate, _rate("Requests from an address.")] = Rate(500, 4000)
    reads: Annotated[Rate, _rate("Histories, views, saves, hints, lists.")] = Rate(50, 200)
    reads_per_identity: Annotated[Rate, _rate("The same, of an identity.")] = Rate(50, 400)
    reads_per_address: Annotated[Rate, _rate("The same, from an address.")] = Rate(150, 2000)
    joins: Annotated[Rate, _rate("Joins of a connection.")] = Rate(20, 200)
    joins_per_identity: Annotated[Rate, _rate("Joins of an identity.")] = Rate(20, 200)
    joins_per_address: Annotated[Rate, _rate("Joins from an address.")] = Rate(50, 1000)
    creates: Annotated[Rate, _rate("New rooms of a connection.")] = Rate(10, 40)
    creates_per_identity: Annotated[Rate, _rate("New rooms of an identity.")] = Rate(10, 80)
    creates_per_address: Annotated[Rate, _rate("New rooms from an address.")] = Rate(2, 200)
    says: Annotated[Rate, _rate("Comments of one identity in one room.")] = SAYS
    comments: Annotated[Rate, _rate("Comments of a connection.")] = Rate(5, 50)
    comments_per_identity: Annotated[Rate, _rate("Comments of an identity.")] = Rate(5, 50)
    comments_per_address: Annotated[Rate, _rate("Comments from an address.")] = Rate(20, 200)
    passwords: Annotated[Rate, _rate("Passwords tried on a connection.")] = Rate(1, 10)
    passwords_per_identity: Annotated[Rate, _rate("Passwords of an identity.")] = Rate(1, 10)
    passwords_per_address: Annotated[Rate, _rate("Passwords from an address.")] = Rate(2, 60)
    tokens_per_address: Annotated[Rate, _rate("Tokens that are none.")] = Rate(1, 30)
    replays: Annotated[Rate, _rate("Replay texts of a connection.")] = Rate(0.5, 10)
    replays_per_identity: Annotated[Rate, _rate("Replay texts of an identity.")] = Rate(0.5, 10)
    replays_per_address: Annotated[Rate, _rate("Replay texts from an address.")] = Rate(1, 60)
    downloads_per_identity: Annotated[Rate, _rate("Replays and saves by HTTP.")] = Rate(2, 60)
    downloads_per_address: Annotated[Rate, _rate("The same, from an address.")] = Rate(4, 120)
    connects_per_address: Annotated[
        Rate, _rate("New connections, those of HTTP among them, from an address.")
    ] = Rate(50, 4000)
    handshakes_per_address: Annotated[
        Rate, _rate("New connections that are heard, from an address; others wait for their turn.")
    ] = Rate(300, 8)
    refusals_per_address: Annotated[
        Rate, _rate("Refused connections that are told why; others are cut off.")
    ] = Rate(5, 100)

    # numbers: what is held
    connections: Annotated[int, _most("Connections in all.")] = 10_000
    connections_per_address: Annotated[int, _most("Connections of an address.")] = 200
    unfinished: Annotated[int, _most("Connections in all that have not asked yet.")] = 1024
    unfinished_per_address: Annotated[int, _most("The same, of an address.")] = 256
    rooms_per_connection: Annotated[int, _most("Rooms that a connection follows.")] = 500
    rooms_per_address: Annotated[int, _most("Rooms that an address follows.")] = 500
    games_per_identity: Annotated[
        int, _most("Games that an identity began within a day and that are not over.")
    ] = 500
    seats_per_identity: Annotated[
        int, _most("Games that an identity sat down in within a day and that are not over.")
    ] = 500
    outbox: Annotated[int, _most("Bytes that may wait for a client.")] = OUTBOX_BYTES
    outbox_per_address: Annotated[
        int, _most("Bytes that may wait for all clients of an address.")
    ] = OUTBOX_BYTES_PER_ADDRESS
    inbox: Annotated[int, _most("Requests of a client that may wait.")] = INBOX
    refused: Annotated[int, _most("Requests over a rate that are still answered.")] = MAX_REFUSED
    past_waiting: Annotated[int, _most("Who may wait for a long game to be read.")] = PAST_WAITING
    remembered: Annotated[int, _most("Addresses or identities counted by a rate.")] = MOST

    # times
    hello_timeout: Annotated[
        float, Option(help="Seconds a client has for its hello.", min=0.01)
    ] = HELLO_TIMEOUT
    idle_room: Annotated[
        float, Option(help="Seconds a room without anybody stays in memory.", min=0.0)
    ] = IDLE_SECONDS

    count_loopback: Annotated[bool, Option("--count-loopback", help=LOOPBACK)] = False
