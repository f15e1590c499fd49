"""``kibitz convert``: positions between saves and what other programs read."""

import pytest
from clients.commands import Command
from servers import Running

from kibitz.clients.terminal.convert import convert
from kibitz.engine import saves
from kibitz.engine.deals import deck_of
from kibitz.engine.formats import FORMATS, Unfit
from kibitz.engine.games import GAMES

SINGLE = GAMES["klondike-single"]
SAVE = saves.write(SINGLE, SINGLE.deal(deck_of("42")))


@pytest.mark.parametrize("to", FORMATS)
def test_there_and_back(to: str) -> None:
    there = convert(SAVE, to, "klondike-single")
    assert there.endswith("\n") and there != SAVE
    assert convert(there, "save", "klondike-single") == SAVE
    assert convert(there, to, "klondike-single") == there


def test_a_save_is_a_save() -> None:
    assert convert(SAVE, "save") == SAVE


def test_what_there_is_not() -> None:
    with pytest.raises(Unfit, match=r"no format 'tarot' \(there are save, "):
        convert(SAVE, "tarot")


async def test_by_command(kibitz: Command, server: Running) -> None:
    (kibitz.home / "game.txt").write_text(SAVE)
    words = ("--game", "klondike-single")
    done = await kibitz.run_here("convert", "game.txt", "--to", "solvitaire")
    assert (done.code, done.err) == (0, "")
    (kibitz.home / "game.json").write_text(done.out)
    back = await kibitz.run_here("convert", "game.json", "--to", "save", *words)
    assert (back.code, back.out) == (0, SAVE)
    played = await kibitz.run("play", "klondike-single", "--load", "game.json", lines="moves\n")
    assert (played.code, played.err) == (0, "")
    for bad in (("game.txt", "--to", "tarot"), ("nowhere", "--to", "save")):
        refused = await kibitz.run_here("convert", *bad)
        assert (refused.code, refused.out) == (2, "")
        assert refused.err.startswith("kibitz: ")
    (kibitz.home / "bad.txt").write_text("hello\n")
    refused = await kibitz.run_here("convert", "bad.txt", "--to", "save")
    assert (refused.code, "bad.txt: line 1, column" in refused.err) == (2, True)
