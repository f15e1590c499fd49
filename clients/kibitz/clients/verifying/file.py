"""Check ``file``: a replay as JSON is one, and its digest fits."""

import hashlib
from typing import Any

import msgspec

from kibitz.protocol.views import Opening

from .recording import Recording, check_begin, check_promise, read_event
from .verdict import EDITED, Finding, Unfit

FORMAT = "kibitz-replay-json-1"
_MARK, _END, _HEX = b',"sha256":"', b'"}', 64
_SIGNS = b'"sha256":', b'"fair":'
"""Keys of a replay that must have a digest: no single one of its bits takes both of them out."""


class _Whole(msgspec.Struct):
    """A replay as JSON."""

    format: str
    room: str
    game: str
    seq: int
    hash: str
    events: list[Any]
    open: list[Any] | None = None
    openings: list[Opening] | None = None


def read(data: bytes) -> tuple[Recording | None, Finding]:
    """The recording in a file, as far as there is one, and whether the file is whole."""
    try:
        recording = _read(data)
    except Unfit as unfit:
        return None, unfit.of("file")
    try:
        sealed = check_seal(data)
        check_promise(recording)
    except Unfit as unfit:
        return recording, unfit.of("file")
    count = len(recording.events)
    many = f"{count} event{'s' * (count != 1)}"
    return recording, Finding(
        "file", "ok", many if sealed else f"{many}; older replays have no digest"
    )


def _read(data: bytes) -> Recording:
    try:
        whole = msgspec.json.decode(data, type=_Whole)
    except RecursionError:
        raise Unfit("this is no replay: it is nested too deep") from None
    except (msgspec.DecodeError, ValueError) as error:
        raise Unfit(f"this is no replay: {error}") from None
    if whole.format != FORMAT:
        raise Unfit(f"this is no replay: it does not say `{FORMAT}`")
    events = [read_event(plain, number) for number, plain in enumerate(whole.events, 1)]
    opened = [read_event(plain, number) for number, plain in enumerate(whole.open or [], 1)]
    recording = Recording(
        room=whole.room,
        seq=whole.seq,
        hash=whole.hash,
        events=events,
        plain=whole.events,
        opened=opened,
        openings=whole.openings or [],
    )
    check_begin(recording)
    if recording.created.game != whole.game:
        raise Unfit("the head names another game than the first event", 1)
    return recording


def check_seal(data: bytes) -> bool:
    """Whether the last key is the digest of all that stands before it; older replays have none.

    Raises:
        Unfit: It is not, or it is missing.

    """
    if not any(mark in data for mark in _SIGNS):  # quotes in a text would stand behind a backslash
        return False
    rest = len(_MARK) + _HEX + len(_END)
    body, mark = data[:-rest], data[-rest:]
    if not mark.startswith(_MARK) or not mark.endswith(_END):
        if data != data.strip() and check_seal(data.strip()):
            raise Unfit(EDITED)
        raise Unfit("the digest that ends the file is missing")
    if mark[len(_MARK) : -len(_END)] != hashlib.sha256(body).hexdigest().encode():
        raise Unfit("the file is not what it was when it was written: its digest is another")
    return True
