"""Specimens that decide wrongly in one respect only: each gives the right answer to all but one kind of question.

This module does not know names.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from mcpizer_conformance.laws import matching
from mcpizer_conformance.laws.subject import NOT_CONSULTED
from mcpizer_conformance.specimens.decisions import asking, spoiling
from mcpizer_conformance.specimens.specimen import Functions, Specimen
from mcpizer_core import (
    Allow,
    Counted,
    Decision,
    Deny,
    OnAmbiguity,
    Policy,
    Principal,
    ReasonCode,
    Usage,
    UsageUnknown,
    compile_policy,
    decide,
)

Asked = Callable[[Policy, Principal, str, int, Usage], Decision]


def deciding(asked: Asked) -> Functions:
    """Decide by a function of everything that is asked."""

    def decided(
        policy: Policy, principal: Principal, capability: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
    ) -> Decision:
        return asked(policy, principal, capability, at_ms, usage)

    return {"decide": decided}


def _as_another(decision: Decision, policy: Policy) -> Decision:
    enabled = [one.id for one in policy.declaration.accounts if not one.disabled]
    return replace(decision, account=max(enabled)) if isinstance(decision, Allow) else decision


def _without_limit_only(policy: Policy, principal: Principal, capability: str, at_ms: int, usage: Usage) -> Decision:
    accounts = tuple(replace(one, disabled=False) for one in policy.declaration.accounts)
    opened = compile_policy(replace(policy.declaration, accounts=accounts), on_ambiguity=OnAmbiguity.DENY).policy
    right = decide(policy, principal, capability, at_ms=at_ms, usage=usage)
    if opened is None or right.reason.code is not ReasonCode.ACCOUNT_DISABLED:
        return right
    limited = [one for one in policy.declaration.grants if one.path == right.reason.path and one.limit]
    return decide(opened, principal, capability, at_ms=at_ms, usage=usage) if limited else right


def _denials_elsewhere(decision: Decision, policy: Policy) -> Decision:
    if decision.reason.code is not ReasonCode.NO_GRANT_MATCHES:
        return decision
    return replace(decision, reason=replace(decision.reason, path="/grants/all"))


def _the_first_account(policy: Policy, principal: Principal, capability: str, at_ms: int, usage: Usage) -> Decision:
    right = decide(policy, principal, capability, at_ms=at_ms, usage=usage)
    if right.reason.code is not ReasonCode.AMBIGUOUS_GRANT:
        return right
    first = matching.covering(policy.declaration, principal, capability)[0].using
    off = first in {one.id for one in policy.declaration.accounts if one.disabled}
    return Deny(replace(right.reason, code=ReasonCode.ACCOUNT_DISABLED)) if off else right


def answers_once() -> Functions:
    answered: list[Policy] = []

    def once(policy: Policy, principal: Principal, capability: str, at_ms: int, usage: Usage) -> Decision:
        right = decide(policy, principal, capability, at_ms=at_ms, usage=usage)
        if answered and answered[-1] is policy:
            return Deny(replace(right.reason, code=ReasonCode.NO_GRANT_MATCHES))
        answered[:] = [policy]
        return right

    return deciding(once)


def _unknown_of_several(policy: Policy, principal: Principal, capability: str, at_ms: int, usage: Usage) -> Decision:
    several = len(matching.covering(policy.declaration, principal, capability)) > 1
    given = Counted(0, at_ms) if several and isinstance(usage, UsageUnknown) else usage
    return decide(policy, principal, capability, at_ms=at_ms, usage=given)


def swayed(by: Callable[[Policy, Principal], bool]) -> Functions:
    """Point a denial elsewhere for some principals."""

    def pointing(policy: Policy, principal: Principal, capability: str, at_ms: int, usage: Usage) -> Decision:
        right = decide(policy, principal, capability, at_ms=at_ms, usage=usage)
        if isinstance(right, Allow) or not by(policy, principal):
            return right
        return Deny(replace(right.reason, path="/capabilities"))

    return deciding(pointing)


def _declared(policy: Policy, principal: Principal) -> set[str]:
    return {a.name for one in policy.declaration.issuers if one.id == principal.issuer for a in one.attributes}


def _by_the_undeclared(policy: Policy, principal: Principal) -> bool:
    return bool(principal.attributes.keys() - _declared(policy, principal))


def _by_several(policy: Policy, principal: Principal) -> bool:
    declared = {
        a.name: a.arity.value
        for one in policy.declaration.issuers
        if one.id == principal.issuer
        for a in one.attributes
    }
    several = {name for name, given in principal.attributes.items() if not isinstance(given, str) and len(given) > 1}
    return any(declared.get(name) == "one" for name in several)


def _by_teams(policy: Policy, principal: Principal) -> bool:
    return bool(principal.teams)


def _a_moment_later(usage: Usage, at_ms: int) -> Usage:
    if not isinstance(usage, Counted) or usage.window_start_ms >= at_ms:
        return usage
    return replace(usage, window_start_ms=usage.window_start_ms - 1)


ALL: Final = (
    Specimen("runs-as-another", "DEC-1", "A call runs as the account of somebody else.", lambda: spoiling(_as_another)),
    Specimen(
        "forgets-the-switch-under-limits", "DEC-3", "The switch of an account is read where there is no limit.",
        lambda: deciding(_without_limit_only),
    ),
    Specimen("denials-elsewhere", "DEC-4", "A denial points at nothing.", lambda: spoiling(_denials_elsewhere)),
    Specimen(
        "the-first-account-decides", "DEC-6", "Of two accounts the one written first is looked at.",
        lambda: deciding(_the_first_account),
    ),
    Specimen("answers-once", "DEC-7", "A policy that was asked is used up.", answers_once),
    Specimen(
        "unknown-is-zero-of-several", "DEC-10", "Beside a second grant unknown usage counts as none.",
        lambda: deciding(_unknown_of_several),
    ),
    Specimen("swayed-by-claims", "DEC-11", "An undeclared claim changes a reason.", lambda: swayed(_by_the_undeclared)),
    Specimen("swayed-by-values", "DEC-11", "Several values of one change a reason.", lambda: swayed(_by_several)),
    Specimen("swayed-by-teams", "DEC-11", "Being in a team changes a reason.", lambda: swayed(_by_teams)),
    Specimen("window-one-shorter", "GATE-4", "A window ends too soon.", lambda: asking(after=_a_moment_later)),
)  # fmt: skip
"""Narrow specimens of decision and of counting."""
