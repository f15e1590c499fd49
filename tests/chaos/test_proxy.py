"""Through a network that loses, delays, repeats, splits and cuts, every game comes to its end."""

import os
from collections import Counter
from pathlib import Path

import pytest
from chaos.games import Played, check, play_many
from chaos.proxy import ENDS, TEXTURES, Weather
from processes import standby
from servers import FREELY

from kibitz.clients import connection

GAMES = int(os.environ.get("PROXY_GAMES", "65"))
SEED = os.environ.get("PROXY_SEED") or str(int.from_bytes(os.urandom(4)))
AT_ONCE = 40
CALM = 0.1
"""The share of connections that do not end badly."""
SILENCE = 1.0
"""Seconds for which everything is swallowed, before the connection is reset."""


@pytest.mark.timeout(300 + 3 * GAMES)
async def test_games_through_a_bad_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    print(f"again with PROXY_SEED={SEED} PROXY_GAMES={GAMES}")
    monkeypatch.setattr(connection, "FIRST_DELAY", 0.1)
    games: list[Played] = []
    async with standby(tmp_path / "log", *FREELY) as server:
        url = await server.start()
        weather = Weather(SEED, calm=CALM, swallow=SILENCE)
        faults = await play_many(url, GAMES, weather, AT_ONCE, games.append)
        assert await server.terminate() == 0, server.said
        assert '"error"' not in server.said
    assert len(games) == GAMES
    counts: Counter[str] = await check(tmp_path / "log", games)
    print(dict(counts), dict(faults))
    assert {*ENDS, *TEXTURES, "repeated"} <= faults.keys()
