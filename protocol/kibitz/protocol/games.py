"""What a client is told of a game, to draw it: no rules."""

from typing import Literal

from msgspec import Struct


class LayoutPlace(Struct, frozen=True):
    """How to draw one pile: its kind and where it stands (column and row from 0)."""

    pile: str
    kind: Literal["stock", "waste", "foundation", "fan", "row-cell"]
    column: int
    row: int


class Action(Struct, frozen=True):
    """A move that names no pile, and a word for its button."""

    move: str
    label: str


class GameInfo(Struct, frozen=True):
    """What a client needs to draw a game: no rules.

    ``actions`` are the commands that are no drag from pile to pile, in the order of the menu.
    """

    title: str
    options: dict[str, str]
    layout: list[LayoutPlace]
    help: str
    actions: list[Action] = []
