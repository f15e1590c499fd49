"""What an operator is shown: rooms, connections and bans, in tables, or in lines of tabs.

Promises: an id, an address and a reason are never cut; what somebody else wrote steers no
terminal. Never: ask for anything.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from rich.table import Table

from kibitz.protocol.operating import AdminRoom, Ban, Person
from kibitz.protocol.replies import Administered

from ..telling import number_of, printable, span_of
from .screen import Screen

ROOMS = ("room", "game", "status", "visibility", "players", "watching", "events", "last", "memory")
PEOPLE = ("identity", "name", "address", "encoding", "since", "waiting", "rooms")
BANS = ("what", "whom", "room", "until", "reason")
WHOLE = frozenset({"room", "identity", "address", "whom", "rooms", "reason"})
"""Columns that are never cut."""
EMPTY = {
    "rooms": "There is no room.",
    "people": "Nobody is here, on this server.",
    "bans": "Nobody is banned.",
}
DONE = {
    "close": "The room is closed.",
    "kick": "He has lost his seat and gets none there",
    "unkick": "He may sit down there again.",
    "mute": "He comments no more",
    "unmute": "He may comment again.",
    "unban": "He may come in again.",
    "drain": "The server comes to its end.",
}


def show(found: Sequence[Any], act: str, screen: Screen, now: int) -> None:
    """Print a list.

    Args:
        found: What is in it.
        act: What was asked for.
        screen: Where to.
        now: The server's time, Unix ms.

    """
    heads, row = TABLES[act]
    rows = [tuple(map(printable, row(each, now))) for each in found]
    if not screen.in_place:
        screen.write("".join("\t".join(line) + "\n" for line in (heads, *rows)))
        return
    if not rows:
        screen.say(EMPTY[act])
        return
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    for head in heads:
        whole = head in WHOLE
        table.add_column(head, no_wrap=not whole, overflow="fold" if whole else "ellipsis")
    for line in rows:
        table.add_row(*line)
    screen.console.print(table, soft_wrap=False)


def told(done: Administered, seconds: int | None = None) -> str:
    """That an order was carried out; one that holds for some time, for how long."""
    term = ", for good" if seconds is None else f", for {span_of(seconds * 1000)}"
    match done.act:
        case "ban":
            gone = number_of(done.count or 0, "connection")
            whom = next((f" {ban.address}" for ban in done.bans or () if ban.address), "")
            came = f"{gone} closed" if done.count else "nobody was there"
            return f"Banned{printable(whom)}{term}; {came}{_others(done)}."
        case "mute" if not done.count and done.elsewhere:
            return f"{DONE[done.act]}{term}; nobody with this id{_others(done)}."
        case "mute" if not done.count:
            return f"Nobody with this id is here; he comments no more{term} all the same."
        case "mute" | "kick":
            return f"{DONE[done.act]}{term}."
        case "notice":
            told = f"Told to {number_of(done.count or 0, 'connection')}"
            return (
                f"{told} on this server, and to those of the others."
                if done.elsewhere
                else f"{told}."
            )
        case act:
            return DONE[act]


def _others(done: Administered) -> str:
    """Where that is so, if there may be other servers."""
    return " on this server, others hear of it within a second" if done.elsewhere else ""


def as_json(found: object) -> str:
    """The same for programs."""
    return msgspec.json.encode(found).decode()


def _room(room: AdminRoom, now: int) -> tuple[str, ...]:
    info = room.info
    seats = room.seats or []
    seated = [f"{seat.name or ''} ({seat.id})" for seat in seats if seat.id]
    return (
        info.id,
        info.game if info.mode == "solo" else f"{info.game}, {info.mode}",
        info.status,
        f"{info.visibility}, password" if info.password else info.visibility,
        ", ".join(seated or info.players) or "nobody",
        str(info.spectators),
        str(info.seq),
        span_of(now - (info.updated or info.started)),
        "yes" if room.loaded else "",
    )


def _person(person: Person, now: int) -> tuple[str, ...]:
    return (
        person.id,
        person.name,
        person.address,
        person.encoding,
        span_of(now - person.since),
        str(person.waiting),
        " ".join(person.rooms),
    )


def _ban(ban: Ban, now: int) -> tuple[str, ...]:
    until = "for good"
    if ban.until is not None:
        until = f"{datetime.fromtimestamp(ban.until / 1000, UTC).astimezone():%Y-%m-%d %H:%M}"
    whom = ban.id if ban.address is None else ban.address
    return ban.kind, whom or "", ban.room or "", until, ban.reason or ""


TABLES: Mapping[str, tuple[tuple[str, ...], Callable[[Any, int], tuple[str, ...]]]] = {
    "rooms": (ROOMS, _room),
    "people": (PEOPLE, _person),
    "bans": (BANS, _ban),
}
"""The heads of each list, and what makes a row."""
