"""No card is named before it was turned up; what is hidden changes no byte of what anybody sees."""

import re
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import pytest
from plays import legal
from positions import command, command_lines
from servers import Running, running_server
from talk import Talk, fetch, talking, unpack
from twins import blank
from worlds import Fake

from kibitz.engine.cards import Card
from kibitz.engine.deals import deck_of
from kibitz.engine.drags import Drag, drag_of
from kibitz.engine.game import play
from kibitz.engine.games import GAMES
from kibitz.engine.saves import write
from kibitz.engine.table import Cell, Table
from kibitz.protocol.wire import Encoding
from kibitz.server.room.state import RoomState

GOLDEN = Path(__file__).parent.parent / "golden" / "v1"
_NAMED = re.compile(r"(?<![A-Za-z0-9])([A2-9TJQK][cdhs])([+-]?)(?![A-Za-z0-9])")
_SIGN = re.compile(r"(10|[A2-9JQK])([♣♦♥♠])")
_SUITS = dict(zip("♣♦♥♠", "cdhs", strict=True))


def strings(said: Any) -> Iterator[str]:
    """Every string in a message but the token."""
    match said:
        case str():
            yield said
        case dict():
            for key, value in said.items():
                yield key
                if key != "token":
                    yield from strings(value)
        case list():
            yield from chain.from_iterable(map(strings, said))


def named(text: str) -> Iterator[tuple[str, bool]]:
    """The cards that a text names, and whether as lying face down."""
    for code, flag in _NAMED.findall(text):
        yield code, flag == "-"
    for rank, suit in _SIGN.findall(text):
        yield ("T" if rank == "10" else rank) + _SUITS[suit], False


def cells_of(table: Table) -> Iterable[Cell]:
    """Every cell on a table."""
    return chain.from_iterable(table.piles.values())


class Watch:
    """Looks through everything that was sent, as far as it has not yet been looked through."""

    def __init__(self, running: Running, state: RoomState, talks: list[Talk]) -> None:
        self._running = running
        self._state = state
        self._talks = talks
        self._seen = [0 for _ in talks]
        self._ever_up: set[str] = set()

    async def look(self, room: str, *, pages: bool = False) -> None:
        """Check what came since the last look, and the downloads."""
        cells = list(cells_of(self._state.positions[0].board.table))
        self._ever_up |= {cell.known.code for cell in cells if cell.up}
        for number, talk in enumerate(self._talks):
            await talk.settle()
            for frame in talk.frames[self._seen[number] :]:
                self._check(list(strings(unpack(frame))))
            self._seen[number] = len(talk.frames)
        for name in ("replay.json", "replay.txt") if pages else ():
            status, body = await fetch(self._running.http, f"/rooms/{room}/{name}")
            assert status == 200
            self._check([body.decode()])

    def _check(self, said: list[str]) -> None:
        secret = self._state.secret
        for text in said:
            assert secret.seed not in text and (secret.deal or "?" * 99) not in text
            assert str(secret.secret) not in text
            for code, down in named(text):
                assert code in self._ever_up, f"{code} was named before it was turned up"
                assert not down, f"{code} was named as lying face down"


def won_game(name: str) -> list[str]:
    """The commands of a game that was won."""
    lines = (GOLDEN / f"{name}.replay.txt").read_text().splitlines()
    return [line.removeprefix("> ") for line in lines if line.startswith("> ")]


def by_chance(state: RoomState, rng: Random, steps: int) -> Iterator[str]:
    """Commands by chance, legal ones and others, until the player gives up."""
    lines = command_lines(state.game.name)
    for _ in range(steps):
        moves = legal(state)
        kind = rng.choice([*["move"] * 6, "undo", "redo", "restart", "illegal"])
        yield rng.choice(moves or ["undo"]) if kind == "move" else kind
        yield rng.choice(lines)
    yield "resign"


