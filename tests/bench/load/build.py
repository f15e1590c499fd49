"""The C programs of this folder, compiled when they are needed, into a cache folder."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = {
    "loadgen": ("loadgen.c", "crowd.c", "protocols.c", "frames.c", "histogram.c", "usage.c"),
    "cserver": ("cserver.c", "handshake.c"),
}


class NotBuilt(Exception):
    """Something that has to be built cannot be, and why."""


def cache() -> Path:
    """The folder for what is built; made if it is not there."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "kibitz-bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def program(name: str) -> Path:
    """A compiled program, as the sources are now.

    Raises:
        NotBuilt: There is no compiler, or it refuses.

    """
    sources = sorted(HERE.glob("*.[ch]"))
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
    target = cache() / f"{name}-{digest[:16]}"
    if target.exists():
        return target
    if shutil.which("cc") is None:
        raise NotBuilt("no C compiler (cc)")
    part = cache() / f"new-{name}-{os.getpid()}"
    command = ["cc", "-O2", "-Wall", "-Wextra", "-o", str(part), *PROGRAMS[name]]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotBuilt(f"cc: {done.stderr.strip()[-500:]}")
    part.rename(target)
    return target
