"""How `mcpizer registry` tells its answers and how it ends: also where there is none, and where it cannot be written.

What stands in a JSON answer of a command that could not do what it was asked to lives here and nowhere else.

This module does not know any verb.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from mcpizer_adapters.cli.output import enveloped, write
from mcpizer_adapters.cli.rendering.registry import store
from mcpizer_adapters.cli.terminal import Exit, fail, notice
from mcpizer_adapters.registry.opened import Address
from mcpizer_adapters.stores.store import Down
from mcpizer_core import one_line


class Unusable(Exception):
    """The command cannot do what it was asked to: a code for programs, and a sentence without a secret."""

    def __init__(self, code: str, text: str, findings: Sequence[str] = (), address: Address | None = None) -> None:
        super().__init__(text)
        self.code = code
        self.text = one_line(text)
        self.findings = findings
        self.address = address


def down(address: Address, found: Down) -> Unusable:
    """Return what a store that does not answer is told as."""
    return Unusable(found.code.value, f"{address} does not answer: {found}", (), address)


@contextmanager
def ending(*, as_json: bool) -> Iterator[None]:
    """End with 2 and say why, where the block cannot go on; in JSON too, if that is what was asked for."""
    try:
        yield
    except Unusable as end:
        notice(end.text)
        if as_json:
            fields: dict[str, object] = {
                "store": None if end.address is None else store(end.address),
                "code": end.code,
                "error": end.text,
                "findings": list(end.findings),
            }
            _written(enveloped("registry-error", fields))
        sys.exit(Exit.USAGE)


def tell(
    kind: str,
    fields: dict[str, object],
    lines: Sequence[str],
    *,
    as_json: bool,
    done: str = "",
    lost: Exit = Exit.UNREACHABLE,
) -> None:
    """Print an answer. Where that fails, end with `lost` and tell what was `done` nevertheless."""
    if problem := _written(enveloped(kind, fields) if as_json else "\n".join(lines)):
        fail(f"{done}cannot write the output: {problem}", lost)


def _written(text: str) -> str:
    """Print a text; return why it could not be, if so. The interpreter does not try to write it once more."""
    try:
        write(text)
    except OSError as error:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return error.strerror or str(error)
    return ""
