"""The replay text: a whole game as lines that people can read and programs can check.

First ``# key: value`` lines (format, game, options, then whatever is to be said: deal, room,
result), then the start position, then one line a command, ``> tt 3 5 2``, in the game's own
notation or ``undo``, ``redo``, ``restart``, ``resign``. A position may follow a command: where
that led. After a shuffle it must, because the rules only say what a shuffle can lead to. Every
other line is a comment.

Promises: replaying is by the rules; the first line that does not fit stops it with its number and
the reason, and what came before stays. Comments can never be mistaken for anything else.
Never: files, a clock, chance.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from .board import Board, Kind
from .cards import DECK
from .deals import deck_of
from .game import BadOption, Game, IllegalMove, Shuffle, play
from .games import TEXTS
from .headers import LineError, read_game, read_headers, read_option, settings, split_lines
from .lines import cards_of, pile_lines, read_piles, rows
from .table import Fact, Pile, Set, Table, fold
from .text import InputError, Request

FORMAT = "kibitz-replay-1"
HIDDEN = "cards are hidden: this game was still running"
MAX_REPLAY = 2**24
"""Longest replay text that is looked at, in bytes."""


class ReplayError(LineError):
    """A line that does not fit."""


@dataclass(frozen=True, slots=True)
class Step:
    """One command or one comment.

    Attributes:
        command: The command; empty for a comment.
        comment: The comment's text, if it is one.
        after: The position that the command led to, where the text gives it: always for a
            shuffle. Its counters are not looked at.
        line: The number of the line it was read from.

    """

    command: str = ""
    comment: str = ""
    after: Table | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Replay:
    """A game from its start.

    Attributes:
        game: The rules with their options.
        start: The position at the start. Of a game still running, cards may be unknown.
        steps: What happened, in order.
        headers: What else is said of it, in order: ``deal``, ``room``, ``result``, ...
        first: The number of the line where the start position begins.
        fault: Why reading ended before the end of the text, if it did.

    """

    game: Game
    start: Table
    steps: tuple[Step, ...]
    headers: Mapping[str, str] = field(default_factory=dict)
    first: int = field(default=1, compare=False)
    fault: ReplayError | None = field(default=None, compare=False)

    @property
    def shown(self) -> bool:
        """Whether the start names every card; if it does not, nothing can be played."""
        return all(cell.card for pile in self.start.piles.values() for cell in pile)


def write(replay: Replay) -> str:
    """The text of a replay, LF after every line."""
    game, start = replay.game, replay.start
    said = {"format": FORMAT, "game": game.name, **settings(game, start.counters)}
    said |= {key: _clean(text).lstrip() for key, text in replay.headers.items() if key not in said}
    lines = [f"# {key}: {value}" for key, value in said.items() if value]
    lines += pile_lines(game, start)
    for step in replay.steps:
        lines.append(f"> {step.command}" if step.command else f"; {_clean(step.comment)}".rstrip())
        lines += pile_lines(game, step.after) if step.after else []
    return "".join(line + "\n" for line in lines)


def read(text: str) -> Replay:
    """Read a replay without playing it.

    Raises:
        ReplayError: The headers or the start position do not fit. What does not fit further down
            ends the steps and is raised by :func:`run` when it gets there.

    """
    try:
        return _read(split_lines(text, MAX_REPLAY))
    except LineError as error:
        raise _at(error) from None


@dataclass(frozen=True, slots=True)
class Played:
    """A step by the rules.

    Attributes:
        step: What stands in the text.
        kind: What it changed on the board; ``None`` for a comment and for giving up.
        facts: What it made happen, in full.
        table: The position after it.
        moves: Moves on the line that led there.

    """

    step: Step
    kind: Kind | None
    facts: tuple[Fact, ...]
    table: Table
    moves: int


def run(replay: Replay) -> Iterator[tuple[Step, Table]]:
    """Replay by the rules.

    Yields:
        Each step with the position after it.

    Raises:
        ReplayError: A line does not fit; all steps before it have been yielded.

    """
    for played in follow(replay):
        yield played.step, played.table


def follow(replay: Replay) -> Iterator[Played]:
    """Replay by the rules, and say what happens.

    Yields:
        Each step with what it makes happen.

    Raises:
        ReplayError: A line does not fit; all steps before it have been yielded.

    """
    if not replay.shown:
        raise ReplayError(replay.first, 1, HIDDEN)
    board, resigned = Board(replay.start), False
    for step in replay.steps:
        kind: Kind | None = None
        facts: tuple[Fact, ...] = ()
        if step.command:
            if resigned:
                raise ReplayError(step.line, 1, "the game was resigned before")
            kind, facts = _do(replay.game, board, step)
            resigned = kind is None
        yield Played(step, kind, facts, board.table, board.moves)
    if replay.fault:
        raise replay.fault


def verify(replay: Replay) -> Table:
    """Replay to the end and compare with the deal and the result that the headers claim.

    Returns:
        The last position.

    Raises:
        ReplayError: A line does not fit, or the deal or the result is another.

    """
    end = check_rules(replay)
    check_deal(replay)
    return end


def check_rules(replay: Replay) -> Table:
    """Replay to the end and compare with the result that the headers claim.

    Returns:
        The last position.

    Raises:
        ReplayError: A line does not fit, or the result is another.

    """
    last, end = Step(line=replay.first), replay.start
    resigned = False
    for last, end in run(replay):  # noqa: B007 - both are wanted after the loop
        resigned |= last.command.lower() == "resign"
    result = "won" if replay.game.is_won(end) else "resigned" if resigned else "open"
    claimed = replay.headers.get("result", result)
    if claimed != result:
        raise ReplayError(last.line, 1, f"the result is `{result}`, not `{claimed:.32}`")
    return end


def check_deal(replay: Replay) -> None:
    """Check that the game starts from the deal that the headers name, if they name one.

    Raises:
        ReplayError: It starts from another one.

    """
    deal = replay.headers.get("deal")
    if deal is None:
        return
    try:
        dealt = replay.game.deal(deck_of(deal))
    except BadOption as error:
        raise ReplayError(1, 1, str(error)) from None
    if dealt.piles != replay.start.piles:
        raise ReplayError(replay.first, 1, f"deal {deal} starts from another position")


def _clean(text: str) -> str:
    """One line of what people wrote."""
    shown = "".join(c for c in text.replace("\n", " ").replace("\t", " ") if c.isprintable())
    return shown.rstrip()


def _at(error: LineError) -> ReplayError:
    return ReplayError(error.line, error.column, error.reason)


def _read(lines: Sequence[str]) -> Replay:
    headers = read_headers(lines)
    if [(header.key, header.value) for header in headers[:1]] != [("format", FORMAT)]:
        raise LineError(1, 1, f"expected `# format: {FORMAT}`")
    if len(headers) < 2:
        raise LineError(2, 1, "expected `# game: NAME`")
    game, free = read_game(headers[1]), {}
    for header in headers[2:]:
        if header.key in game.options:
            game = read_option(game, header)
        else:
            free[header.key] = header.value
    at = len(headers)
    start = Table(read_piles(game, lines[at:], at + 1, hidden=True), game.deal(DECK).counters)
    _check_start(game, start, at + 1)
    steps, fault = _read_steps(game, lines, at + len(rows(game)))
    return Replay(game, start, steps, free, at + 1, fault)


def _check_start(game: Game, start: Table, first: int) -> None:
    """Check that a full start holds a deck of this game and breaks none of its rules."""
    if any(cell.card is None for pile in start.piles.values() for cell in pile):
        return
    unused = set(DECK) - set(cards_of(game.deal(DECK).piles))
    try:
        game.deal([*cards_of(start.piles), *unused])
    except BadOption as error:
        raise LineError(first, 1, str(error)) from None
    if reason := game.check(start):
        raise LineError(first, 1, reason)


def _read_steps(
    game: Game, lines: Sequence[str], at: int
) -> tuple[tuple[Step, ...], ReplayError | None]:
    """The steps from line ``at`` (from 0) on, and what ended them too early."""
    steps: list[Step] = []
    opening, height = f"{rows(game)[0].name} [", len(rows(game))
    try:
        while at < len(lines):
            line, number, after = lines[at], at + 1, None
            at += 1
            if not line.startswith(">"):
                comment = line.removeprefix(";").removeprefix(" ") if line[:1] == ";" else line
                steps.append(Step(comment=comment, line=number))
                continue
            command = line.removeprefix("> ")
            if command == line or not command:
                raise LineError(number, 2, "expected `> command`")
            if at < len(lines) and lines[at].startswith(opening):
                after = Table(read_piles(game, lines[at : at + height], at + 1))
                at += height
            steps.append(Step(command, after=after, line=number))
    except LineError as error:
        return tuple(steps), _at(error)
    return tuple(steps), None


def _do(game: Game, board: Board, step: Step) -> tuple[Kind | None, tuple[Fact, ...]]:
    """Let a command happen: what it changed and how; nothing if it gave the game up."""
    word = step.command.lower()
    if word == "resign":
        if game.is_won(board.table):
            raise ReplayError(step.line, 1, "the game is over")
        return None, ()
    kind: Kind
    match word:
        case "restart":
            kind, facts = "restart", board.to_restart()
        case "undo":
            kind, facts = "undo", _there(board.to_undo(), step)
        case "redo":
            kind, facts = "redo", _there(board.to_redo(), step)
        case _:
            kind, facts = "move", _decide(game, board.table, step)
    board.apply(kind, facts)
    if step.after and step.after.piles != board.table.piles:
        raise ReplayError(step.line + 1, 1, "the command does not lead to this position")
    return kind, facts


def _there(facts: tuple[Fact, ...] | None, step: Step) -> tuple[Fact, ...]:
    if facts is None:
        raise ReplayError(step.line, 1, f"there is nothing to {step.command.lower()}")
    return facts


def _decide(game: Game, table: Table, step: Step) -> tuple[Fact, ...]:
    """The facts of a move, by the rules; of a shuffle, as the text gives them."""
    text = TEXTS[game.name]
    try:
        move = text.parse(step.command)
    except InputError as error:
        raise ReplayError(step.line, 1, str(error)) from None
    if isinstance(move, Request):
        raise ReplayError(step.line, 1, "not a command of a replay")
    try:
        facts = play(game, table, move, Random(0)).facts
    except IllegalMove as error:
        raise ReplayError(step.line, 1, text.refusal(move, error.objection)) from None
    return _shuffled(facts, table, step) if isinstance(move, Shuffle) else facts


def _shuffled(facts: Sequence[Fact], table: Table, step: Step) -> tuple[Fact, ...]:
    """The facts of one shuffle turned into those of another: the same cards on the same piles."""
    if step.after is None:
        raise ReplayError(step.line, 1, "the position that the shuffle led to is missing")
    piles = step.after.piles
    told = tuple(Set(f.pile, piles[f.pile]) if isinstance(f, Set) else f for f in facts)
    if _outcome(told) != _outcome(facts) or fold(told, table).piles != piles:
        raise ReplayError(step.line + 1, 1, "no shuffle can lead to this position")
    return told


def _outcome(facts: Sequence[Fact]) -> tuple[object, Counter[Pile]]:
    """What is the same for every outcome of a shuffle: what is filled, and with which cards."""
    sets = [fact for fact in facts if isinstance(fact, Set)]
    return [(fact.pile, len(fact.cells)) for fact in sets], Counter(fact.cells for fact in sets)
