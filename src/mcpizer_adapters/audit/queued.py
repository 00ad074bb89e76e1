"""Writing from a thread of its own, so that a reader that does not read holds up nobody who is served.

The queue between those who write and the stream lives here and nowhere else. It is bounded: where nobody reads, what
is written later is lost, and counted.

This module does not choose what is written.
"""

import queue
import threading
from collections.abc import Callable
from typing import Final, final

from mcpizer_adapters.audit.record import AuditRecord, Recorder

MOST_WAITING: Final = 10_000
"""So many writes wait for a reader before further ones are lost."""

CLOSE_SECONDS: Final = 2.0
"""So long the end waits for what is still to be written."""


@final
class Queued:
    """A recorder that hands each record to another one in a thread; `lost` counts those it had no room for."""

    def __init__(self, inner: Recorder, most_waiting: int = MOST_WAITING) -> None:
        self.lost = 0
        self._inner = inner
        self._waiting: queue.Queue[Callable[[], None] | None] = queue.Queue(most_waiting)
        self._thread = threading.Thread(target=self._work, name="mcpizer-audit", daemon=True)
        self._thread.start()

    def record(self, entry: AuditRecord) -> None:
        self.put(lambda: self._inner.record(entry))

    def put(self, write: Callable[[], None]) -> None:
        """Have `write` called in the thread, after all that was put before."""
        try:
            self._waiting.put_nowait(write)
        except queue.Full:
            self.lost += 1

    def close(self, seconds: float = CLOSE_SECONDS) -> bool:
        """Return whether all was written within `seconds`. If not, the thread still sits in a write."""
        try:
            self._waiting.put_nowait(None)
        except queue.Full:
            return False
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self) -> None:
        while (write := self._waiting.get()) is not None:
            write()
