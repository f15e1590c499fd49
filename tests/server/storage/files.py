"""The command ``kibitz admin`` as a process of its own, and rooms to be kept in files."""

from pathlib import Path

from clients.commands import Command, Done

from kibitz.protocol.views import RoomInfo


async def admin(folder: Path, *words: str) -> Done:
    """What the command says, run in a folder."""
    return await Command("", folder).run("admin", *words)


def names(folder: Path) -> list[str]:
    """All that is in a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def entry(room: str, seq: int = 1) -> RoomInfo:
    """A room's entry in the lobby."""
    return RoomInfo(
        id=room,
        game="montana",
        mode="solo",
        players=["Ann"],
        seats=1,
        spectators=0,
        seq=seq,
        score=0,
        status="open",
        started=5,
        visibility="public",
    )
