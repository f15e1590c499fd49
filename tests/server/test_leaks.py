"""Of a race nobody is told a card that lies open only where he may not look yet, nor the deal."""

import re
from collections.abc import Iterable
from contextlib import AsyncExitStack
from random import Random

import pytest
from plays import NEAR_WIN, WINNING
from races import begin, later, seat
from servers import Running, running_server
from talk import Plain, Talk, fetch, talking, unpack
from twins import cells_of
from viewers import DOWNLOADS, requests
from worlds import Fake

from kibitz.engine.game import moves
from kibitz.engine.games import GAMES
from kibitz.engine.table import redact_table
from kibitz.protocol.wire import Encoding
from kibitz.server.room.state import RoomState

DEAL = "a-deal-with-a-name"
_NAMED = re.compile(r"(?<![A-Za-z0-9])([A2-9TJQK][cdhs])[+-]?(?![A-Za-z0-9])")
_SIGN = re.compile(r"(10|[A2-9JQK])([♣♦♥♠])")
_SUITS = dict(zip("♣♦♥♠", "cdhs", strict=True))


def named(text: str) -> set[str]:
    """The cards that a text names."""
    signs = {("T" if rank == "10" else rank) + _SUITS[suit] for rank, suit in _SIGN.findall(text)}
    return set(_NAMED.findall(text)) | signs


class Search:
    """Looks through everything that was sent, and knows what lay open on which board so far."""

    def __init__(self, running: Running, state: RoomState, talks: Iterable[Talk]) -> None:
        self._running = running
        self.state = state
        self._looked = dict.fromkeys(talks, 0)
        self._open: list[set[str]] = [set() for _ in state.positions]
        self.told = 0
        """Cards that were named, over all messages."""

    def note(self) -> None:
        """Take down what lies open now."""
        for cards, position in zip(self._open, self.state.positions, strict=True):
            cells = cells_of(position.board.table)
            cards |= {cell.known.code for cell in cells if cell.up}

    def may_know(self, talk: Talk | None) -> set[str]:
        """The cards that lay open where somebody may look."""
        audience = self.state.audience(talk.id if talk else None)
        return set().union(*(self._open[n] for n in range(len(self._open)) if audience.sees(n)))

    async def look(self, room: str) -> None:
        """Check what came since the last look, and the downloads."""
        for talk in self._looked:
            await talk.settle()
            for frame in talk.frames[self._looked[talk] :]:
                self._check(str(unpack(frame)), talk)
            self._looked[talk] = len(talk.frames)
        for who in (None, *self._looked):
            for name in DOWNLOADS:
                path = f"/rooms/{room}/{name}"
                _, body = await fetch(self._running.http, path, who.token if who else None)
                self._check(body.decode(), who)

    def _check(self, text: str, who: Talk | None) -> None:
        if self.state.over:
            return
        found = named(text)
        self.told += len(found)
        assert found <= self.may_know(who), f"{found - self.may_know(who)} in {text}"
        assert self.state.secret.seed not in text and DEAL not in text
        assert str(self.state.secret.secret) not in text


@pytest.mark.parametrize("game", GAMES)
async def test_no_card_of_another_board_is_told(game: str) -> None:
    rng, fake = Random(game), Fake()
    async with running_server(world=fake.world) as running, AsyncExitStack() as guests:
        talks = [
            await guests.enter_async_context(talking(running.url, encoding, name=name))
            for name, encoding in zip("ABCE", list(Encoding) * 2, strict=True)
        ]
        ann, bob, cy, eve = talks
        for talk in talks:
            talk.frames.clear()  # the help texts name cards
        made = await ann.ok("create", game=game, mode="race", deal=DEAL, seats=3)
        room = made["room"]
        await seat(room, bob, cy)
        await eve.ok("join", room=room)
        state = (await running.app.rooms.get(room)).state
        search = Search(running, state, talks)
        await search.look(room)
        assert search.told == 0, "nobody is shown the deal before the start"
        await begin(running, fake, room, ann, bob, cy)
        search.note()
        for number in range(40):
            for board, racer in enumerate((ann, bob, cy)):
                if state.course.lines[board].status != "open":
                    continue
                table = state.positions[board].board.table
                legal = [state.text.write(move) for move in moves(state.game, redact_table(table))]
                kind = rng.choice(["move"] * 8 + ["undo", "redo"]) if legal else "undo"
                line = rng.choice(legal) if kind == "move" else None
                await racer.ask(kind, room=room, move=line)
                search.note()
            for talk in talks:
                for kind, fields in rng.sample(list(requests(state.seq, rng)), 5):
                    if kind != "join":
                        await talk.ask(kind, room=room, **fields)
            if number == 30:
                await cy.ok("resign", room=room)
            if number % 10 == 0:
                await search.look(room)
        assert search.told > 100 and not search.may_know(eve)
        assert search.may_know(bob) <= search.may_know(cy)
        await search.look(room)
        for racer in (ann, bob):
            assert not state.over
            await racer.ok("resign", room=room)
        await eve.settle()
        assert DEAL in str(unpack(eve.frames[-2])) and state.secret.seed in str(eve.events()[-1])


@pytest.mark.parametrize("mask", ["sees", "sees_event"])
async def test_without_the_mask_it_is_told(mask: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"kibitz.server.room.audience.Audience.{mask}", lambda self, what: True)
    with pytest.raises(AssertionError):
        await test_no_card_of_another_board_is_told("klondike-single")


async def test_a_win_says_nothing_of_the_cards() -> None:
    """Two moves before the end the boards are nearly empty: what was moved is easily guessed."""
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob") as bob,
        talking(running.url, name="Eve") as eve,
    ):
        room = (await ann.ok("create", game="klondike", mode="race", save=NEAR_WIN))["room"]
        await seat(room, bob)
        await eve.ok("join", room=room)
        await begin(running, fake, room, ann, bob)
        for talk in (bob, eve):
            await talk.settle()
            talk.frames.clear()
        fake.pass_time(12)
        for move in WINNING:
            await ann.ok("move", room=room, move=move)
        for talk in (bob, eve):
            await talk.settle()
            told = [unpack(frame) for frame in talk.frames]
            events = [said for said in told if said["t"] == "event"]
            assert [event["kind"] for event in events] == ["hidden", "hidden", "won"]
            assert not named(str(told)) and not any(move in str(told) for move in WINNING)
            won = events[-1]
            assert (won["ms"], won["moves"]) == (12_000, 2)


async def test_a_fork_does_not_say_that_a_game_shown_late_is_over() -> None:
    """Nor does it open the cards that it has in common with that game."""
    fake = Fake()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Zed") as zed,
    ):
        wish: Plain = {"game": "klondike", "deal": DEAL, "policy": {"delay": 30}}
        room = (await ann.ok("create", **wish))["room"]
        fork = (await ann.ok("fork", room=room, at=2))["room"]
        await ann.ok("leave", room=fork)
        await zed.ok("join", room=fork, role="player")
        before = await zed.refused("forbidden", "resign", room=fork)
        await ann.ok("resign", room=room)
        assert await zed.refused("forbidden", "resign", room=fork) == before | {
            "i": before["i"] + 1
        }
        await later(running, fake, 30)
        assert (await zed.ok("resign", room=fork))["t"] == "ok"
