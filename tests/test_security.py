"""The table of threats names tests that there are."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "SECURITY.md").read_text()
ROWS = re.findall(r"^\| (?!threat|---)(.+?) \| (.+?) \| (.+?) \|$", PAGE, re.MULTILINE)


def test_every_threat_has_an_answer_and_a_test_that_exists() -> None:
    assert len(ROWS) > 30
    for threat, _, shown in ROWS:
        named = re.findall(r"`([^`:]+\.py)::(test_\w+)`", shown)
        assert named, threat
        for file, test in named:
            text = (ROOT / "tests" / file).read_text()
            assert re.search(rf"^(async )?def {test}\(", text, re.MULTILINE), (file, test)
