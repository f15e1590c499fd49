"""A server under measurement and its load generator, a core each."""

import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import IO, Any

from bench.contestants import Contestant
from bench.load.build import NotBuilt, program
from bench.workloads import Workload

TESTS = Path(__file__).parent.parent
SERVER_CORE, LOAD_CORE = "0", "1"
START_SECONDS = 120.0
"""How long a server may take until it listens."""
ANSWER_SECONDS = 1300.0
"""How long the load generator may take for one answer."""

Measured = dict[str, Any]


class Dead(Exception):
    """The server or its load generator is gone, and why."""


def _pinned(core: str, command: list[str]) -> list[str]:
    cores = os.sched_getaffinity(0)
    if shutil.which("taskset") is None or len(cores) < 2:
        return command
    return ["taskset", "-c", core, *command]


class Target:
    """A server with everybody connected. Close it at the end."""

    def __init__(self, contestant: Contestant, work: Workload) -> None:
        """Start both and wait until everybody is in.

        Raises:
            Dead: It cannot be started, or not everybody gets in.

        """
        self.name = contestant.name
        self._stack = contextlib.ExitStack()
        folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        self._said = self._stack.enter_context((folder / "said").open("w+"))
        try:
            server = self._start(contestant, work, folder)
            self.joined = self._load(server, contestant, work, folder)
        except BaseException:
            self.close()
            raise

    def _start(
        self, contestant: Contestant, work: Workload, folder: Path
    ) -> "subprocess.Popen[str]":
        try:
            command = _pinned(SERVER_CORE, contestant.command(folder, work.shape))
        except NotBuilt as reason:
            raise Dead(str(reason)) from None
        return self._process(command, contestant.environment())

    def _process(
        self, command: list[str], environment: dict[str, str] | None = None
    ) -> "subprocess.Popen[str]":
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            command,
            stdin=pipe,
            stdout=pipe,
            stderr=self._said,
            text=True,
            cwd=TESTS,
            env=environment,
        )
        self._stack.callback(_end, process)
        return process

    def _load(
        self,
        server: "subprocess.Popen[str]",
        contestant: Contestant,
        work: Workload,
        folder: Path,
    ) -> Measured:
        port = self._line(server, START_SECONDS).strip()
        command = [str(program("loadgen")), "--port", port, "--server", str(server.pid)]
        command += ["--protocol", contestant.speaks, "--flight", str(work.in_flight)]
        command += ["--idle", str(work.idle)]
        for group in work.groups:
            command += ["--group", group.text]
        command += ["--deflate"] if contestant.deflate else []
        command += ["--spin"] if work.spin else []
        command += ["--paths", str(folder / "paths")] if contestant.reserved else []
        self._generator = self._process(_pinned(LOAD_CORE, command))
        return self._answer()

    def _line(self, process: "subprocess.Popen[str]", seconds: float) -> str:
        out: IO[str] | None = process.stdout
        assert out is not None
        ready, _, _ = select.select([out], [], [], seconds)
        line = out.readline() if ready else ""
        if not line:
            self._said.seek(0)
            last = " ".join(self._said.read().strip().splitlines()[-3:])[-300:]
            raise Dead(last or ("ended" if ready else "no answer in time"))
        return line

    def _answer(self) -> Measured:
        answer: Measured = json.loads(self._line(self._generator, ANSWER_SECONDS))
        if answer["closed"]:
            raise Dead(f"it closed {answer['closed']} connections")
        if answer["refused"] or answer["unsent"]:
            raise Dead(f"{answer['refused']} wrong messages, {answer['unsent']} not sent")
        return answer

    def play(self, seconds: float, warm: float, mask: int) -> Measured:
        """Let some groups play.

        Args:
            seconds: How long it counts.
            warm: How many seconds before do not.
            mask: The groups, one bit each.

        Raises:
            Dead: It is gone, or has done something wrong.

        """
        assert self._generator.stdin is not None
        try:
            self._generator.stdin.write(f"go {seconds} {warm} {mask}\n")
            self._generator.stdin.flush()
        except OSError:
            pass  # the answer tells why
        return self._answer()

    def close(self) -> None:
        """End both."""
        self._stack.close()


def _end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.communicate()
