"""Check ``file``: a replay as JSON is one, and its digest fits."""

import hashlib
from typing import Any

import msgspec

from kibitz.protocol.views import Opening

from .recording import Recording, check_begin, read_event
from .verdict import Finding, Unfit

FORMAT = "kibitz-replay-json-1"
_MARK, _END, _HEX = b',"sha256":"', b'"}', 64


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
    sha256: str | None = None


def read(data: bytes) -> tuple[Recording | None, Finding]:
    """The recording in a file, as far as there is one, and whether the file is whole."""
    try:
        recording, sealed = _read(data)
    except Unfit as unfit:
        return None, unfit.of("file")
    try:
        _check_seal(data, sealed or recording.fair is not None)
    except Unfit as unfit:
        return recording, unfit.of("file")
    return recording, Finding("file", "ok", _said(len(recording.events), sealed))


def _said(events: int, sealed: bool) -> str:
    many = f"{events} event{'s' * (events != 1)}"
    return many if sealed else f"{many}; older replays have no digest"


def _read(data: bytes) -> tuple[Recording, bool]:
    try:
        whole = msgspec.json.decode(data, type=_Whole)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
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
    return recording, whole.sha256 is not None


def _check_seal(data: bytes, sealed: bool) -> None:
    """Check that the last key is the digest of all that stands before it.

    Raises:
        Unfit: It is not.

    """
    if not sealed:
        return
    rest = len(_MARK) + _HEX + len(_END)
    body, mark = data[:-rest], data[-rest:]
    if not mark.startswith(_MARK) or not mark.endswith(_END):
        raise Unfit("the digest that ends the file is missing")
    if mark[len(_MARK) : -len(_END)] != hashlib.sha256(body).hexdigest().encode():
        raise Unfit("the file is not what it was when it was written: its digest is another")
