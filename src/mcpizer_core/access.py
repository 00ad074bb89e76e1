"""The decision: may this principal use this capability, as which account, under which limit, and why.

The order in which reasons apply and the rule of a counting window live here and nowhere else.

This module does not know tools or names, and keeps no counter: past usage comes as a value, time as a number.
"""

from typing import Final, assert_never

from mcpizer_core.compile import Policy
from mcpizer_core.compile.index import Entry, Standing
from mcpizer_core.policy import Limit
from mcpizer_core.principals import Principal, facts_of
from mcpizer_core.reasons import (
    NOT_CONSULTED,
    Allow,
    Counted,
    Decision,
    Deny,
    NotConsulted,
    Reason,
    ReasonCode,
    Usage,
    UsageUnknown,
)

_NO_GRANTS: Final[tuple[Entry, ...]] = ()


def decide(
    policy: Policy, principal: Principal, capability: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
) -> Decision:
    """Decide whether `principal` may use `capability` at `at_ms` (epoch milliseconds); the first reason that applies.

    `usage` is what a counter says of this principal and capability; the default is for listing only.
    """
    standing = policy.standings.get(capability)
    if standing is None:
        return Deny(Reason(ReasonCode.CAPABILITY_NOT_DECLARED, "/capabilities", capability))
    if not standing.realized:
        return standing.unrealized
    matching = _matching(policy, principal, capability)
    return _answer(standing, capability, matching, at_ms, usage)


def _matching(policy: Policy, principal: Principal, capability: str) -> list[Entry]:
    """Return the grants whose required facts the principal carries, the winning one first."""
    cell = policy.cells.get((principal.issuer, capability), _NO_GRANTS)
    if not cell:
        return []
    facts = facts_of(principal.attributes, policy.arities[principal.issuer])
    return [entry for entry in cell if entry.required <= facts]


def _answer(standing: Standing, capability: str, matching: list[Entry], at_ms: int, usage: Usage) -> Decision:
    if not matching:
        return standing.ungranted
    winner = matching[0]
    if any(entry.allow.account != winner.allow.account for entry in matching):
        earliest = min(matching, key=lambda entry: entry.position)
        return Deny(Reason(ReasonCode.AMBIGUOUS_GRANT, earliest.allow.reason.path, capability))
    if winner.disabled is not None:
        return winner.disabled
    return _within(winner.allow, at_ms, usage)


def _within(allow: Allow, at_ms: int, usage: Usage) -> Decision:
    """Return `allow`, or the denial that its limit asks for given the past usage."""
    if allow.limit is None:
        return allow
    match usage:
        case NotConsulted():
            return allow
        case UsageUnknown():
            return Deny(Reason(ReasonCode.USAGE_UNKNOWN, allow.reason.path, allow.reason.subject))
        case Counted():
            if charge(allow.limit, usage, at_ms=at_ms) is not None:
                return allow
            return Deny(Reason(ReasonCode.LIMIT_EXHAUSTED, allow.reason.path, allow.reason.subject))
        case _:
            assert_never(usage)


def charge(limit: Limit, used: Counted, *, at_ms: int) -> Counted | None:
    """Return the counter after one more call at `at_ms`, or None if the limit is exhausted. Every store uses this rule.

    A window is over once `window_ms` have passed since its start; the next call then begins a new one.
    """
    over = at_ms - used.window_start_ms >= limit.window_ms
    current = Counted(0, at_ms) if over else used
    return None if current.calls >= limit.calls else Counted(current.calls + 1, current.window_start_ms)
