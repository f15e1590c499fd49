"""A room of a server as a recording: what it tells whoever asks, live or afterwards."""

from typing import Any

import msgspec

from kibitz.protocol.views import Event

from ..session import Client
from .recording import Recording, check_begin, check_promise, read_event
from .replay import verdict_on
from .verdict import Finding, Unfit, Verdict

NOT_OPENED = ("open", "closed")
"""Where no card is shown that was not seen: the game goes on, or an operator closed the room."""
TRIES = 3
"""How often a room is asked that ends meanwhile, so that the pages do not fit together."""


async def verdict_on_room(client: Client, room: str) -> Verdict:
    """What the checks make of a room as it is now.

    Raises:
        Refused: There is none, or it is not for us.

    """
    await client.join(room)
    for _ in range(TRIES):
        before = client.session.mirrors[room].status
        try:
            recording = await _recorded(client, room)
            whole = _whole(client, recording)
        except Unfit as unfit:
            return Verdict([unfit.of("file")])
        if client.session.mirrors[room].status == before:
            break
    return verdict_on(recording, whole)


async def _recorded(client: Client, room: str) -> Recording:
    mirror = client.session.mirrors[room]
    seq, hash_, over = mirror.seq, mirror.hash, mirror.status not in NOT_OPENED
    events, openings = await client.proved(room, seq)
    opened: list[Event] = []
    if over:
        past = client.history(room, to=seq, open=True)
        whole = [msgspec.to_builtins(event) async for event in past]
        opened = [read_event(each, number) for number, each in enumerate(whole, 1)]
    plain: list[Any] = [msgspec.to_builtins(event) for event in events]
    recording = Recording(
        room=room,
        seq=seq,
        hash=hash_,
        events=[read_event(each, number) for number, each in enumerate(plain, 1)],
        plain=plain,
        opened=opened,
        openings=openings,
    )
    check_begin(recording)
    return recording


def _whole(client: Client, recording: Recording) -> Finding:
    """Whether what was said on joining is what the events say."""
    info = client.session.mirrors[recording.room].info
    if (info.fair or None) != recording.fair:
        raise Unfit("who joins is told of other commitments than stand in the first event", 1)
    check_promise(recording)
    many = len(recording.events)
    return Finding("file", "ok", f"{many} event{'s' * (many != 1)} of room {recording.room}")
