"""The replay text: what it says can be played again, and the first lie stops it."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import GOLDEN, VARIANTS, every_move

from kibitz.engine import replays
from kibitz.engine.board import Board
from kibitz.engine.cards import DECK
from kibitz.engine.deals import deck_of
from kibitz.engine.game import Game, Shuffle, moves, play
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.lines import pile_lines
from kibitz.engine.replays import MAX_REPLAY, Replay, ReplayError, Step
from kibitz.engine.table import Table, redact_table

GOLDEN_TEXTS = {
    name: (GOLDEN / "v1" / f"{name}.replay.txt").read_text(encoding="utf-8") for name in GAMES
}


def record(game: Game, seed: int, length: int = 60) -> tuple[Replay, list[Table]]:
    """A game played by chance, with all kinds of steps; and the position after each."""
    rng = Random(seed)
    board = Board(game.deal(deck_of(str(seed))))
    steps: list[Step] = []
    tables: list[Table] = []
    while len(steps) < length:
        legal, what = moves(game, board.table), rng.random()
        if what < 0.1 and (facts := board.to_undo()):
            board.apply("undo", facts)
            steps.append(Step("undo"))
        elif what < 0.15 and (facts := board.to_redo()):
            board.apply("redo", facts)
            steps.append(Step("redo"))
        elif what < 0.18 or not legal:
            board.apply("restart", board.to_restart())
            steps.append(Step("restart"))
        elif what < 0.25:
            steps.append(Step(comment="> undo"))
        else:
            move = rng.choice(legal)
            outcome = play(game, board.table, move, rng)
            board.apply("move", outcome.facts)
            shown = isinstance(move, Shuffle) or what > 0.9
            after = outcome.table if shown else None
            steps.append(Step(TEXTS[game.name].write(move), after=after))
        tables.append(board.table)
    return Replay(game, board.start, tuple(steps), {"deal": str(seed), "room": "r1"}), tables


def stops(replay: Replay) -> tuple[int, ReplayError]:
    """How many steps are given before the error, and the error."""
    seen: list[Step] = []
    with pytest.raises(ReplayError) as caught:
        seen.extend(step for step, _ in replays.run(replay))
    return len(seen), caught.value


def unread(text: str) -> ReplayError:
    with pytest.raises(ReplayError) as caught:
        replays.read(text)
    return caught.value


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("seed", range(4))
def test_what_was_played_is_replayed(name: str, seed: int) -> None:
    replay, tables = record(VARIANTS[name], seed)
    text = replays.write(replay)
    again = replays.read(text)
    assert replays.write(again) == text
    assert again.game == replay.game
    assert again.start == replay.start
    assert again.headers == replay.headers
    assert [table for _, table in replays.run(again)] == tables
    assert [text.split("\n")[step.line - 1] for step in again.steps] == [
        f"> {step.command}" if step.command else f"; {step.comment}" for step in replay.steps
    ]


@pytest.mark.parametrize("name", GAMES)
def test_golden_replays_run_for_ever(name: str) -> None:
    replay = replays.read(GOLDEN_TEXTS[name])
    assert replay.game == GAMES[name]
    assert replay.start == replay.game.deal(deck_of(replay.headers["deal"]))
    end = replays.verify(replay)
    assert replay.game.is_won(end) == (replay.headers["result"] == "won")
    assert replays.write(replay) == GOLDEN_TEXTS[name]


@pytest.mark.parametrize("name", GAMES)
def test_crlf_and_a_byte_order_mark_change_nothing(name: str) -> None:
    text = GOLDEN_TEXTS[name]
    for changed in ("\ufeff" + text, text.replace("\n", " \r\n"), text.rstrip("\n"), text + "\n\n"):
        assert replays.write(replays.read(changed)) == text


@pytest.mark.parametrize("name", GAMES)
def test_b63_one_altered_command(name: str) -> None:
    """Every illegal command in the place of any other stops right there; the rest stays."""
    lines = GOLDEN_TEXTS[name].split("\n")
    rng = Random(name)
    whole = replays.read(GOLDEN_TEXTS[name])
    tables = [whole.start, *(table for _, table in replays.run(whole))]
    for number in rng.sample(range(len(whole.steps)), 12):
        step = whole.steps[number]
        legal = set(moves(whole.game, tables[number]))
        illegal = [move for move in every_move(name) if move not in legal]
        if not step.command or not illegal:
            continue
        altered = [*lines]
        altered[step.line - 1] = f"> {TEXTS[name].write(rng.choice(illegal))}"
        given, error = stops(replays.read("\n".join(altered)))
        assert (given, error.line) == (number, step.line)
        assert error.reason


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("nonsense", "nonsense: illegal command"),
        ("redo", "there is nothing to redo"),
        ("board", "not a command of a replay"),
        ("done", "not a command of a replay"),
        ("move 8 1", "move: arguments incorrect"),
    ],
)
def test_what_is_no_command(command: str, reason: str) -> None:
    lines = GOLDEN_TEXTS["klondike"].split("\n")
    number = next(n for n, line in enumerate(lines, 1) if line.startswith("> "))
    lines.insert(number, f"> {command}")
    given, error = stops(replays.read("\n".join(lines)))
    assert (given, error.line, error.reason) == (1, number + 1, reason)


def test_nothing_to_undo() -> None:
    game = GAMES["aces-up"]
    text = replays.write(Replay(game, game.deal(deck_of("1")), (Step("undo"), Step("d"))))
    given, error = stops(replays.read(text))
    assert (given, error.line, error.reason) == (0, 9, "there is nothing to undo")


@pytest.mark.parametrize("line", [">", ">d", "> "])
def test_a_spoilt_command_line_ends_the_steps(line: str) -> None:
    game = GAMES["aces-up"]
    text = replays.write(Replay(game, game.deal(deck_of("1")), (Step("d"),)))
    replay = replays.read(f"{text}{line}\n> d\n")
    assert len(replay.steps) == 1
    given, error = stops(replay)
    assert (given, error.line, error.reason) == (1, 10, "expected `> command`")


def shuffled() -> tuple[Replay, int]:
    """A Montana game of one shuffle, and the number of its line."""
    game = GAMES["montana"]
    start = game.deal(deck_of("5"))
    after = play(game, start, Shuffle(), Random(3)).table
    return Replay(game, start, (Step(comment="before"), Step("s", after=after))), 10 - 1


def test_any_possible_outcome_of_a_shuffle_is_believed() -> None:
    replay, _ = shuffled()
    game, start = replay.game, replay.start
    for seed in range(20):
        after = play(game, start, Shuffle(), Random(seed)).table
        text = replays.write(replace(replay, steps=(Step("s", after=after),)))
        assert [table for _, table in replays.run(replays.read(text))] == [after]


def test_an_impossible_outcome_is_not_believed() -> None:
    replay, line = shuffled()
    steps = replay.steps
    after = steps[1].after
    assert after
    gap = next(place for place, cells in after.piles.items() if not cells)
    full = next(place for place, cells in after.piles.items() if cells)
    swapped = {**after.piles, gap: after.piles[full], full: ()}
    lied = replace(replay, steps=(steps[0], Step("s", after=Table(swapped, after.counters))))
    given, error = stops(replays.read(replays.write(lied)))
    assert (given, error.line) == (1, line + 1)
    assert error.reason == "no shuffle can lead to this position"


def test_a_shuffle_needs_its_outcome() -> None:
    replay, line = shuffled()
    text = replays.write(replace(replay, steps=(replay.steps[0], Step("s"))))
    given, error = stops(replays.read(text))
    assert (given, error.line) == (1, line)
    assert error.reason == "the position that the shuffle led to is missing"


def test_an_outcome_cut_short_ends_the_steps() -> None:
    replay, line = shuffled()
    text = replays.write(replay).rsplit("\n", 3)[0]
    given, error = stops(replays.read(text))
    assert (given, error.line, error.reason) == (1, line + 3, "ROW-3 is missing")


def test_kept_cards_stay_where_they_are() -> None:
    """A shuffle that moved a card out of a row's start is a lie."""
    replay, _ = shuffled()
    game = replay.game
    twos = [card for card in DECK if card.rank == 2]
    rest = [card for card in DECK if card.rank != 2]
    deck = [twos[0], *rest[:12], twos[1], *rest[12:24], twos[2], *rest[24:36], twos[3], *rest[36:]]
    start = game.deal(deck)
    after = play(game, start, Shuffle(), Random(1)).table
    piles = {**after.piles, "1.1": after.piles["2.1"], "2.1": after.piles["1.1"]}
    lied = Replay(game, start, (Step("s", after=Table(piles, after.counters)),))
    assert stops(lied)[1].reason == "no shuffle can lead to this position"


