"""What a command line says, read: a value, or the sentence that says why it is none."""

from collections.abc import Callable
from functools import wraps
from math import isfinite
from typing import TypeVar

from typer import BadParameter

T = TypeVar("T")


def saying(parse: Callable[[str], T]) -> Callable[[str], T]:
    """The same parser, whose own words are what is said: a ``ValueError`` would hide them."""

    @wraps(parse)
    def parsed(text: str) -> T:
        try:
            return parse(text)
        except ValueError as error:
            raise BadParameter(str(error)) from None

    return parsed


def check_finite(name: str, value: object) -> None:
    """Let no setting be endless, or no number at all: bounds alone let ``inf`` and ``nan`` pass.

    Raises:
        BadParameter: It is.

    """
    if isinstance(value, float) and not isfinite(value):
        hint = f"'--{name.replace('_', '-')}'"
        raise BadParameter(f"{value} is not a number that anything can have.", param_hint=hint)
