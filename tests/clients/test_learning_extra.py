"""The extra ``learning``: what the README shows of it, and what is said where it is missing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_example_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "README.md").read_text()
    for example in ("learning", "race"):
        exec(text.split(f"<!-- {example} example -->\n```python\n")[1].split("```")[0], {})
    assert re.fullmatch(r"\d+ cards home, won: (True|False)\n", capsys.readouterr().out)


@pytest.mark.parametrize("lacks", ["gymnasium", "pettingzoo"])
def test_what_is_missing_without_the_extra_is_said(lacks: str) -> None:
    name = {"gymnasium": "learning", "pettingzoo": "learning.race"}[lacks]
    program = f"import sys; sys.modules[{lacks!r}] = None; import kibitz.clients.{name}"
    done = subprocess.run(
        (sys.executable, "-c", program), capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines()[-1] == (
        f"ModuleNotFoundError: No module named {lacks!r}: this needs pip install '.[learning]'"
    )
