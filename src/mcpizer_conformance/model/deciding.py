"""Whether a principal may use a capability, as which account, under which limit, and why.

The order of reasons, the strictest limit and the rule of counting live here. The first code that applies wins.

This module does not know names or tools: it is asked about a capability.
"""

from mcpizer_conformance.model.identity import matches
from mcpizer_conformance.model.plain import Decision, Declaration, Grant, Limit, Principal, Usage


def decide(declaration: Declaration, principal: Principal, capability: str, at_ms: int, usage: Usage) -> Decision:
    """The decision on a declaration that has no errors and whose paths are filled in."""
    declared = [one for one in declaration["capabilities"] if one["id"] == capability]
    if declared == []:
        return deny("capability_not_declared", "/capabilities", capability)
    if not any(mapping["capability"] == capability for mapping in declaration["tools"]):
        return deny("capability_not_realized", declared[0]["path"], capability)
    matching = [
        grant
        for grant in declaration["grants"]
        if capability in grant["capabilities"] and matches(declaration, grant, principal)
    ]
    if matching == []:
        return deny("no_grant_matches", "/grants", capability)
    if any(grant["using"] != matching[0]["using"] for grant in matching):
        return deny("ambiguous_grant", matching[0]["path"], capability)
    winner = strictest(matching)
    if any(account["id"] == winner["using"] and account["disabled"] for account in declaration["accounts"]):
        return deny("account_disabled", winner["path"], winner["using"])
    if winner["limit"] is not None and usage["kind"] == "unknown":
        return deny("usage_unknown", winner["path"], capability)
    if winner["limit"] is not None and usage["kind"] == "counted" and exhausted(winner["limit"], usage, at_ms):
        return deny("limit_exhausted", winner["path"], capability)
    return Decision(
        allowed=True,
        code="granted",
        path=winner["path"],
        subject=capability,
        account=winner["using"],
        limit=winner["limit"],
    )


def deny(code: str, path: str, subject: str) -> Decision:
    """A denial: a reason, and neither account nor limit."""
    return Decision(allowed=False, code=code, path=path, subject=subject, account=None, limit=None)


def stricter(one: Limit | None, other: Limit | None) -> bool:
    """One limit is stricter than another if it gives fewer calls per time; at equal rates if its window is shorter.

    Rates are compared by cross-multiplication, so exactly. No limit is the least strict.
    """
    if one is None or other is None:
        return one is not None and other is None
    calls_of_one, calls_of_other = one["calls"] * other["window_ms"], other["calls"] * one["window_ms"]
    return calls_of_one < calls_of_other or (calls_of_one == calls_of_other and one["window_ms"] < other["window_ms"])


def strictest(grants: list[Grant]) -> Grant:
    """The grant with the strictest limit, of equals the earliest."""
    winner = grants[0]
    for grant in grants:
        if stricter(grant["limit"], winner["limit"]):
            winner = grant
    return winner


def limit_text(limit: Limit) -> str:
    """How a limit is written for people: the window in the largest of days, hours, minutes, seconds that fits it."""
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)):
        if limit["window_ms"] >= size and limit["window_ms"] % size == 0:
            return f"{limit['calls']} per {limit['window_ms'] // size}{unit}"
    return f"{limit['calls']} per {limit['window_ms']}ms"


def calls_in_window(limit: Limit, usage: Usage, at_ms: int) -> int:
    """The calls that still count: none once the window has passed."""
    return 0 if at_ms - usage["window_start_ms"] >= limit["window_ms"] else usage["calls"]


def exhausted(limit: Limit, usage: Usage, at_ms: int) -> bool:
    """Whether the limit leaves no further call now."""
    return calls_in_window(limit, usage, at_ms) >= limit["calls"]


def charge(limit: Limit, usage: Usage, at_ms: int) -> Usage | None:
    """The counter after one more call, in a new window if the old one has passed; None if there is none to have."""
    if exhausted(limit, usage, at_ms):
        return None
    passed = at_ms - usage["window_start_ms"] >= limit["window_ms"]
    return Usage(
        kind="counted",
        calls=calls_in_window(limit, usage, at_ms) + 1,
        window_start_ms=at_ms if passed else usage["window_start_ms"],
    )
