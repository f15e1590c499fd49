"""A strategy at a table without a server."""

import asyncio
from random import Random

import pytest

from kibitz.clients.bots import STRATEGIES, turns
from kibitz.clients.bots.turns import Failed
from kibitz.clients.offline import play
from kibitz.engine.game import BadOption
from kibitz.engine.games import GAMES
from kibitz.protocol.views import BoardView


def first(view: BoardView, legal: list[str]) -> str | None:
    return legal[0] if legal and view.moves < 60 else None


async def slowly(view: BoardView, legal: list[str]) -> str | None:
    await asyncio.sleep(0)
    return first(view, legal)


@pytest.mark.parametrize("game", GAMES)
def test_the_same_deal_is_the_same_game(game: str) -> None:
    played = play(game, "7", first)
    again = play(game, 7, slowly)
    assert (again.line, again.outcome, again.score) == (played.line, played.outcome, played.score)
    assert len(played.thought) == len(again.thought) >= len(played.line) > 0
    assert played.line != play(game, "8", first).line


def test_a_hidden_card_is_not_shown() -> None:
    seen: list[BoardView] = []

    def look(view: BoardView, legal: list[str]) -> None:
        seen.append(view)

    assert play("klondike-single", "1", look).outcome == "gave up"
    cells = [cell for pile in seen[0].piles.values() for cell in pile]
    assert cells.count("??") == 21 + 23
    assert seen[0].status == "open"


def test_options_are_played() -> None:
    shuffles = 0

    def shuffle(view: BoardView, legal: list[str]) -> str | None:
        return "s" if "s" in legal else None

    for count in ("0", "1", "3"):
        shuffles = len(play("montana", "1", shuffle, options={"shuffles": count}).line)
        assert shuffles == int(count)
    with pytest.raises(BadOption):
        play("montana", "1", shuffle, options={"shuffles": "many"})
    assert len(play("montana", 1, shuffle, options={"shuffles": 3}).line) == 3
    with pytest.raises(BadOption):
        play("montana", "no deal", shuffle)
    with pytest.raises(BadOption, match="no game 'chess'"):
        play("chess", 1, shuffle)


def test_a_strategy_that_breaks_the_rules_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in ("move 1 1", "nonsense", "undo", 7, ["discard"]):
        with pytest.raises(Failed):
            play("klondike", "1", lambda view, legal, wrong=wrong: wrong)  # type: ignore[misc]
    with pytest.raises(Failed, match=r"'xx', which is not one of the legal moves: Error in .*\.$"):
        play("aces-up", "1", lambda view, legal: "xx")
    with pytest.raises(Failed, match="ZeroDivisionError"):
        play("klondike", "1", lambda view, legal: str(1 // 0))
    monkeypatch.setattr(turns, "NO_PROGRESS", 20)
    rounds = play("klondike", "1", lambda view, legal: legal[-1])
    assert (rounds.outcome, len(rounds.line)) == ("gave up", 20)


@pytest.mark.parametrize("game", GAMES)
def test_who_thinks_lets_others_go_first(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    let = list[None]()
    monkeypatch.setattr("kibitz.clients.bots.thinker.LET_OTHERS", lambda: let.append(None))
    strong = STRATEGIES["strong"](GAMES[game], Random(1))
    play(game, 7, lambda view, legal: None if let else strong(view, legal))
    assert let


def test_greedy_offline_is_greedy() -> None:
    rules = GAMES["thumb-and-pouch"]
    won = [
        play("thumb-and-pouch", str(deal), STRATEGIES["greedy"](rules, None)).outcome == "won"  # type: ignore[arg-type]
        for deal in range(2)
    ]
    assert any(won)
