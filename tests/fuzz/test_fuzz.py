"""Bytes from outside: whatever they are, they are read or refused, and nothing else happens.

Ten minutes a target are run by hand (``run``); here a guided fuzzer has some seconds for each.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .seeds import seeds
from .targets import TARGETS

SECONDS = int(os.environ.get("FUZZ_SECONDS", "7"))
"""How long the guided fuzzer has for each target."""
RUN = Path(__file__).with_name("run.py")


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_known(name: str) -> None:
    for data in seeds(name):
        TARGETS[name](data)


@st.composite
def changed(draw: st.DrawFn, name: str) -> bytes:
    """A seed in which something was cut out, put in, swapped or repeated."""
    data = bytearray(draw(st.sampled_from(seeds(name))))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        to = min(len(data), at + draw(st.integers(0, 32)))
        piece = draw(
            st.one_of(st.binary(max_size=8), st.just(bytes(data[at:to]) * 2), st.just(b""))
        )
        data[at:to] = piece
    return bytes(data)


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_nearly_right(name: str) -> None:
    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(changed(name))
    def check(data: bytes) -> None:
        TARGETS[name](data)

    check()


@pytest.mark.parametrize("name", TARGETS)
def test_what_a_guided_fuzzer_finds(name: str, tmp_path: Path) -> None:
    options = (f"-max_total_time={SECONDS}", f"-artifact_prefix={tmp_path}/")
    ended = subprocess.run(
        (sys.executable, str(RUN), name, *options),
        capture_output=True,
        text=True,
        timeout=SECONDS + 90,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-4000:]
