"""Tables out of what was measured."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median, quantiles

from bench.contestants import REFERENCE
from bench.paired import Result, pooled, quantile
from bench.workloads import Cost, Kind, Workload

SATURATED = 0.9
"""From this share of its time the load generator counts as the bottleneck."""
CROWDED = 0.1
"""From this share of a slice waited for a core the row counts as disturbed."""

Row = tuple[str, ...]


def aligned(head: Row, rows: Iterable[Row]) -> str:
    """Columns under each other, as Markdown."""
    lines = [head, *rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
    rule = tuple("-" * width for width in widths)
    texts = (
        " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        for line in (lines[0], rule, *lines[1:])
    )
    return "\n".join(f"| {text} |" for text in texts)


def fives(values: Sequence[float]) -> Row:
    """Minimum, quartiles and maximum."""
    if not values:
        return ("-",) * 5
    quartiles = quantiles([*values, *values][: max(2, len(values))], n=4, method="inclusive")
    return tuple(f"{value:.2f}" for value in (min(values), *quartiles, max(values)))


def _flags(work: Workload, result: Result) -> str:
    slices = list(result.slices.values())
    said = []
    if work.kind is not Kind.FRESH:
        if median(one["busy"] for one in slices) > SATURATED:
            said.append("load generator saturated")
        if sum(one["overrun"] for one in slices):
            said.append("could not keep up")
        if behind := max(one["behind"] for one in slices):
            said.append(f"{behind} behind")
    if median(one["waited"] / one["seconds"] for one in slices) > CROWDED:
        said.append("disturbed")
    return ", ".join(said)


def _latencies(result: Result, group: int = 0) -> Row:
    """p50 and p99 of accepted moves, then of moves seen, ms."""
    slices = list(result.slices.values())
    return tuple(
        f"{quantile(pooled(slices, group, kind), 0.5):.2f} / "
        f"{quantile(pooled(slices, group, kind), 0.99):.2f}"
        for kind in ("accepted", "seen")
    )


def _rate(result: Result, what: str) -> str:
    return f"{median(one[what] for one in result.slices.values()):,.0f}"


def missing(results: Mapping[str, Result]) -> str:
    """Which servers could not be measured, and why."""
    return "".join(
        f"\nMISSING {result.name}: {result.missing}\n"
        for result in results.values()
        if result.missing
    )


def _measured(results: Mapping[str, Result]) -> list[Result]:
    return [result for result in results.values() if result.slices and not result.missing]


def costs(work: Workload, results: Mapping[str, Result]) -> str:
    """What each server has used, and its latencies."""
    limit = f"x {REFERENCE} (q1 median q3)"
    fresh = work.kind is Kind.FRESH
    head: Row = ("server", str(work.cost.value), limit)
    head += (
        ("joins/s",) if fresh else ("messages/s", "moves/s", "ok p50 / p99 ms", "seen p50 / p99 ms")
    )
    head += ("remarks",)
    rows = []
    for result in sorted(_measured(results), key=lambda one: median(one.costs.values())):
        _, first, middle, third, _ = fives(list(result.relative.values()))
        row: Row = (result.name, f"{median(result.costs.values()):.2f}")
        row += (f"{first} {middle} {third}",)
        if fresh:
            row += (_rate(result, "joined_a_second"),)
        else:
            row += (
                _rate(result, "delivered_a_second"),
                _rate(result, "accepted_a_second"),
                *_latencies(result),
            )
        rows.append((*row, _flags(work, result)))
    return aligned(head, rows)


def disturbances(work: Workload, results: Mapping[str, Result]) -> str:
    """How much worse those are off who have nothing to do with a disturbance."""
    kind = "accepted" if work.name.startswith("hot") else "seen"
    word = "ok of the quiet rooms" if kind == "accepted" else "seen by those who read"
    head: Row = ("server", f"{word}: without p50 / p99 ms", "with p50 / p99 ms", "p99 x", "remarks")
    rows = []
    for result in _measured(results):
        group = work.masks[1] >> 1 if work.masks == (1, 2) else 0
        calm = pooled(list(result.calm.values()), 0, kind)
        wild = pooled(list(result.slices.values()), group, kind)
        ratio = quantile(wild, 0.99) / quantile(calm, 0.99)
        texts = [f"{quantile(one, 0.5):.2f} / {quantile(one, 0.99):.2f}" for one in (calm, wild)]
        rows.append((result.name, *texts, f"{ratio:.2f}", _flags(work, result)))
    return aligned(head, rows)


def ratios(
    measured: Mapping[str, Mapping[str, Result]], works: Mapping[str, Workload], ours: str
) -> str:
    """How many times as much as ours each other server costs, cycle by cycle."""
    head = ("workload", "cost", f"server / {ours}", "min", "q1", "median", "q3", "max")
    rows = []
    for name, results in measured.items():
        mine = results.get(ours)
        if mine is None or works[name].cost is Cost.DISTURBED:
            continue
        for other in results.values():
            both = mine.relative.keys() & other.relative.keys()
            if other is not mine and both:
                times = [other.relative[cycle] / mine.relative[cycle] for cycle in sorted(both)]
                rows.append((name, works[name].cost.value, other.name, *fives(times)))
    return aligned(head, rows)


def slope(measured: Mapping[str, Mapping[str, Result]]) -> str:
    """The cost of a message by the number of spectators; empty for fewer than two sizes."""
    sizes = [name for name in measured if name.startswith("fanout-") and name.count("-") == 1]
    if len(sizes) < 2:
        return ""
    head = (f"us CPU/message (x {REFERENCE})", *sizes, "last / first")
    rows = []
    for name in dict.fromkeys(name for size in sizes for name in measured[size]):
        found = [measured[size].get(name) for size in sizes]
        results = [one for one in found if one and one.relative and not one.missing]
        if len(results) < len(sizes):
            continue
        values = [median(one.costs.values()) for one in results]
        times = [median(one.relative.values()) for one in results]
        cells = (f"{value:.2f} ({x:.2f})" for value, x in zip(values, times, strict=True))
        grown = f"{values[-1] / values[0]:.2f} ({times[-1] / times[0]:.2f})"
        rows.append((name, *cells, grown))
    return aligned(head, rows)
