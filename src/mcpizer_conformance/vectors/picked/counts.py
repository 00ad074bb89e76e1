"""Questions of counting: a counter after one more call, and a decision that reads one.

This module does not know grants by anything but their limit.
"""

from typing import Final

from mcpizer_conformance.vectors.picked.decisions import ANN, LIMITED, limited
from mcpizer_conformance.vectors.picked.pick import NOW, Pick, counted, deciding
from mcpizer_conformance.wire import encoding
from mcpizer_core import Counted, Limit

SHARED: Final = "msaad00/agent-bom#1627"
COPIES: Final = "mcp-hangar/mcp-hangar#790"
TEN: Final = Limit(10, 60_000)


def _charged(name: str, limit: Limit, used: Counted, note: str, bug: str) -> Pick:
    given = {"limit": encoding.limit(limit), "used": encoding.counter(used), "at_ms": NOW}
    return Pick("GATE-4", name, "charge", given, note, bug)


def _decided(name: str, limit: Limit, used: Counted, note: str, bug: str) -> Pick:
    whole = LIMITED if limit == TEN else limited(limit)
    return Pick("GATE-4", name, "decide", deciding(whole, ANN, usage=used), note, bug)


ALL: Final = (
    _charged("first-call", TEN, counted(0), "The first call of a window.", COPIES),
    _charged("second-call", TEN, counted(1), "The second counts on.", COPIES),
    _charged("last-call", TEN, counted(9, 30_000), "The tenth of ten is admitted, in the window that runs.", COPIES),
    _charged("one-too-many", TEN, counted(10, 30_000), "The eleventh is not.", COPIES),
    _charged("far-too-many", TEN, counted(1_000), "Nor is any after it.", SHARED),
    _charged("one-call", Limit(1, 1_000), counted(0), "A limit of one admits one.", COPIES),
    _charged("one-call-is-over", Limit(1, 1_000), counted(1), "And no second one.", COPIES),
    _charged("window-not-over", TEN, counted(10, 59_999), "One millisecond is left of the window.", COPIES),
    _charged("window-just-over", TEN, counted(10, 60_000), "When that time has passed, the window is over.", COPIES),
    _charged("window-long-over", TEN, counted(10, 3_600_000), "What is used up does not stay so.", SHARED),
    _charged("window-of-a-millisecond", Limit(1, 1), counted(1, 1), "The shortest window.", COPIES),
    _charged("window-stays-where-it-began", TEN, counted(3, 59_000), "A call does not begin it again.", COPIES),
    _charged("no-calls", Limit(0, 60_000), counted(0), "A limit of none admits none.", COPIES),
    _charged("no-calls-in-a-new-window", Limit(0, 60_000), counted(0, 60_000), "In a new window neither.", COPIES),
    _charged("window-begins-later", TEN, counted(3, -1_000), "A clock that stands behind changes no window.", SHARED),
    _charged("large-numbers", Limit(10**17 + 1, 10**17), counted(10**17), "Beyond what floats can tell.", COPIES),
    _decided("decided-with-one-left", TEN, counted(9), "What can be charged is allowed.", COPIES),
    _decided("decided-with-none-left", TEN, counted(10), "What cannot is not.", COPIES),
    _decided("decided-before-the-window-is-over", TEN, counted(10, 59_999), "One millisecond is left.", COPIES),
    _decided("decided-when-the-window-is-over", TEN, counted(10, 60_000), "It has passed, and counts as zero.", COPIES),
    _decided("decided-under-a-limit-of-none", Limit(0, 60_000), counted(0, 60_000), "None in whatever window.", COPIES),
)  # fmt: skip
"""Questions of counting."""
