"""Fuzz one target, guided by what its bytes reach: ``python tests/fuzz/run.py TARGET``.

::

    python tests/fuzz/run.py wire                     # ten minutes
    python tests/fuzz/run.py wire -max_total_time=60  # any option of libFuzzer

What reaches something new is kept in ``build/fuzz/TARGET``; what fails is written there, too, and
named. Copy what is worth keeping to ``tests/fuzz/corpus/TARGET``.
"""

import hashlib
import sys
from pathlib import Path

import atheris

TESTS = Path(__file__).resolve().parents[1]
MINUTES = 10
LONGEST = 8192
"""Longest input, in bytes."""

sys.path.insert(0, str(TESTS))
with atheris.instrument_imports(include=["kibitz"]):
    from fuzz.seeds import seeds
    from fuzz.targets import TARGETS


def main() -> None:
    """Fuzz until the time is over or something fails."""
    name, *options = sys.argv[1:]
    found = TESTS.parent / "build" / "fuzz" / name
    found.mkdir(parents=True, exist_ok=True)
    for seed in seeds(name):
        (found / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
    defaults = [f"-max_total_time={MINUTES * 60}", f"-max_len={LONGEST}", "-timeout=30"]
    where = [f"-artifact_prefix={found}/"]
    atheris.Setup([sys.argv[0], *where, *defaults, *options, str(found)], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
