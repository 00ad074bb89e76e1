"""Counters in the memory of one process, for one gateway process.

Several processes count each on their own: a limit of 10 then is 10 per process.

This module does not know what the counters mean; `mcpizer_core.charge` does.
"""

from threading import Lock
from typing import Final, final

from mcpizer_adapters.usage.counters import Exhausted, Reservation
from mcpizer_core import Counted, Limit, Usage, UsageUnknown, charge

_SWEEP_EVERY: Final = 4_096
"""Every so many reservations the counters whose windows are over are dropped, so that memory stays bounded."""


@final
class MemoryCounters:
    """Counters of this process; safe for tasks and threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._used: dict[tuple[str, str], tuple[Counted, int]] = {}
        self._since_sweep = 0

    def __len__(self) -> int:
        return len(self._used)

    async def read(self, principal: str, capability: str, *, at_ms: int) -> Usage:
        return self._counted((principal, capability), at_ms)

    async def reserve(
        self, principal: str, capability: str, limit: Limit, *, at_ms: int
    ) -> Reservation | Exhausted | UsageUnknown:
        key = (principal, capability)
        with self._lock:
            self._sweep(at_ms)
            used = self._counted(key, at_ms)
            after = charge(limit, used, at_ms=at_ms)
            if after is None:
                return Exhausted(used)
            self._used[key] = (after, after.window_start_ms + limit.window_ms)
            return Reservation(principal, capability, after)

    async def give_back(self, reservation: Reservation) -> None:
        key = (reservation.principal, reservation.capability)
        with self._lock:
            used, until_ms = self._used.get(key, (None, 0))
            if used is not None and used.window_start_ms == reservation.counted.window_start_ms:
                self._used[key] = (Counted(used.calls - 1, used.window_start_ms), until_ms)

    def _counted(self, key: tuple[str, str], at_ms: int) -> Counted:
        used, _ = self._used.get(key, (Counted(0, at_ms), 0))
        return used

    def _sweep(self, at_ms: int) -> None:
        self._since_sweep += 1
        if self._since_sweep >= _SWEEP_EVERY:
            self._since_sweep = 0
            self._used = {key: kept for key, kept in self._used.items() if kept[1] > at_ms}
