"""The boards of a room as the rules make them, command by command.

Promises: what is told of a board is compared with what the rules make of the position, fact by
fact; nothing that was told is believed, but for a shuffle whose seed nobody has opened, of which
is checked that it could lead there.
"""

from collections import Counter
from collections.abc import Sequence
from random import Random

from kibitz.engine.board import Board
from kibitz.engine.board import Kind as BoardKind
from kibitz.engine.deals import Drawn
from kibitz.engine.game import NO_CHANCE, Chance, Game, IllegalMove, Move, Shuffle, is_stuck, play
from kibitz.engine.games import TEXTS
from kibitz.engine.notation import read_fact
from kibitz.engine.table import Fact, Pile, Set, Table
from kibitz.engine.text import InputError
from kibitz.engine.text import Request as TextRequest
from kibitz.protocol.fairness import shuffle_key
from kibitz.protocol.views import Event

from .verdict import Unfit


class Tables:
    """Every board of one room.

    Attributes:
        unseen: The boards of which not everything was told: nothing is known of them any more.
        believed: Whether a shuffle had to be believed.

    """

    def __init__(self, game: Game, start: Table, count: int, seed: bytes | None) -> None:
        """Lay out the boards.

        Args:
            game: The rules.
            start: What was dealt, every card named, be it as it was or any other way.
            count: How many boards there are.
            seed: What shuffles follow from, if that is known.

        """
        self.game = game
        self.start = start
        self.unseen: set[int] = set()
        self.believed = False
        self._text = TEXTS[game.name]
        self._seed = seed
        self._boards = [Board(start) for _ in range(count)]
        self._stuck = [False] * count

    def board(self, index: int) -> Board:
        """One of them."""
        return self._boards[index]

    def do(self, event: Event) -> tuple[Fact, ...]:
        """Let a command happen: what it changes.

        Raises:
            Unfit: The rules forbid it.

        """
        index, kind = event.board, event.kind
        board = self._boards[index]
        facts: tuple[Fact, ...] | None
        match kind:
            case "move":
                facts = self._move(board.table, event)
            case "undo":
                facts = board.to_undo()
            case "redo":
                facts = board.to_redo()
            case _:
                facts = board.to_restart()
        if facts is None:
            raise Unfit(f"there is nothing to {kind}", event.seq)
        done: BoardKind = kind  # type: ignore[assignment]
        board.apply(done, facts)
        self._stuck[index] = self._stuck[index] and kind == "move"
        return facts

    def is_won(self, index: int) -> bool:
        """Whether a board has reached the goal."""
        return self.game.is_won(self._boards[index].table)

    def gets_stuck(self, index: int) -> bool:
        """Whether a move has led a board into a dead end that was not told of before."""
        if self._stuck[index] or not is_stuck(self.game, self._boards[index].table):
            return False
        self._stuck[index] = True
        return True

    def score(self, index: int) -> int:
        """How many cards of a board are where they belong."""
        return self.game.score(self._boards[index].table)

    def _move(self, table: Table, event: Event) -> tuple[Fact, ...]:
        move = self._meant(event)
        chance: Chance = NO_CHANCE
        told = isinstance(move, Shuffle) and self._seed is None
        if isinstance(move, Shuffle):
            chance = Random(0)
            if self._seed is not None:
                chance = Drawn(shuffle_key(self._seed, self.start, table, self.game))
        try:
            facts = play(self.game, table, move, chance).facts
        except IllegalMove as error:
            said = self._text.refusal(move, error.objection)
            raise Unfit(f"`{event.move}` is not legal there: {said}", event.seq) from None
        return self._believe(facts, event) if told else facts

    def _meant(self, event: Event) -> Move:
        try:
            move = self._text.parse(event.move or "")
        except InputError:
            move = TextRequest("")
        if isinstance(move, TextRequest) or self._text.write(move) != event.move:
            raise Unfit(f"`{event.move}` is no move as it is written", event.seq)
        return move

    def _believe(self, facts: Sequence[Fact], event: Event) -> tuple[Fact, ...]:
        """What was told of a shuffle, if a shuffle can lead there.

        Raises:
            Unfit: None can.

        """
        told = tuple(map(read_fact, event.fx or []))
        if _filled(told) != _filled(facts):
            raise Unfit("no shuffle can lead there", event.seq)
        self.believed = True
        return told


def _filled(facts: Sequence[Fact]) -> tuple[list[object], Counter[Pile]]:
    """What is the same for every outcome of a shuffle: what is filled, and with which cards."""
    places: list[object] = [
        (fact.pile, len(fact.cells)) if isinstance(fact, Set) else fact for fact in facts
    ]
    return places, Counter(fact.cells for fact in facts if isinstance(fact, Set))
