"""The streams: what is kept where, under which subjects, and that they are as we need them.

Promises: what decides what happened, a room's records, is one stream that drops nothing by itself;
everything else is an index or a part that it points to. Secrets are in a stream that nothing is
republished from and that only its leader is asked for, so that one permission bars all others.
Never: a stream that is there and differs in what we build upon, or one made less durable.

What is republished names the cards that lie face down, as records do: it is for servers alone.
"""

import asyncio
import re
import zlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from ..log import UnusableLog
from .connection import OPEN_SECONDS, NotSent, Unknown
from .link import Link

MAX_MESSAGE = 256 * 1024
"""Bytes of one append, compressed if that helps."""
MAX_KEPT = 1024 * 1024 - 4096
"""Bytes of what is kept of a room: a NATS server takes no larger messages unless it is told to."""
DEDUPLICATION_NS = 1_000_000_000
"""Nothing of ours has an id for it: as short as it can be."""
RETRY_SECONDS = 0.2
OTHERS_HAVE = frozenset({10065})
"""Error: another stream has subjects of ours."""
TOO_MANY = frozenset({10005, 10074})
"""Errors: there are not so many servers."""
IN_USE = 10058
"""Error: a stream of that name is there, and it is another."""

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_is_plain = re.compile(r"[A-Za-z0-9_-]+").fullmatch


def token(name: str) -> str:
    """A name as one part of a subject, like no other name."""
    if _is_plain(name):  # every id of a room: thousands of them are asked after at once
        return name
    return "".join(chr(b) if b in _PLAIN else f"={b:02x}" for b in name.encode()) or "="


def name_of(subject: str) -> str | None:
    """The name that the last part of a subject stands for; ``None``: none that we would write."""
    part = subject.rpartition(".")[2]
    first, *rest = part.encode().split(b"=")
    try:
        raw = first + b"".join(bytes.fromhex(r[:2].decode()) + r[2:] for r in rest)
        name = raw.decode()
    except ValueError:
        return None
    return name if token(name) == part else None


class Space:
    """The names of one deployment's streams and subjects; several may share the servers."""

    def __init__(self, name: str = "") -> None:
        """The deployment without a name has the plain ones."""
        before, stream = (f"{token(name)}.", f"{token(name)}_") if name else ("", "")
        self._before = before
        self.rooms = f"{stream}ROOMS"
        """Records, by room."""
        self.secrets = f"{stream}SECRETS"
        """What must not leave the servers: seeds of rooms, secrets of the deployment."""
        self.lobby = f"{stream}LOBBY"
        """Which rooms there may be, in order of creation: an index."""
        self.archive = f"{stream}ARCHIVE"
        """What is kept of rooms that have been put away."""
        self.kept = f"{stream}KEPT"
        """Values under names."""
        self.every_room, self.every_day = f"{before}lb.*", f"{before}ld.*"
        self.every_value = f"{before}kp.*"

    def room(self, room: str) -> str:
        """Where a room's records are."""
        return f"{self._before}rm.{_shard(room)}.{token(room)}"

    def live(self, room: str) -> str:
        """Where they are heard."""
        return f"{self._before}lv.{_shard(room)}.{token(room)}"

    def entry(self, room: str) -> str:
        """Its place in the index."""
        return f"{self._before}lb.{token(room)}"

    def day(self, room: str) -> str:
        """That it was for the deal of a day, and has been put away."""
        return f"{self._before}ld.{token(room)}"

    def seed(self, room: str, command: str) -> str:
        """The secret part of an append; ``*``: of any."""
        return f"{self._before}sx.room.{token(room)}.{command}"

    def secret(self, name: str) -> str:
        """A secret of the deployment."""
        return f"{self._before}sx.name.{token(name)}"

    def away(self, room: str, command: str) -> str:
        """What is kept of a room, by the command that put it away."""
        return f"{self._before}ar.{token(room)}.{command}"

    def value(self, name: str) -> str:
        """A value under a name."""
        return f"{self._before}kp.{token(name)}"

    @property
    def news(self) -> str:
        """What servers tell each other: in no stream."""
        return f"{self._before}nw.all"

    @property
    def probe(self) -> str:
        """Where it is tried whether anything can be written: of no room, whatever its name."""
        return f"{self._before}rm.00.=="

    def configs(self, replicas: int) -> list[dict[str, Any]]:
        """The streams."""
        common = {
            "storage": "file",
            "retention": "limits",
            "discard": "new",
            "num_replicas": replicas,
            "duplicate_window": DEDUPLICATION_NS,
            "allow_direct": True,
        }
        before = self._before
        return [
            common
            | {
                "name": self.rooms,
                "subjects": [f"{before}rm.*.*"],
                "max_msg_size": MAX_MESSAGE,
                "allow_rollup_hdrs": True,
                "deny_delete": True,
                "republish": {"src": f"{before}rm.>", "dest": f"{before}lv.>"},
            },
            common | {"name": self.secrets, "subjects": [f"{before}sx.>"], "allow_direct": False},
            common
            | {
                "name": self.lobby,
                "subjects": [self.every_room, self.every_day],
                "max_msgs_per_subject": 1,
            },
            common | {"name": self.archive, "subjects": [f"{before}ar.*.*"]},
            common | {"name": self.kept, "subjects": [self.every_value], "max_msgs_per_subject": 1},
        ]


