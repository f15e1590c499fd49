"""What the README says is so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from servers import running_server
from typer.testing import CliRunner

from kibitz.clients.__main__ import app
from kibitz.clients.bots import example
from kibitz.clients.session import connect
from kibitz.engine.games import GAMES
from kibitz.server.settings import Access, Auth

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_the_bot_in_the_readme_is_the_tested_one_and_short() -> None:
    block = README.split("<!-- bot example -->\n```python\n")[1].split("```")[0]
    source = Path(example.__file__).read_text().replace("  # noqa: T201", "")
    assert block == source
    assert len(source.splitlines()) <= 20


def test_the_commands_with_that_bot_are_about_its_game() -> None:
    """And they name the file as which it shall be saved."""
    lines = re.findall(r"kibitz (?:bot|arena)[^`\n]*mymodule:choose[^`\n]*", README)
    assert len(lines) == 2
    assert all("klondike-single" in line for line in lines)
    assert "`mymodule.py`" in README


def test_the_table_lists_every_game_and_option() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \|.*\|([^|]*)\|$", README, re.MULTILINE)
    options = {name: " ".join(re.findall(r"`([^`]*)`", cell)) for name, cell in rows}
    assert options == {
        name: " ".join(f"{key}={value}" for key, value in game.options.items())
        for name, game in GAMES.items()
    }


@pytest.mark.parametrize(
    "line", sorted(set(re.findall(r"^(kibitz [^#\n]*)", README, re.MULTILINE)))
)
def test_commands_and_flags_exist(line: str) -> None:
    _, command, *words = line.split()
    group = words[:1] if command == "admin" else []
    result = CliRunner().invoke(app, [command, *group, "--help"])
    assert result.exit_code == 0, result.output
    for flag in (word for word in words if word.startswith("--")):
        assert flag in result.output


def test_ci_runs_exactly_the_test_command() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    assert "<!-- test command -->" in script
    command = README.split("<!-- test command -->\n```sh\n")[1].split("\n```")[0]
    assert command.count("\n") == 0
    assert "pytest" in command
    for named in re.findall(r"bash (\S+)", command):
        assert (ROOT / named).is_file(), named


def test_linked_files_and_pictures_exist() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target


def test_python_minus_m_starts_the_same_command() -> None:
    command = [sys.executable, "-m", "kibitz.clients", "--version"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert re.fullmatch(r"kibitz \d+\.\d+\.\d+\n", said.stdout)


async def test_the_token_for_a_try_lets_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "deploy" / "README.md").read_text()
    code = text.split("<!-- token for a try -->")[1].split("python -c '")[1].split("'")[0]
    (secret := tmp_path / "secret").write_text("5ec4e7" * 8 + "\n")
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    token = capsys.readouterr().out.strip()
    async with (
        running_server(access=Access(auth=Auth.JWT, jwt_key=secret)) as server,
        connect(server.url, token=token) as client,
    ):
        assert client.welcome.you.name == "Ann"
        assert client.welcome.roles == ["admin", "player", "spectator"]
