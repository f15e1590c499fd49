"""What a command line says, read: a value, or the sentence that says why it is none; its help."""

from collections.abc import Callable
from functools import wraps
from math import isfinite
from typing import Any, TypeVar

from typer import BadParameter
from typer.core import TyperCommand

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


class Grouped(TyperCommand):
    """A command whose help lists the options under the panels that they name, in their order."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write them."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            if (row := option.get_help_record(ctx)) is not None:
                title = getattr(option, "rich_help_panel", None) or "Options"
                panels.setdefault(title, []).append(row)
        for title, rows in panels.items():
            with formatter.section(title):
                formatter.write_dl(rows)
