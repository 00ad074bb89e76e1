"""Specimens that say something else of a policy than it decides.

This module does not know how a policy decides.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from mcpizer_conformance.laws.subject import NOT_CONSULTED
from mcpizer_conformance.specimens.specimen import Functions, Specimen
from mcpizer_core import (
    Arity,
    Change,
    Compilation,
    Declaration,
    Deny,
    Diagnostic,
    DiagnosticCode,
    Explanation,
    Grant,
    NameChanged,
    OnAmbiguity,
    Policy,
    Principal,
    Reach,
    Reason,
    ReasonCode,
    Related,
    Severity,
    Usage,
    compile_policy,
    decide,
    diff,
    diff_names,
    explain,
    explain_name,
    projection_changes,
    who_can,
)


def reaching(change: Callable[[Reach], Reach]) -> Functions:
    """Spoil the answer to who can do something."""
    return {"who_can": lambda policy, capability: change(who_can(policy, capability))}


def _all_many(one: Reach) -> Reach:
    issuers = tuple(
        replace(each, attributes=tuple(replace(a, arity=Arity.MANY) for a in each.attributes)) for each in one.issuers
    )
    return replace(one, issuers=issuers)


def _unmarked(one: Reach) -> Reach:
    return replace(one, entries=tuple(each._replace(disabled=False) for each in one.entries))


def explaining(change: Callable[[Explanation], Explanation], **given: Any) -> Functions:
    """Spoil an explanation, or ask for another one."""

    def explained(policy: Policy, principal: Principal, capability: str, **asked: Any) -> Explanation:
        return change(explain(policy, principal, capability, **{**asked, **given}))

    return {"explain": explained}


def _nothing_missing(one: Explanation) -> Explanation:
    return replace(one, grants=tuple(replace(row, missing=row.missing[:1]) for row in one.grants))


def _unsorted(one: Explanation) -> Explanation:
    return replace(one, grants=tuple(reversed(one.grants)))


def explains_what_is_in_scope() -> Functions:
    def explained(*given: Any, **asked: Any) -> Any:
        return tuple(one for one in explain_name(*given, **asked) if one.in_scope)

    return {"explain_name": explained}


def differing(change: Callable[[tuple[Change, ...]], Iterable[Change]]) -> Functions:
    """Spoil a difference."""
    return {"diff": lambda before, after: tuple(change(diff(before, after)))}


def _accounts_only(changes: tuple[Change, ...]) -> Iterable[Change]:
    return (one for one in changes if _account(one.before) != _account(one.after))


def _account(decision: Any) -> object:
    return getattr(decision, "account", decision.reason.code)


def compares_texts() -> Functions:
    def by_place(before: Policy, after: Policy) -> tuple[Change, ...]:
        if before.declaration.grants == after.declaration.grants:
            return diff(before, after)
        who = Principal("a:a", "a")
        reasons = [decide(one, who, "", at_ms=0) for one in (before, after)]
        return (*diff(before, after), Change(who, "", *reasons))

    return {"diff": by_place}


def asks_one_for_each_selector() -> Functions:
    def asked(before: Policy, after: Policy) -> tuple[Change, ...]:
        selectors = {
            (one.to.issuer, tuple(sorted((name, _one(given)) for name, given in one.to.attributes.items()))): one.to
            for policy in (before, after)
            for one in policy.declaration.grants
        }
        witnesses = [Principal(f"{one.issuer}:any", one.issuer, one.attributes) for one in selectors.values()]
        capabilities = sorted({one.id for policy in (before, after) for one in policy.declaration.capabilities})
        found = []
        for who in witnesses:
            for what in capabilities:
                one, other = (decide(policy, who, what, at_ms=0) for policy in (before, after))
                if _gist(one) != _gist(other):
                    found.append(Change(who, what, one, other))
        return tuple(found)

    return {"diff": asked}


def _one(given: Any) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(sorted(given))


def _gist(decision: Any) -> object:
    return (decision.reason.code, getattr(decision, "account", None), getattr(decision, "limit", None))


def compares_public_names_only() -> Functions:
    def public_only(*gates: Any) -> tuple[NameChanged, ...]:
        return tuple(one for one in diff_names(*gates) if not one.witness.teams)

    return {"diff_names": public_only}


def tells_gains_only() -> Functions:
    return {"projection_changes": lambda *given: (projection_changes(*given)[0], ())}


Pairs = Callable[[Declaration], Iterable[tuple[Grant, Grant, str]]]


def reporting(pairs: Pairs) -> Functions:
    """Report the ambiguous pairs of grants that `pairs` finds."""

    def compiled(declaration: Declaration, *, on_ambiguity: OnAmbiguity = OnAmbiguity.REFUSE) -> Compilation:
        policy = compile_policy(declaration, on_ambiguity=OnAmbiguity.DENY).policy
        if policy is None:
            return compile_policy(declaration, on_ambiguity=on_ambiguity)
        grave = Severity.WARNING if on_ambiguity is OnAmbiguity.DENY else Severity.ERROR
        found = tuple(
            Diagnostic(DiagnosticCode.AMBIGUOUS_GRANT, grave, one.path, what, (Related(other.path, "and here"),))
            for one, other, what in pairs(policy.declaration)
        )
        refused = bool(found) and on_ambiguity is OnAmbiguity.REFUSE
        return Compilation(None if refused else policy, found)

    return {"compile_policy": compiled}


def _two_accounts(declaration: Declaration) -> Iterable[tuple[Grant, Grant, str]]:
    for place, one in enumerate(declaration.grants):
        for other in declaration.grants[:place]:
            shared = [capability for capability in one.capabilities if capability in other.capabilities]
            if one.using != other.using and one.to.issuer == other.to.issuer and shared:
                yield other, one, shared[0]


def _equal_selectors(declaration: Declaration) -> Iterable[tuple[Grant, Grant, str]]:
    return (pair for pair in _two_accounts(declaration) if pair[0].to == pair[1].to)


def _sets_apart(declaration: Declaration) -> Iterable[tuple[Grant, Grant, str]]:
    for one, other, capability in _two_accounts(declaration):
        both = one.to.attributes.keys() & other.to.attributes.keys()
        if all(one.to.attributes[name] == other.to.attributes[name] for name in both):
            yield one, other, capability


def reports_some() -> Functions:
    def first_only(declaration: Declaration, *, on_ambiguity: OnAmbiguity = OnAmbiguity.REFUSE) -> Compilation:
        whole = compile_policy(declaration, on_ambiguity=on_ambiguity)
        some = [one for one in whole.diagnostics if one.code is DiagnosticCode.AMBIGUOUS_GRANT]
        return replace(whole, diagnostics=tuple(one for one in whole.diagnostics if one not in some[1:]))

    return {"compile_policy": first_only}


def reports_mildly() -> Functions:
    def mild(declaration: Declaration, *, on_ambiguity: OnAmbiguity = OnAmbiguity.REFUSE) -> Compilation:
        return compile_policy(declaration, on_ambiguity=OnAmbiguity.DENY)

    return {"compile_policy": mild}


def denies_the_whole_capability() -> Functions:
    def every(
        policy: Policy, principal: Principal, capability: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
    ) -> Any:
        found = compile_policy(policy.declaration, on_ambiguity=OnAmbiguity.DENY).diagnostics
        decision = decide(policy, principal, capability, at_ms=at_ms, usage=usage)
        concerned = any(one.code is DiagnosticCode.AMBIGUOUS_GRANT and one.subject == capability for one in found)
        realized = any(one.capability == capability for one in policy.declaration.tools)
        return Deny(Reason(ReasonCode.AMBIGUOUS_GRANT, "/grants", capability)) if concerned and realized else decision

    return {"decide": every}


ALL: Final = (
    Specimen(
        "leaves-out-a-grant", "ASK-1", "The first grant is left out.",
        lambda: reaching(lambda one: replace(one, entries=one.entries[1:])),
    ),
    Specimen("forgets-arities", "ASK-1", "Every attribute is said to take many values.", lambda: reaching(_all_many)),
    Specimen("hides-disabled-accounts", "ASK-1", "A disabled account is not marked.", lambda: reaching(_unmarked)),
    Specimen(
        "takes-declared-for-realized", "ASK-1", "A capability without a tool is said to have one.",
        lambda: reaching(lambda one: replace(one, realized=one.declared)),
    ),
    Specimen(
        "explains-without-usage", "ASK-2", "Counters are left out of explanations.",
        lambda: explaining(lambda one: one, usage=NOT_CONSULTED),
    ),
    Specimen("misses-what-is-missing", "ASK-2", "Of several facts one is told.", lambda: explaining(_nothing_missing)),
    Specimen("nearest-last", "ASK-2", "What is furthest off comes first.", lambda: explaining(_unsorted)),
    Specimen("explains-what-is-in-scope", "ASK-2", "Hidden holders of a name are not told.", explains_what_is_in_scope),
    Specimen("compares-accounts-only", "ASK-3", "Limits are not compared.", lambda: differing(_accounts_only)),
    Specimen(
        "tells-changes-that-are-none", "ASK-3", "What comes after is told as what was before.",
        lambda: differing(lambda some: (replace(one, after=one.before) for one in some)),
    ),
    Specimen("compares-texts", "ASK-3", "Moved lines are told as changes.", compares_texts),
    Specimen(
        "asks-one-for-each-selector", "ASK-3", "One principal for each selector is asked.", asks_one_for_each_selector
    ),
    Specimen("compares-public-names-only", "ASK-3", "Teams are left out.", compares_public_names_only),
    Specimen("tells-gains-only", "ASK-3", "Lost names are not told.", tells_gains_only),
    Specimen("compares-equal-selectors", "ASK-4", "Only equal selectors clash.", lambda: reporting(_equal_selectors)),
    Specimen("never-compares-values", "ASK-4", "Any two accounts clash.", lambda: reporting(_two_accounts)),
    Specimen("takes-sets-for-values", "ASK-4", "Different sets are thought apart.", lambda: reporting(_sets_apart)),
    Specimen("reports-some", "ASK-4", "The first report is the last.", reports_some),
    Specimen("reports-mildly", "ASK-4", "An error is told as a warning.", reports_mildly),
    Specimen("denies-the-whole-capability", "ASK-4", "All are denied for some.", denies_the_whole_capability),
)  # fmt: skip
"""Specimens of questions."""
