"""Strategies by name: ours, or a function of somebody's own module."""

import importlib
import sys
from pathlib import Path

from . import STRATEGIES, Maker
from .turns import Failed, said


class Unknown(ValueError):
    """There is no such strategy."""


def find(strategy: str) -> Maker:
    """What makes a strategy: one of ours by its name, or a function as ``module:function``.

    Raises:
        Unknown: There is none.
        Failed: Its module cannot be loaded.

    """
    if strategy in STRATEGIES:
        return STRATEGIES[strategy]
    module, colon, name = strategy.partition(":")
    if not colon:
        ours = ", ".join(STRATEGIES)
        raise Unknown(f"no strategy {strategy!r} (there are {ours}, or module:function)")
    if not all(part.isidentifier() for part in (*module.split("."), name)):
        raise Unknown(f"no strategy {strategy!r}: that is no module and a function of it")
    sys.path.insert(0, str(Path.cwd()))
    try:
        choose = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise Unknown(f"no strategy {strategy!r}: {error}") from None
    except Exception as error:
        raise Failed(f"{module} cannot be loaded: {said(error)}") from None
    if not callable(choose):
        raise Unknown(f"no strategy {strategy!r}: {name} is no function")
    return lambda game, rng: choose
