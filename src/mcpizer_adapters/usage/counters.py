"""What counts admitted calls: the one Protocol every counter store fulfils.

The shape of a reservation and of a refusal to make one lives here and nowhere else; the rule of counting is
`mcpizer_core.charge`.

This module does not know where counters are kept.
"""

from typing import Protocol

from attrs import frozen

from mcpizer_core import Counted, Limit, Usage, UsageUnknown


@frozen
class Reservation:
    """One call of `capability` by `principal` that was counted before it runs, in the window that `counted` names."""

    principal: str
    capability: str
    counted: Counted


@frozen
class Exhausted:
    """The limit leaves no call in this window; `used` is what the counter stood at."""

    used: Counted


class Counters(Protocol):
    """A store of counters, one per (principal id, capability). A store that fails answers `UsageUnknown`."""

    async def read(self, principal: str, capability: str, *, at_ms: int) -> Usage:
        """Return what was counted so far; never changes anything."""
        ...

    async def reserve(
        self, principal: str, capability: str, limit: Limit, *, at_ms: int
    ) -> Reservation | Exhausted | UsageUnknown:
        """Count one call if `limit` allows it, in one step: of N concurrent callers under k exactly k succeed."""
        ...

    async def give_back(self, reservation: Reservation) -> None:
        """Take one counted call back, unless its window is over."""
        ...
