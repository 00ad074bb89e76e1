"""`mcpizer validate`: everything that is wrong with a policy, in the form that is asked for.

This module does not judge, which `artifact` does, and does not know what a form looks like.
"""

from collections.abc import Callable, Sequence

from mcpizer_adapters.artifact.catalog import read_catalog
from mcpizer_adapters.artifact.reader import read_policy
from mcpizer_adapters.cli.output import write
from mcpizer_adapters.cli.terminal import Exit
from mcpizer_adapters.cli.validation.found import Found
from mcpizer_adapters.cli.validation.notes import notes


def run(policy: Sequence[str], catalog: str | None, form: str, *, everything: bool, strict: bool) -> None:
    """Print what is wrong with a policy, and end with 1 if something is: an error, or with `strict` anything."""
    listed = read_catalog(catalog, bounded=False) if catalog is not None else None
    read = read_policy(policy, catalog=listed, bounded=False)
    found = Found(read, listed, everything, notes(read))
    write(_form(form)(found))
    if not found.is_valid or (strict and found.findings):
        raise SystemExit(Exit.FINDINGS)


def _form(name: str) -> Callable[[Found], str]:
    """Return what writes a form; only that one is imported."""
    match name:
        case "json":
            from mcpizer_adapters.cli.validation.as_json import as_json as form
        case "sarif":
            from mcpizer_adapters.cli.validation.sarif import as_sarif as form
        case "github":
            from mcpizer_adapters.cli.validation.github import as_commands as form
        case _:
            from mcpizer_adapters.cli.validation.text import as_text as form
    return form
