"""What typed lines mean."""

import re

import pytest
from positions import command_lines

from kibitz.clients.terminal.words import WORDS, help_of, interpret
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.text import InputError, Request, Text

ARGUMENTS = {"say": "Hello  there", "comments": "off", "save": "my.txt", "load": "my.txt"}


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
        ("aces-up", "say", "usage: say TEXT"),
        ("montana", "SAVE ", "usage: save FILE"),
        ("klondike-single", "load", "usage: load FILE"),
        ("aces-up", "f1", "Error in option: f1\nInvalid option."),
        ("klondike", "save", "usage: save FILE"),
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


@pytest.mark.parametrize("game", GAMES)
def test_a_letter_is_a_word_in_every_game(game: str) -> None:
    assert interpret(TEXTS[game], "q") == interpret(TEXTS[game], "Quit") == Request("quit")
    assert interpret(TEXTS[game], "h") == Request("help")


def test_a_remark_is_not_too_long() -> None:
    for game, word in (("montana", "say"), ("klondike", "comment")):
        assert interpret(TEXTS[game], f"{word} {'x' * 500}") == Request("say", "x" * 500)
        with pytest.raises(InputError, match="a remark has at most 500 characters"):
            interpret(TEXTS[game], f"{word} {'x' * 501}")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("width", [50, 80])
def test_the_help_has_every_word_once_and_every_command(game: str, width: int) -> None:
    text = TEXTS[game]
    shown = help_of(text, width)
    for word in WORDS:
        assert len(re.findall(rf"(?:^  |  |: |, |; ){word}\b", shown, re.MULTILINE)) == 1, word
    for command in commands_of(text.help):
        assert command in commands_of(shown)


def test_what_may_follow_a_word_need_not() -> None:
    text = TEXTS["aces-up"]
    assert interpret(text, "bot", race=True) == Request("bot", "")
    assert interpret(text, "Bot fast", race=True) == Request("bot", "fast")
    assert "  bot [HOW] a bot: strong, fast, greedy" in help_of(text, 80, race=True)
    with pytest.raises(InputError, match="Invalid option"):
        interpret(text, "bot")


def commands_of(help: str) -> list[str]:
    return re.findall(r"^  ([a-z_]+)", help, re.MULTILINE)


def meaning_of(text: Text, command: str) -> str | None:
    argument = " x" if command in ("load", "save", "comment") else ""
    try:
        said = interpret(text, command + argument)
    except InputError:
        return None
    return said.word if isinstance(said, Request) else None


@pytest.mark.parametrize("game", ["aces-up", "thumb-and-pouch", "klondike-single"])
def test_r_is_not_called_a_new_game(game: str) -> None:
    shown = help_of(TEXTS[game], 80)
    assert "restart with a new game" not in shown
    assert re.search(r"^  r +lay out the same start again$", shown, re.MULTILINE)
    assert re.search(r"  new +another deal", shown)
    assert interpret(TEXTS[game], "r") == Request("restart")
