"""What is printed: colours, letters, widths."""

import io
from collections.abc import Mapping

import pytest
from positions import VARIANTS, playout

from kibitz.clients.scene import Scene, printable
from kibitz.clients.terminal.paint import FOUR_COLOURS, TWO_COLOURS, compact, fitted, paint
from kibitz.clients.terminal.screen import MAX_NOTES, Color, Screen
from kibitz.engine.cards import DECK
from kibitz.engine.deals import deck_of
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.table import redact_table


class Terminal(io.StringIO):
    """An output that is a terminal."""

    def isatty(self) -> bool:
        return True


def scene_of(game: str) -> Scene:
    scene = Scene("abc", game)
    scene.table = redact_table(GAMES[game].deal(deck_of("42")))
    return scene


def drawn(out: io.TextIOBase, environ: Mapping[str, str], color: Color = "auto") -> str:
    screen = Screen(out, color=color, environ=environ)  # type: ignore[arg-type]
    screen.draw(scene_of("thumb-and-pouch"))
    assert isinstance(out, io.StringIO)
    return out.getvalue()


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("colours", [TWO_COLOURS, FOUR_COLOURS])
def test_paint_changes_no_character(name: str, colours: dict[str, str]) -> None:
    game = VARIANTS[name]
    for table in playout(game, "7", 60):
        board = TEXTS[game.name].board(redact_table(table))
        assert paint(board, colours).plain == board


def test_every_card_has_its_suits_colour() -> None:
    for card in DECK:
        for written in (card.code, card.sign, card.sign.translate({ord(card.suit.sign): "X"})):
            styles = {str(span.style) for span in paint(f"[ {written} ]", FOUR_COLOURS).spans}
            wanted = set() if written.endswith("X") else {FOUR_COLOURS[card.suit.value]} - {""}
            assert styles == wanted, written
    assert not paint("FOUNDATION STOCK/WASTE f1 PILE-2 tt 2 3 AHEAD 10SX", FOUR_COLOURS).spans


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("width", [80, 60, 45, 30])
def test_nothing_is_cut_off(name: str, width: int) -> None:
    game = VARIANTS[name]
    text = TEXTS[game.name]
    for table in playout(game, "7", 60):
        board = fitted(game, text, table, width)
        widest = max(len(line.rstrip()) for line in board.splitlines())
        assert (
            widest <= max(width, 48) or game.name == "klondike-single"
        )  # the terminal breaks its lines
        squeezed = "".join(board.split()).replace("10", "T")
        if game.name == "montana":
            for cells in table.piles.values():
                for cell in cells:
                    assert cell.known.sign.replace("10", "T") in squeezed
        else:
            assert squeezed == "".join(text.board(table).split()).replace("10", "T")


@pytest.mark.parametrize(("cell", "width"), [(3, 41), (2, 28)])
def test_montana_in_a_narrow_terminal(cell: int, width: int) -> None:
    table = GAMES["montana"].deal(deck_of("42"))
    board = compact(GAMES["montana"], table, cell)
    assert {len(line) for line in board.splitlines()} == {width}
    assert "T♦" in board
    assert "10" not in board.splitlines()[1]


def test_a_pipe_gets_the_board_and_nothing_else() -> None:
    scene = scene_of("thumb-and-pouch")
    assert drawn(io.StringIO(), {}) == scene.text.board(scene.table)


@pytest.mark.parametrize(
    ("environ", "color", "coloured"),
    [
        ({"TERM": "xterm"}, "auto", True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, "auto", False),
        ({"TERM": "xterm", "NO_COLOR": ""}, "auto", True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, "always", True),
        ({"TERM": "xterm"}, "never", False),
        ({"TERM": "dumb"}, "auto", False),
    ],
)
def test_colour_on_a_terminal(environ: dict[str, str], color: Color, coloured: bool) -> None:
    assert ("\x1b[31m" in drawn(Terminal(), environ, color)) is coloured


def test_colour_through_a_pipe_only_if_asked_for() -> None:
    assert "\x1b" not in drawn(io.StringIO(), {"TERM": "xterm"})
    assert "\x1b[31m" in drawn(io.StringIO(), {}, "always")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_letters_where_the_encoding_has_no_signs(encoding: str) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    screen = Screen(out, environ={})
    screen.draw(scene_of("thumb-and-pouch"))
    screen.note("Ψ: ♥")
    out.seek(0)
    scene = scene_of("thumb-and-pouch")
    letters = scene.text.board(scene.table).translate(str.maketrans("♣♦♥♠", "CDHS"))
    assert out.read() == f"{letters}?: H\n"


def test_a_terminal_keeps_the_last_notes_under_the_board() -> None:
    out = Terminal()
    screen = Screen(out, environ={"TERM": "xterm"}, color="never")
    for n in range(MAX_NOTES + 2):
        screen.note(f"note {n}")
    out.truncate(0)
    screen.draw(scene_of("montana"))
    assert "note 1\n" not in out.getvalue()
    assert out.getvalue().endswith(f"note {MAX_NOTES}\nnote {MAX_NOTES + 1}\n")
    screen.forget()
    out.truncate(0)
    screen.draw(scene_of("montana"))
    assert "note" not in out.getvalue()


def test_nobody_else_steers_our_terminal() -> None:
    out = io.StringIO()
    Screen(out, environ={}).note("Eve: \x1b[2J\x9b1m\x07 hi")
    assert out.getvalue() == "Eve:  [2J 1m  hi\n"
    assert printable("a\nb\rc\u202e") == "a\nb c "
