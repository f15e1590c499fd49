"""Every sample session, played through a real socket with a spectator watching."""

from random import Random

import pytest
from servers import running_server
from talk import Talk, talking
from transcripts import reading
from transcripts.reading import Step, Transcript
from transcripts.test_console import SESSIONS

from kibitz.engine.notation import write_fact, write_piles
from kibitz.engine.table import lay, redact_table
from kibitz.engine.text import SIGNS
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import Joined, Reply
from kibitz.protocol.views import Event, Policy, RoomInfo
from kibitz.protocol.wire import Encoding
from kibitz.server.log_memory import MemoryLog
from kibitz.server.record import Record, Secret
from kibitz.server.room import Room

NOT_MOVES = {"h", "q", "n", "board", "cheat", "comment", "load", "done", ""}
"""Words that a client keeps to itself."""


async def room_with(log: MemoryLog, script: Transcript) -> str:
    """A room that stands where the session starts; its deck may be a small test deck."""
    game = script.game
    created = Event(
        seq=1,
        at=0,
        kind="created",
        fx=[write_fact(fact) for fact in lay(script.table)],
        game=game.name,
        options=dict(game.options),
        mode="solo",
        seats=1,
        policy=Policy(),
        started=0,
    )
    info = RoomInfo(
        id="session",
        game=game.name,
        mode="solo",
        players=[],
        seats=1,
        spectators=0,
        seq=1,
        score=0,
        status="open",
        started=0,
        visibility="public",
    )
    record = Record(events=[created], secret=Secret("ab" * 32), visibility="public")
    await log.append("session", 0, record, info)
    return "session"


class Watcher:
    """A spectator's mirror, fed with the frames as they come."""

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        self.mirror: Mirror | None = None
        self.taken = 0

    def follow(self, room: Room) -> None:
        """Apply what has come; after every event the mirror is the server's view."""
        replies: list[Reply] = self.talk.replies
        for reply in replies[self.taken :]:
            if isinstance(reply, Joined):
                self.mirror = Mirror(reply)
            elif isinstance(reply, Event):
                assert self.mirror is not None
                assert self.mirror.apply(reply)
        self.taken = len(replies)
        assert self.mirror is not None
        assert (self.mirror.seq, self.mirror.hash) == (room.seq, room.hash_at(room.seq))
        assert self.mirror.view == room.state.view()


def check(script: Transcript, step: Step, answer: dict[str, object], room: Room) -> None:
    """The answer and the table are what the session says."""
    where = f"{script.name}, line {step.number}: {step.command}"
    if step.errors:
        said = str(answer["message"]).translate(SIGNS)
        assert answer["t"] == "error", where
        assert all(error in said for error in step.errors), (where, said)
    elif step.accepted:
        assert answer["t"] == "ok", (where, answer)
    table = room.state.positions[0].board.table
    if step.position and step.form == "cards":
        assert reading.lines_of(script.game, table) == step.position, where


@pytest.mark.parametrize("encoding", list(Encoding))
@pytest.mark.parametrize("name", SESSIONS)
async def test_session(name: str, encoding: Encoding, monkeypatch: pytest.MonkeyPatch) -> None:
    script, rng = reading.read(name), Random(100)
    monkeypatch.setattr("kibitz.server.decide.Random", lambda seed: rng)
    log = MemoryLog()
    id_ = await room_with(log, script)
    moves = 0
    async with (
        running_server(log) as server,
        talking(server.url, encoding) as player,
        talking(server.url, encoding) as spectator,
    ):
        await player.ok("join", room=id_, role="player")
        await spectator.ok("join", room=id_)
        room = await server.app.rooms.get(id_)
        watcher = Watcher(spectator)
        for step in script.steps:
            word = (step.command.lower().split() or [""])[0]
            if word == "y":
                break
            if word in NOT_MOVES and not step.errors:
                continue
            before = write_piles(room.state.positions[0].board.table)
            if word == "r":
                await player.ok("restart", room=id_)
            else:
                answer = await player.ask("move", room=id_, move=step.command)
                check(script, step, answer, room)
                moves += answer["t"] == "ok"
                if answer["t"] == "error":
                    assert write_piles(room.state.positions[0].board.table) == before
            await spectator.settle()
            watcher.follow(room)
        won = any("won" in outcome for step in script.steps for outcome in step.outcomes)
        assert room.state.status == ("won" if won else "open")
        kinds = [event["kind"] for event in spectator.events()]
        assert (kinds[-2:] == ["won", "ended"]) is won
        assert kinds.count("won") == won
        if not won:
            seen = redact_table(room.state.positions[0].board.table)
            assert watcher.mirror is not None
            assert watcher.mirror.tables == [seen]
    assert moves or "bad-session" in name
