"""What is printed: colours, letters, widths."""

import io
import re
from collections.abc import Mapping

import pytest
from msgspec import convert
from msgspec.structs import replace
from positions import VARIANTS, playout

from kibitz.clients.scene import Scene
from kibitz.clients.telling import printable
from kibitz.clients.terminal.lobby import _row as row_of_room
from kibitz.clients.terminal.lobby import _table as rooms_table
from kibitz.clients.terminal.paint import FOUR_COLOURS, TWO_COLOURS, compact, fitted, paint, wrapped
from kibitz.clients.terminal.screen import MAX_REMARKS, Color, Screen
from kibitz.clients.terminal.words import help_of
from kibitz.engine.cards import DECK
from kibitz.engine.deals import deck_of
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.table import redact_table
from kibitz.protocol.views import RoomInfo


class Terminal(io.StringIO):
    """An output that is a terminal."""

    def isatty(self) -> bool:
        return True


def scene_of(game: str) -> Scene:
    scene = Scene("abc", game)
    scene.put(redact_table(GAMES[game].deal(deck_of("42"))))
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
@pytest.mark.parametrize("width", [80, 67, 45, 30])
def test_nothing_is_cut_off(name: str, width: int) -> None:
    game = VARIANTS[name]
    text = TEXTS[game.name]
    for table in playout(game, "7", 60):
        board = fitted(game, text, table, width)
        assert max(len(line.rstrip()) for line in board.splitlines()) <= width
        shown = cards_in(board)
        assert shown >= cards_in(text.board(table))
        if game.name == "montana":
            assert len(shown) == sum(map(len, table.piles.values()))


def cards_in(board: str) -> set[str]:
    return set(re.findall(r"(?:[2-9TJQKA])[cdhs♣♦♥♠]", board.replace("10", "T")))


def test_klondike_in_a_narrow_terminal_keeps_its_height() -> None:
    game, text = GAMES["klondike-single"], TEXTS["klondike-single"]
    for table in playout(game, "7", 60):
        narrow = fitted(game, text, redact_table(table), 60)
        assert narrow.count("\n") < text.board(table).count("\n")
        assert narrow.count("XX") >= sum(
            not cell.up for n in range(1, 8) for cell in table.piles[f"COLUMN-{n}"]
        )


def test_a_low_terminal_does_without_blank_lines() -> None:
    game, text = GAMES["klondike-single"], TEXTS["klondike-single"]
    table = game.deal(deck_of("42"))
    board, low = text.board(table), fitted(game, text, table, 80, 12)
    assert low == "".join(f"{line}\n" for line in board.splitlines() if line.strip())
    assert fitted(game, text, table, 80, 24) == board


def test_long_lines_break_at_blanks() -> None:
    assert wrapped("one two three", 8) == ["one two", "    three"]
    assert wrapped("one\n\ntwo", 8) == ["one", "", "two"]


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
    screen.note("Ψ: ♥, sw ×16")
    out.seek(0)
    scene = scene_of("thumb-and-pouch")
    letters = scene.text.board(scene.table).translate(str.maketrans("♣♦♥♠", "CDHS"))
    assert out.read() == f"{letters}?: H, sw x16\n"


def page(screen: Screen, out: Terminal, scene: Scene) -> str:
    """What stands on a terminal after a board has been drawn."""
    screen.draw(scene)
    return out.getvalue().rpartition("\x1b[2J")[2]


def test_a_terminal_keeps_the_last_remarks_under_the_board() -> None:
    out = Terminal()
    screen = Screen(out, environ={"TERM": "xterm"}, color="never")
    for n in range(MAX_REMARKS + 2):
        screen.remark(f"remark {n}")
    screen.note("an answer")
    shown = page(screen, out, scene_of("montana"))
    assert "remark 1\n" not in shown
    assert shown.endswith(f"remark {MAX_REMARKS}\nremark {MAX_REMARKS + 1}\nan answer\n")
    screen.forget()
    shown = page(screen, out, scene_of("montana"))
    assert shown.endswith(f"remark {MAX_REMARKS + 1}\n")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("width", "height"), [(80, 24), (60, 24), (100, 30)])
