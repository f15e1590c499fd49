"""A whole session at the most talkative level: no secret, no card, no client's word is logged."""

import asyncio
import io
import json
import re
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
import structlog
from plays import NEAR_WIN, WINNING
from raw import dialled, frame, upgrade
from servers import running_server
from talk import fetch, talking

from kibitz.protocol.views import RoomInfo
from kibitz.protocol.wire import Encoding
from kibitz.server.log.record import Record
from kibitz.server.log.sqlite import SqliteLog
from kibitz.server.operation.logs import LogLevel, Logs
from kibitz.server.room.room import Room
from kibitz.server.settings import Operating

WORDS = "Zaphod", "pangalactic", "hunter2-gargleblaster", "vogon-42", "babelfish"
"""A name, a comment, a password, a deal and a wish that only the clients say."""
_CARD = re.compile(r"(?<![A-Za-z0-9])[A2-9TJQK][cdhs](?![A-Za-z0-9])|[♣♦♥♠]")
DEBUG = Operating(log_level=LogLevel.DEBUG)


class Chatty(SqliteLog):
    """A log that fails by quoting what it was given, as careless code would."""

    broken = False

    def append(
        self, room: str, expected: int, records: Sequence[Record], info: RoomInfo
    ) -> asyncio.Future[None]:
        if self.broken:
            raise ValueError(f"cannot write {records} of {info}: {self._latest}")
        return super().append(room, expected, records, info)


@pytest.fixture
def said() -> io.StringIO:
    return io.StringIO()


async def session(log: Chatty, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Do everything that can be done, and break what can be broken; every secret there was."""
    name, comment, password, deal, wish = WORDS
    async with (
        running_server(log, operating=DEBUG) as running,
        talking(running.url, name=name) as ann,
        talking(running.url, Encoding.MSGPACK, name=name) as bob,
    ):
        secrets = {ann.token, bob.token, ann.token[4:], bob.token[4:], password}
        private = {"visibility": "private", "password": password}
        room = (await ann.ok("create", wish, game="klondike", deal=deal, **private))["room"]
        await bob.refused("forbidden", "join", room=room, password="wrong-" + password)
        await bob.ok("join", room=room, password=password)
        race = await ann.ok("create", game="montana", mode="race", seats=2, countdown=0)
        await bob.ok("join", room=race["room"], role="player")
        for talk in (ann, bob):
            await talk.ok("ready", room=race["room"])
        solo = (await ann.ok("create", game="klondike", save=NEAR_WIN))["room"]
        open_ = await ann.ok("create", game="aces-up", policy={"cheat": True, "delay": 5})
        for id_ in (room, solo, open_["room"]):
            await ann.ok("say", room=id_, text=comment)
            await ann.refused("bad-move", "move", room=id_, move=f"{comment} Qh Kd")
            moves = (await ann.ok("moves", room=id_))["moves"]
            await ann.ok("move", wish + id_, room=id_, move=moves[0])
            await ann.ok("undo", room=id_)
            secrets.add((await ann.ok("save", room=id_))["text"])
            await ann.ok("fork", room=id_)
        await ann.ok("cheat", room=open_["room"])
        for move in WINNING:
            await ann.ok("move", room=solo, move=move)
        await bob.ok("join", room=solo)
        await bob.ok("present", room=solo)
        await ann.ok("rematch", room=solo)
        await ann.ok("daily", game="montana")
        for page in ("replay.json", "replay.txt", "save.txt"):
            await fetch(running.http, f"/rooms/{room}/{page}?invite={password}", ann.token)
            await fetch(running.http, f"/rooms/{solo}/{page}", bob.token)
        await ann.ask("replay", text=NEAR_WIN + comment)
        await ann.send({"t": comment, "i": 9999, "token": ann.token})
        await ann.settle()

        log.broken = True
        await ann.refused("internal", "move", room=open_["room"], move=moves[0])
        await ann.refused("internal", "say", room=room, text=comment)
        await ann.refused("internal", "create", game="klondike", deal=deal)
        log.broken = False

        def spoilt(*_: object) -> None:
            raise KeyError(f"{comment} {ann.token} Qh")

        with monkeypatch.context() as spoil:
            spoil.setattr(Room, "_change", spoilt)
            spoil.setattr("kibitz.server.reading.Reading.answer", spoilt)
            await ann.refused("internal", "undo", room=room)
            await ann.refused("internal", "moves", room=room)
            loop = asyncio.get_running_loop()
            loop.call_soon(spoilt, ann.token, password)
            await ann.settle()
            spoil.setattr(running.app.rooms, "tell_presence", spoilt)
            await asyncio.sleep(1.1)  # a tick of every kind

        async with dialled(running.url) as rude:
            rude.write(upgrade(running.url))
            await rude.head()
            rude.write(frame(1, json.dumps({"t": "hello", "token": comment}).encode()))
            await rude.rest()
        log._writer_db.execute("pragma query_only = on")
        await ann.refused("internal", "restart", room=room)
        log._writer_db.execute("pragma query_only = off")
        for id_ in (room, race["room"], solo, open_["room"]):
            secret = (await running.app.rooms.get(id_)).state.secret
            kept = {secret.seed, secret.deal, secret.password, secret.wish}
            secrets |= {each for each in kept if each}
    return secrets


async def test_no_secret_is_ever_logged(
    tmp_path: Path, said: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = Logs(LogLevel.DEBUG, said, time.monotonic)
    summing = asyncio.create_task(logs.run())
    try:
        secrets = await session(Chatty(tmp_path / "log"), monkeypatch)
    finally:
        summing.cancel()
        await asyncio.wait([summing])
        asyncio.get_running_loop().set_exception_handler(None)
        logs.close()
        structlog.reset_defaults()
    text = said.getvalue()
    lines = [json.loads(line) for line in text.splitlines()]
    for secret in secrets | set(WORDS):
        assert secret not in text
    for line in lines:
        for value in line.values():
            assert not _CARD.search(str(value)), line
    events = {line["event"] for line in lines}
    assert events >= {
        *("connected", "greeted", "asked", "refused", "created", "closed", "gone"),
        *("log failure", "request failed", "tick failed", "loop failed"),
    }
    asked = [line for line in lines if line["event"] == "asked"]
    assert {line["request"] for line in asked} >= {"create", "move", "say", "save", "cheat", "fork"}
    assert all(
        line["identity"] and line["address"] == "127.0.0.1"
        for line in asked
        if line["request"] != "hello"
    )
    failed = next(line for line in lines if line["event"] == "request failed")
    assert failed["error"] == "ValueError" and failed["room"] and failed["trace"]
