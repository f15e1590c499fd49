"""One NATS server for all tests of a process that need any."""

from collections.abc import Iterator

import pytest
from brokers import NatsServer
from servers import NODES


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With several servers leave out what says of itself that it is about one."""
    for item in items if NODES > 1 else ():
        for mark in item.iter_markers("one_server"):
            item.add_marker(pytest.mark.skip(reason=f"one server: {mark.args[0]}"))


@pytest.fixture(scope="session")
def nats_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    server = NatsServer(tmp_path_factory.mktemp("nats"))
    server.start()
    yield server
    server.stop()
