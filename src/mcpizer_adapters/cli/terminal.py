"""What the commands print and how they end: notices, findings, exit codes.

This module does not know what any command does.
"""

import logging
import sys
from contextlib import suppress
from enum import IntEnum
from typing import Any, NoReturn

import click

from mcpizer_core import one_line


class Exit(IntEnum):
    """How a command ends."""

    FINE = 0
    FINDINGS = 1
    USAGE = 2
    UNREACHABLE = 3
    STOPPED = 3  # it was told to stop before it was done


def notice(text: str) -> None:
    """Tell one line on standard error."""
    if sys.stderr is not None:  # print would take None for standard output
        with suppress(OSError, ValueError):
            print(f"mcpizer: {one_line(text)}", file=sys.stderr, flush=True)


def fail(text: str, code: Exit) -> NoReturn:
    """Tell what is wrong and end with `code`."""
    notice(text)
    sys.exit(code)


class Stoppable(click.Group):
    """Commands that end with one line where Ctrl-C comes, which says what became of the work if that is known."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. What a KeyboardInterrupt was raised with is what became of the work."""
        # Libraries log what they like, headers and addresses included; what an operator needs is in notices and audit.
        logging.getLogger().addHandler(logging.NullHandler())
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stopped:
            fail("; ".join(["stopped", *map(str, stopped.args)]), Exit.STOPPED)
