"""One question of each kind, to see whether a driver works before its answers are judged.

This module does not know who is asked.
"""

from typing import Any, Final

from mcpizer_conformance.plays import Commit, Load, Open, Play, Together
from mcpizer_conformance.subjects.asking import placed
from mcpizer_conformance.subjects.model import ANSWERER, EXACT
from mcpizer_conformance.wire import encoding, life_encoding, plays
from mcpizer_core import (
    Account,
    Attribute,
    Capability,
    ConflictRule,
    Declaration,
    Grant,
    Issuer,
    Limit,
    Offer,
    Principal,
    Public,
    Reached,
    Register,
    Registration,
    Rename,
    Selector,
    Tool,
    ToolMapping,
    restore,
)

NOW: Final = "1800000000000"

POLICY: Final = placed(
    encoding.declaration(
        Declaration(
            (Capability("pages.read"),),
            (ToolMapping("docs", "search", "pages.read"),),
            (Account("reader"),),
            (Issuer("acme", (Attribute("team"),)),),
            (Grant(Selector("acme", {"team": "web"}), ("pages.read",), "reader", Limit(10, 60_000)),),
        )
    )
)
CALLER: Final = encoding.principal(Principal("acme:ann", "acme", {"team": "web"}))
TOOLS: Final = encoding.tools([Tool("k1", "docs", "search", "docs__search", Public())])
NAME: Final = "docs__search"
USAGE: Final = {"kind": "counted", "calls": "3", "window_start_ms": NOW}
WORLD: Final = life_encoding.world(
    restore([Registration("k1", "docs", Public(), generation=1, offers=(Offer("search", "1"),), aliases={"b": "find"})])
)
GATE: Final = {"declaration": POLICY, "tools": TOOLS}
ASKED: Final = {"declaration": POLICY, "principal": CALLER, "capability": "pages.read", "at_ms": NOW, "usage": USAGE}
NAMED: Final = {**GATE, "principal": CALLER, "name": NAME, "at_ms": NOW, "usage": USAGE}

NEW: Final = Register("k1", "docs", Public(), (Offer("search", "1"),))
PLAY: Final = Play(
    ConflictRule.SHARED_VIEWER,
    "qualified",
    (
        *(Open("one"), Load("one"), Commit("one", NEW, 0)),
        *(
            Open("other"),
            Load("other"),
            Together((Commit("one", Rename("k1", "wiki"), 1), Commit("other", Reached("k1", 5)))),
        ),
    ),
)

QUESTIONS: Final[dict[str, dict[str, Any]]] = {
    "parse_upstream_id": {"text": "docs-2"},
    "qualify": {"upstream": "docs", "tool": "_search"},
    "split": {"name": "docs___search"},
    "catalog_of": {"tools": TOOLS},
    "lookup": {"tools": TOOLS, "name": NAME, "principal": CALLER},
    "compile_policy": {"declaration": POLICY, "on_ambiguity": "deny"},
    "decide": ASKED,
    "charge": {
        "limit": {"calls": "10", "window_ms": "60000"},
        "used": {"calls": "3", "window_start_ms": NOW},
        "at_ms": NOW,
    },
    "visible": {**GATE, "principal": CALLER},
    "admit": NAMED,
    "who_can": {"declaration": POLICY, "capability": "pages.read"},
    "explain": {**ASKED, "nearest": "10"},
    "explain_name": NAMED,
    "diff": {"before": POLICY, "after": POLICY},
    "diff_names": {"before": GATE, "after": GATE},
    "projection_changes": {"before": GATE, "after": GATE, "principal": CALLER},
    "restore": WORLD,
    "apply": {**WORLD, "event": life_encoding.event(Rename("k1", "wiki")), "on_conflict": "quarantine"},
    "audit": WORLD,
    "play": plays.play(PLAY),
}
"""An easy question for each function of values."""

OF_A_GATEWAY: Final[dict[str, dict[str, Any]]] = {
    "start_gateway": {
        **GATE,
        "tools": list[Any](),
        "upstreams": dict[str, str](),
        "credentials": {"reader": "none-that-counts"},
        "callers": [CALLER],
    },
    "stop_gateway": {},
}
"""A gateway that has nothing behind it is started and ended."""


def expected(function: str) -> tuple[Any, ...]:
    """Return the one right answer to the question, if there is one."""
    return (ANSWERER(function, QUESTIONS[function]),) if function in EXACT else ()
