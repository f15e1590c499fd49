"""kibitz beside its peers and beside the physical limit: one command, one table.

python -m bench.speed [--work fanout-1000,rooms-500] [--cycles 12] [--servers kibitz,ws-nocomp]
"""

import argparse
import resource
import signal
import sys

from bench.contestants import CONTESTANTS
from bench.contestants import USUAL as USUAL_SERVERS
from bench.load.build import NotBuilt, program
from bench.paired import Result, measure
from bench.table import costs, disturbances, missing, ratios, slope
from bench.workloads import USUAL as USUAL_WORK
from bench.workloads import Cost, Kind, Workload, workload

FEWER = 5
"""Cycles of a workload that starts every server anew, or takes seconds a slice, at most."""
SPARE_FILES = 100
"""Files a server has open besides its connections, about."""


def tell(text: str) -> None:
    """Say how far it has got, where it does not get into the table."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def allow_files() -> int:
    """Raise the limit of open files as far as it goes; what it is then."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


def run(work: Workload, servers: list[str], cycles: int) -> dict[str, Result]:
    """Measure a workload and print its table."""
    short = cycles if work.kind is Kind.TURNS and work.seconds < 1.5 else min(cycles, FEWER)
    results = measure(work, servers, short, tell)
    tell("")
    print(f"\n## {work.name}\n")
    print((disturbances if work.cost is Cost.DISTURBED else costs)(work, results))
    print(missing(results), end="", flush=True)
    return results


def main() -> None:
    """Print a table a workload, then the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", default=",".join(USUAL_WORK), help="see README.md")
    parser.add_argument(
        "--servers", default=",".join(USUAL_SERVERS), help=f"of {', '.join(CONTESTANTS)}"
    )
    parser.add_argument("--cycles", type=int, default=12, help="turns that each of them has")
    parser.add_argument("--ours", default="kibitz", help="the server the ratios are about")
    chosen = parser.parse_args()
    servers = chosen.servers.split(",")
    if unknown := [name for name in servers if name not in CONTESTANTS]:
        parser.error(f"no server {unknown[0]!r}; there are {', '.join(CONTESTANTS)}")
    try:
        works = {name: workload(name) for name in chosen.work.split(",")}
    except ValueError as error:
        parser.error(str(error))
    try:
        program("loadgen")
        program("cserver")
    except NotBuilt as reason:
        parser.exit(2, f"bench.speed: {reason}\n")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))  # and end the servers
    files = allow_files()
    measured = {}
    for name, work in works.items():
        if work.connections + SPARE_FILES > files:
            print(
                f"\n## {name}\n\nNOT RUN: {work.connections:,} connections, {files:,} files at most"
            )
            continue
        measured[name] = run(work, servers, chosen.cycles)
    if not measured:
        sys.exit("nothing was run")
    print(f"\n## The cost of the others in multiples of {chosen.ours}'s\n")
    print(ratios(measured, works, chosen.ours))
    if text := slope(measured):
        print(f"\n## Slope\n\n{text}")


if __name__ == "__main__":
    main()
