"""What reads bytes from outside, each with what must be true of any bytes at all.

A target takes bytes and fails with an exception: one that its reader does not name, or an
assertion about what was read. ``run`` gives it to a fuzzer, ``test_corpus`` plays what was kept.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random

from kibitz.clients.console.files import Folder
from kibitz.clients.console.klondike import KlondikeProgram
from kibitz.clients.console.program import Deals, Program, TableProgram
from kibitz.engine import formats, replays, saves
from kibitz.engine.deals import deck_of
from kibitz.engine.game import Game, IllegalMove, is_stuck, moves, play
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.headers import LineError
from kibitz.engine.text import InputError, Request
from kibitz.protocol.codes import Refused
from kibitz.protocol.session import ClientSession, MustClose, ServerSession
from kibitz.protocol.wire import (
    Encoding,
    Frame,
    WireError,
    decode_reply,
    decode_request,
    encode,
    frame_id,
)
from kibitz.server.lobby.replaying import replayed

from .sockets import sockets

Target = Callable[[bytes], None]
NAMES = list(GAMES)
NOWHERE = Folder(Path("/nonexistent"))
"""Where the program of klondike finds no saves and leaves none."""


def wire(data: bytes) -> None:
    """Frames of clients: a request that says the same in both encodings, or a refusal."""
    for frame in _frames(data):
        frame_id(frame)
        try:
            request = decode_request(frame)
        except WireError as error:
            assert str(error)
            continue
        for encoding in Encoding:
            assert decode_request(encode(request, encoding)) == request


def replies(data: bytes) -> None:
    """Frames of servers: a reply that says the same in both encodings, or a refusal."""
    for frame in _frames(data):
        try:
            reply = decode_reply(frame)
        except WireError:
            continue
        if reply is None:
            continue
        for encoding in Encoding:
            assert decode_reply(encode(reply, encoding)) == reply


def sessions(data: bytes) -> None:
    """Frames in any order at the two ends of a connection."""
    encoding = list(Encoding)[len(data) % 2]
    server, client = ServerSession(encoding), ClientSession(encoding)
    for line in data.split(b"\n\n"):
        for frame in _frames(line):
            try:
                client.send(client.number(server.receive(frame)))
            except WireError as error:
                assert server.error(error).code
            except MustClose as must:
                assert must.reason
            try:
                client.receive(frame)
            except WireError:
                continue


def positions(data: bytes) -> None:
    """Saves and other programs' texts: a position by the rules that is written as it was read."""
    text = data.decode(errors="replace")
    for name in (None, NAMES[len(data) % len(NAMES)]):
        try:
            save = formats.read_any(text, name)
        except LineError as error:
            assert error.line > 0 < error.column
            continue
        written = saves.write(save.game, save.table, save.deal)
        assert saves.read(written) == save
        assert save.game.check(save.table) is None
        for move in list(moves(save.game, save.table))[:4]:
            play(save.game, save.table, move, Random(0))
        is_stuck(save.game, save.table)


def texts(data: bytes) -> None:
    """Replay texts: played by the rules up to a line that is named, and written as they read."""
    text = data.decode(errors="replace")
    try:
        replay = replays.read(text)
        assert replays.read(replays.write(replay)).start == replay.start
        for _, table in replays.run(replay):
            assert len(table.piles) == len(replay.start.piles)
    except replays.ReplayError as error:
        assert error.line > 0
    try:
        told = replayed(text)
        assert [event.seq for event in told.events] == list(range(1, len(told.events) + 1))
    except Refused as refused:
        assert refused.message


def lines(data: bytes) -> None:
    """Lines that people type: in a room's grammar and at the courses' programs."""
    typed = data.decode(errors="replace").split("\n")[:20]
    game = GAMES[NAMES[len(data) % len(NAMES)]]
    table, text, program = game.deal(deck_of(str(len(data)))), TEXTS[game.name], _program(game)
    program.open()
    for line in typed:
        if not program.over:
            assert isinstance(program.feed(line + "\n"), str)
        try:
            move = text.parse(line)
        except InputError:
            continue
        if isinstance(move, Request):
            continue
        assert text.parse(text.write(move)) == move
        try:
            table = play(game, table, move, Random(0)).table
        except IllegalMove as error:
            assert text.refusal(move, error.objection)


TARGETS: Mapping[str, Target] = {
    "wire": wire,
    "replies": replies,
    "sessions": sessions,
    "positions": positions,
    "texts": texts,
    "lines": lines,
    "sockets": sockets,
}


def _frames(data: bytes) -> Iterator[Frame]:
    yield data
    try:
        yield data.decode()
    except UnicodeDecodeError:
        return


def _program(game: Game) -> Program:
    deals = Deals(game, None, Random(0))
    return KlondikeProgram(deals, NOWHERE) if game.name == "klondike" else TableProgram(deals)
