"""Who may do what: one role, or one of some, for every kind of request and for every download.

Promises: nothing is answered that is not in the table. Never: what a room allows, who has a seat
in it; that comes on top.
"""

from collections.abc import Mapping
from types import MappingProxyType

from kibitz.protocol import requests as ask
from kibitz.protocol.codes import ErrorCode, Refused
from kibitz.protocol.views import Role

PLAYER, SPECTATOR, ADMIN = "player", "spectator", "admin"
ROLES = frozenset({PLAYER, SPECTATOR, ADMIN})
GUEST_ROLES = frozenset({PLAYER, SPECTATOR})
"""What somebody may do who has not been told otherwise."""

Need = frozenset[str]
"""Roles of which one is enough; empty: none is needed."""
NOTHING: Need = frozenset()
PLAYS: Need = frozenset({PLAYER})
WATCHES: Need = frozenset({SPECTATOR})
SEES: Need = PLAYS | WATCHES

NEEDS: Mapping[type[ask.RequestBase], Need] = MappingProxyType(
    {
        ask.Hello: NOTHING,
        ask.Ping: NOTHING,
        ask.Admin: NOTHING,  # or the key: both are looked at where the order is taken
        ask.Leave: NOTHING,
        ask.Rooms: SEES,
        ask.Lobby: SEES,
        ask.Daily: SEES,
        ask.Tv: WATCHES,
        ask.Join: SEES,
        ask.Moves: SEES,
        ask.History: SEES,
        ask.ViewAt: SEES,
        ask.Say: SEES,
        ask.Save: SEES,
        ask.Cheat: SEES,
        ask.Replay: SEES,
        ask.Advise: PLAYS,
        ask.Finish: PLAYS,
        ask.Pledge: PLAYS,
        ask.Create: PLAYS,
        ask.Fork: PLAYS,
        ask.Invite: PLAYS,
        ask.Rematch: PLAYS,
        ask.Present: PLAYS,
        ask.Steer: PLAYS,
        ask.Move: PLAYS,
        ask.Undo: PLAYS,
        ask.Redo: PLAYS,
        ask.Restart: PLAYS,
        ask.Resign: PLAYS,
        ask.Ready: PLAYS,
        ask.SeatBot: PLAYS,
        ask.Think: PLAYS,
        ask.Comments: PLAYS,
    }
)
"""Every request. A running game is saved, and cheated in, by its players only: ``check_player``."""
OF_BOTS: frozenset[type[ask.RequestBase]] = frozenset(
    {ask.Hello, ask.Ping, ask.Join, ask.Leave, ask.Ready, ask.Move, ask.Think, ask.Resign}
)
"""What a bot of the server's may ask, and nothing else."""
JOINS: Mapping[Role, Need] = MappingProxyType({"player": PLAYS, "spectator": WATCHES})
"""What a ``join`` needs besides."""
DOWNLOADS: Mapping[str, Need] = MappingProxyType(
    dict.fromkeys(("replay.json", "replay.txt", "save.txt", "analysis.json"), WATCHES)
)
"""Every download of a room; who has a seat there needs one of ``SEES``."""


def check_request(request: ask.RequestBase, roles: frozenset[str], *, is_bot: bool = False) -> None:
    """Check that somebody with these roles may ask this at all.

    Raises:
        Refused: He may not.

    """
    if is_bot and type(request) not in OF_BOTS:
        raise Refused(ErrorCode.FORBIDDEN, "a bot of this server plays, and does nothing else")
    check_roles(NEEDS[type(request)], roles)
    if isinstance(request, ask.Join):
        check_roles(JOINS[request.role], roles)


def check_download(name: str, seated: bool, roles: frozenset[str]) -> None:
    """Check that somebody with these roles may download this.

    Raises:
        Refused: He may not.

    """
    check_roles(DOWNLOADS[name] | SEES if seated else DOWNLOADS[name], roles)


def check_roles(need: Need, roles: frozenset[str]) -> None:
    """Check that one of the roles that are needed is there.

    Raises:
        Refused: None is.

    """
    if need and not need & roles:
        wanted = " or ".join(sorted(need))
        raise Refused(ErrorCode.FORBIDDEN, f"you may not do that: it takes the role {wanted}")