def test_a_position_after_any_command_is_compared() -> None:
    game = GAMES["klondike"]
    start = game.deal(deck_of("1"))
    text = replays.write(Replay(game, start, (Step("discard", after=start),)))
    given, error = stops(replays.read(text))
    assert given == 0
    assert error.reason == "the command does not lead to this position"


def test_hidden_cards_can_be_read_but_not_run() -> None:
    game = GAMES["thumb-and-pouch"]
    seen = redact_table(game.deal(deck_of("1")))
    text = replays.write(Replay(game, seen, (Step("sw"),), {"result": "open"}))
    replay = replays.read(text)
    assert replay.start == seen
    assert replays.write(replay) == text
    given, error = stops(replay)
    assert (given, error.line) == (0, 4)
    assert error.reason == "cards are hidden: this game was still running"


@pytest.mark.parametrize(
    ("steps", "result", "right"),
    [
        ((), "open", True),
        ((), "won", False),
        ((), "resigned", False),
        (("d",), "open", True),
        (("d", "resign"), "resigned", True),
        (("d", "resign"), "open", False),
        (("d", "resign", "d"), "resigned", False),
        ((), "whatever", False),
    ],
)
def test_the_result_is_compared(steps: tuple[str, ...], result: str, right: bool) -> None:
    game = GAMES["aces-up"]
    start = game.deal(deck_of("1"))
    replay = Replay(game, start, tuple(Step(step) for step in steps), {"result": result})
    replay = replays.read(replays.write(replay))
    if right:
        replays.verify(replay)
    else:
        with pytest.raises(ReplayError):
            replays.verify(replay)


