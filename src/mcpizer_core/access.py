"""The decision: may this principal use this capability, as which account, under which limit, and why.

The order in which reasons apply and the rule of a counting window live here and nowhere else.

This module does not know tools or names, and keeps no counter: past usage comes as a value, time as a number.
"""

from collections.abc import Iterable
from operator import attrgetter
from typing import Final, assert_never

from mcpizer_core.compile import Policy
from mcpizer_core.compile.cell import Entry
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

_BY_POSITION: Final = attrgetter("position")


def decide(
    policy: Policy, principal: Principal, capability: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
) -> Decision:
    """Decide whether `principal` may use `capability` at `at_ms` (epoch milliseconds); the first reason that applies.

    `usage` is what a counter says of this principal and capability; the default is for listing only.
    """
    issuer = policy._issuers.get(principal.issuer)
    cell = None if issuer is None else issuer.cells.get(capability)
    if issuer is None or cell is None:
        return _ungranted(policy, capability)
    row = cell.standing(principal._single)
    if cell.waiting or row & (row - 1):  # there may be several
        matching = cell.matching(principal, issuer.arities)
        if not matching:
            return _ungranted(policy, capability)
        for entry in matching:
            if entry.grant.using != matching[0].grant.using:
                return _ambiguous(policy, matching, capability)
        decision = cell.decided.get(matching[0].order) or _alone(policy, matching[0], capability)
    elif row:
        winner = cell.entries[-row.bit_length()]
        decision = cell.decided.get(winner.order) or _alone(policy, winner, capability)
    else:
        return _ungranted(policy, capability)
    if isinstance(decision, Deny) or decision.limit is None or usage is NOT_CONSULTED:
        return decision
    code = _within(decision.limit, at_ms, usage)
    return decision if code is ReasonCode.GRANTED else Deny(Reason(code, decision.reason.path, capability))


def _ungranted(policy: Policy, capability: str) -> Deny:
    """Return what is decided where no grant matches."""
    denied = policy._ungranted.get(capability)
    return denied or Deny(Reason(ReasonCode.CAPABILITY_NOT_DECLARED, "/capabilities", capability))


def _ambiguous(policy: Policy, matching: Iterable[Entry], capability: str) -> Deny:
    denied, earliest = policy._ungranted[capability], min(matching, key=_BY_POSITION).grant
    if denied.reason.code is ReasonCode.CAPABILITY_NOT_REALIZED:
        return denied
    return Deny(Reason(ReasonCode.AMBIGUOUS_GRANT, earliest.path, capability))


def _alone(policy: Policy, entry: Entry, capability: str) -> Decision:
    """Return what one grant that matches decides, while usage is not consulted: made once, when first needed."""
    decided = policy._issuers[entry.grant.to.issuer].cells[capability].decided
    decision = decided.get(entry.order)
    if decision is None:
        decision = decided[entry.order] = _made(policy, entry, capability)
    return decision


def _made(policy: Policy, entry: Entry, capability: str) -> Decision:
    grant, denied = entry.grant, policy._ungranted[capability]
    if denied.reason.code is ReasonCode.CAPABILITY_NOT_REALIZED:
        return denied
    if entry.disabled:
        return Deny(Reason(ReasonCode.ACCOUNT_DISABLED, grant.path, grant.using))
    return Allow(Reason(ReasonCode.GRANTED, grant.path, capability), grant.using, grant.limit)


def covering(policy: Policy, principal: Principal) -> list[Entry]:
    """Return all grants that match `principal`, strictest first, whatever they give."""
    issuer = policy._issuers.get(principal.issuer)
    return [] if issuer is None else issuer.everything.matching(principal, issuer.arities)


def granted(policy: Policy, matching: Iterable[Entry]) -> dict[str, Allow]:
    """Return every capability that `decide` allows whom exactly these grants match, while usage is not consulted."""
    winners: dict[str, Entry] = {}
    contested: set[str] = set()
    for entry in matching:
        for capability in entry.grant.capabilities:
            winner = winners.setdefault(capability, entry)
            if winner.grant.using != entry.grant.using:
                contested.add(capability)
    decided = {one: _alone(policy, winner, one) for one, winner in winners.items() if one not in contested}
    return {capability: decision for capability, decision in decided.items() if isinstance(decision, Allow)}


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
