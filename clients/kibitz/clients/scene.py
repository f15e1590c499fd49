"""A room as somebody sees it who looks on: one board that changes event by event.

Promises: the same whether the events come live, from the history or one by one from a replay; so
it can lag behind the room and be drawn at every step. Never: output, sockets.
"""

from typing import Self

from msgspec import UNSET

from kibitz.engine.games import TEXTS
from kibitz.engine.notation import read_fact, read_table
from kibitz.engine.table import Table, fold
from kibitz.engine.text import Text
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.views import Event, Status, View


class Scene:
    """One room, drawn."""

    def __init__(self, room: str, game: str) -> None:
        """An empty table: where the history of every room begins."""
        self.room = room
        self.game = game
        self.seq = 0
        self.table = Table()
        self.status: Status = "open"
        self.moves = 0
        self.score = 0
        self.spectators = 0

    @classmethod
    def of(cls, mirror: Mirror) -> Self:
        """The room as it is now."""
        view = mirror.view
        scene = cls(mirror.room, view.game)
        scene.reset(view, mirror.seq)
        return scene

    @property
    def text(self) -> Text:
        """The words of the game."""
        return TEXTS[self.game]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.status != "open"

    def reset(self, view: View, seq: int) -> None:
        """Show a whole position."""
        board = view.boards[0]
        self.table = read_table(board.piles, board.counters)
        self.moves, self.score = board.moves, board.score
        self.status, self.seq = view.status, seq

    def apply(self, event: Event) -> bool:
        """Let an event happen, if it is a new one; whether there is a board to be drawn.

        The end of a game names the cards that lie face down, which no board shows.
        """
        if event.seq <= self.seq:
            return False
        self.seq = event.seq
        if event.result is not None:
            self.status = event.result
        self.moves = self.moves if event.moves is UNSET else event.moves
        self.score = self.score if event.score is UNSET else event.score
        if event.fx is UNSET:
            return False
        self.table = fold([read_fact(fact) for fact in event.fx], self.table)
        return event.kind != "ended"


def sentence(event: Event) -> str | None:
    """An event in words, for people; ``None`` for what the board shows by itself."""
    who = event.name or event.by or "the server"
    match event.kind:
        case "say":
            return f"{who}: {event.text}"
        case "joined":
            return f"{who} took seat {event.seat}"
        case "left":
            return f"seat {event.seat} is free"
        case "saved":
            return "the position was saved"
        case "cheated":
            return "somebody looked at all cards"
        case "stuck":
            return "no legal move is left that changes anything"
        case "won":
            return f"won in {event.moves} moves"
        case "resigned":
            return "the game was given up"
        case "undo" | "redo" | "restart":
            return event.kind
        case _:
            return None


def printable(text: str) -> str:
    """A text from somebody else without what would steer a terminal; line ends stay."""
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)