def test_a_small_deck_of_the_course_is_a_start_too() -> None:
    game = GAMES["aces-up"]
    start = game.deal([card for card in DECK if card.rank in (1, 12, 13)])
    replay = replays.read(replays.write(Replay(game, start, (Step("d"),))))
    assert len(list(replays.run(replay))) == 1


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 1, "expected `# format: kibitz-replay-1`"),
        ("# format: kibitz-replay-2\n", 1, "expected `# format: kibitz-replay-1`"),
        ("# format: kibitz-replay-1", 2, "expected `# game: NAME`"),
        ("# format: kibitz-replay-1\n# room: x", 2, "`# game: NAME` must stand here"),
        ("# format: kibitz-replay-1\n# game: chess", 2, "there is no such game"),
        ("# format: kibitz-replay-1\n# game: klondike\n", 3, "Stock is missing"),
        ("# format: kibitz-replay-1\n# game: klondike\nStock [ Kd ]", 3, "not a card: `Kd`"),
        ("x" * (MAX_REPLAY + 1), 1, f"the text is longer than {MAX_REPLAY} bytes"),
    ],
)
def test_what_is_no_replay(text: str, line: int, reason: str) -> None:
    error = unread(text)
    assert (error.line, error.reason) == (line, reason)


def test_a_start_must_be_a_position_of_the_game() -> None:
    game = GAMES["klondike"]
    text = replays.write(Replay(game, game.deal(deck_of("1")), ()))
    lines = text.splitlines()
    first = lines.index(next(line for line in lines if line.startswith("PILE-1")))
    assert unread("\n".join([*lines[:first], "PILE-1 [ ]", *lines[first + 1 :]])).reason == (
        "this game needs all 52 cards, each once"
    )
    assert "PILE-1" in unread(text.replace(lines[first], lines[first].replace("+", "-"))).reason


@given(st.text(), st.sampled_from(list(GAMES)))
def test_no_comment_is_taken_for_anything_else(comment: str, name: str) -> None:
    game = GAMES[name]
    start = game.deal(deck_of("1"))
    inside = pile_lines(game, start)[0]
    for said in (comment, f"\n> undo\n{comment}", f"> {comment}", f"{inside}\n{comment}", ""):
        text = replays.write(Replay(game, start, (Step(comment=said),), {"room": comment or "r"}))
        replay = replays.read(text)
        assert [step.command for step in replay.steps] == [""]
        assert replays.write(replay) == text
        assert len(list(replays.run(replay))) == 1


@pytest.mark.parametrize("deal", ["43", "ms0", "no deal!"])
def test_a_deal_that_is_not_the_start_is_found_out(deal: str) -> None:
    game = GAMES["aces-up"]
    start = game.deal(deck_of("42"))
    text = replays.write(replays.Replay(game, start, (), {"deal": "42"}))
    assert replays.verify(replays.read(text)) == start
    with pytest.raises(replays.ReplayError):
        replays.verify(replays.read(text.replace("# deal: 42", f"# deal: {deal}")))


class Counted(list[str]):
    """Lines, and how many of them were looked at in pieces."""

    seen = 0

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        self.seen += len(found) if isinstance(at, slice) else 0
        return found


def test_a_text_full_of_positions_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAMES["aces-up"]
    start = game.deal(deck_of("1"))
    table = play(game, start, moves(game, start)[0], Random(1)).table
    steps = (Step("d", after=table), Step("undo", after=start)) * 100
    lines = Counted(replays.write(Replay(game, start, steps)).splitlines())
    monkeypatch.setattr(replays, "split_lines", lambda text, most: lines)
    assert len(replays.read("").steps) == len(steps)
    assert lines.seen < 3 * len(lines)
