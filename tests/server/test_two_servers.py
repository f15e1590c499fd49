"""What is told of one server, where players and those who look on are on two of them."""

import pytest
import servers
from server.test_again import test_a_win_is_told_once_and_is_the_end
from server.test_comments import test_players_turn_comments_off_and_on
from server.test_delay import test_events_come_late_and_in_order
from server.test_race import test_nobody_waits_for_who_is_away
from server.test_race_play import (
    test_a_client_that_follows_has_what_the_server_shows,
    test_who_was_away_when_his_game_ended_comes_back_to_a_fresh_view,
)
from server.test_seats import (
    test_a_board_played_together,
    test_a_token_brings_role_and_position_back,
)
from server.test_series import test_a_series_of_three_games_counts_who_has_won
from server.test_thoughts import (
    test_everybody_at_a_table_sees_what_its_player_thinks,
    test_in_a_race_nobody_who_still_plays_or_may_not_see_it_is_told,
    test_who_sees_a_room_later_sees_them_later,
)

__all__ = [
    "test_a_board_played_together",
    "test_a_client_that_follows_has_what_the_server_shows",
    "test_a_series_of_three_games_counts_who_has_won",
    "test_a_token_brings_role_and_position_back",
    "test_a_win_is_told_once_and_is_the_end",
    "test_events_come_late_and_in_order",
    "test_everybody_at_a_table_sees_what_its_player_thinks",
    "test_in_a_race_nobody_who_still_plays_or_may_not_see_it_is_told",
    "test_nobody_waits_for_who_is_away",
    "test_players_turn_comments_off_and_on",
    "test_who_sees_a_room_later_sees_them_later",
    "test_who_was_away_when_his_game_ended_comes_back_to_a_fresh_view",
]


@pytest.fixture(autouse=True)
def two_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "NODES", 2)
