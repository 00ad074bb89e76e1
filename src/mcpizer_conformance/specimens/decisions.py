"""Specimens that decide or count wrongly.

A decision that scans is built of parts, one of which is wrong at a time; others spoil what the core decides.

This module does not know names.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count
from typing import Final, cast

from mcpizer_conformance.laws import matching
from mcpizer_conformance.laws.subject import NOT_CONSULTED
from mcpizer_conformance.specimens.specimen import Functions, Specimen
from mcpizer_conformance.strategies.worlds import Question
from mcpizer_conformance.wire.decoding import DenialWithAccount
from mcpizer_core import (
    Allow,
    Counted,
    Decision,
    Declaration,
    Deny,
    Grant,
    Limit,
    NotConsulted,
    Policy,
    Principal,
    Reason,
    ReasonCode,
    Usage,
    UsageUnknown,
    charge,
    decide,
)

Match = Callable[[Declaration, Grant, Principal], bool]
Choose = Callable[[Sequence[Grant]], Grant]
CODES: Final = tuple(ReasonCode)


def scanning(
    *, match: Match = matching.covers, choose: Choose = matching.strictest, order: Iterable[ReasonCode] = CODES
) -> Functions:
    """Decide by a scan over all grants: right, unless a part of it is given that is not."""

    def decided(
        policy: Policy, principal: Principal, capability: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
    ) -> Decision:
        declaration = policy.declaration
        question = Question(declaration, principal, capability, usage)
        grants = [g for g in declaration.grants if capability in g.capabilities and match(declaration, g, principal)]
        chosen = choose(grants) if grants else None
        applies = _applies(question, grants, chosen, at_ms)
        both = dict(matching.PRECEDENCE)
        code = next((code for code in order if (applies[code] if code in applies else both[code](question))), None)
        reason = Reason(code or ReasonCode.NO_GRANT_MATCHES, "/grants" if chosen is None else chosen.path, capability)
        if code is ReasonCode.GRANTED and chosen is not None:
            return Allow(reason, chosen.using, chosen.limit)
        return Deny(reason)

    return {"decide": decided}


def _applies(question: Question, grants: Sequence[Grant], chosen: Grant | None, at_ms: int) -> dict[ReasonCode, bool]:
    disabled = {account.id for account in question.declaration.accounts if account.disabled}
    if chosen is None:
        return {code: code is ReasonCode.NO_GRANT_MATCHES for code in CODES[2:]}
    return {
        ReasonCode.NO_GRANT_MATCHES: False,
        ReasonCode.AMBIGUOUS_GRANT: len({grant.using for grant in grants}) > 1,
        ReasonCode.ACCOUNT_DISABLED: chosen.using in disabled,
        ReasonCode.USAGE_UNKNOWN: chosen.limit is not None and isinstance(question.usage, UsageUnknown),
        ReasonCode.LIMIT_EXHAUSTED: matching.spent(chosen.limit, question.usage, at_ms),
        ReasonCode.GRANTED: True,
    }


def without(code: ReasonCode) -> Functions:
    """Never answer one code."""
    return scanning(order=[one for one in CODES if one is not code])


def late(code: ReasonCode) -> Functions:
    """Look at one code after the next."""
    order, place = list(CODES), CODES.index(code)
    order[place], order[place + 1] = order[place + 1], order[place]
    return scanning(order=order)


def spoiling(spoil: Callable[[Decision, Policy], Decision]) -> Functions:
    """Decide as the core does, and spoil it."""

    def decided(
        policy: Policy, principal: Principal, capability: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
    ) -> Decision:
        return spoil(decide(policy, principal, capability, at_ms=at_ms, usage=usage), policy)

    return {"decide": decided}


def asking(
    whom: Callable[[Principal], Principal] = lambda principal: principal,
    after: Callable[[Usage, int], Usage] = lambda usage, at_ms: usage,
) -> Functions:
    """Take the principal, or its past usage, for another."""

    def decided(
        policy: Policy, principal: Principal, capability: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
    ) -> Decision:
        return decide(policy, whom(principal), capability, at_ms=at_ms, usage=after(usage, at_ms))

    return {"decide": decided}


def charging(rule: Callable[[Limit, Counted, int], Counted | None]) -> Functions:
    """Count by another rule."""

    def charged(limit: Limit, used: Counted, *, at_ms: int) -> Counted | None:
        return rule(limit, used, at_ms)

    return {"charge": charged}


def strictest_in_floats(grants: Sequence[Grant]) -> Grant:
    def rate(limit: Limit | None) -> float:
        return float("inf") if limit is None else limit.calls / limit.window_ms

    return min(grants, key=lambda grant: rate(grant.limit))


def fewest_calls(grants: Sequence[Grant]) -> Grant:
    return min(grants, key=lambda grant: float("inf") if grant.limit is None else grant.limit.calls)


def longest_window(grants: Sequence[Grant]) -> Grant:
    def key(limit: Limit | None) -> tuple[bool, Fraction, int]:
        none, rate, window_ms = matching.strictness(limit)
        return none, rate, -window_ms

    return min(grants, key=lambda grant: key(grant.limit))


def any_fact(declaration: Declaration, grant: Grant, principal: Principal) -> bool:
    required = matching.facts(grant.to.attributes)
    carried = matching.carried(declaration, principal)
    return grant.to.issuer == principal.issuer and (not required or bool(required & carried))


def any_issuer(declaration: Declaration, grant: Grant, principal: Principal) -> bool:
    return matching.facts(grant.to.attributes) <= matching.facts(principal.attributes)


def raw_facts(declaration: Declaration, grant: Grant, principal: Principal) -> bool:
    required = matching.facts(grant.to.attributes)
    return grant.to.issuer == principal.issuer and required <= matching.facts(principal.attributes)


def exactly_the_facts(declaration: Declaration, grant: Grant, principal: Principal) -> bool:
    required = matching.facts(grant.to.attributes)
    return grant.to.issuer == principal.issuer and required == matching.facts(principal.attributes)


def _allow_by_default(decision: Decision, policy: Policy) -> Decision:
    if decision.reason.code is ReasonCode.NO_GRANT_MATCHES and policy.declaration.accounts:
        reason = replace(decision.reason, code=ReasonCode.GRANTED)
        return Allow(reason, policy.declaration.accounts[0].id, None)
    return decision


def _never(decision: Decision, policy: Policy) -> Decision:
    right = not isinstance(decision, Allow)
    return decision if right else Deny(replace(decision.reason, code=ReasonCode.NO_GRANT_MATCHES, path="/grants"))


def _elsewhere(decision: Decision, policy: Policy) -> Decision:
    return replace(decision, reason=replace(decision.reason, path=f"{decision.reason.path}/to"))


def _by_position(decision: Decision, policy: Policy) -> Decision:
    paths = [grant.path for grant in policy.declaration.grants]
    path = f"/grants/{paths.index(decision.reason.path)}" if decision.reason.path in paths else "/grants"
    return replace(decision, reason=replace(decision.reason, path=path))


def _word_of_its_own(decision: Decision, policy: Policy) -> Decision:
    if decision.reason.code is not ReasonCode.NO_GRANT_MATCHES:
        return decision
    return replace(decision, reason=replace(decision.reason, code=cast(ReasonCode, "forbidden")))


def _with_an_account(decision: Decision, policy: Policy) -> Decision:
    return decision if isinstance(decision, Allow) else cast(Deny, DenialWithAccount(decision.reason, "", None))


def _nothing_under_a_limit(decision: Decision, policy: Policy) -> Decision:
    return replace(decision, limit=None) if isinstance(decision, Allow) else decision


def remembers() -> Functions:
    calls = count(1)

    def every_third(decision: Decision, policy: Policy) -> Decision:
        return decision if next(calls) % 3 else Deny(replace(decision.reason, code=ReasonCode.LIMIT_EXHAUSTED))

    return spoiling(every_third)


def cautious_without_a_limit() -> Functions:
    def decided(
        policy: Policy, principal: Principal, capability: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
    ) -> Decision:
        decision = decide(policy, principal, capability, at_ms=at_ms, usage=usage)
        if isinstance(decision, Allow) and isinstance(usage, UsageUnknown):
            return Deny(replace(decision.reason, code=ReasonCode.USAGE_UNKNOWN))
        return decision

    return {"decide": decided}


def _zero(usage: Usage, at_ms: int) -> Usage:
    return Counted(0, at_ms) if isinstance(usage, UsageUnknown) else usage


def _unasked(usage: Usage, at_ms: int) -> Usage:
    return NotConsulted() if isinstance(usage, UsageUnknown) else usage


def _counted(usage: Usage, at_ms: int) -> Usage:
    return Counted(0, at_ms) if isinstance(usage, NotConsulted) else usage


def _first_value(principal: Principal) -> Principal:
    given = {n: v if isinstance(v, str) else frozenset(sorted(v)[:1]) for n, v in principal.attributes.items()}
    return replace(principal, attributes=given)


def _members_are_nobody(principal: Principal) -> Principal:
    return replace(principal, attributes={} if principal.teams else principal.attributes)


def _one_too_many(limit: Limit, used: Counted, at_ms: int) -> Counted | None:
    return charge(Limit(limit.calls + 1, limit.window_ms), used, at_ms=at_ms)


def _moving(limit: Limit, used: Counted, at_ms: int) -> Counted | None:
    charged = charge(limit, used, at_ms=at_ms)
    return charged and replace(charged, window_start_ms=at_ms)


def _longer(limit: Limit, used: Counted, at_ms: int) -> Counted | None:
    return charge(Limit(limit.calls, limit.window_ms + 1), used, at_ms=at_ms)


def _endless(limit: Limit, used: Counted, at_ms: int) -> Counted | None:
    return charge(limit, used, at_ms=min(at_ms, used.window_start_ms + limit.window_ms - 1))


def _standing(limit: Limit, used: Counted, at_ms: int) -> Counted | None:
    charged = charge(limit, used, at_ms=at_ms)
    return charged and replace(charged, calls=max(1, used.calls))


LATE: Final = (
    ReasonCode.CAPABILITY_NOT_DECLARED,
    ReasonCode.CAPABILITY_NOT_REALIZED,
    ReasonCode.AMBIGUOUS_GRANT,
    ReasonCode.ACCOUNT_DISABLED,
    ReasonCode.LIMIT_EXHAUSTED,
)
"""The codes that may apply together with the one that follows."""


def _late(code: ReasonCode) -> Specimen:
    name = f"{code.value.replace('_', '-')}-late"
    return Specimen(name, "DEC-5", "A reason comes one too late.", lambda: late(code))


def mistaken(code: ReasonCode) -> Functions:
    """Take one code for the one before it, which is no allow."""
    other = CODES[CODES.index(code) - 1] if code is not CODES[0] else ReasonCode.NO_GRANT_MATCHES

    def otherwise(decision: Decision, policy: Policy) -> Decision:
        return Deny(replace(decision.reason, code=other)) if decision.reason.code is code else decision

    return spoiling(otherwise)


def _never_said(code: ReasonCode) -> Specimen:
    name = f"never-says-{code.value.replace('_', '-')}"
    return Specimen(name, "DEC-12", "A situation is mistaken for another.", lambda: mistaken(code))


ALL: Final = (
    Specimen("allows-by-default", "DEC-1", "Whoever has no grant is allowed.", lambda: spoiling(_allow_by_default)),
    Specimen("matches-any-fact", "DEC-1", "One of the required facts is enough.", lambda: scanning(match=any_fact)),
    Specimen("matches-across-issuers", "DEC-1", "Who vouches is overlooked.", lambda: scanning(match=any_issuer)),
    Specimen("never-allows", "DEC-2", "Everything is denied, with right reasons otherwise.", lambda: spoiling(_never)),
    Specimen(
        "matches-exactly", "DEC-2", "More facts than required are too many.", lambda: scanning(match=exactly_the_facts)
    ),
    Specimen(
        "cautious-without-a-limit", "DEC-2", "Unknown usage denies what has no limit.", cautious_without_a_limit
    ),
    Specimen(
        "ignores-disabled-accounts", "DEC-3", "The switch is not read.", lambda: without(ReasonCode.ACCOUNT_DISABLED)
    ),
    Specimen("points-nowhere", "DEC-4", "The path of a reason is made up.", lambda: spoiling(_elsewhere)),
    Specimen("points-by-position", "DEC-4", "A declared path becomes a position.", lambda: spoiling(_by_position)),
    Specimen("words-of-its-own", "DEC-4", "A reason is not of the vocabulary.", lambda: spoiling(_word_of_its_own)),
    *map(_late, LATE),
    Specimen("first-grant-wins", "DEC-6", "The first grant decides.", lambda: scanning(choose=lambda some: some[0])),
    Specimen(
        "last-grant-wins", "DEC-6", "The last grant decides, also between accounts.",
        lambda: scanning(
            choose=lambda some: some[-1], order=[one for one in CODES if one is not ReasonCode.AMBIGUOUS_GRANT]
        ),
    ),
    Specimen("remembers-calls", "DEC-7", "Every third question is answered otherwise.", remembers),
    Specimen("denies-with-an-account", "DEC-8", "A denial has an empty account.", lambda: spoiling(_with_an_account)),
    Specimen(
        "loosest-limit-wins", "DEC-9", "The most generous limit holds.",
        lambda: scanning(choose=lambda some: max(some, key=lambda one: matching.strictness(one.limit))),
    ),
    Specimen("compares-in-floats", "DEC-9", "Floats cannot tell.", lambda: scanning(choose=strictest_in_floats)),
    Specimen("fewest-calls-win", "DEC-9", "The window is overlooked.", lambda: scanning(choose=fewest_calls)),
    Specimen("longest-window-wins", "DEC-9", "The longer window holds.", lambda: scanning(choose=longest_window)),
    Specimen(
        "latest-of-equals", "DEC-9", "Of equal limits the later grant is named.",
        lambda: scanning(choose=lambda some: matching.strictest(list(reversed(some)))),
    ),
    Specimen("tells-no-limit", "DEC-9", "An allow tells no limit.", lambda: spoiling(_nothing_under_a_limit)),
    Specimen("unknown-is-zero", "DEC-10", "Unknown usage counts as none.", lambda: asking(after=_zero)),
    Specimen("unknown-is-unasked", "DEC-10", "Unknown usage is left out.", lambda: asking(after=_unasked)),
    Specimen("lists-by-counters", "DEC-10", "A list depends on counters.", lambda: asking(after=_counted)),
    Specimen("counts-all-values", "DEC-11", "Several values of one all count.", lambda: scanning(match=raw_facts)),
    Specimen("takes-the-first-value", "DEC-11", "Of several values one is taken.", lambda: asking(whom=_first_value)),
    Specimen("asks-for-teams", "DEC-11", "Members of a team are nobody.", lambda: asking(whom=_members_are_nobody)),
    *map(_never_said, CODES),
    Specimen("admits-one-too-many", "GATE-4", "A limit of k lets k + 1 run.", lambda: charging(_one_too_many)),
    Specimen("moves-the-window", "GATE-4", "Each call begins a window.", lambda: charging(_moving)),
    Specimen("window-one-longer", "GATE-4", "A window ends one millisecond late.", lambda: charging(_longer)),
    Specimen("window-never-ends", "GATE-4", "What is used up stays used up.", lambda: charging(_endless)),
    Specimen("count-that-stays", "GATE-4", "A second call is not counted.", lambda: charging(_standing)),
)  # fmt: skip
"""Specimens of decision and of counting."""
