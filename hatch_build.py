"""Compile the rules, the searches and the bots while a wheel is built, if that is wanted.

With ``KIBITZ_COMPILED=1`` in the environment the wheel has them as extension modules beside the
same source, for this interpreter and platform; without it a wheel is pure Python as ever.
Promises: a module that cannot be compiled fails the build; nothing is written into the sources.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WANTED = "KIBITZ_COMPILED"
NEEDS = ("mypy>=2", "setuptools>=70")
"""What a build takes then, besides a C compiler."""
ENGINE = Path("engine")
MODULES = (
    "kibitz/engine/table.py",
    "kibitz/engine/game.py",
    "kibitz/engine/games/building.py",
    "kibitz/engine/games/columns.py",
    "kibitz/engine/games/*/rules.py",
    "kibitz/engine/solving/answers.py",
    "kibitz/engine/solving/aces.py",
    "kibitz/engine/solving/montana.py",
    "kibitz/engine/solving/klondikes/*.py",
    "kibitz/engine/thinking/*.py",
)
"""What is compiled: where the time goes. A generator expression is made all at once there: what
must not happen before it is wanted, as a draw by chance, is a function that yields."""


def compile_in(folder: Path) -> None:
    """Compile the modules where they lie in a copy of the engine.

    Raises:
        SystemExit: It cannot be done; what the compiler said has been printed.

    """
    files = [str(path.relative_to(folder)) for each in MODULES for path in folder.glob(each)]
    command = [sys.executable, "-m", "mypyc", "--explicit-package-bases", "--config-file="]
    environment = os.environ | {"MYPYPATH": ""}
    done = subprocess.run([*command, "--strict", *sorted(files)], cwd=folder, env=environment)
    if done.returncode:
        raise SystemExit(done.returncode)
    shutil.rmtree(folder / "build")


class Compiled(BuildHookInterface):  # its type parameter says nothing here
    """The hook of hatchling's."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What has to be installed for the build."""
        return list(NEEDS) if os.environ.get(WANTED) == "1" else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the extension modules to a wheel; not to one that only points to the sources."""
        if os.environ.get(WANTED) != "1" or version == "editable":
            return
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name) / "engine"
        shutil.copytree(Path(self.root) / ENGINE, folder)
        compile_in(folder)
        suffix = sysconfig.get_config_var("EXT_SUFFIX")
        found = {str(path): str(path.relative_to(folder)) for path in folder.rglob(f"*{suffix}")}
        build_data["force_include"] |= found
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Leave nothing behind."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()
