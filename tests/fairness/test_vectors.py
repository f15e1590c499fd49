"""The vectors are what servers say now, and the Python verifier finds in each what it must."""

import json

import pytest

from kibitz.clients.verifying.replay import verdict_on_file
from kibitz.clients.verifying.verdict import CHECKS

from .making import FOLDER, make, text_of

VECTORS = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}


async def test_the_files_are_what_servers_say() -> None:
    made = {name: text_of(name, told) for name, told in (await make()).items()}
    there = {path.stem: path.read_text() for path in FOLDER.glob("*.json")}
    assert made.keys() == there.keys(), "see the head of tests/fairness/making.py"
    assert [name for name in made if made[name] != there[name]] == []


@pytest.mark.parametrize("name", VECTORS)
def test_a_vector(name: str) -> None:
    vector = VECTORS[name]
    verdict = verdict_on_file(vector["replay"].encode())
    assert verdict.results == vector["checks"], [str(finding) for finding in verdict.findings]
    assert all(finding.says for finding in verdict.findings if finding.result != "ok")


def test_every_check_fails_somewhere_alone() -> None:
    failing = [
        {check for check, result in vector["checks"].items() if result == "failed"}
        for vector in VECTORS.values()
    ]
    assert all({check} in failing for check in CHECKS)
