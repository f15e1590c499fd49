"""Who has asked for it is told what changes in the lobby, and what is on."""

from collections.abc import Iterable

from kibitz.protocol.replies import LobbyRoom, TvRoom

from ..sockets.frames import Frames
from ..visitor import Visitor
from .directory import Directory


def tell_lobby(directory: Directory, visitors: Iterable[Visitor]) -> None:
    """Tell of the rooms that have changed since the last time."""
    changed, directory.changed = directory.changed, set()
    interested = [visitor for visitor in visitors if visitor.lobby]
    if not interested:
        return
    for entry in map(directory.listing.entry, changed):
        if entry is None:
            continue
        frames = Frames(LobbyRoom(room=entry))
        for visitor in interested:
            visitor.offer(frames[visitor.encoding])


def tell_tv(directory: Directory, visitors: Iterable[Visitor]) -> None:
    """Tell what is most worth watching, if that is something else than before."""
    watching = [visitor for visitor in visitors if visitor.tv]
    if not watching:
        return
    best = directory.look_at_tv()
    frames, id_ = Frames(TvRoom(room=best)), best.id if best else None
    for visitor in watching:
        if visitor.on_air != id_ and visitor.offer(frames[visitor.encoding]):
            visitor.on_air = id_
