"""``kibitz solve``: whether a game can be won, and where it was lost."""

import os
import time
from collections.abc import Callable, Sequence
from os.path import lexists  # a name that is too long is no file, and no mistake
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import outcome
from . import options as say
from .groups import spread
from .reaching import Entry

if TYPE_CHECKING:
    from kibitz.engine.solving.courses import Patience

    from ..session import Client
    from ..solving.rooms import Taken

STEP_THROUGH = "(`kibitz replay {}` shows it on the board: `a`, then `w`)"
Seconds = Annotated[
    float,
    typer.Option(min=0.01, max=86_400, help="Time of the processor for each answer, in seconds."),
]


@spread
def solve(
    *,
    source: Annotated[str, typer.Argument(metavar="FILE|ROOM|GAME")],
    deals: Annotated[
        str | None, typer.Option(help="Deals of a game: 42, or 1-300, ms1-ms100, 7,monday.")
    ] = None,
    option: say.Rules = None,
    board: say.Board = None,
    seconds: Seconds = 10.0,
    nodes: Annotated[
        int | None, typer.Option(min=1, help="Positions to look at for each answer, at most.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, max=256, help="Deals at a time; all cores if not said.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    entry: Entry,
) -> None:
    """Find out whether a game can be won, all cards known, and where it was lost.

    It is a save, a replay text, a room whose game has ended, or deals of a game. ``can be won``
    comes with the moves; ``cannot`` is said only when everything has been tried.
    """
    from kibitz.engine.games import GAMES
    from kibitz.engine.replays import MAX_REPLAY
    from kibitz.engine.solving.courses import Patience
    from kibitz.protocol.codes import ErrorCode, Refused

    patience = Patience(time.process_time, seconds, nodes)
    tell = _tell_json if as_json else _tell
    if source.lower() in GAMES and not lexists(source):
        if deals is None:
            raise outcome.unusable(f"--deals says which deals of {source.lower()}")
        _solve_deals(source.lower(), deals, option, patience, jobs, tell)
        return
    if deals is not None:
        outcome.game_named(source)
    path = Path(source)
    if lexists(path) or path.name != source or path.suffix:
        text = outcome.file_text(path, MAX_REPLAY)
        if (what := _what_else(text)) is not None:
            raise outcome.unusable(f"{source} {what}")
        _solve_text(text, source, patience, tell)
        return
    found: list[Taken] = []

    async def talk(client: "Client") -> None:
        from ..solving.rooms import take

        try:
            found.append(await take(client, source, say.index(board)))
        except Refused as refused:
            if refused.code is ErrorCode.NO_ROOM:
                raise Refused(refused.code, outcome.no_source(source), room=source) from None
            if board is None or refused.code is not ErrorCode.BAD_OPTION:
                raise
            raise Refused(refused.code, f"there is no seat {board}", room=source) from None

    entry.talk_as_ever(talk, keep=False, refused=outcome.UNUSABLE)
    (taken,) = found
    whose = [taken.told] if taken.told else []
    _solve_text(taken.text, f"{source}{taken.option}{entry.again}", patience, tell, whose)


def _what_else(text: str) -> str | None:
    """What a file is that is neither save nor replay text, where that can be seen at once."""
    if text.lstrip()[:1] == "{":
        return "is a replay as JSON: take the replay as text, or name the room"
    return "is no text" if "\0" in text or "\ufffd" in text else None


Tell = Callable[[list[str], Any], None]


def _tell(lines: list[str], plain: Any) -> None:
    screen = outcome.screen(outcome.Color.auto, False, False)
    screen.write("".join(line + "\n" for line in lines))


def _tell_json(lines: list[str], plain: Any) -> None:
    outcome.print_json(plain)


def _solve_text(
    text: str, source: str, patience: "Patience", tell: Tell, whose: Sequence[str] = ()
) -> None:
    from kibitz.engine.headers import LineError
    from kibitz.engine.replays import HIDDEN
    from kibitz.engine.solving.courses import Hidden, course_of
    from kibitz.protocol.analysed import analysed

    from ..solving import telling

    try:
        course = course_of(text)
    except Hidden:
        raise outcome.unusable(f"{source}: {HIDDEN}") from None
    except LineError as error:
        raise outcome.unusable(f"{source}: {error}") from None
    if course.given_up is not None:
        found = analysed(course, course.analysis(patience))
        on_board = [STEP_THROUGH.format(source)] if found.line else []
        tell([*whose, *telling.analysis_told(found), *on_board], found)
    else:
        answer = patience.answer(course.game, course.start)
        lines = list(telling.answer_told(course.game, answer))
        tell(lines, telling.answer_json(course.game, answer))


def _solve_deals(
    game: str,
    deals: str,
    option: list[str] | None,
    patience: "Patience",
    jobs: int | None,
    tell: Tell,
) -> None:
    from kibitz.engine.deals import deck_of
    from kibitz.engine.games import GAMES

    from ..arena.contest import deals_of
    from ..solving import telling
    from ..solving.deals import Question, run, tally

    try:
        rules = GAMES[game].with_options(dict(map(outcome.pair, option or [])))
        some = deals_of(deals)
    except ValueError as error:
        raise outcome.unusable(str(error)) from None
    if len(some) == 1:
        answer = patience.answer(rules, rules.deal(deck_of(some[0])))
        tell(list(telling.answer_told(rules, answer)), telling.answer_json(rules, answer))
        return
    question = Question(
        game=game,
        options=dict(rules.options),
        seconds=patience.seconds,
        nodes=patience.nodes,
    )
    games = run(question, some, jobs or os.cpu_count() or 1)
    rows, told = [], tell is _tell
    if told:
        _tell(["deal\tverdict\tmoves\tpositions\tseconds"], None)
    for row in outcome.tracked(games, len(some), told=told):
        rows.append(row)
        if told:
            moves = row.moves if row.verdict == "win" else "-"
            _tell([f"{row.deal}\t{row.verdict}\t{moves}\t{row.nodes}\t{row.seconds}"], None)
    counts = tally(rows)
    plain = {"question": question, "tally": counts, "deals": rows}
    tell(list(telling.tally_told(counts)), plain)
