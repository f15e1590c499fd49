"""The servers that are measured: what starts each of them and what it speaks."""

import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.load.build import NotBuilt, cache, program

HERE = Path(__file__).parent
PEERS = HERE / "peers"


@dataclass(frozen=True)
class Contestant:
    """A server. It prints its port, on a line of its own, when it is ready."""

    name: str
    what: str
    kind: str
    """``c``, ``file`` (of Python), ``python`` (a module of ``peers``) or ``node``."""
    arguments: tuple[str, ...]
    """``FOLDER`` stands for a folder to write in, ``SHAPE`` for the rooms there will be."""
    speaks: str = "native"
    deflate: bool = False
    needs: tuple[str, ...] = ()
    """Python packages."""
    reserved: bool = False
    """Whether it reserves seats beforehand and writes their paths to ``FOLDER/paths``."""

    def command(self, folder: Path, shape: str) -> list[str]:
        """What starts it, to be run in ``tests/``.

        Raises:
            NotBuilt: Something it needs is missing.

        """
        first, *rest = (
            text.replace("FOLDER", str(folder)).replace("SHAPE", shape) for text in self.arguments
        )
        for package in self.needs:
            if importlib.util.find_spec(package) is None:
                raise NotBuilt(f"no Python package {package}: pip install -e '.[bench]'")
        if self.kind == "c":
            return [str(program(first)), *rest]
        if self.kind == "file":
            return [sys.executable, str(HERE / first), *rest]
        if self.kind == "python":
            return [sys.executable, "-m", f"bench.peers.{first}", *rest]
        node_modules()
        return ["node", str(PEERS / first), *rest]

    def environment(self) -> dict[str, str]:
        """Its environment."""
        node = {"NODE_PATH": str(cache() / "node_modules"), "NODE_ENV": "production"}
        return {
            **os.environ,
            "PYTHONDONTWRITEBYTECODE": "1",
            **(node if self.kind == "node" else {}),
        }


def node_modules() -> Path:
    """The packages of the Node peers, installed when they are needed.

    Raises:
        NotBuilt: There is no npm, or it fails.

    """
    folder, wanted = cache() / "node_modules", (PEERS / "package.json").read_text()
    stamp = cache() / "installed.json"
    if stamp.exists() and stamp.read_text() == wanted:
        return folder
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise NotBuilt("no node, or no npm")
    (cache() / "package.json").write_text(wanted)
    command = [npm, "install", "--no-audit", "--no-fund", "--loglevel=error"]
    done = subprocess.run(command, cwd=cache(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotBuilt(f"npm: {done.stderr.strip()[-300:]}")
    stamp.write_text(wanted)
    return folder


def _python(name: str, what: str, *arguments: str, needs: tuple[str, ...] = ()) -> Contestant:
    return Contestant(name, what, "python", arguments, needs=needs)


def _kibitz(name: str, what: str, *options: str, needs: tuple[str, ...] = ()) -> Contestant:
    arguments = ("processes.py", "kibitz", "FOLDER/kibitz.db", *options)
    return Contestant(name, what, "file", arguments, speaks="kibitz", needs=needs)


_WS_DEFAULT = Contestant(
    "ws-default",
    "websockets, its defaults: compressed",
    "python",
    ("ws", "--deflate"),
    deflate=True,
)
_COLYSEUS = Contestant(
    "colyseus",
    "Colyseus",
    "node",
    ("colyseus.js", "FOLDER/paths", "SHAPE"),
    speaks="colyseus",
    reserved=True,
)

REFERENCE = "c-send"

CONTESTANTS = {
    one.name: one
    for one in (
        Contestant("c-send", "the limit: a send() each in C", "c", ("cserver", "send")),
        Contestant("c-batch", "the limit, events joined", "c", ("cserver", "batch")),
        _kibitz("kibitz", "kibitz on SQLite"),
        _kibitz("kibitz-each", "kibitz that tells a crowd every event by itself", "--each"),
        _kibitz("kibitz-uvloop", "kibitz on uvloop", "--loop", "uvloop", needs=("uvloop",)),
        _kibitz(
            "kibitz-fastnet",
            "kibitz on aiofastnet",
            "--loop",
            "aiofastnet",
            needs=("aiofastnet",),
        ),
        _python("ws-nocomp", "websockets, broadcast() without compression", "ws"),
        _WS_DEFAULT,
        _python("ws-uvloop", "ws-nocomp on uvloop", "ws", "--loop", "uvloop", needs=("uvloop",)),
        _python("aiohttp", "aiohttp", "aiohttp_server", needs=("aiohttp",)),
        _python(
            "aiohttp-uvloop",
            "aiohttp on uvloop",
            "aiohttp_server",
            "--loop",
            "uvloop",
            needs=("aiohttp", "uvloop"),
        ),
        _python("picows", "picows", "picows_server", needs=("picows",)),
        _python(
            "picows-uvloop",
            "picows on uvloop",
            "picows_server",
            "--loop",
            "uvloop",
            needs=("picows", "uvloop"),
        ),
        Contestant("node-ws", "ws on Node", "node", ("ws.js",)),
        _COLYSEUS,
        Contestant("boardgame", "boardgame.io", "node", ("boardgame.js",), speaks="boardgame"),
    )
}

USUAL = (
    "kibitz",
    "kibitz-each",
    "ws-nocomp",
    "ws-default",
    "aiohttp",
    "picows",
    "node-ws",
    "colyseus",
    "boardgame",
    "c-batch",
)
