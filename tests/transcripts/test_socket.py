"""Every sample session, played through a real socket with a spectator watching."""

from random import Random

import pytest
from positions import begun, lay_out
from servers import running_server
from talk import Talk, talking
from transcripts import reading
from transcripts.reading import Step, Transcript
from transcripts.test_console import SESSIONS, is_shuffle, montana_figure

from kibitz.engine.game import Game
from kibitz.engine.games import GAMES
from kibitz.engine.notation import read_pile, write_piles
from kibitz.engine.table import Table, redact_table
from kibitz.engine.text import SIGNS
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import Joined, Reply
from kibitz.protocol.views import Event, RoomInfo
from kibitz.protocol.wire import Encoding
from kibitz.server.log.memory import MemoryLog
from kibitz.server.log.record import Record, Secret
from kibitz.server.room.room import Room

NOT_MOVES = {"h", "q", "n", "board", "cheat", "comment", "load", "done", ""}
"""Words that a client keeps to itself."""


async def room_with(log: MemoryLog, game: Game, table: Table) -> str:
    """A room with a free seat that starts from a position; its deck may be a small test deck."""
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
    record = Record(events=[begun(game, table)], secret=Secret("ab" * 32), visibility="public")
    await log.append("session", 0, [record], info)
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
        assert (self.mirror.seq, self.mirror.hash) == (room.seq, room.live.hash_at(room.seq))
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
    monkeypatch.setattr("kibitz.server.room.decide.Random", lambda seed: rng)
    log = MemoryLog()
    id_ = await room_with(log, script.game, script.table)
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


@pytest.mark.parametrize("case", reading.read_cases(), ids=lambda case: case.title[:6])
async def test_function_case(case: reading.Case) -> None:
    """A card that the test pushes on the waste begins a new room."""
    game = GAMES["klondike-single"]
    table, steps = lay_out(game, case.piles), list(case.steps)
    while steps:
        log = MemoryLog()
        id_ = await room_with(log, game, table)
        async with running_server(log) as server, talking(server.url) as player:
            await player.ok("join", room=id_, role="player")
            room = await server.app.rooms.get(id_)
            while steps and steps[0][0] != "push":
                command, accepted, changed = steps.pop(0)
                answer = await player.ask("move", room=id_, move=command)
                assert (answer["t"] == "ok") is accepted, command
                table = room.state.positions[0].board.table
                for pile, cells in changed.items():
                    assert table.piles[pile] == read_pile(cells.split()), (command, pile)
        if steps:
            pushed = read_pile(steps.pop(0)[2]["Waste"].split())
            table = Table({**table.piles, "Waste": table.piles["Waste"] + pushed})


@pytest.mark.parametrize("name", ["klondike-game1-start", "klondike-save-example"])
async def test_save_goes_in_and_comes_out_byte_for_byte(name: str) -> None:
    text = (reading.DATA / f"{name}.txt").read_bytes().decode()
    async with running_server() as server, talking(server.url) as player:
        joined = await player.ok("create", game="klondike", save=text)
        assert (await player.ok("save", room=joined["room"]))["text"] == text


async def test_script_wins() -> None:
    """The instructor's commands, as they stand in the file."""
    start = (reading.DATA / "klondike-game1-start.txt").read_text()
    lines = (reading.DATA / "klondike-game1-input.txt").read_text().splitlines()
    moves = [line for line in lines if line.split()[0] in ("move", "discard", "reset")]
    async with running_server() as server, talking(server.url) as player:
        room = (await player.ok("create", game="klondike", save=start))["room"]
        for move in moves:
            await player.ok("move", room=room, move=move)
        await player.settle()
        assert [event["kind"] for event in player.events()][-2:] == ["won", "ended"]


async def test_shuffle_figure() -> None:
    before, _ = montana_figure()
    log = MemoryLog()
    id_ = await room_with(log, GAMES["montana"], before)
    async with running_server(log) as server, talking(server.url) as player:
        await player.ok("join", room=id_, role="player")
        await player.ok("move", room=id_, move="s")
        room = await server.app.rooms.get(id_)
        assert is_shuffle(before, room.state.positions[0].board.table)
