"""The environments for programs that learn: Gymnasium's and PettingZoo's own checks, and ours."""

import copy
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test
from pettingzoo.utils.conversions import parallel_to_aec

from kibitz.clients.learning import IDS
from kibitz.clients.learning.race import FIRST, Race
from kibitz.clients.learning.sight import HIDDEN, observe
from kibitz.clients.learning.solitaire import Solitaire
from kibitz.clients.learning.strategy import strategy
from kibitz.clients.offline import play, shuffles_of
from kibitz.engine.deals import deck_of
from kibitz.engine.game import BadOption, Shuffle, is_stuck, moves
from kibitz.engine.game import play as decide
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.table import CELLS, Table

ROOT = Path(__file__).parents[2]
OTHERS: dict[str, Any] = {
    "montana": {"shuffles": 3},
    "klondike": {"alternate_colours": True},
    "klondike-single": {"redeals": 1},
}
"""Options other than the usual ones."""
SETTINGS = [(game, OTHERS.get(game) if other else None) for game in GAMES for other in (0, 1)]


def made(game: str, **more: Any) -> Solitaire:
    return cast(Solitaire, gymnasium.make(IDS[game], **more).unwrapped)


def wander(env: Solitaire, seed: int, steps: int = 400) -> Iterator[tuple[Any, Any, Any]]:
    """Legal moves by chance: what was seen, the reward, the info of each step."""
    seen, info = env.reset(seed=seed)
    env.action_space.seed(seed)
    yield seen, 0.0, info
    for _ in range(steps):
        seen, reward, over, cut, info = env.step(env.action_space.sample(info["action_mask"]))
        yield seen, reward, info
        assert not cut
        if over:
            break


@pytest.mark.parametrize(("game", "options"), SETTINGS)
def test_gymnasium_finds_nothing_wrong(game: str, options: Any) -> None:
    check_env(made(game, options=options, render_mode="ansi"))


@pytest.mark.parametrize("game", GAMES)
def test_pettingzoo_finds_nothing_wrong(game: str) -> None:
    parallel_api_test(Race(game, players=3), num_cycles=60)
    parallel_seed_test(lambda: Race(game, options=OTHERS.get(game)), num_cycles=60)


@pytest.mark.filterwarnings(  # its taste only: it checks a dictionary of arrays just the same
    "ignore:Observation space for each agent probably should be",
    "ignore:Observation is not a NumPy array",
)
def test_players_can_be_put_in_a_row() -> None:
    api_test(parallel_to_aec(Race("thumb-and-pouch")), num_cycles=20)


def test_the_documentation_counts_the_actions() -> None:
    told = " ".join(str(Solitaire.__doc__).split())
    for game in GAMES:
        env, other = made(game), made(game, options=OTHERS.get(game))
        assert env.actions == other.actions
        assert f"{game} {len(env.actions)}" in told


@pytest.mark.parametrize("game", GAMES)
def test_the_mask_is_what_the_rules_allow(game: str) -> None:
    env = made(game)
    for _, _, info in wander(env, seed=1, steps=150):
        table, mask = env.episode.table, info["action_mask"]
        assert mask.shape == (len(env.actions),)
        allowed = {TEXTS[game].write(move) for move in moves(env.game, table)}
        assert {env.episode.line(int(action)) for action in np.flatnonzero(mask)} == allowed
        assert mask.sum() == len(allowed), "two moves share a number"
        assert np.array_equal(mask, env.action_masks())
        assert [env.episode.line(int(a)) for a in np.flatnonzero(mask == 0)] == [None] * sum(
            mask == 0
        )
        if env.game.name != "montana":
            assert {env.actions[action] for action in np.flatnonzero(mask)} == allowed


@pytest.mark.parametrize(("game", "options"), SETTINGS)
def test_rewards_add_up_and_the_end_is_the_end(game: str, options: Any) -> None:
    full = 52 if "klondike" in game or "thumb" in game else 48
    ends = set()
    for seed in range(3):
        env = made(game, options=options)
        rows = list(wander(env, seed))
        total = (
            env.episode.score - env.game.score(env.game.deal(deck_of(env.episode.deal)))
        ) / full
        assert sum(reward for _, reward, _ in rows) == pytest.approx(total)
        assert env.episode.won == env.game.is_won(env.episode.table) == rows[-1][2]["won"]
        assert env.episode.over == (env.episode.won or is_stuck(env.game, env.episode.table))
        ends.add(env.episode.over)
        assert all(seen in env.observation_space for seen, _, _ in rows)
    assert True in ends or len(rows) > 400


