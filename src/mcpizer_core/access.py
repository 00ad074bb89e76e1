"""The decision: may this principal use this capability, as which account, under which limit, and why.

The order in which reasons apply and the rule of a counting window live here and nowhere else.

This module does not know tools or names, and keeps no counter: past usage comes as a value, time as a number.
"""

from operator import attrgetter
from typing import Final, assert_never

from mcpizer_core.compile import Policy
from mcpizer_core.compile.index import Entry
from mcpizer_core.policy import Limit
from mcpizer_core.principals import Principal
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

_BY_ORDER: Final = attrgetter("order")
_BY_POSITION: Final = attrgetter("position")


def decide(
    policy: Policy, principal: Principal, capability: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
) -> Decision:
    """Decide whether `principal` may use `capability` at `at_ms` (epoch milliseconds); the first reason that applies.

    `usage` is what a counter says of this principal and capability; the default is for listing only.
    """
    standing = policy._standings.get(capability)
    if standing is None:
        return Deny(Reason(ReasonCode.CAPABILITY_NOT_DECLARED, "/capabilities", capability))
    if standing.unrealized is not None:
        return standing.unrealized
    cell = policy._cells.get((principal.issuer, capability))
    if cell is None:
        return standing.ungranted
    matching = cell.matching(principal.facts(policy._arities[principal.issuer]))
    if not matching:
        return standing.ungranted
    winner = min(matching, key=_BY_ORDER) if len(matching) > 1 else matching[0]
    grant = winner.grant
    if len(matching) > 1 and any(entry.grant.using != grant.using for entry in matching):
        earliest = min(matching, key=_BY_POSITION).grant
        return Deny(Reason(ReasonCode.AMBIGUOUS_GRANT, earliest.path, capability))
    if winner.disabled:
        return Deny(Reason(ReasonCode.ACCOUNT_DISABLED, grant.path, grant.using))
    code = ReasonCode.GRANTED if grant.limit is None else _within(grant.limit, at_ms, usage)
    reason = Reason(code, grant.path, capability)
    return Allow(reason, grant.using, grant.limit) if code is ReasonCode.GRANTED else Deny(reason)


def granted(policy: Policy, principal: Principal) -> dict[str, Allow]:
    """Return every capability that `decide` allows while usage is not consulted, with its decision, in one pass."""
    cell = policy._issuers.get(principal.issuer)
    matching = [] if cell is None else cell.matching(principal.facts(policy._arities[principal.issuer]))
    winners: dict[str, Entry] = {}
    closed: set[str] = set()
    for entry in sorted(matching, key=_BY_ORDER):
        for capability in entry.grant.capabilities:
            winner = winners.setdefault(capability, entry)
            if winner.disabled or winner.grant.using != entry.grant.using:
                closed.add(capability)
    return {
        capability: Allow(
            Reason(ReasonCode.GRANTED, winner.grant.path, capability), winner.grant.using, winner.grant.limit
        )
        for capability, winner in winners.items()
        if capability not in closed and policy._standings[capability].unrealized is None
    }


def _within(limit: Limit, at_ms: int, usage: Usage) -> ReasonCode:
    """Return what a limit has to say, given the past usage."""
    match usage:
        case NotConsulted():
            return ReasonCode.GRANTED
        case UsageUnknown():
            return ReasonCode.USAGE_UNKNOWN
        case Counted():
            exhausted = charge(limit, usage, at_ms=at_ms) is None
            return ReasonCode.LIMIT_EXHAUSTED if exhausted else ReasonCode.GRANTED
        case _:
            assert_never(usage)


def charge(limit: Limit, used: Counted, *, at_ms: int) -> Counted | None:
    """Return the counter after one more call at `at_ms`, or None if the limit is exhausted. Every store uses this rule.

    A window is over once `window_ms` have passed since its start; the next call then begins a new one.
    """
    over = at_ms - used.window_start_ms >= limit.window_ms
    current = Counted(0, at_ms) if over else used
    return None if current.calls >= limit.calls else Counted(current.calls + 1, current.window_start_ms)
