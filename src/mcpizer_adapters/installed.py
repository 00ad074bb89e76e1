"""What is installed: the version of this package, and which extras are there.

This module imports nothing outside the standard library.
"""

from importlib.util import find_spec


def own_version() -> str:
    """Return the version of this package, or "0" where it runs from a source tree that is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # takes longer than most commands

    try:
        return version("mcpizer")
    except PackageNotFoundError:
        return "0"


def lacking(*modules: str) -> list[str]:
    """Return which of these modules are not installed."""
    return [module for module in modules if find_spec(module) is None]
