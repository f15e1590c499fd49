"""Every line that the server can say is in the table of events, and so is every field."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kibitz.server.operation.vocabulary import EVENTS, FAULT

ROOT = Path(__file__).parents[3]
LEVELS = ("debug", "info", "warning", "error", "exception")


def lines() -> Iterator[tuple[str, ast.Call]]:
    """Every call that writes a line, and where it stands."""
    for path in sorted((ROOT / "server").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="log"), attr=level)):
                    if level in LEVELS:
                        yield f"{path.name}:{node.lineno}", node


@pytest.mark.parametrize("where_call", list(lines()), ids=lambda each: str(each[0]))
def test_a_line_is_in_the_table(where_call: tuple[str, ast.Call]) -> None:
    where, call = where_call
    assert isinstance(call.func, ast.Attribute)
    level = call.func.attr
    (event,) = call.args
    assert isinstance(event, ast.Constant) and event.value in EVENTS, where
    said = EVENTS[str(event.value)]
    assert {"exception": "error"}.get(level, level) == said.level, where
    for keyword in call.keywords:
        if keyword.arg == "exc_info":
            assert set(FAULT) <= set(said.fields), where
        elif keyword.arg is not None:  # `**about`: looked at when it is written
            assert keyword.arg in said.fields, f"{where}: {keyword.arg}"


def test_every_event_is_said_somewhere() -> None:
    said = {call.args[0].value for _, call in lines() if isinstance(call.args[0], ast.Constant)}
    assert set(EVENTS) - said == {"repeated", "unlisted"}


def test_the_table_is_documented() -> None:
    text = (ROOT / "deploy" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z ]+)` \| (\w+) \| (.+?) \| (.*) \|$", text, flags=re.MULTILINE)
    documented = {name: (level, means, fields) for name, level, means, fields in rows}
    told = {
        name: (said.level, said.means, " ".join(f"`{field}`" for field in said.fields))
        for name, said in EVENTS.items()
    }
    assert documented == told
