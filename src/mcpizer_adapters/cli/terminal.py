"""What the commands print and how they end: notices, findings, exit codes.

This module does not know what any command does.
"""

import sys
from contextlib import suppress
from enum import IntEnum
from typing import NoReturn

from mcpizer_core import one_line


class Exit(IntEnum):
    """How a command ends."""

    FINE = 0
    FINDINGS = 1
    USAGE = 2
    UNREACHABLE = 3


def notice(text: str) -> None:
    """Tell one line on standard error."""
    if sys.stderr is not None:  # print would take None for standard output
        with suppress(OSError, ValueError):
            print(f"mcpizer: {one_line(text)}", file=sys.stderr, flush=True)


def fail(text: str, code: Exit) -> NoReturn:
    """Tell what is wrong and end with `code`."""
    notice(text)
    sys.exit(code)