def test_help_fits(game: str, width: int, height: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("LINES", str(height))
    out = Terminal()
    screen = Screen(out, environ={"TERM": "xterm"}, color="never")
    screen.reserved = 3 if game == "montana" else 1
    screen.remark("Ann: hello")
    screen.note(help_of(TEXTS[game], width))
    screen.note("watch it with: kibitz watch abcdefghijklmnop")
    shown = page(screen, out, scene_of(game)).splitlines()
    assert len(shown) + screen.reserved <= height
    assert max(map(len, shown)) <= width
    for command in re.findall(r"^  \w+", TEXTS[game].help, re.MULTILINE):
        assert any(line.startswith(command) for line in shown), command
    assert any("undo" in line for line in shown)


def test_a_race_that_waits_is_told_of_in_the_list_of_rooms() -> None:
    said = {"id": "abc", "game": "aces-up", "mode": "solo", "players": ["Ann"], "seats": 1}
    more = {"spectators": 0, "seq": 2, "score": 0, "status": "open", "started": 0}
    solo = convert(said | more | {"visibility": "public"}, RoomInfo)
    race = replace(solo, id="def", mode="race", seats=3, waiting=True, password=True)
    for infos, heads, cells in (
        ([solo], ["room", "game", "players", "watching", "score", "started"], ["aces-up"]),
        (
            [race, solo],
            ["room", "game", "players", "watching", "score", "status", "started"],
            ["aces-up, race, password", "aces-up"],
        ),
    ):
        table = rooms_table([row_of_room(info, 0) for info in infos], 100)
        columns = {str(column.header): list(column.cells) for column in table.columns}
        assert (list(columns), columns["game"]) == (heads, cells)
    assert columns["status"] == ["2 free seats", "open"]


def test_a_command_is_printed_whole_on_a_line_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("LINES", "24")
    out = Terminal()
    screen = Screen(out, environ={"TERM": "xterm"}, color="never")
    command = "kibitz watch abcdefghijklmnop --server wss://play.example.org/ws"
    screen.note(f"watch it with: {command}")
    for n in range(3):
        screen.remark(f"its cards are fixed; check them with: {command} {n}")
    shown = page(screen, out, scene_of("aces-up")).splitlines()
    assert shown[-2:] == ["watch it with:", command]
    assert f"{command} 2" in shown
    assert sum(1 + len(line) // 40 for line in shown) < 24
    screen.remarks_are([])
    screen.aside(f"check it with: {command} x")
    assert f"{command} x" in page(screen, out, scene_of("aces-up")).splitlines()
    screen.note("\n".join("abcdefghijklmnopqrstuv"))
    assert f"{command} x" not in page(screen, out, scene_of("aces-up"))
    screen.forget()
    assert command not in page(screen, out, scene_of("aces-up"))


def test_details_are_cut_to_what_a_board_leaves_of_the_screen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    out = Terminal()
    screen = Screen(out, environ={"TERM": "xterm"}, color="never")
    screen.footer = ["where it is", "the keys"]
    for game in ("montana", "klondike"):
        screen.details = [f"line {n}" for n in range(30)]
        shown = page(screen, out, scene_of(game)).splitlines()
        assert len(shown) < 24
        assert shown[-3:] == ["…", "where it is", "the keys"]
        assert "line 2" in shown and "line 20" not in shown
        screen.details = ["line 0"]
        assert page(screen, out, scene_of(game)).splitlines()[-3:] == [
            *("line 0", "where it is", "the keys")
        ]


def test_an_open_board_shows_every_card() -> None:
    for game in GAMES.values():
        scene = Scene("abc", game.name)
        scene.put(game.deal(deck_of("42")))
        closed = scene.shown
        assert closed == scene.table
        scene.put(scene.table, status="resigned")
        out = io.StringIO()
        Screen(out, environ={}).draw(scene)
        assert cards_in(out.getvalue()) == {
            cell.known.code[0] + (cell.known.suit.value if game.name == "klondike" else sign)
            for pile in scene.table.piles.values()
            for cell in pile
            for sign in cell.known.suit.sign
        }


def test_the_heading_counts_in_english() -> None:
    out = Terminal()
    screen = Screen(out, environ={"TERM": "xterm"}, color="never")
    scene = scene_of("montana")
    assert "· 0 moves ·" in page(screen, out, scene)
    scene.put(scene.table, moves=1)
    assert "· 1 move ·" in page(screen, out, scene)


def test_nobody_else_steers_our_terminal() -> None:
    out = io.StringIO()
    Screen(out, environ={}).note("Eve: \x1b[2J\x9b1m\x07 hi")
    assert out.getvalue() == "Eve:  [2J 1m  hi\n"
    assert printable("a\nb\rc\u202e") == "a\nb c "
