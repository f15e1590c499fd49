"""What every request carries, and the texts and numbers that requests are made of."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from .limits import (
    MAX_DELAY,
    MAX_ID,
    MAX_INTEGER,
    MAX_PASSWORD,
    MAX_PILE,
    MAX_RACERS,
    MAX_SUBJECT,
)
from .views import END, RoomId

RequestId = (
    Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
    | Annotated[str, Meta(min_length=1, max_length=MAX_ID)]
    | None
)
Pile = Annotated[str, Meta(min_length=1, max_length=MAX_PILE)]
Text32 = Annotated[str, Meta(max_length=32)]
Subject = Annotated[str, Meta(min_length=1, max_length=MAX_SUBJECT)]
Password = Annotated[str, Meta(max_length=MAX_PASSWORD)]
BoardIndex = Annotated[int, Meta(ge=0, lt=MAX_RACERS)] | None
"""Which board; ``None``: the asker's own, or the first."""
Advised = Literal["move", "chances"]
"""What somebody wants to be told: what to play, or whether it can still be won."""
Day = Annotated[str, Meta(pattern=f"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}{END}")]


class RequestBase(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="t"):
    """What every request may carry."""

    i: RequestId = None


class InRoom(RequestBase, frozen=True, kw_only=True, omit_defaults=True):
    """A request about one room."""

    room: RoomId


class PolicyWish(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What the new room shall allow; what is not named gets its default."""

    undo: bool | None = None
    save: bool | None = None
    cheat: bool | None = None
    hints: bool | None = None
    say: bool | None = None
    advice: bool | None = None
    casual: bool | None = None
    masked: bool | None = None
    delay: Annotated[int, Meta(ge=0, le=MAX_DELAY)] = 0


OptionValue = Annotated[str, Meta(max_length=32)] | bool | Annotated[int, Meta(ge=0, le=999)]
