"""The words of the games: what is read, how it is written, what is answered."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import VARIANTS, foundation, lay_out, playout, refused

from kibitz.engine.cards import DECK
from kibitz.engine.deals import deck_of
from kibitz.engine.game import Draw, Move, Objection, Recycle, Shuffle, Transfer, Why, moves
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.games.aces_up.text import GRAMMAR as ACES_UP
from kibitz.engine.games.klondike.text import GRAMMAR as KLONDIKE
from kibitz.engine.games.klondike_single.text import GRAMMAR as KLONDIKE_SINGLE
from kibitz.engine.games.montana.text import GRAMMAR as MONTANA
from kibitz.engine.games.thumb_and_pouch.text import GRAMMAR as THUMB_AND_POUCH
from kibitz.engine.grammar import Fault, Grammar, Misread
from kibitz.engine.text import InputError, Request, Text, numbers

GRAMMARS: dict[str, Grammar] = {
    "montana": MONTANA,
    "aces-up": ACES_UP,
    "klondike": KLONDIKE,
    "klondike-single": KLONDIKE_SINGLE,
    "thumb-and-pouch": THUMB_AND_POUCH,
}

INVALID = "Error: invalid input.  Please try again."
RANGE = "Error: row and/or column out of range. Please Try again."
COUNT = "Error: wrong number of arguments"
NUMBERS = "Error: arguments must be numbers in range"


def option(raw: str) -> str:
    return f"Error in option: {raw}\nInvalid option."


def error(text: Text, line: str) -> str:
    with pytest.raises(InputError) as caught:
        text.parse(line)
    return str(caught.value)


READ: dict[str, dict[str, Move | Request]] = {
    "montana": {
        "s": Shuffle(),
        " S ": Shuffle(),
        "q\r\n": Request("quit"),
        "4 13 1 10": Transfer("4.13", "1.10"),
        "\t04  13\t1 010 \r": Transfer("4.13", "1.10"),
    },
    "aces-up": {
        "D": Draw(),
        "f 2": Transfer("COLUMN-2", "Foundation"),
        "T\t1  02": Transfer("COLUMN-1", "COLUMN-2"),
        "t 3 3": Transfer("COLUMN-3", "COLUMN-3"),
        "R": Request("restart"),
        "h ": Request("help"),
        "Q": Request("quit"),
    },
    "klondike-single": {
        "SW": Draw(),
        "wf 4": Transfer("Waste", "FOUNDATION-4"),
        "TF 7 2": Transfer("COLUMN-7", "FOUNDATION-2"),
        "Wt 7": Transfer("Waste", "COLUMN-7"),
        "tt 2 2": Transfer("COLUMN-2", "COLUMN-2"),
        "r": Request("restart"),
    },
    "thumb-and-pouch": {
        "sw\t": Draw(),
        "  tf 7 2": Transfer("COLUMN-7", "FOUNDATION-2"),
        "tf\t7\t2": Transfer("COLUMN-7", "FOUNDATION-2"),
        "tt 4 2 13": Transfer("COLUMN-4", "COLUMN-2", 13),
        "tt 4 2 9999999999999999999": Transfer("COLUMN-4", "COLUMN-2", 999999999),
        "H": Request("help"),
    },
    "klondike": {
        "move 6 1   ": Transfer("PILE-6", "PILE-1"),
        "MOVE Stock SUIT": Transfer("Stock", "suit"),
        "move stock 7": Transfer("Stock", "PILE-7"),
        "move 3 3": Transfer("PILE-3", "PILE-3"),
        "discard": Draw(),
        "Reset": Recycle(),
        "comment  Two   Words ": Request("comment", "Two   Words"),
        "LOAD Game1-Start.TXT": Request("load", "Game1-Start.TXT"),
        "save a": Request("save", "a"),
        "board": Request("board"),
        "cheat": Request("cheat"),
        "shuffle": Request("shuffle"),
        "done": Request("quit"),
    },
}

MISREAD: dict[str, dict[str, str]] = {
    "montana": {
        **dict.fromkeys(
            ["", "   ", "a", "1 a 3 4", "1.5 2 3 13", "2336", "s 1", "h", "1 2 3"], INVALID
        ),
        **dict.fromkeys(
            ["² 1 1 1", "４ 1 1 1", "1_0 1 1 1", "+1 1 1 1", "1\u00a02 3 4", "1 2 3 4 5"], INVALID
        ),
        **dict.fromkeys(["--1 1 1 1", "- 1 1 1", "q q", "1 2 3 0x4"], INVALID),
        **dict.fromkeys(
            ["0 10 2 6", "5 1 1 1", "1 14 1 1", "1 1 -1 1", "1 1 1 0", "1 1 1 14"], RANGE
        ),
        "1 2 3 99999999999999999999999999": RANGE,
        "1 2 3 " + "9" * 5000: RANGE,
    },
    "aces-up": {
        line: option(line)
        for line in [
            "",
            "  ",
            "X",
            "F",
            "F1",
            "F 1 2",
            "T 1",
            "D 2",
            "F a",
            "3",
            "f 5",
            "F 0",
            "f -1",
        ]
    }
    | {"f ²": option("f ²"), " F x \r\n": option(" F x "), "quit": option("quit")},
    "klondike-single": {
        **{
            line: f"Error in option: {line}"
            for line in ["", "   ", "quit", "FT 1 1", "tt 1", "sw 1"]
        },
        **{line: f"Error in option: {line}" for line in ["TT 1 2 1", "tf a 1", "WF ４", "r r"]},
        **dict.fromkeys(["tt 0 1", "tf 8 1", "tt -1 9", "TT 9 9"], "Error in Source."),
        **dict.fromkeys(["tt 1 8", "tf 7 5", "wf 0", "wt 8", "wf -2"], "Error in Destination"),
    },
    "thumb-and-pouch": {
        **dict.fromkeys(["", "   ", "\r\n", "\t"], "Error: no command entered"),
        "ws": "ws is an Invalid Command",
        "FT 1 1": "ft is an Invalid Command",
        "ſw": "ſw is an Invalid Command",
        **dict.fromkeys(
            ["tf 1 2 3", "tf", "tt", "tt 4 2", "wf", "wf 2 2", "wt", "sw 2", "q 1"], COUNT
        ),
        **dict.fromkeys(["tf 9 9", "tt 9 9 9", "tf a 1", "tt 1 2 0", "tt 1 2 -1", "wf ²"], NUMBERS),
    },
    "klondike": {
        "": "",
        " \t\r\n": "",
        "print": "print: illegal command",
        "HELP": "help: illegal command",
        "comment": "comment: incorrect number of arguments",
        "move 3": "move: incorrect number of arguments",
        "move 3 4 1": "move: incorrect number of arguments",
        "load": "load: incorrect number of arguments",
        "save a b": "save: incorrect number of arguments",
        "reset 1": "reset: incorrect number of arguments",
        **dict.fromkeys(
            ["move suit 1", "move 1 stock", "move 8 1", "move 0 1"], "move: arguments incorrect"
        ),
        **dict.fromkeys(["move ² 1", "move -1 suit", "move a b"], "move: arguments incorrect"),
    },
}


def pairs(table: dict[str, dict[str, object]]) -> list[tuple[str, str]]:
    return [(name, line) for name, lines in table.items() for line in lines]


@pytest.mark.parametrize(("name", "line"), pairs(READ))  # type: ignore[arg-type]
def test_read(name: str, line: str) -> None:
    assert TEXTS[name].parse(line) == READ[name][line]


@pytest.mark.parametrize(("name", "line"), pairs(MISREAD))  # type: ignore[arg-type]
def test_misread(name: str, line: str) -> None:
    assert error(TEXTS[name], line) == MISREAD[name][line]


@given(line=st.text(max_size=40) | st.from_regex(r"[a-z]{1,4}( -?\d{1,2}){0,4}", fullmatch=True))
def test_any_line_is_read_or_answered(line: str) -> None:
    for name, text in TEXTS.items():
        said, answer = attempt(text, line)
        assert said or answer or name == "klondike"
        if said and not isinstance(said, Request):
            assert text.parse(text.write(said)) == said


def attempt(text: Text, line: str) -> tuple[Move | Request | None, str]:
    try:
        return text.parse(line), ""
    except InputError as misread:
        return None, str(misread)


def test_numbers() -> None:
    assert numbers(["007", "-0", "-12", "0" * 20 + "5"]) == [7, 0, -12, 5]
    assert numbers(["1" * 9999]) == [111111111]
    assert numbers([]) == []
    for word in ["", "-", "--1", "+1", "1_0", "²", "４", "٣", "1.0", "1e3", " 1"]:
        assert numbers([word]) is None


@pytest.mark.parametrize("name", VARIANTS)
def test_written_moves_read_back(name: str) -> None:
    game = VARIANTS[name]
    text = TEXTS[game.name]
    for seed in range(5):
        for table in playout(game, f"text-{seed}", 60, seed):
            for move in game.moves(table):
                line = text.write(move)
                assert text.parse(line) == move
                assert re.fullmatch(r"\S+( \S+)*", line)
                assert line == line.lower()


def test_canonical_lines() -> None:
    lines = {
        "montana": ["s", "4 13 1 10"],
        "aces-up": ["d", "f 2", "t 1 2"],
        "klondike": [
            "move stock suit",
            "move stock 7",
            "move 6 suit",
            "move 6 1",
            "discard",
            "reset",
        ],
        "klondike-single": ["sw", "wf 1", "tf 7 2", "wt 3", "tt 4 2"],
        "thumb-and-pouch": ["sw", "wf 1", "tf 7 2", "wt 3", "tt 4 2 1"],
    }
    for name, written in lines.items():
        for line in written:
            move = TEXTS[name].parse(f" {line.upper()}\t")
            assert not isinstance(move, Request)
            assert TEXTS[name].write(move) == line
    with pytest.raises(ValueError, match="no command of this game"):
        TEXTS["aces-up"].write(Shuffle())


@pytest.mark.parametrize("name", GRAMMARS)
def test_help_is_the_grammar(name: str) -> None:
    """Every command has its line in the help; every line of the menu is a command that is read."""
    text, grammar = TEXTS[name], GRAMMARS[name]
    assert text.help.endswith("\n\n" + grammar.menu)
    lines = grammar.menu.splitlines()
    assert len(lines) == len(grammar.commands)
    for line, command in zip(lines, grammar.commands, strict=True):
        assert line.strip().startswith(f"{command.usage} ")
        assert line.endswith(command.meaning)
        words = command.usage.split() if command.word else ["", *command.usage.split()]
        sample = " ".join([words[0], *("1" for _ in words[1:])])
        assert grammar.read(sample) == text.parse(sample)
    for word in {command.word for g in GRAMMARS.values() for command in g.commands}:
        known = any(command.word in (word, "") for command in grammar.commands)
        assert (fault(grammar, word) is not Fault.COMMAND) == (known or not word)


def fault(grammar: Grammar, line: str) -> Fault | None:
    try:
        grammar.read(line)
    except Misread as misread:
        return misread.fault
    return None


@pytest.mark.parametrize("name", GAMES)
def test_every_objection_has_its_words(name: str) -> None:
    """No refusal names a pile the internal way or comes out empty."""
    text = TEXTS[name]
    for move in moves(GAMES[name], GAMES[name].deal(deck_of("7"))) or [Draw()]:
        for why in Why:
            for pile in (place.pile for place in GAMES[name].layout):
                words = text.refusal(move, Objection(why, pile, DECK[0]))
                assert words
                assert "COLUMN-" not in words
                assert "PILE-" not in words


def test_refusals() -> None:
    montana, single, thumb = (GAMES[n] for n in ("montana", "klondike-single", "thumb-and-pouch"))
    ten, full = {"2.1": "Td"}, {"2.1": "Td", "2.2": "Jh"}
    assert refused(montana, lay_out(montana, ten, shuffles=0), "s") == "No more shuffles remain."
    for line in ("1 1 1 2", "2 1 1 1", "2 1 2 1", "2 2 2 1"):
        table = lay_out(montana, full, shuffles=1)
        assert refused(montana, table, line) == "Error: invalid move.  Please try again."
    table = lay_out(single, {"COLUMN-1": "Td", "COLUMN-2": "Jh"})
    for line in ("sw", "wf 1", "wt 1", "tt 1 2", "tt 2 2", "tt 3 1", "tf 1 1"):
        assert refused(single, table, line) == "Invalid move!"
    table = lay_out(thumb, {"COLUMN-1": "Kc- 9s- Th", "COLUMN-2": "Jd Js"})
    words = {
        "sw": "Error: the stock is empty",
        "wf 1": "Error: waste is empty",
        "wt 3": "Error: waste is empty",
        "tf 3 1": "Error: column 3 is empty",
        "tt 3 1 1": "Error: column 3 is empty",
        "tt 1 2 2": "Error: insufficient number of cards to move",
        "tt 1 1 1": "Error: invalid move due to mismatched cards",
        "tt 2 3 2": "Error: invalid move due to mismatched cards",
        "tf 1 1": "Error: invalid move due to mismatched cards",
    }
    for line, text in words.items():
        assert refused(thumb, table, line) == text


def test_aces_up_refusals() -> None:
    game = GAMES["aces-up"]
    table = lay_out(game, {"COLUMN-1": "As", "COLUMN-3": "Tc", "COLUMN-4": "Kh"})
    words = {
        "d": "Error, stock is empty.",
        "f 1": "Error, cannot move A♠.",
        "f 3": "Error, cannot move 10♣.",
        "f 2": "Error, empty column: 2",
        **dict.fromkeys(["t 2 1", "t 1 3", "t 1 1", "t 2 2"], "Invalid move"),
    }
    for line, text in words.items():
        assert refused(game, table, line) == text


def test_klondike_refusals() -> None:
    game = GAMES["klondike"]
    table = lay_out(game, {"PILE-1": "9d- Qh", "PILE-2": "Kc"})
    for line in ("move 3 3", "move 2 1", "move 1 suit", "move stock 1", "move 4 suit"):
        assert refused(game, table, line) == "move: illegal move"
    assert refused(game, table, "discard") == "discard: illegal move"
    assert refused(game, table, "reset") == "reset: illegal move"


def test_the_game_is_over() -> None:
    suits = {f"FOUNDATION-{n}": foundation(suit, "K") for n, suit in enumerate("cdhs", 1)}
    words = {"klondike-single": "The game is over!", "thumb-and-pouch": "Error: the game is over"}
    for name, text in words.items():
        assert refused(GAMES[name], lay_out(GAMES[name], suits), "sw") == text
    aces = {f"COLUMN-{n}": f"A{suit}" for n, suit in enumerate("cdhs", 1)}
    assert refused(GAMES["aces-up"], lay_out(GAMES["aces-up"], aces), "d") == (
        "Error, the game is over."
    )
    rows = {
        f"{r}.{c}": f"{'A23456789TJQK'[c]}{'cdhs'[r - 1]}"
        for r in range(1, 5)
        for c in range(1, 13)
    }
    won = lay_out(GAMES["montana"], rows, shuffles=1)
    assert refused(GAMES["montana"], won, "s") == "Error: the game is over."


def test_thumb_and_pouch_goes_by_suit() -> None:
    """B29: ten on jack in any suit but the same one; anything to an empty column."""
    game = GAMES["thumb-and-pouch"]
    for ten in ("Ts", "Th", "Tc"):
        assert (
            game.objection(
                lay_out(game, {"COLUMN-1": "Jd", "Waste": ten}), Transfer("Waste", "COLUMN-1")
            )
            is None
        )
    table = lay_out(game, {"COLUMN-1": "Jd", "Waste": "Td"})
    assert refused(game, table, "wt 1") == "Error: invalid move due to mismatched cards"
    assert game.objection(table, Transfer("Waste", "COLUMN-2")) is None


@pytest.mark.parametrize("name", GAMES)
def test_random_lines_never_crash(name: str) -> None:
    """Every command that is read can be judged, and every refusal can be said."""
    rng = Random(name)
    game, text = GAMES[name], TEXTS[name]
    words = ["move", "tt", "tf", "wt", "wf", "f", "t", "stock", "suit", "1", "2", "7", "0", "13"]
    for table in playout(game, "crash", 30, 1):
        for _ in range(100):
            try:
                said = text.parse(" ".join(rng.choices(words, k=rng.randint(1, 4))))
            except InputError:
                continue
            if not isinstance(said, Request):
                objection = game.objection(table, said)
                assert objection is None or text.refusal(said, objection)
