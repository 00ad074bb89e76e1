"""Who wants to hear that its list has changed, and who of them is told: only those whose own list is another one.

Comparing what somebody was shown before with what it is shown now lives here and nowhere else. A change that concerns
other callers only is not told, not even that there was one.

This module does not know how anybody is told.
"""

from collections.abc import Callable
from typing import Final, final

from attrs import frozen

from mcpizer_adapters.gateway.shell import Snapshot
from mcpizer_core import Principal, Projection, visible


@frozen(eq=False)
class Listener:
    """Somebody who listens; `narrow` as for `Gateway.call`."""

    principal: Principal
    narrow: bool
    tell: Callable[[], None]


@final
class Audience:
    """All who listen now."""

    def __init__(self) -> None:
        self._listeners: Final[set[Listener]] = set()

    def __len__(self) -> int:
        return len(self._listeners)

    def join(self, principal: Principal, tell: Callable[[], None], *, narrow: bool = False) -> Callable[[], None]:
        """Have `tell` called whenever the list of `principal` changes; returns what ends that."""
        listener = Listener(principal, narrow, tell)
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def changed(self, before: Snapshot, after: Snapshot) -> None:
        """Tell those to whom `after` shows another list than `before` did."""
        differ: dict[tuple[int, int], tuple[object, bool]] = {}
        for listener in tuple(self._listeners):
            gates = (before.narrow, after.narrow) if listener.narrow else (before.gate, after.gate)
            shown = (visible(gates[0], listener.principal), visible(gates[1], listener.principal))
            pair = (id(shown[0]), id(shown[1]))  # callers who are shown the same share it
            if pair not in differ:
                differ[pair] = (shown, _listed(shown[0]) != _listed(shown[1]))
            if differ[pair][1]:
                listener.tell()


def _listed(shown: Projection) -> list[tuple[str, str]]:
    """Return what a list tells: names and definitions, not by which grant or as which account."""
    return [(one.tool.exposed, one.tool.fingerprint) for one in shown.tools]
