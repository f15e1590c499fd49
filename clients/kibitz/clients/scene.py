"""A room as somebody sees it who looks on: one board that changes event by event.

Promises: the same whether the events come live, from the history or one by one from a replay; so
it can lag behind the room and be drawn at every step. Never: output, sockets.
"""

from typing import Self

from msgspec import UNSET

from kibitz.engine.games import TEXTS
from kibitz.engine.notation import read_fact, read_table
from kibitz.engine.table import UP, Table, fold
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
        self.names: dict[str, str] = {}
        """Display names of those who have been seen here, by identity."""

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

    @property
    def shown(self) -> Table:
        """The table as it is drawn: once the game has ended, with every known card face up."""
        if not self.over:
            return self.table
        piles = self.table.piles.items()
        opened = {name: tuple([UP[c.card] if c.card else c for c in pile]) for name, pile in piles}
        return Table(opened, self.table.counters)

    def reset(self, view: View, seq: int) -> None:
        """Show a whole position."""
        self.names |= {seat.id: seat.name for seat in view.seats if seat.id and seat.name}
        board = view.boards[0]
        self.table = read_table(board.piles, board.counters)
        self.moves, self.score = board.moves, board.score
        self.status, self.seq = view.status, seq

    def apply(self, event: Event) -> bool:
        """Let an event happen, if it is a new one; whether there is a board to be drawn."""
        if event.seq <= self.seq:
            return False
        self.seq = event.seq
        if event.by and event.name:
            self.names[event.by] = event.name
        if event.result is not None:
            self.status = event.result
        self.moves = self.moves if event.moves is UNSET else event.moves
        self.score = self.score if event.score is UNSET else event.score
        if event.fx is UNSET:
            return False
        self.table = fold([read_fact(fact) for fact in event.fx], self.table)
        return bool(event.fx)

    def told(self, event: Event) -> str | None:
        """An event in words, for people; ``None`` for what the board shows by itself."""
        who = event.name or self.names.get(event.by or "") or event.by or "the server"
        match event.kind:
            case "move":
                return f"> {event.move} ({who})"
            case "undo" | "redo" | "restart":
                return f"> {event.kind} ({who})"
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
                return f"won in {number_of(event.moves or 0, 'move')}"
            case "resigned":
                return "the game was given up"
            case _:
                return None


def number_of(count: int, noun: str) -> str:
    """``1 move``, ``2 moves``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def printable(text: str) -> str:
    """A text from somebody else without what would steer a terminal; line ends stay."""
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)
