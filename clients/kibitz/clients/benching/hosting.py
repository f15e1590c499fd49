"""A server of our own on a file that is thrown away, and what the system says about it."""

import ipaddress
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from . import signals
from .line import Lost

START_SECONDS = 30.0
"""How long the server has until it listens."""
STOP_SECONDS = 5.0
"""How long it has to stop before it is killed: what it holds is thrown away anyhow."""
LOOK_SECONDS = 0.02
NATS = "KIBITZ_NATS"
"""The variable that would have a server keep its rooms elsewhere."""


@dataclass(frozen=True)
class Host:
    """The server under load.

    Attributes:
        url: Its socket.
        pid: Its process, if it is ours.
        authority: A file with whose certificates are good there.

    """

    url: str
    pid: int | None = None
    authority: Path | None = None

    def cpu(self) -> float | None:
        """Seconds of processor time used so far, if the system tells."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            return None

    def memory(self) -> int | None:
        """KiB of memory that it holds, if the system tells."""
        try:
            status = Path(f"/proc/{self.pid}/status").read_text()
        except OSError:
            return None
        lines = [line.split() for line in status.splitlines() if line.startswith("VmRSS:")]
        return int(lines[0][1]) if lines else None


@contextmanager
def own_server() -> Iterator[Host]:
    """``kibitz serve`` on a free port, with its rooms in a temporary folder; gone at the end.

    Raises:
        Lost: It does not start; with what it said.

    """
    with ExitStack() as stack:
        with signals.later():
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kibitz-bench-")))
            said = folder / "said"
            options = ("--port", "0", "--data", str(folder / "bench.db"))
            out = stack.enter_context(said.open("wb"))
            process = subprocess.Popen(
                [sys.executable, "-m", "kibitz.clients", "serve", *options],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env={name: value for name, value in os.environ.items() if name != NATS},
                process_group=0,  # a Ctrl-C is for us: we end it
            )
            stack.callback(_end, process)
        yield Host(_listening(process, said), process.pid)


def _listening(process: "subprocess.Popen[bytes]", said: Path) -> str:
    """Its socket, once it listens."""
    end = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < end:
        for line in said.read_text().splitlines(keepends=True):
            if '"listening"' in line and line.endswith("\n"):
                url: str = json.loads(line)["socket"]
                return url
        time.sleep(LOOK_SECONDS)
    last = (said.read_text().strip().splitlines() or ["it says nothing"])[-1]
    raise Lost(f"the server does not start: {last}")


def _end(process: "subprocess.Popen[bytes]") -> None:
    try:
        process.terminate()
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    finally:
        process.kill()
        process.wait()


def open_files(needed: int) -> int:
    """Let this process, and those that it starts, have so many open files; how many they have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most


def host_of(url: str) -> str:
    """The host in an address; nothing if there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    """Whether a host is this machine for certain."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
