"""What may be told of a fact as it is: nothing that names a card face down."""

from typing import Any

import pytest

from kibitz.engine.notation import is_open, read_fact, write_fact
from kibitz.engine.table import redact

OPEN: list[list[Any]] = [
    ["mv", "a", "b", ["Qh", "2c"]],
    ["mv", "a", "b", []],
    ["up", "a", "Qh"],
    ["set", "a", ["As"]],
    ["count", "redeals", None],
    ["count", "redeals", 3],
]
CLOSED: list[list[Any]] = [
    ["mv", "a", "b", ["Qh", "2c-"]],
    ["mv", "a", "b", ["??"]],
    ["up", "a", "Qh-"],
    ["up", "a", "??"],
    ["dn", "a"],
    ["dn", "a", "Qh-"],
    ["set", "a", ["As-", "Qh"]],
    ["wink", "Qh"],
]


@pytest.mark.parametrize("plain", OPEN)
def test_an_open_fact_is_its_own_public_form(plain: list[Any]) -> None:
    assert is_open(plain)
    assert write_fact(redact(read_fact(plain))) == plain


@pytest.mark.parametrize("plain", CLOSED)
def test_whatever_else_there_is_is_not_open(plain: list[Any]) -> None:
    assert not is_open(plain)
