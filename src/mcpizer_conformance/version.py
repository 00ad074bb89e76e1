"""Which version of the suite this is. This module knows nothing else."""

from importlib.metadata import PackageNotFoundError, version


def own_version() -> str:
    """Return the version of this package, or "0" where it runs from a source tree that is not installed."""
    try:
        return version("mcpizer")
    except PackageNotFoundError:
        return "0"
