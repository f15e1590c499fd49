"""The paired method: servers stay up with everybody connected and take turns, slice by slice.

Other work on the machine, a slow phase of its clock: whatever happens hits all servers alike. The
reference server plays before and after every few of the others; the cost of a server is divided
by the mean of the two reference slices around it, and only such ratios of one cycle are compared.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from bench.contestants import CONTESTANTS, REFERENCE
from bench.target import Dead, Measured, Target
from bench.workloads import Cost, Kind, Workload

WARM = 0.08
"""Seconds of a slice that do not count."""
BETWEEN = 3
"""Servers between two slices of the reference."""

Times = Counter[int]
"""How often a latency (ns) was seen."""


@dataclass
class Result:
    """What has been measured of one server."""

    name: str
    slices: dict[int, Measured] = field(default_factory=dict)
    """By cycle."""
    costs: dict[int, float] = field(default_factory=dict)
    """By cycle, in the unit of the workload."""
    relative: dict[int, float] = field(default_factory=dict)
    """By cycle: the cost as a multiple of the reference's."""
    calm: dict[int, Measured] = field(default_factory=dict)
    """By cycle, where there is a disturbance: the slice without it."""
    missing: str = ""
    """Why it could not be measured."""

    def add(self, cycle: int, measured: Measured, cost: float) -> None:
        """One more slice."""
        self.slices[cycle], self.costs[cycle] = measured, cost

    def relate(self, cycle: int, reference: float) -> None:
        """Say what the reference cost meanwhile."""
        if cycle in self.costs and reference > 0:
            self.relative[cycle] = self.costs[cycle] / reference


def pooled(slices: Sequence[Measured], group: int, kind: str) -> Times:
    """The latencies of one group over all slices; ``kind`` is ``accepted`` or ``seen``."""
    times: Times = Counter()
    for measured in slices:
        times.update(dict(measured["groups"][group][kind]))
    return times


def quantile(times: Times, share: float) -> float:
    """The latency, in ms, that so large a share does not exceed; nan without any."""
    wanted = share * times.total()
    for time in sorted(times):
        wanted -= times[time]
        if wanted <= 0:
            return time / 1e6
    return float("nan")


def _cost(work: Workload, measured: Measured) -> float | None:
    """The cost of a slice, or None if it is empty."""
    if work.cost is Cost.MEMORY:
        return float(measured["kib"]) / int(measured["joined"])
    per = {Cost.MESSAGE: "delivered", Cost.MOVE: "accepted", Cost.JOIN: "joined"}[work.cost]
    count = int(measured[per])
    return float(measured["cpu"]) / count * 1e6 if count else None


@dataclass
class _Field:
    """Who takes part in one workload."""

    work: Workload
    results: dict[str, Result]
    targets: dict[str, Target] = field(default_factory=dict)

    def start(self, name: str) -> None:
        try:
            self.targets[name] = Target(CONTESTANTS[name], self.work)
        except Dead as reason:
            self.lose(name, reason)

    def lose(self, name: str, reason: Dead) -> None:
        self.results[name].missing = str(reason)
        if target := self.targets.pop(name, None):
            target.close()

    def close(self) -> None:
        for target in self.targets.values():
            target.close()

    def measure(self, name: str, cycle: int) -> float | None:
        """One slice; its cost."""
        result, work = self.results[name], self.work
        try:
            if work.kind is Kind.FRESH:
                self.start(name)
                if result.missing:
                    return None
                measured = self.targets[name].joined
                self.targets.pop(name).close()
            else:
                measured = self.targets[name].play(work.seconds, WARM, work.masks[1])
        except Dead as reason:
            self.lose(name, reason)
            return None
        cost = _cost(work, measured)
        if cost is not None:
            result.add(cycle, measured, cost)
        return cost

    def disturb(self, name: str, cycle: int) -> None:
        """A slice without the disturbance and one with it, in either order."""
        result, work = self.results[name], self.work
        try:
            for mask in random.sample(work.masks, 2):
                measured = self.targets[name].play(work.seconds, WARM, mask)
                (result.calm if mask == work.masks[0] else result.slices)[cycle] = measured
        except Dead as reason:
            self.lose(name, reason)

    def alive(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if not self.results[name].missing]


def measure(
    work: Workload, names: Sequence[str], cycles: int, tell: Callable[[str], None]
) -> dict[str, Result]:
    """Measure some servers at one workload.

    Args:
        work: The workload.
        names: The servers; the reference takes part anyhow, where it makes sense.
        cycles: How often everybody has a turn.
        tell: Is told how far it has got.

    """
    everybody = [REFERENCE, *(name for name in names if name != REFERENCE)]
    field_ = _Field(work, {name: Result(name) for name in everybody})
    try:
        if work.kind is Kind.BESIDE:
            _one_by_one(field_, everybody, cycles, tell)
            return field_.results
        for name in everybody if work.kind is Kind.TURNS else ():
            tell(f"{work.name}: {name} starts")
            field_.start(name)
        for cycle in range(cycles):
            tell(f"{work.name}: cycle {cycle + 1} of {cycles}")
            _cycle(field_, everybody[1:], cycle)
    finally:
        field_.close()
    return field_.results


def _cycle(field_: _Field, names: Sequence[str], cycle: int) -> None:
    """Everybody's turn, in a new order, the reference in between."""
    order = field_.alive(names)
    random.shuffle(order)
    before = _reference(field_, cycle)
    for few in _fews(order):
        for name in few:
            field_.measure(name, cycle)
        after = _reference(field_, cycle)
        for name in few:
            if before and after:
                field_.results[name].relate(cycle, (before + after) / 2)
        before = after
    if before:
        field_.results[REFERENCE].relate(cycle, before)


def _reference(field_: _Field, cycle: int) -> float | None:
    return field_.measure(REFERENCE, cycle) if field_.alive([REFERENCE]) else None


def _fews(order: Sequence[str]) -> Iterator[Sequence[str]]:
    for at in range(0, len(order), BETWEEN):
        yield order[at : at + BETWEEN]


def _one_by_one(
    field_: _Field, names: Sequence[str], cycles: int, tell: Callable[[str], None]
) -> None:
    """With and without a disturbance: each server is its own reference."""
    for name in names:
        tell(f"{field_.work.name}: {name}")
        field_.start(name)
        if field_.work.fill and field_.alive([name]):
            try:
                field_.targets[name].play(field_.work.fill, 0, field_.work.masks[1])
            except Dead as reason:
                field_.lose(name, reason)
        for cycle in range(cycles):
            if field_.alive([name]):
                field_.disturb(name, cycle)
        if target := field_.targets.pop(name, None):
            target.close()
