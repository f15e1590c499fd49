"""What a fuzzer begins with: good texts and frames from the other tests, and what was kept.

``corpus/TARGET`` has inputs that once failed, or that reach what no other does.
"""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import msgpack
from raw import BINARY, CLOSE, CONT, PING, PONG, TEXT, frame

from kibitz.engine.games import TEXTS

TESTS = Path(__file__).resolve().parents[1]
CORPUS = TESTS / "fuzz" / "corpus"


def _examples(side: str) -> list[bytes]:
    """The messages of the protocol's page, in both encodings."""
    page = (TESTS.parent / "protocol" / "README.md").read_text()
    blocks = re.findall(rf"```json {side}\n(.*?)```", page, re.DOTALL)
    said = [line for block in blocks for line in block.strip().splitlines()]
    return [*(line.encode() for line in said), *(msgpack.packb(json.loads(line)) for line in said)]


def _conversations() -> list[bytes]:
    """A few of them in a row."""
    said = _examples("request")[:24]
    return [b"\n\n".join(said[at : at + 6]) for at in range(0, len(said), 6)]


def _read(*patterns: str) -> list[bytes]:
    return [path.read_bytes() for pattern in patterns for path in sorted(TESTS.glob(pattern))]


def _lines() -> list[bytes]:
    """What each game's help and actions name, and the courses' sessions."""
    menus = [text.help.encode() for text in TEXTS.values()]
    actions = ["\n".join(a.line for a in text.actions).encode() for text in TEXTS.values()]
    return [*menus, *actions, *_read("transcripts/data/*-input.txt", "golden/v1/*.replay.txt")]


def _streams() -> list[bytes]:
    """Connections: the first byte is how long the pieces are."""
    said = frame(TEXT, b'{"t":"ping"}')
    parts = frame(TEXT, b"a", fin=False) + frame(PING, b"x") + frame(CONT, b"b")
    long = frame(BINARY, bytes(200)) + frame(BINARY, bytes(126), width=64)
    wrong = [
        frame(TEXT, b"x", mask=None),
        frame(TEXT, b"x", reserved=4),
        frame(CONT, b"x"),
        frame(PING, bytes(126)),
        frame(CLOSE, b"\x03"),
        frame(CLOSE, b"\x03\xe8bye") + said,
        frame(3, b"x"),
        frame(PING, b"x", fin=False),
    ]
    whole = [said * 3, parts + said, long, said + frame(PONG) + frame(CLOSE), *wrong]
    return [bytes([size]) + stream for stream in whole for size in (0, 1, 7)]


SEEDS: Mapping[str, Callable[[], list[bytes]]] = {
    "wire": lambda: _examples("request"),
    "replies": lambda: _examples("reply"),
    "sessions": lambda: _conversations() + _examples("reply"),
    "positions": lambda: _read("golden/v1/*.save.txt", "engine/data/formats/*", "cases/data/*.txt"),
    "texts": lambda: _read("golden/v1/*.replay.txt"),
    "lines": _lines,
    "sockets": _streams,
}


def seeds(target: str) -> list[bytes]:
    """Everything for one target."""
    return SEEDS[target]() + [path.read_bytes() for path in sorted(CORPUS.glob(f"{target}/*"))]
