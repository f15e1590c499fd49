"""What is said where the extra ``learning`` is not installed."""


def missing(error: ModuleNotFoundError) -> ModuleNotFoundError:
    """The same error, and what installs what it misses."""
    says = f"No module named {error.name!r}: this needs pip install '.[learning]'"
    return ModuleNotFoundError(says, name=error.name)
