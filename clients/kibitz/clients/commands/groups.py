"""Options that several commands have, declared once.

A group of them is a dataclass whose fields are annotated with ``typer.Option``; a command has it
as the type of a parameter.
"""

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, get_type_hints


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """The same command, with an option for each field of the groups among its parameters."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {
        name: hint for name, hint in hints.items() if dataclasses.is_dataclass(hint)
    }
    parameters: list[inspect.Parameter] = []
    for name, given in inspect.signature(command).parameters.items():
        if name in groups:
            parameters += _options(groups[name])
        else:
            kind = inspect.Parameter.KEYWORD_ONLY
            parameters.append(given.replace(kind=kind, annotation=hints[name]))

    @wraps(command)
    def gathered(**values: Any) -> None:
        for name, group in groups.items():
            of_group = {each.name: values.pop(each.name) for each in dataclasses.fields(group)}
            values[name] = group(**of_group)
        command(**values)

    gathered.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    gathered.__annotations__ = {each.name: each.annotation for each in parameters}
    return gathered


def _options(group: Any) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for each in dataclasses.fields(group):
        kind, hint = inspect.Parameter.KEYWORD_ONLY, hints[each.name]
        made = each.default_factory
        default = each.default if made is dataclasses.MISSING else made()
        yield inspect.Parameter(each.name, kind, default=default, annotation=hint)
