"""One line that tells how far long work is, on a terminal, and nothing anywhere else.

This module does not know what the work is.
"""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO, final

from mcpizer_adapters.cli.output import width
from mcpizer_core import one_line


@final
class Progress:
    """A line on standard error that each `tell` replaces."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream if stream is not None and stream.isatty() else None

    def tell(self, text: str) -> None:
        """Show `text` in place of what was shown, cut to the width of the terminal."""
        if self._stream is None:
            return
        room = max(10, shutil.get_terminal_size().columns - 1)
        shown = one_line(text)
        while width(shown) > room:
            shown = shown[: -max(1, (width(shown) - room) // 2) - 1] + "…"
        self._put(f"\r\x1b[K{shown}")

    def clear(self) -> None:
        """Take the line away."""
        self._put("\r\x1b[K")

    def _put(self, text: str) -> None:
        if self._stream is None:
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._stream = None


@contextmanager
def progress() -> Iterator[Progress]:
    """Give a line of progress while the block runs."""
    line = Progress(sys.stderr)
    try:
        yield line
    finally:
        line.clear()
