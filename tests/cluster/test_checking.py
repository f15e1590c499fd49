"""Servers of both kinds die while many write: nothing is lost, nothing twice, one history."""

import os
from pathlib import Path

import pytest
from cluster.checking import check

SEED = os.environ.get("CLUSTER_SEED") or str(int.from_bytes(os.urandom(4)))


@pytest.mark.timeout(240)
async def test_a_node_and_the_leader_of_the_rooms_are_killed(tmp_path: Path) -> None:
    print(f"again with CLUSTER_SEED={SEED}")
    deaths = ["a node", "the leader of the rooms"]
    figures = await check(tmp_path, deaths, nodes=2, rooms=2, writers=4, tails=4, seed=SEED)
    assert figures.counts["acknowledged"] > 20, figures
    assert figures.stalls.keys() == set(deaths)
