"""Who looks on in a pair of runs, and everything that he may ask, granted or not."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from talk import Plain, Talk
from twins import Twin

OUTSIDE = ("eve", "namesake", "lobby", "nobody")
"""No seat: two who look on, one of them called like a racer; one in the lobby; HTTP alone."""


@dataclass(frozen=True)
class Case:
    """A kind of room, and who looks on.

    Attributes:
        mode, policy: The room.
        differ: What is different: ``all`` cards and moves; the moves of the ``rivals`` and what
            lies face down; only what lies face ``down``; what was done ``late``.
        viewers: Who must not notice.
        begun: Whether something is played before the difference, and a race starts.
        shown: Whether the room is shown before the difference.
        free: Seats for which there is nobody at first.

    """

    mode: str
    policy: Plain
    differ: str
    viewers: tuple[str, ...]
    begun: bool = True
    shown: bool = True
    free: int = 0

    def __str__(self) -> str:
        kind = "-".join(self.policy) or "plain"
        more = "" if self.begun else "-start" if self.shown else "-unseen"
        return f"{self.mode}-{kind}-{self.differ}{more}{'-free' * self.free}"

    @property
    def players(self) -> tuple[str, ...]:
        """Who has a seat from the first."""
        return {"race": ("ann", "bob", "cy"), "coop": ("ann", "bob"), "solo": ("ann",)}[self.mode]


def requests(seq: int, rng: Random) -> Iterator[tuple[str, Plain]]:
    """Everything that one can ask about a room without changing it, granted or not."""
    yield "ping", {}
    for board in (None, 0, 1, 2, 7):
        yield "moves", {"board": board}
        yield "save", {"board": board}
        yield "fork", {"at": 99_999, "board": board}
    for at in (1, 2, rng.randint(1, seq), seq, seq + 1, seq + 50):
        yield "view", {"at": at}
    yield "history", {"limit": 500}
    yield "history", {"from_": rng.randint(1, seq), "limit": rng.randint(1, 9)}
    yield "history", {"from_": seq, "to": seq + 50}
    yield "history", {"open": True}
    yield "history", {"proofs": True, "limit": 500}
    yield "history", {"proofs": True, "from_": rng.randint(1, seq), "to": seq + 50}
    yield "history", {"proofs": True, "open": True}
    yield "cheat", {}
    yield "present", {}
    yield "rematch", {}
    yield "rooms", {}
    yield "rooms", {"status": "open"}
    yield "tv", {}
    yield "join", {"from_": 0}
    yield "join", {"from_": rng.randint(1, seq)}
    yield "join", {"from_": seq + 1, "hash": "0" * 32}
    yield "save", {"format": "solvitaire"}


LINES = ("sw", "discard", "d", "s", "tt 1 2", "zzz")
BY_STRANGERS: list[tuple[str, Plain]] = [
    *(("move", {"move": line}) for line in LINES),
    ("move", {"from_": "STOCK", "to": "WASTE"}),
    ("move", {"move": "d", "board": 1}),
    ("undo", {}),
    ("undo", {"expect": 1}),
    ("restart", {}),
    ("resign", {}),
    ("ready", {}),
    ("comments", {"on": False}),
    ("fork", {"at": 1}),
    ("say", {"text": "hm"}),
]
"""What those without a seat may ask without getting one."""
BY_RACERS: list[tuple[str, Plain]] = [
    ("move", {"move": "zzz"}),
    ("move", {"from_": "nowhere", "to": "WASTE"}),
    ("move", {"move": "d", "board": 7}),
    ("undo", {"expect": 1}),
    ("fork", {"at": 99, "board": 0}),
]
"""What who plays may ask, on either connection, without changing his board."""
DOWNLOADS = (
    *("replay.json", "replay.txt", "save.txt", "replay.txt?board=x", "analysis.json?board=1"),
    *(f"replay.txt?board={board}" for board in range(4)),
    *(f"save.txt?board={board}" for board in range(2)),
)


async def probe(at: Twin, case: Case, rng: Random, *, whole: bool) -> None:
    """Let the viewers ask; ``whole``: everything there is to be asked."""
    for who in case.viewers:
        token = None
        if who != "nobody":
            token = at.talks[who].token
            await ask_all(at, case, who, rng, whole=whole)
        await at.running.abreast()
        for name in DOWNLOADS if whole else rng.sample(DOWNLOADS, 2):
            await at.page(who, name, token)


async def ask_all(at: Twin, case: Case, who: str, rng: Random, *, whole: bool) -> None:
    """The requests of one viewer."""
    talk = at.talks[who]
    seq = await head(talk, at.room)
    wishes = [*requests(seq, rng), *(BY_STRANGERS if who in OUTSIDE else BY_RACERS)]
    if who in OUTSIDE and not case.free and who != "lobby":
        wishes.append(("join", {"role": "player"}))
    for kind, fields in wishes if whole else rng.sample(wishes, 6):
        if kind == "join":
            if who == "lobby":
                continue
            fields = {"role": "player" if who in case.players else None} | fields
        await talk.ask(kind, room=at.room, **fields)
    then = await talk.ask("view", room=at.room, at=rng.randint(1, seq))
    if then["t"] == "view":
        role = "player" if who in case.players else "spectator"
        fields = {"from_": then["seq"], "hash": then["hash"], "role": role}
        joined = await talk.ok("join", room=at.room, **fields)
        assert "fork" not in joined


async def head(talk: Talk, room: str) -> int:
    """How far a room is for somebody."""
    heads: dict[str, list[int]] = (await talk.ok("ping"))["heads"]
    return heads[room][0] if room in heads else 1
