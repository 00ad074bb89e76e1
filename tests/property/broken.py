"""Implementations with one mistake each, all of them seen in the wild; the laws are there to notice them.

A decision that scans is built from parts, one of which is wrong at a time. Everything else wraps a function of
the core and spoils what it answers. Mistakes that one test alone needs are in that test.

Nothing here is used outside the tests.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from mcpizer_conformance.laws import matching
from mcpizer_conformance.laws.subject import NOT_CONSULTED, Subject
from mcpizer_conformance.strategies.worlds import Question
from mcpizer_core import (
    Allow,
    Catalog,
    Decision,
    Declaration,
    Deny,
    Found,
    Gate,
    Grant,
    Limit,
    Outcome,
    Policy,
    Principal,
    Reason,
    ReasonCode,
    Tool,
    UnknownName,
    Usage,
    UsageUnknown,
    admit,
    decide,
    sees,
)

CORE = Subject()

Match = Callable[[Declaration, Grant, Principal], bool]
Choose = Callable[[Sequence[Grant]], Grant]


def scanning(
    *,
    match: Match = matching.covers,
    choose: Choose = matching.strictest,
    order: Iterable[ReasonCode] = tuple(ReasonCode),
) -> Subject:
    """A subject that decides by a scan over all grants: right, unless a part of it is given that is not."""

    def decided(
        policy: Policy, principal: Principal, capability: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
    ) -> Decision:
        declaration = policy.declaration
        question = Question(declaration, principal, capability, usage)
        grants = [g for g in declaration.grants if capability in g.capabilities and match(declaration, g, principal)]
        chosen = choose(grants) if grants else None
        disabled = {account.id for account in declaration.accounts if account.disabled}
        applies = {
            ReasonCode.NO_GRANT_MATCHES: chosen is None,
            ReasonCode.AMBIGUOUS_GRANT: len({grant.using for grant in grants}) > 1,
            ReasonCode.ACCOUNT_DISABLED: chosen is not None and chosen.using in disabled,
            ReasonCode.USAGE_UNKNOWN: chosen is not None
            and chosen.limit is not None
            and isinstance(usage, UsageUnknown),
            ReasonCode.LIMIT_EXHAUSTED: chosen is not None and matching.spent(chosen.limit, usage, at_ms),
            ReasonCode.GRANTED: chosen is not None,
        }
        both = dict(matching.PRECEDENCE)
        code = next(code for code in order if (applies[code] if code in applies else both[code](question)))
        path = chosen.path if chosen is not None else "/grants"
        if code is ReasonCode.GRANTED and chosen is not None:
            return Allow(Reason(code, path, capability), chosen.using, chosen.limit)
        return Deny(Reason(code, path, capability))

    return replace(CORE, decide=decided)


def deciding(spoil: Callable[[Decision, Policy, Principal], Decision]) -> Subject:
    """A subject whose decisions are the core's, spoiled."""

    def decided(
        policy: Policy, principal: Principal, capability: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
    ) -> Decision:
        return spoil(decide(policy, principal, capability, at_ms=at_ms, usage=usage), policy, principal)

    return replace(CORE, decide=decided)


def asking(change: Callable[[Usage, int], Usage]) -> Subject:
    """A subject that takes the past usage for another."""

    def decided(
        policy: Policy, principal: Principal, capability: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
    ) -> Decision:
        return decide(policy, principal, capability, at_ms=at_ms, usage=change(usage, at_ms))

    return replace(CORE, decide=decided)


def of_another(change: Callable[[Principal, Policy], Principal]) -> Subject:
    """A subject that takes the principal for another."""

    def decided(
        policy: Policy, principal: Principal, capability: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
    ) -> Decision:
        return decide(policy, change(principal, policy), capability, at_ms=at_ms, usage=usage)

    return replace(CORE, decide=decided)


def first_grant(grants: Sequence[Grant]) -> Grant:
    """The first grant wins, whatever its limit."""
    return grants[0]


def loosest(grants: Sequence[Grant]) -> Grant:
    """The most generous limit wins."""
    return max(grants, key=lambda grant: matching.strictness(grant.limit))


def strictest_in_floats(grants: Sequence[Grant]) -> Grant:
    """Limits compared as floats, which cannot tell some apart."""

    def rate(limit: Limit | None) -> float:
        return float("inf") if limit is None else limit.calls / limit.window_ms

    return min(grants, key=lambda grant: rate(grant.limit))


def fewest_calls(grants: Sequence[Grant]) -> Grant:
    """The fewest calls win, whatever the window."""
    return min(grants, key=lambda grant: float("inf") if grant.limit is None else grant.limit.calls)


def longest_window(grants: Sequence[Grant]) -> Grant:
    """Of one rate the longer window wins."""

    def key(limit: Limit | None) -> tuple[bool, Fraction, int]:
        none, rate, window_ms = matching.strictness(limit)
        return none, rate, -window_ms

    return min(grants, key=lambda grant: key(grant.limit))


def latest_of_equals(grants: Sequence[Grant]) -> Grant:
    """Of equal limits the later grant is named."""
    return matching.strictest(list(reversed(grants)))


def any_fact(declaration: Declaration, grant: Grant, principal: Principal) -> bool:
    """One of the required facts is enough."""
    required = matching.facts(grant.to.attributes)
    carried = matching.carried(declaration, principal)
    return grant.to.issuer == principal.issuer and (not required or bool(required & carried))


def any_issuer(declaration: Declaration, grant: Grant, principal: Principal) -> bool:
    """Who vouches for the facts plays no part."""
    facts = matching.facts(principal.attributes)
    return matching.facts(grant.to.attributes) <= facts


def raw_facts(declaration: Declaration, grant: Grant, principal: Principal) -> bool:
    """Several values of an attribute of arity ONE all count."""
    required = matching.facts(grant.to.attributes)
    return grant.to.issuer == principal.issuer and required <= matching.facts(principal.attributes)


def exactly_the_facts(declaration: Declaration, grant: Grant, principal: Principal) -> bool:
    """A principal with more facts than required does not match."""
    return grant.to.issuer == principal.issuer and matching.facts(grant.to.attributes) == matching.facts(
        principal.attributes
    )


@dataclass(frozen=True)
class DenyWithAccount:
    """A denial that tells which account it would have used."""

    reason: Reason
    account: str = ""


def resolving(choose: Callable[[Sequence[Tool], str], Tool | None]) -> Subject:
    """A subject whose look-up picks from all tools in scope, in canonical order."""

    def looked_up(catalog: Catalog, name: str, principal: Principal) -> Found | UnknownName:
        tool = choose([tool for tool in catalog.tools if sees(principal, tool.scope)], name)
        return UnknownName(name) if tool is None else Found(tool)

    return replace(CORE, lookup=looked_up, admit=_through(choose))


def _through(choose: Callable[[Sequence[Tool], str], Tool | None]) -> Callable[..., Outcome]:
    def admitted(gate: Gate, principal: Principal, name: str, *, at_ms: int, usage: Usage = NOT_CONSULTED) -> Outcome:
        tool = choose([tool for tool in gate.catalog.tools if sees(principal, tool.scope)], name)
        return admit(gate, principal, tool.exposed if tool else name, at_ms=at_ms, usage=usage)

    return admitted


def nearest(fold: Callable[[str], str]) -> Subject:
    """A subject that takes names for one when they are the same once folded."""

    def choose(tools: Sequence[Tool], name: str) -> Tool | None:
        return next((tool for tool in tools if fold(tool.exposed) == fold(name)), None)

    return resolving(choose)
