"""Which grants cover a principal, and which limit is the strictest: said once more, for the laws to lean on.

This is the definition that the laws of decision are written in, as whole scans over a declaration.

This module does not know any implementation; the laws ask those.
"""

from collections.abc import Callable, Iterable, Mapping, Set
from fractions import Fraction
from typing import Final

from mcpizer_conformance.strategies.policies import NOW_MS
from mcpizer_conformance.strategies.worlds import Question
from mcpizer_core import (
    Arity,
    Counted,
    Declaration,
    Grant,
    Limit,
    Principal,
    ReasonCode,
    Usage,
    UsageUnknown,
)

Fact = tuple[str, str]


def facts(attributes: Mapping[str, str | Set[str]]) -> set[Fact]:
    """All pairs of an attribute and one of its values."""
    return {(n, v) for n, given in attributes.items() for v in ([given] if isinstance(given, str) else given)}


def carried(declaration: Declaration, principal: Principal) -> set[Fact]:
    """The facts of declared attributes; one of arity ONE with several values counts as absent."""
    arities = {a.name: a.arity for one in declaration.issuers if one.id == principal.issuer for a in one.attributes}
    found = facts({name: given for name, given in principal.attributes.items() if name in arities})
    single = {name for name in arities if sum(fact[0] == name for fact in found) == 1}
    return {(n, v) for n, v in found if arities[n] is Arity.MANY or n in single}


def covers(declaration: Declaration, grant: Grant, principal: Principal) -> bool:
    """The principal is of the grant's issuer and carries every fact that it requires."""
    return grant.to.issuer == principal.issuer and facts(grant.to.attributes) <= carried(declaration, principal)


def covering(declaration: Declaration, principal: Principal, capability: str) -> list[Grant]:
    """The grants that give the capability to the principal."""
    return [g for g in declaration.grants if capability in g.capabilities and covers(declaration, g, principal)]


def strictness(limit: Limit | None) -> tuple[bool, Fraction, int]:
    """A key that sorts the strictest limit first: calls per time, then the shorter window; no limit last."""
    return (True, Fraction(0), 0) if limit is None else (False, Fraction(limit.calls, limit.window_ms), limit.window_ms)


def strictest(grants: Iterable[Grant]) -> Grant:
    """The grant with the strictest limit, of equals the earliest."""
    return min(grants, key=lambda grant: strictness(grant.limit))


def spent(limit: Limit | None, usage: Usage, at_ms: int) -> bool:
    """The count of the current window has reached the limit."""
    if limit is None or not isinstance(usage, Counted):
        return False
    passed = at_ms - usage.window_start_ms >= limit.window_ms
    return (0 if passed else usage.calls) >= limit.calls


def winner(question: Question) -> Grant:
    """The strictest of the grants that cover the question, of which there is at least one."""
    return strictest(covering_grants(question))


def covering_grants(question: Question) -> list[Grant]:
    """The grants that give the capability asked for to the principal who asks."""
    return covering(question.declaration, question.principal, question.capability)


PRECEDENCE: Final[tuple[tuple[ReasonCode, Callable[[Question], bool]], ...]] = (
    (ReasonCode.CAPABILITY_NOT_DECLARED, lambda q: q.capability not in {c.id for c in q.declaration.capabilities}),
    (ReasonCode.CAPABILITY_NOT_REALIZED, lambda q: q.capability not in {m.capability for m in q.declaration.tools}),
    (ReasonCode.NO_GRANT_MATCHES, lambda q: not covering_grants(q)),
    (ReasonCode.AMBIGUOUS_GRANT, lambda q: len({grant.using for grant in covering_grants(q)}) > 1),
    (ReasonCode.ACCOUNT_DISABLED, lambda q: winner(q).using in {a.id for a in q.declaration.accounts if a.disabled}),
    (ReasonCode.USAGE_UNKNOWN, lambda q: winner(q).limit is not None and isinstance(q.usage, UsageUnknown)),
    (ReasonCode.LIMIT_EXHAUSTED, lambda q: spent(winner(q).limit, q.usage, NOW_MS)),
    (ReasonCode.GRANTED, lambda q: True),
)
"""The codes in order of precedence, each with when it applies; a later one is asked only if no earlier one does."""
