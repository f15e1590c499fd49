"""What is told of one server, where a player and those who look on are on two of them."""

import pytest
import servers
from browser.test_links import test_comments_are_heard_by_everybody

__all__ = ["test_comments_are_heard_by_everybody"]


@pytest.fixture(autouse=True)
def two_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "NODES", 2)
