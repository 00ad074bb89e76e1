"""What takes so long: a notice, or a line on a terminal with the seconds so far, where work cannot say how far it is.

This module does not know what the work is, nor how the line is shown.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread, Timer
from typing import Final

from mcpizer_adapters.cli.progress import Progress
from mcpizer_adapters.cli.terminal import notice

PATIENCE_S: Final = 0.5
"""So long nothing is told; most work is done by then."""

_AGAIN_S: Final = 1.0

NOTICE_S: Final = 1.0
"""So long something else is waited for before that is told."""


@contextmanager
def telling(what: str) -> Iterator[None]:
    """Tell on standard error, if that is a terminal, what is done while the block takes long; then take it away."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    done = Event()
    thread = Thread(target=_tell, args=(Progress(sys.stderr), what, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@contextmanager
def noticing(what: str) -> Iterator[None]:
    """Tell once what is waited for, in a notice, if the block takes long."""
    timer = Timer(NOTICE_S, notice, [what])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _tell(line: Progress, what: str, done: Event) -> None:
    began, wait = time.monotonic(), PATIENCE_S
    while not done.wait(wait):
        line.tell(f"{what} … {time.monotonic() - began:.0f} s")
        wait = _AGAIN_S
    if wait == _AGAIN_S:
        line.clear()
