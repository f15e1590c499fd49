"""What an operator measures, in a registry of its own (no globals)."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from kibitz.protocol.requests import RequestBase
from kibitz.protocol.wire import Encoding

_OK_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


class Metrics:
    """The server's counters and gauges."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.connections = Gauge(
            "kibitz_connections", "Open connections.", ["encoding"], registry=self._registry
        )
        self.rooms = Gauge("kibitz_rooms", "Rooms in memory.", registry=self._registry)
        self.requests = Counter(
            "kibitz_requests", "Requests by type.", ["type"], registry=self._registry
        )
        self._by_encoding = {each: self.connections.labels(each.name.lower()) for each in Encoding}
        self._by_kind: dict[type[RequestBase], Counter] = {}
        self.refusals = Counter(
            "kibitz_refusals", "Errors by code.", ["code"], registry=self._registry
        )
        self.closes = Counter(
            "kibitz_closes", "Connections the server closed.", ["code"], registry=self._registry
        )
        self.changes = Histogram(
            "kibitz_change_seconds",
            "Time from a command to its ok, the commit included.",
            registry=self._registry,
            buckets=_OK_BUCKETS,
        )

    def connected(self, encoding: Encoding, change: int) -> None:
        """Count a connection that has come, or gone."""
        self._by_encoding[encoding].inc(change)

    def requested(self, kind: type[RequestBase]) -> None:
        """Count a request."""
        counter = self._by_kind.get(kind)
        if counter is None:
            counter = self._by_kind[kind] = self.requests.labels(str(kind.__struct_config__.tag))
        counter.inc()

    def text(self) -> bytes:
        """The Prometheus text format."""
        return generate_latest(self._registry)