@pytest.mark.parametrize(
    ("game", "deal", "won"),
    [
        *((game, "very-secret-42", False) for game in GAMES),
        ("aces-up", "161", True),
        ("klondike", "1", True),
    ],
)
async def test_no_card_is_named_too_early(game: str, deal: str, won: bool) -> None:
    """B52."""
    rng = Random(game)
    async with running_server() as running, AsyncExitStack() as guests:
        encodings = (Encoding.JSON, Encoding.MSGPACK, Encoding.JSON)
        talks = [await guests.enter_async_context(talking(running.url, e)) for e in encodings]
        ann, bot, eve = talks
        for talk in talks:
            talk.frames.clear()  # the help texts name cards
        wish = {"save": None, "deal": deal if len(deal) > 3 else None}
        if won:
            wish["save"] = write(GAMES[game], GAMES[game].deal(deck_of(deal)))
        room = (await ann.ok("create", game=game, mode="coop", **wish))["room"]
        await bot.ok("join", room=room, role="player")
        await eve.ok("join", room=room)
        state = (await running.app.rooms.get(room)).state
        watch = Watch(running, state, talks)
        for number, line in enumerate(won_game(game) if won else by_chance(state, rng, 60)):
            await watch.look(room, pages=number % 10 == 0)
            talk = talks[number % (2 if won else 3)]
            if not won and number % 5 == 0:  # mostly refused
                await talk.ask("move", room=room, **by_hand(state, rng))
            if line in ("undo", "redo", "restart", "resign"):
                await (ann if line == "resign" else talk).ask(line, room=room)
            else:
                await talk.ask("move", room=room, move=line)
            if state.over:
                break
            await eve.ok("moves", room=room)
            await eve.ok("view", room=room, at=rng.randint(1, state.seq))
            await bot.ok("history", room=room, from_=rng.randint(1, state.seq))
            await bot.refused("forbidden", "cheat", room=room)
            await talk.refused("forbidden", "history", room=room, from_=1, open=True)
            await eve.refused("not-seated", "move", room=room, **by_hand(state, rng))
            await eve.refused("not-seated", "save", room=room)
        assert state.status == ("won" if won else "resigned")
        await eve.settle()
        opened = eve.events()[-1]["opened"]
        assert opened["seed"] == state.secret.seed and opened.get("deal") == wish["deal"]
        assert "??" not in str(opened) + str(await eve.ok("join", room=room))
        ends = [await talk.ok("view", "end", room=room, at=state.seq) for talk in talks]
        assert ends[0] == ends[1] == ends[2]


def by_hand(state: RoomState, rng: Random) -> dict[str, Any]:
    """A drag by chance between any two piles, now and then from or to one that does not exist."""
    piles = [*state.positions[0].board.table.piles, "PILE-9"]
    cards = rng.choice([None, 1, 1, 2, 3, 4, 52])
    return {"from": rng.choice(piles), "to": rng.choice(piles), "cards": cards}


