"""What typed lines mean."""

import pytest
from positions import command_lines

from kibitz.clients.terminal.words import WORDS, interpret, menu
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.text import InputError, Request

ARGUMENTS = {"say": "Hello  there", "save": "my.txt", "load": "my.txt"}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("word", WORDS)
def test_every_game_knows_every_word(game: str, word: str) -> None:
    argument = ARGUMENTS.get(word, "")
    assert interpret(TEXTS[game], f" {word.upper()}  {argument}\r\n") == Request(word, argument)


@pytest.mark.parametrize("game", GAMES)
def test_the_games_own_commands_come_first(game: str) -> None:
    for line in command_lines(game):
        assert interpret(TEXTS[game], line) == TEXTS[game].parse(line)


@pytest.mark.parametrize(
    ("game", "line", "text"),
    [
        ("montana", "undo it", "Error: invalid input.  Please try again."),
        ("montana", "", "Error: invalid input.  Please try again."),
        ("montana", "1 14 1 1", "Error: row and/or column out of range. Please Try again."),
        ("aces-up", "say", "Error in option: say\nInvalid option."),
        ("aces-up", "f1", "Error in option: f1\nInvalid option."),
        ("klondike", "save", "save: incorrect number of arguments"),
        ("klondike", "move 8 1", "move: arguments incorrect"),
        ("klondike", "", ""),
        ("klondike-single", "ft 1 1", "Error in option: ft 1 1"),
        ("thumb-and-pouch", "sw 2", "Error: wrong number of arguments"),
        ("thumb-and-pouch", "", "Error: no command entered"),
    ],
)
def test_what_no_one_knows_gets_the_games_own_words(game: str, line: str, text: str) -> None:
    with pytest.raises(InputError) as caught:
        interpret(TEXTS[game], line)
    assert str(caught.value) == text


def test_klondikes_words_mean_the_same_as_ours() -> None:
    klondike = TEXTS["klondike"]
    assert interpret(klondike, "comment a  b") == Request("say", "a  b")
    assert interpret(klondike, "shuffle") == Request("new")
    assert interpret(klondike, "done") == Request("quit")


def test_the_menu_names_every_word() -> None:
    named = [line.split()[0] for line in menu().splitlines()[1:]]
    assert named == list(WORDS)
