"""What an operator measures, in a registry of its own (no globals).

Promises: what is counted for every move is a plain number until somebody looks; every code and
limit that there can be is there from the first, as 0, so that an alarm sees its first time.
Never: a name, an address, a room.
"""

from collections.abc import Iterable, Iterator, Mapping

from prometheus_client import (
    CollectorRegistry,
    Counter,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from kibitz.protocol.codes import CloseCode, ErrorCode
from kibitz.protocol.requests import RequestBase
from kibitz.protocol.views import Role
from kibitz.protocol.wire import Encoding

from .measures import SECONDS, Distribution, Meter

Place = tuple[str, str]
"""A connection's role and encoding."""
NOWHERE = "none"
"""The role of who is in no room."""
ROLES = ("player", "spectator", NOWHERE)
SKIPPED, CLOSED = DROPS = "spectator", "player"
"""Who did not read: a spectator goes on with a fresh view, a player is closed and resumes."""
MADE, FAILED = ANALYSES = "made", "failed"
"""What came of an analysis."""
ANSWERED, DROPPED, REFUSED = "answered", "dropped", "refused"
ADVICE = ANSWERED, FAILED, DROPPED, REFUSED
"""What came of a question for advice; ``dropped``: who asked did not want to know any more."""
STARTED, _, BROKE = BOTS = "started", REFUSED, "failed"
"""What came of a wish for a bot."""
FOUND, NONE_FOUND = "found", "none"
DEALS = FOUND, NONE_FOUND, FAILED
"""What came of looking for a winnable deal."""
LOG_COUNTS = {
    "failures": "Writes that the log could not do.",
    "disconnects": "Times that the connection to the log's servers was lost.",
    "conflicts": "Appends refused because another server had written to the room.",
    "retries": "Messages sent once more to the log's servers.",
    "unknowns": "Messages of which it was not known for a while whether they are stored.",
    "gaps": "Times that something heard of a followed room did not fit what came before.",
    "catch_ups": "Times that a followed room was read again, as something may have been missed.",
}
"""What a log counts, each under its name; all but the first are 0 of a file."""


class Metrics:
    """The server's counters and gauges."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self._registry = CollectorRegistry()
        self.ok = Distribution(SECONDS)
        """Seconds from a command to its ok, the commit included."""
        self.lag = Distribution(SECONDS)
        """Seconds that the loop was late."""
        self.requests: dict[type[RequestBase], int] = {}
        self.draining = False
        self.rooms = 0
        self.analyses = dict.fromkeys(ANALYSES, 0)
        self.analysing = 0
        self.advice = dict.fromkeys(ADVICE, 0)
        self.advising = 0
        self.bots = dict.fromkeys(BOTS, 0)
        self.bots_playing = 0
        self.deals = dict.fromkeys(DEALS, 0)
        self.dealing = 0
        self.places: Mapping[Place, int] = {}
        """Connections, as they were counted last."""
        self.refusals = self._counter("refusals", "Errors by code.", "code", ErrorCode)
        self.closes = self._counter(
            "closes", "Connections the server closed.", "code", (str(int(c)) for c in CloseCode)
        )
        self.outbox_drops = self._counter(
            "outbox_drops", "Clients who read too slowly, by what they were.", "kind", DROPS
        )
        self._limits = self._counter(
            "limit_refusals", "What was refused because of a limit.", "limit", ()
        )
        self._registry.register(_Counted(self, meter))
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)

    def _counter(self, name: str, says: str, label: str, values: Iterable[str]) -> Counter:
        counter = Counter(f"kibitz_{name}", says, [label], registry=self._registry)
        for value in values:
            counter.labels(value)
        return counter

    def requested(self, kind: type[RequestBase]) -> None:
        """Count a request."""
        self.requests[kind] = self.requests.get(kind, 0) + 1

    def limited(self, limit: str) -> None:
        """Count a refusal because of a limit."""
        self._limits.labels(limit).inc()

    def fell_behind(self, role: Role) -> None:
        """Count a client who reads too slowly."""
        self.outbox_drops.labels(CLOSED if role == "player" else SKIPPED).inc()

    def text(self) -> bytes:
        """The Prometheus text format."""
        return generate_latest(self._registry)


class _Counted(Collector):
    """The plain numbers as Prometheus wants them."""

    def __init__(self, metrics: Metrics, meter: Meter) -> None:
        self._metrics = metrics
        self._meter = meter

    def collect(self) -> Iterator[Metric]:
        metrics, meter = self._metrics, self._meter
        yield GaugeMetricFamily("kibitz_rooms", "Rooms in memory.", metrics.rooms)
        yield GaugeMetricFamily(
            "kibitz_draining", "1 while the server comes to its end.", metrics.draining
        )
        yield GaugeMetricFamily(
            "kibitz_log_queue", "Appends that wait to be on the disk.", meter.waiting
        )
        yield GaugeMetricFamily(
            "kibitz_log_connected", "1 while the log's servers can be reached.", meter.connected
        )
        yield GaugeMetricFamily(
            "kibitz_log_followed_rooms", "Rooms whose news are heard from others.", meter.followed
        )
        yield GaugeMetricFamily(
            "kibitz_clock_offset_seconds",
            "How far the clock of the log's servers is ahead of this machine's.",
            meter.clock_offset,
        )
        places = GaugeMetricFamily(
            "kibitz_connections",
            "Open connections by role and encoding.",
            labels=["role", "encoding"],
        )
        for role in ROLES:
            for encoding in (each.name.lower() for each in Encoding):
                places.add_metric([role, encoding], metrics.places.get((role, encoding), 0))
        yield places
        requests = {
            str(kind.__struct_config__.tag): count for kind, count in list(metrics.requests.items())
        }
        yield _by("type", "requests", "Requests by type.", requests)
        yield _by(
            "outcome", "analyses", "Analyses of games, by what came of them.", metrics.analyses
        )
        yield GaugeMetricFamily(
            "kibitz_analyses_waiting",
            "Analyses that are being made, or wait for it.",
            metrics.analysing,
        )
        yield _by(
            "outcome", "advice", "Questions for advice, by what came of them.", metrics.advice
        )
        yield GaugeMetricFamily(
            "kibitz_advice_waiting",
            "Questions for advice that are worked on, or wait for it.",
            metrics.advising,
        )
        yield _by("outcome", "bots", "Bots that were asked for, by what came of it.", metrics.bots)
        yield GaugeMetricFamily(
            "kibitz_bots_playing", "Bots that play now, each in a process.", metrics.bots_playing
        )
        yield _by("outcome", "winnable_deals", "Searches for winnable deals.", metrics.deals)
        yield GaugeMetricFamily(
            "kibitz_winnable_deals_waiting",
            "Searches for winnable deals that run, or wait for their turn.",
            metrics.dealing,
        )
        for name, says in LOG_COUNTS.items():
            yield CounterMetricFamily(f"kibitz_log_{name}", says, getattr(meter, name))
        yield _histogram("ok_seconds", "From a command to its ok, commit included.", metrics.ok)
        yield _histogram("loop_lag_seconds", "How late the event loop was.", metrics.lag)
        yield _histogram("commit_records", "Records in a commit of the log.", meter.records)
        yield _histogram("commit_seconds", "How long a commit took.", meter.seconds)


def _by(label: str, name: str, says: str, counts: Mapping[str, int]) -> Metric:
    counter = CounterMetricFamily(f"kibitz_{name}", says, labels=[label])
    for value, count in counts.items():
        counter.add_metric([value], count)
    return counter


def _histogram(name: str, says: str, seen: Distribution) -> Metric:
    counts, buckets, so_far = list(seen.counts), [], 0
    for bound, count in zip([*map(float, seen.bounds), float("inf")], counts, strict=True):
        so_far += count
        buckets.append(("+Inf" if bound == float("inf") else str(bound), float(so_far)))
    return HistogramMetricFamily(f"kibitz_{name}", says, buckets=buckets, sum_value=seen.total)