def other_secret(table: Table, pile: str) -> tuple[Table, set[Card]]:
    """The table with the deepest hidden cards changed round, and which these are."""
    deep = [cells[: max(len(cells) // 3, len(cells) - 3)] for cells in table.piles.values()]
    hidden = [cell.known for cell in chain.from_iterable(deep) if not cell.up]
    turned = dict(zip(hidden, hidden[1:] + hidden[:1], strict=True))
    piles = {
        name: tuple(
            cell if cell.up else Cell(turned.get(cell.known, cell.known), up=False)
            for cell in cells
        )
        for name, cells in table.piles.items()
    }
    return Table(piles, table.counters), set(hidden)


def turns_up(state: RoomState, line: str, secret: set[Card]) -> bool:
    """Whether a legal move turns up one of these cards."""
    move = command(state.game.name, line)
    table = play(state.game, state.positions[0].board.table, move, Random(0)).table
    return any(cell.up and cell.card in secret for cell in cells_of(table))


def safe_drag(state: RoomState, secret: set[Card], rng: Random) -> dict[str, Any] | None:
    """A drag by chance, legal or not, that turns up none of these cards."""
    table = state.positions[0].board.table
    lines = legal(state)
    drags = {drag_of(state.game, table, command(state.game.name, line)): line for line in lines}
    wish = by_hand(state, rng)
    if rng.random() < 0.5 and (drag := rng.choice([None, *drags])):
        wish = {"from": drag.source, "to": drag.target, "cards": drag.count}
    line = drags.get(Drag(wish["from"], wish["to"], wish["cards"] or 1))
    return None if line and turns_up(state, line, secret) else wish


def requests(state: RoomState, secret: set[Card], rng: Random) -> Iterator[dict[str, Any]]:
    """Requests of every kind, as long as they show the same in both worlds."""
    lines = command_lines(state.game.name)
    for _ in range(120):
        safe = [line for line in legal(state) if not turns_up(state, line, secret)]
        unsafe = {command(state.game.name, line) for line in legal(state)}
        refused = [line for line in lines if command(state.game.name, line) not in unsafe]
        kinds = [*["move"] * 6, *["refused"] * 4, *["drag"] * 4, "undo", "redo", "restart", "say"]
        kind = rng.choice(kinds)
        if kind == "move" and safe:
            yield {"t": "move", "move": rng.choice(safe)}
        elif kind == "drag" and (drag := safe_drag(state, secret, rng)):
            yield {"t": "move", **drag}
        elif kind in ("undo", "redo", "restart"):
            yield {"t": kind}
        elif kind == "say":
            yield {"t": "say", "text": "hm"}
        else:
            yield {"t": "move", "move": rng.choice(refused)}
        yield {"t": rng.choice(["moves", "save", "cheat"])}
        yield {"t": "view", "at": rng.randint(1, state.seq)}
        yield {"t": "history", "from": rng.randint(1, state.seq)}
        yield {"t": "history", "from": 1, "open": True}
        yield {"t": "history", "from": rng.randint(1, state.seq), "proofs": True}


COMMANDS = ("move", "undo", "redo", "restart", "say")
"""What changes the room."""


def blanked(talk: Talk, last: int = 0) -> list[bytes]:
    """All frames, or the last ones, without what covers hidden cards and says nothing of them."""
    frames = (f.encode() if isinstance(f, str) else f for f in talk.frames[-last:])
    return [blank(frame) for frame in frames]


@pytest.mark.parametrize("game", [name for name in GAMES if name != "montana"])
async def test_hidden_cards_change_no_byte(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.server.app.TICK_SECONDS", 3600)
    table = GAMES[game].deal(deck_of("31"))
    other, secret = other_secret(table, game)
    assert other != table and len(secret) > 5
    worlds = [Fake(), Fake()]
    async with AsyncExitStack() as stack:
        servers = [
            await stack.enter_async_context(running_server(world=fake.world)) for fake in worlds
        ]
        pairs: list[tuple[Talk, Talk]] = []
        for running, start in zip(servers, (table, other), strict=True):
            ann = await stack.enter_async_context(talking(running.url, name="Ann"))
            eve = await stack.enter_async_context(talking(running.url, Encoding.MSGPACK))
            await running.abreast()
            text = write(GAMES[game], start)
            room = (await ann.ok("create", game=game, save=text, policy={"save": False}))["room"]
            await eve.ok("join", room=room)
            pairs.append((ann, eve))
        states = [(await running.app.rooms.get(room)).state for running in servers]
        for number, request in enumerate(requests(states[0], secret, Random(game))):
            for pair, running, fake in zip(pairs, servers, worlds, strict=True):
                fake.pass_time(0.125)
                for app in running.apps:
                    app.rooms.tell_presence()
                for talk in pair:
                    fields = {key: value for key, value in request.items() if key != "t"}
                    await talk.ask(request["t"], room=room, **fields)
                    if request["t"] in COMMANDS:
                        await running.abreast()
            assert blanked(pairs[0][0], 1) == blanked(pairs[1][0], 1)
            for name in ("replay.json", "replay.txt", "save.txt") if number % 100 == 0 else ():
                path = f"/rooms/{room}/{name}"
                bodies = [await fetch(running.http, path) for running in servers]
                assert (bodies[0][0], blank(bodies[0][1])) == (bodies[1][0], blank(bodies[1][1]))
        for one, two in zip(*pairs, strict=True):
            await one.settle()
            await two.settle()
            assert blanked(one) == blanked(two) and len(one.frames) > 400
        assert states[0].seq > 30 and not states[0].over
        tables = [state.positions[0].board.table for state in states]
        assert tables[0] != tables[1]
