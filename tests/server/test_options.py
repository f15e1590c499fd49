"""What a command line says wrongly is told in one sentence, by the option that it is about."""

import re

import pytest
from processes import run
from typer import Exit
from typer.main import get_command

from kibitz.server.__main__ import _with_nats, serve
from kibitz.server.limits.settings import MUCH, OFTEN, TIMES
from kibitz.server.limits.table import Over
from kibitz.server.settings import Keeping


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--trusted-proxy", "x", "does not appear"),
        ("--says", "often", "often is no rate"),
        ("--allow-origin", "x", "x: an origin looks like"),
        ("--idle-room", "inf", "inf is not a number"),
        ("--tls-cert", "/nope", "kibitz serve: /nope: No such file"),
    ],
)
async def test_a_wrong_option_is_said_in_a_sentence(option: str, value: str, says: str) -> None:
    code, said = await run("--memory", "--port", "0", option, value)
    assert code == 2 and says in said and "Value error" not in said and "Traceback" not in said


async def test_memory_is_not_archived() -> None:
    code, said = await run("--memory", "--keep", "3", "--port", "0")
    assert code == 2 and "--memory keeps nothing" in said


@pytest.mark.parametrize("other", [("--memory",), ("--data", "k.db")])
async def test_rooms_are_kept_in_one_place(other: tuple[str, ...]) -> None:
    code, said = await run("--nats", "nats://127.0.0.1:1", *other, "--port", "0")
    assert code == 2 and "without --data and --memory" in said


@pytest.mark.parametrize("variable", ["", " , "])
def test_a_variable_that_names_no_nats_server_does_not_mean_a_file(
    variable: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KIBITZ_NATS", variable)
    with pytest.raises(Exit):
        _with_nats(Keeping())
    assert "KIBITZ_NATS is set and names no NATS server" in capsys.readouterr().err
    for variable_too in (variable, "nats://b"):
        monkeypatch.setenv("KIBITZ_NATS", variable_too)
        said = Keeping(nats=["nats://a"])
        assert _with_nats(said) == said, "the command line comes first"


def test_every_option_has_a_help_of_its_own_under_a_title(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    command = get_command(serve)
    said = command.get_help(command.make_context("serve", [], resilient_parsing=True))
    helps = [str(getattr(option, "help", "")) for option in command.params]
    assert len(set(helps)) == len(helps) > 50
    assert not [text for text in helps if not text or "he same" in text]
    titles = re.findall(r"^(\S.+):$", said, re.MULTILINE)
    assert titles[:3] == ["Where the server listens", "Who gets in", "Where rooms are kept"]
    assert [title for title in titles if title.startswith("Limits")] == [OFTEN, MUCH, TIMES]
    assert said.count("  --") == len(helps) + 1


def test_nobody_is_told_to_come_back_at_once() -> None:
    refused = Over("joins per address", 4).refused()
    assert refused.message.endswith("come back in 0.1 s") and refused.retry_ms == 4
