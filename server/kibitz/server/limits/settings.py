"""Every limit: a name, a unit, a default and an option of ``kibitz serve``.

A rate is so many a second and so many at once: of each connection, of each identity
(``-per-identity``), from each address (``-per-address``). The defaults let a class of thirty play
behind one address.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from typer import Option

from kibitz.protocol.limits import HELLO_TIMEOUT, MAX_FRAME

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
INBOX_BYTES = 2 * MAX_FRAME
"""Their bytes, likewise; one message may be larger."""
INBOX_BYTES_PER_ADDRESS = 4 * 1024 * 1024
MAX_REFUSED = 1000
"""Requests over a rate that are answered, each one within it making up for one; one more closes
with 4429."""
IDLE_SECONDS = 30.0
"""How long a room without anybody stays in memory."""
MAX_EVENTS = 100_000
"""How long a room may grow: a day and night of a move each second."""
PAST_WAITING = 8
"""How many may wait for their turn to have a long game gone through."""
LOOPBACK = (
    "Limit the addresses of this machine, too. Without it whoever comes from 127.0.0.0/8 or ::1 is "
    "not limited by address: programs here, and everybody behind a proxy that is not declared."
)
OFTEN = "Limits: how often (so many a second, and BURST at once)"
MUCH = "Limits: how much at the same time"
TIMES = "Limits: how long, and who is limited"
CONNECTION = "on one connection"
IDENTITY = "by one identity, on all its connections"
ADDRESS = "from one address (IPv6: one /64)"
READS = "Reading of histories, views, saves, hints and lists"
CREATES = "New rooms, forks and rematches among them,"
REPLAYS = "Replay texts that are sent to be played"
DOWNLOADS = "Replays and saves downloaded over HTTP"


def _rate(what: str, by: str = "") -> Any:
    says = f"{what} {by}.".replace(" .", ".")
    return Option(
        help=says, parser=saying(rate_of), metavar="PER_SECOND[:BURST]", rich_help_panel=OFTEN
    )


def _most(says: str) -> Any:
    return Option(help=says, min=1, rich_help_panel=MUCH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much anybody may ask for."""

    # rates: what is asked (limits.table says who is counted for what)
    requests: Annotated[Rate, _rate("Requests of any kind", CONNECTION)] = REQUESTS
    requests_per_identity: Annotated[Rate, _rate("Requests of any kind", IDENTITY)] = Rate(400, 800)
    requests_per_address: Annotated[Rate, _rate("Requests of any kind", ADDRESS)] = Rate(500, 4000)
    reads: Annotated[Rate, _rate(READS, CONNECTION)] = Rate(50, 200)
    reads_per_identity: Annotated[Rate, _rate(READS, IDENTITY)] = Rate(50, 400)
    reads_per_address: Annotated[Rate, _rate(READS, ADDRESS)] = Rate(150, 2000)
    joins: Annotated[Rate, _rate("Joins of rooms", CONNECTION)] = Rate(20, 200)
    joins_per_identity: Annotated[Rate, _rate("Joins of rooms", IDENTITY)] = Rate(20, 200)
    joins_per_address: Annotated[Rate, _rate("Joins of rooms", ADDRESS)] = Rate(50, 1000)
    creates: Annotated[Rate, _rate(CREATES, CONNECTION)] = Rate(10, 40)
    creates_per_identity: Annotated[Rate, _rate(CREATES, IDENTITY)] = Rate(10, 80)
    creates_per_address: Annotated[Rate, _rate(CREATES, ADDRESS)] = Rate(2, 200)
    says: Annotated[Rate, _rate("Comments by one identity in one room")] = SAYS
    comments: Annotated[Rate, _rate("Comments in all rooms", CONNECTION)] = Rate(5, 50)
    comments_per_identity: Annotated[Rate, _rate("Comments in all rooms", IDENTITY)] = Rate(5, 50)
    comments_per_address: Annotated[Rate, _rate("Comments in all rooms", ADDRESS)] = Rate(20, 200)
    passwords: Annotated[Rate, _rate("Passwords set or tried", CONNECTION)] = Rate(1, 10)
    passwords_per_identity: Annotated[Rate, _rate("Passwords set or tried", IDENTITY)] = Rate(1, 10)
    passwords_per_address: Annotated[Rate, _rate("Passwords set or tried", ADDRESS)] = Rate(2, 60)
    tokens_per_address: Annotated[Rate, _rate("Tokens that are not valid", ADDRESS)] = Rate(1, 30)
    replays: Annotated[Rate, _rate(REPLAYS, CONNECTION)] = Rate(0.5, 10)
    replays_per_identity: Annotated[Rate, _rate(REPLAYS, IDENTITY)] = Rate(0.5, 10)
    replays_per_address: Annotated[Rate, _rate(REPLAYS, ADDRESS)] = Rate(1, 60)
    downloads_per_identity: Annotated[Rate, _rate(DOWNLOADS, IDENTITY)] = Rate(2, 60)
    downloads_per_address: Annotated[Rate, _rate(DOWNLOADS, ADDRESS)] = Rate(4, 120)
    connects_per_address: Annotated[
        Rate, _rate("New connections, one for each page or file,", ADDRESS)
    ] = Rate(50, 4000)
    handshakes_per_address: Annotated[
        Rate, _rate("New connections whose request is read", f"{ADDRESS}; others wait their turn")
    ] = Rate(200, 2)
    refusals_per_address: Annotated[
        Rate, _rate("Refused connections that are told why", f"{ADDRESS}; others are cut off")
    ] = Rate(5, 100)

    # numbers: what is held
    connections: Annotated[int, _most("Connections in all.")] = 10_000
    connections_per_address: Annotated[int, _most(f"Connections {ADDRESS}.")] = 200
    unfinished: Annotated[
        int, _most("Connections in all that have not asked yet; the oldest gives way to one more.")
    ] = 1024
    unfinished_per_address: Annotated[
        int, _most(f"Connections that have not asked yet {ADDRESS}; one more is cut off.")
    ] = 256
    rooms_per_connection: Annotated[int, _most("Rooms followed on one connection.")] = 500
    rooms_per_address: Annotated[int, _most(f"Rooms followed {ADDRESS}.")] = 500
    games_per_identity: Annotated[
        int, _most("Games that one identity began within a day and that are not over.")
    ] = 500
    seats_per_identity: Annotated[
        int, _most("Games that one identity sat down in within a day and that are not over.")
    ] = 500
    bots: Annotated[
        int,
        Option(
            help="Bots that sit down where somebody asks for one and play at a time, each in its "
            "own process; 0: nobody can ask.",
            min=0,
            max=1000,
            rich_help_panel=MUCH,
        ),
    ] = 4
    bots_per_identity: Annotated[int, _most("Bots that play for one identity.")] = 2
    bots_per_address: Annotated[int, _most(f"Bots that play for those {ADDRESS}.")] = 2
    events_per_room: Annotated[
        int,
        _most("Events of one room; a game that is longer can only be ended, or forked."),
    ] = MAX_EVENTS
    outbox: Annotated[
        int, _most("Bytes that may wait to be sent to one client, before it counts as slow.")
    ] = OUTBOX_BYTES
    outbox_per_address: Annotated[
        int, _most(f"Bytes that may wait to be sent to all clients {ADDRESS}.")
    ] = OUTBOX_BYTES_PER_ADDRESS
    inbox: Annotated[
        int, _most("Requests of one client that may wait; no more are read until then.")
    ] = INBOX
    inbox_per_address: Annotated[
        int,
        _most(f"Bytes of large requests that may wait, or have come in part, {ADDRESS}."),
    ] = INBOX_BYTES_PER_ADDRESS
    refused: Annotated[
        int,
        _most(
            "Requests on one connection beyond a rate that are answered with an error, each one "
            "within it making up for one; the next one closes it (4429)."
        ),
    ] = MAX_REFUSED
    past_waiting: Annotated[
        int,
        _most(
            "Requests that may wait until short games have been gone through; and as many, until "
            "long ones have been."
        ),
    ] = PAST_WAITING
    remembered: Annotated[
        int, _most("Connections, identities or addresses that one rate keeps account of.")
    ] = MOST

    # times
    hello_timeout: Annotated[
        float,
        Option(
            help="Seconds that a client has for its request, and again for its hello.",
            min=0.01,
            rich_help_panel=TIMES,
        ),
    ] = HELLO_TIMEOUT
    idle_room: Annotated[
        float,
        Option(
            help="Seconds that a room stays in memory in which nobody is.",
            min=0.0,
            rich_help_panel=TIMES,
        ),
    ] = IDLE_SECONDS

    count_loopback: Annotated[
        bool, Option("--count-loopback", help=LOOPBACK, rich_help_panel=TIMES)
    ] = False