@pytest.mark.parametrize("game", GAMES)
def test_a_seed_decides_cards_and_shuffles_and_a_deal_is_kibitz_s(game: str) -> None:
    env, other = made(game), made(game)
    for one, two in zip(wander(env, 5, 60), wander(other, 5, 60), strict=True):
        assert data_equivalence(one, two, exact=True)
    assert env.episode.table == other.episode.table
    first = env.episode.deal
    env.reset(seed=6)
    assert env.episode.deal != first
    _, info = env.reset(options={"deal": "42"})
    assert info["deal"] == "42"
    assert env.episode.table == env.game.deal(deck_of("42"))
    if game == "montana":
        env.step(np.int64(env.actions.index("s")))
        start = env.game.deal(deck_of("42"))
        assert env.episode.table == decide(env.game, start, Shuffle(), shuffles_of("42")).table
    with pytest.raises(BadOption, match="not a deal number"):
        env.reset(options={"deal": "a b"})
    assert env.episode.deal == "42"


@pytest.mark.parametrize("game", GAMES)
def test_what_is_seen_is_what_lies_open_and_not_what_lies_hidden(game: str) -> None:
    env = made(game)
    env.reset(options={"deal": "7"})
    table = env.episode.table
    hidden = [cell for pile in table.piles.values() for cell in pile if not cell.up]
    turned = iter(reversed(hidden))
    swapped = {
        pile: tuple(cell if cell.up else next(turned) for cell in cells)
        for pile, cells in table.piles.items()
    }
    seen = env.episode.observe()
    assert data_equivalence(seen, observe(env.game, Table(swapped, table.counters)), exact=True)
    codes = seen["cards"].flatten()
    assert (codes == HIDDEN).sum() == len(hidden)
    up = sorted(str(cell) for pile in table.piles.values() for cell in pile if cell.up)
    order = "A23456789TJQK"
    shown = [code - 1 for code in codes if 0 < code < HIDDEN]
    assert sorted(order[code % 13] + "cdhs"[code // 13] for code in shown) == up
    assert set(up) <= set(CELLS)


def test_options_are_seen() -> None:
    def option(game: str, **options: Any) -> int:
        seen, _ = made(game, options=options).reset(seed=1)
        return int(seen["option"][0])

    assert [option("montana"), option("montana", shuffles=7)] == [2, 7]
    assert [option("klondike-single"), option("klondike-single", redeals=1)] == [-1, 1]
    assert [option("klondike"), option("klondike", alternate_colours=True)] == [0, 1]
    assert [option("aces-up"), option("thumb-and-pouch")] == [0, 0]
    env = made("montana")
    env.reset(seed=1)
    seen, *_ = env.step(np.int64(env.actions.index("s")))
    assert seen["option"].tolist() == [1]


def test_an_illegal_action_changes_nothing_and_an_impossible_one_is_an_error() -> None:
    env = made("klondike")
    before, _ = env.reset(seed=1)
    reset = env.actions.index("reset")
    seen, reward, over, cut, _ = env.step(np.int64(reset))
    assert data_equivalence(seen, before, exact=True)
    assert (reward, over, cut, env.episode.moves) == (0.0, False, False, 0)
    for wrong in (-1, len(env.actions)):
        with pytest.raises(ValueError, match="has the actions 0 to 58"):
            env.step(np.int64(wrong))


def test_a_race_stands_still_where_one_action_is_impossible() -> None:
    race = Race("klondike")
    race.reset(seed=1)
    one, other = race.agents
    before = [board.table for board in race._boards.values()]
    for wrong in (-1, 59, 1.5, "x", None):
        with pytest.raises(ValueError, match="the actions 0 to 58"):
            race.step({one: first_legal(race, one), other: wrong})  # type: ignore[dict-item]
    assert [board.table for board in race._boards.values()] == before
    for options in (["deal"], "x", 1):
        with pytest.raises(ValueError, match="options are a dict"):
            race.reset(options=options)  # type: ignore[arg-type]


COPIES: dict[str, Any] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("game", GAMES)
def test_a_copy_plays_on_by_itself(game: str, copied: str) -> None:
    other = COPIES[copied](gymnasium.make(IDS[game]))
    other.reset(seed=3)
    env = made(game, options=OTHERS.get(game))
    for _ in wander(env, seed=3, steps=7):
        pass
    table = env.episode.table
    twins = [COPIES[copied](env) for _ in range(2)]
    went = [[*on(twin, 60)] for twin in twins]
    assert data_equivalence(went[0], went[1], exact=True)
    assert (env.episode.table, env.episode.moves) == (table, 7), "it has not moved"
    assert data_equivalence([*on(env, 60)], went[0], exact=True)
    assert env.episode.table == twins[0].episode.table
    after = [each.reset() for each in (env, *twins)]
    assert data_equivalence(after[0], after[1], exact=True), "the next deal is the same, too"


def on(env: Solitaire, steps: int) -> Iterator[Any]:
    """The last of the legal moves, again and again: in montana that is a shuffle."""
    for _ in range(steps):
        mask = env.action_masks()
        if env.episode.over or not mask.any():
            return
        yield env.step(np.flatnonzero(mask)[-1])


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("game", GAMES)
def test_a_copy_of_a_race_goes_on_by_itself(game: str, copied: str) -> None:
    COPIES[copied](Race(game)).reset(seed=1)
    race = Race(game, players=3)
    race.reset(seed=4)

    def last_of_all(race: Race) -> Any:
        looks = {who: race._look(who)["action_mask"] for who in race.agents}
        return race.step({who: int(np.flatnonzero(look)[-1]) for who, look in looks.items()})

    last_of_all(race)
    before = [board.table for board in race._boards.values()]
    twin = COPIES[copied](race)
    went = [last_of_all(twin) for _ in range(3)]
    assert [board.table for board in race._boards.values()] == before
    assert data_equivalence([last_of_all(race) for _ in range(3)], went, exact=True)


def test_what_cannot_be_done_is_an_error_that_says_so() -> None:
    race, env = Race("montana"), made("montana")
    for early in (lambda: race.step({}), Race(render_mode="ansi").render, env.action_masks):
        with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
            early()
    race.reset(seed=1)
    before = [board.table for board in race._boards.values()]
    wrong: Any
    for wrong in (None, [], [1], "x", 3):
        with pytest.raises(ValueError, match="actions are a dict by player"):
            race.step(wrong)
    for wrong in ("nobody", "player_3", 1, None, [], "player_0"):
        for ask in (race.action_space, race.observation_space):
            with pytest.raises(ValueError, match="no player"):
                ask(wrong)
        with pytest.raises(ValueError, match="no player"):
            race.step({"player_1": 0} | ({wrong: 0} if wrong != [] else {"nobody": 0}))
    for space in (race, env):
        with pytest.raises(ValueError, match="shuffles is an option of the rules"):
            space.reset(options={"shuffles": 3})
    assert [board.table for board in race._boards.values()] == before
    _, infos = race.reset(options={"nosuch": 1, "deal": "42"})
    assert infos["player_1"]["deal"] == "42", "what a wrapper is told is none of ours"


def test_who_is_done_is_passed_over_and_so_is_all_when_everybody_is() -> None:
    race = Race("aces-up", max_cycles=1)
    race.reset(seed=1)
    race.step({"player_1": first_legal(race, "player_1")})
    assert race.agents == []
    assert race.step({"player_1": 0}) == ({}, {}, {}, {}, {})


def first_legal(race: Race, agent: str) -> int:
    return int(race._look(agent)["action_mask"].argmax())


def test_bad_settings_are_refused() -> None:
    wrong: dict[str, Any]
    for wrong in ({"game": "chess"}, {"reward": "money"}, {"render_mode": "human"}):
        with pytest.raises(ValueError, match="no "):
            Solitaire(**dict[str, Any](game="klondike") | wrong)
    for wrong in ({"game": "chess"}, {"game": []}, {"render_mode": "human"}):
        with pytest.raises(ValueError, match="no "):
            Race(**wrong)
    for players in (1, 65, "x", None, 2.5):
        with pytest.raises(ValueError, match="a race has 2 to 64 players, not "):
            Race(players=players)  # type: ignore[arg-type]
    for cycles in (0, "x", None):
        with pytest.raises(ValueError, match="a race has 1 step or more, not "):
            Race(max_cycles=cycles)  # type: ignore[arg-type]
    for none in (3, ["shuffles"], "x"):
        with pytest.raises(ValueError, match="options are a dict, not "):
            gymnasium.make(IDS["montana"], options=none)
    with pytest.raises(BadOption, match="no option '1'"):
        gymnasium.make(IDS["klondike"], options={1: 2})
    with pytest.raises(BadOption):
        Solitaire("aces-up", {"shuffles": 1})
    with pytest.raises(gymnasium.error.ResetNeeded):
        Solitaire("aces-up").step(np.int64(0))


def test_only_winning_counts_where_that_is_asked_for() -> None:
    env = made("klondike", reward="win")
    rows = list(wander(env, seed=0, steps=3000))
    assert env.episode.won
    assert [reward for _, reward, _ in rows if reward] == [1.0]
    assert rows[-1][1] == 1.0
    again = env.step(np.int64(0))
    assert again[1:4] == (0.0, True, False)


def test_an_episode_is_cut_off() -> None:
    env = gymnasium.make(IDS["klondike"], max_episode_steps=3)
    env.reset(seed=1)
    assert [env.step(np.int64(0))[2:4] for _ in range(3)] == [(False, False)] * 2 + [(False, True)]


def test_a_board_is_shown_without_hidden_cards() -> None:
    env = made("klondike", render_mode="ansi")
    env.reset(options={"deal": "7"})
    board = str(env.render())
    assert " PILE-7 [ " in board
    assert len(re.findall(r"\b[A2-9TJQK][cdhs]\b", board)) == 8, "the seven columns and the stock"
    env = made("klondike")
    env.reset(seed=1)
    assert env.render() is None


def test_racers_have_the_same_cards_and_shuffles_and_see_scores_of_others() -> None:
    race = Race("montana", players=2, render_mode="ansi")
    seen, _ = race.reset(options={"deal": "7"})
    assert data_equivalence(seen["player_1"], seen["player_2"], exact=True)
    shuffle = race.actions.index("s")
    one, *_ = race.step({"player_1": shuffle})
    assert one["player_2"]["observation"]["rivals"][0, 1] == 1, "one move of the other"
    assert one["player_1"]["observation"]["rivals"][0, 1] == 0
    two, *_ = race.step({"player_2": shuffle})
    cards = [two[agent]["observation"]["cards"] for agent in race.agents]
    assert np.array_equal(*cards)
    assert str(race.render()).count("2:") == 2


def test_the_first_to_win_is_paid_and_the_others_play_on() -> None:
    race = Race("klondike", players=2, max_cycles=3000)
    seen, _ = race.reset(seed=0)
    space = race.action_space("player_1")
    space.seed(0)
    paid, waited = 0.0, 0
    while "player_1" in race.agents:
        action = int(space.sample(seen["player_1"]["action_mask"]))
        seen, rewards, over, cut, infos = race.step({"player_1": action})
        paid += rewards["player_1"]
        waited += 1
    assert infos["player_1"]["won"]
    assert (over["player_1"], cut["player_1"]) == (True, False)
    assert paid == pytest.approx(1.0 + FIRST)
    assert race.agents == ["player_2"]
    while race.agents:
        _, _, over, cut, _ = race.step({})
    assert (over, cut) == ({"player_2": False}, {"player_2": True})


@pytest.mark.parametrize("game", GAMES)
def test_what_was_learnt_plays_as_a_strategy(game: str) -> None:
    env = made(game)
    _, info = env.reset(options={"deal": "3"})
    line = []
    for _ in range(30):
        action = int(np.flatnonzero(info["action_mask"])[0])
        line.append(env.episode.line(action))
        _, _, over, _, info = env.step(np.int64(action))
        if over or not info["action_mask"].any():
            break
    left = iter(range(len(line)))

    def policy(seen: Any, mask: Any) -> int:
        return int(np.flatnonzero(mask)[0]) if next(left, None) is not None else -1

    assert list(play(game, "3", strategy(GAMES[game], policy)).line) == line
