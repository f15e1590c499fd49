"""The course's own programs, offline: ``kibitz console GAME``.

Promises: what is printed and read is what each program prints and reads; the end of the input
ends it quietly. A terminal without suit signs gets letters in their place, never a traceback.
Never: colour, a socket, the server.
"""

import io
import os
import sys
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import TextIO

from kibitz.engine.cards import read_card
from kibitz.engine.deals import deck_of
from kibitz.engine.game import Game
from kibitz.engine.games import GAMES
from kibitz.engine.saves import Save
from kibitz.engine.text import SIGNS

from .files import Folder, read_save
from .klondike import KlondikeProgram
from .program import Deals, Program, TableProgram

__all__ = ["console", "run_console"]


class Unusable(ValueError):
    """The arguments do not say what to play."""


def console(
    game: str,
    load: str | None = None,
    deck: str | None = None,
    deal: str | None = None,
    rng_seed: int | None = None,
) -> int:
    """Play a game on standard input and output until it is quit, over, or the input ends.

    Args:
        game: The name of a game.
        load: A save to start from, and to start again from.
        deck: Cards to deal, the first one first: ``AS 10h Td ..``.
        deal: A deal number.
        rng_seed: What deals and shuffles follow from; without it they are secret.

    Returns:
        The exit code: 0, or 2 with a message on standard error for unusable arguments.

    """
    try:
        program = _program(game, load, deck, deal, rng_seed)
    except Unusable as error:
        sys.stderr.write(f"kibitz console: {error}\n")
        return 2
    run_console(program, sys.stdin, sys.stdout)
    return 0


def run_console(program: Program, stdin: TextIO, stdout: TextIO) -> None:
    """Feed a program line by line; show what it says."""
    for stream in (stdin, stdout):
        if isinstance(stream, io.TextIOWrapper):
            with suppress(io.UnsupportedOperation):  # something has been read from it before
                stream.reconfigure(errors="replace")
    letters = {} if _has_signs(stdout) else SIGNS
    try:
        text = program.open()
        while not program.over:
            _print((text + program.prompt).translate(letters), stdout)
            line = stdin.readline()
            if not line:
                return
            text = program.feed(line)
        _print(text.translate(letters), stdout)
    except BrokenPipeError:  # nobody reads any more: let the interpreter flush into nothing
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())


def _print(text: str, stdout: TextIO) -> None:
    stdout.write(text)
    stdout.flush()


def _has_signs(stdout: TextIO) -> bool:
    try:
        "".join(map(chr, SIGNS)).encode(stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _program(
    name: str, load: str | None, deck: str | None, deal: str | None, rng_seed: int | None
) -> Program:
    game = GAMES.get(name)
    if game is None:
        raise Unusable(f"no game {name[:32]!r} (games: {', '.join(GAMES)})")
    rng = None if rng_seed is None else Random(rng_seed)
    start = _start(game, load, deck, deal)
    if game.name == "klondike":
        return KlondikeProgram(Deals(game, None, rng), Folder(Path()), start)
    if start is None:
        return TableProgram(Deals(game, None, rng))
    return TableProgram(Deals(start.game, start.table, rng))


def _start(game: Game, load: str | None, deck: str | None, deal: str | None) -> Save | None:
    """The position to start from, if one was named."""
    if sum(given is not None for given in (load, deck, deal)) > 1:
        raise Unusable("only one of --load, --deck and --deal can say how the game starts")
    try:
        if load is not None:
            save = read_save(Path(load))
            if save.game.name != game.name:
                raise Unusable(f"{load}: this is a game of {save.game.name}")
            return save
        if deck is not None:
            return Save(game, game.deal([read_card(word) for word in deck.split()]))
        return None if deal is None else Save(game, game.deal(deck_of(deal)), deal)
    except OSError as error:
        raise Unusable(f"could not open {load}: {error.strerror}") from None
    except Unusable:
        raise
    except ValueError as error:  # no save, no card, no deal number, no deck for this game
        raise Unusable(str(error) if load is None else f"{load}: {error}") from None