def _shard(room: str) -> str:
    """One of 256 parts that rooms may once be spread over, as two hex digits."""
    return f"{zlib.crc32(room.encode()) & 0xFF:02x}"


class _Told(Struct):
    ts: datetime


def time_in(told: bytes) -> int:
    """What time it was for who told about a stream, Unix ms.

    Raises:
        msgspec.MsgspecError: He did not say.

    """
    return int(msgspec.json.decode(told, type=_Told).ts.timestamp() * 1000)


NEEDED = (
    "subjects",
    "retention",
    "discard",
    "max_msgs_per_subject",
    "allow_direct",
    "allow_rollup_hdrs",
    "republish",
    "storage",
)
"""What a stream that is there has to have as we would make it; all else is the operator's."""
ENDLESS = ("max_age", "max_msgs")
"""Limits that would drop history: there must be none."""


async def make_streams(link: Link, space: Space, replicas: int) -> int:
    """Make the streams, or see that those that are there will do.

    Returns:
        On how many servers each of them is, at least.

    Raises:
        UnusableLog: They cannot be made, or are others.

    """
    try:
        async with asyncio.timeout(OPEN_SECONDS):
            made = {each["name"]: await _make(link, each) for each in space.configs(replicas)}
    except TimeoutError:
        raise UnusableLog(no_streams(link)) from None
    return _least(made, replicas)


def no_streams(link: Link) -> str:
    """Why it may be that no streams are made."""
    why = f" ({link.complaint})" if link.complaint else ""
    return (
        f"the NATS servers do not make streams{why}: is JetStream on, may we,"
        " and are most of the servers there?"
    )


def _least(made: Mapping[str, int], replicas: int) -> int:
    """On how many servers each of these streams is, at least.

    Raises:
        UnusableLog: Some are on fewer than are asked for; all of them are named.

    """
    least = min(made.values())
    if few := [name for name, kept in made.items() if kept < replicas]:
        raise UnusableLog(
            f"{', '.join(few)}: on {least} server{'s' * (least > 1)} only, and {replicas} are"
            f" asked for; for each of these streams: nats stream edit NAME --replicas {replicas}"
        )
    return least


async def _make(link: Link, config: dict[str, Any]) -> int:
    name = config["name"]
    while True:
        try:
            made = msgspec.json.decode(
                await link.ask(f"$JS.API.STREAM.CREATE.{name}", msgspec.json.encode(config))
            )
            error = made.get("error")
            if error is None:
                return int(made["config"]["num_replicas"])
            if error.get("err_code") == IN_USE:
                asked = await link.ask(f"$JS.API.STREAM.INFO.{name}")
                if (found := msgspec.json.decode(asked).get("config")) is not None:
                    return _check(found, config)
            elif error.get("err_code") in OTHERS_HAVE:
                raise UnusableLog(
                    f"another stream has the subjects of {name}: give kibitz an account of its own"
                )
            elif error.get("err_code") in TOO_MANY:
                raise UnusableLog(
                    f"the stream {name} cannot be made on {config['num_replicas']} servers:"
                    f" there are fewer, or not all of them are up ({error.get('description')})"
                )
            elif error.get("code") != 503:
                raise UnusableLog(f"the stream {name} cannot be made: {error.get('description')}")
        except (NotSent, Unknown):
            pass
        await asyncio.sleep(RETRY_SECONDS)


def _check(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> int:
    """See whether a stream will do; on how many servers it is.

    Raises:
        UnusableLog: It is another than we build upon.

    """
    for key in NEEDED:
        usual: object = -1 if key == "max_msgs_per_subject" else False
        usual = None if key == "republish" else usual
        if found.get(key, usual) != wanted.get(key, usual):
            other = "has other subjects" if key == "subjects" else f"has another {key}"
            raise UnusableLog(
                f"the stream {wanted['name']} is there and {other} than ours:"
                " give kibitz an account of its own"
            )
    for key in ENDLESS:
        if found.get(key, 0) > 0:
            raise UnusableLog(f"the stream {wanted['name']} has {key}: it would lose what happened")
    return int(found.get("num_replicas", 1))
