"""Specimens that tell of policies wrongly in one respect only.

Where two functions tell of the same thing they are spoiled together, so that only the law of that respect notices.

This module does not know how a policy decides.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from mcpizer_conformance.laws.access import gist
from mcpizer_conformance.laws.subject import NOT_CONSULTED
from mcpizer_conformance.specimens.audits import differing, explaining, reaching
from mcpizer_conformance.specimens.specimen import Functions, Specimen
from mcpizer_core import (
    Admitted,
    Change,
    Compilation,
    Decision,
    Declaration,
    Deny,
    DiagnosticCode,
    Gate,
    NameChanged,
    OnAmbiguity,
    Policy,
    Principal,
    ReasonCode,
    Severity,
    Usage,
    compile_policy,
    decide,
    diff,
    diff_names,
)


def _nowhere(decision: Any) -> Any:
    return replace(decision, reason=replace(decision.reason, path="/grants"))


def _without_places(changes: Iterable[Change]) -> Iterable[Change]:
    return (replace(one, before=_nowhere(one.before), after=_nowhere(one.after)) for one in changes)


def by_what_grew() -> Functions:
    def told(before: Policy, after: Policy) -> tuple[Change, ...]:
        changes = diff(before, after)
        return changes if len(before.declaration.grants) >= len(after.declaration.grants) else changes[::-1]

    return {"diff": told}


def _odd(policy: Policy) -> bool:
    some = policy.declaration.grants
    return bool(some) and some[0].using > some[-1].using


def as_it_is_written() -> Functions:
    def told(before: Policy, after: Policy) -> tuple[Change, ...]:
        changes = diff(before, after)
        return changes[::-1] if _odd(before) != _odd(after) else changes

    return {"diff": told}


def compares_places() -> Functions:
    def told(before: Policy, after: Policy) -> tuple[Change, ...]:
        files = [
            {one.path.partition("#")[0] for one in each.declaration.grants if "#" in one.path}
            for each in (before, after)
        ]
        changes = diff(before, after)
        if changes or files[0] == files[1] or not before.declaration.grants:
            return changes
        who, what = Principal("moved:any", "moved"), before.declaration.grants[0].capabilities[0]
        return (Change(who, what, *(decide(one, who, what, at_ms=0) for one in (before, after))),)

    return {"diff": told}


def names_without_places() -> Functions:
    def bare(outcome: Any) -> Any:
        return replace(outcome, decision=_nowhere(outcome.decision)) if isinstance(outcome, Admitted) else outcome

    def told(before: Gate, after: Gate) -> tuple[NameChanged, ...]:
        changes = diff_names(before, after)
        return tuple(replace(one, before=bare(one.before), after=bare(one.after)) for one in changes)

    return {"diff_names": told}


def compiling(change: Callable[[Compilation, Declaration], Compilation]) -> Functions:
    """Spoil a compilation that finds ambiguous grants and is to refuse them."""

    def compiled(declaration: Declaration, *, on_ambiguity: OnAmbiguity = OnAmbiguity.REFUSE) -> Compilation:
        found = compile_policy(declaration, on_ambiguity=on_ambiguity)
        met = any(one.code is DiagnosticCode.AMBIGUOUS_GRANT for one in found.diagnostics)
        return change(found, declaration) if met and on_ambiguity is OnAmbiguity.REFUSE else found

    return {"compile_policy": compiled}


def _all_the_same(found: Compilation, declaration: Declaration) -> Compilation:
    return replace(found, policy=compile_policy(declaration, on_ambiguity=OnAmbiguity.DENY).policy)


def _as_warnings(found: Compilation, declaration: Declaration) -> Compilation:
    return replace(found, diagnostics=tuple(replace(one, severity=Severity.WARNING) for one in found.diagnostics))


def takes_two_accounts_for_none() -> Functions:
    def mistaken(decision: Decision) -> Decision:
        if decision.reason.code is not ReasonCode.AMBIGUOUS_GRANT:
            return decision
        return Deny(replace(decision.reason, code=ReasonCode.NO_GRANT_MATCHES))

    def decided(
        policy: Policy, principal: Principal, capability: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
    ) -> Decision:
        return mistaken(decide(policy, principal, capability, at_ms=at_ms, usage=usage))

    def changed(changes: Iterable[Change]) -> Iterable[Change]:
        some = (replace(one, before=mistaken(one.before), after=mistaken(one.after)) for one in changes)
        return (one for one in some if gist(one.before) != gist(one.after))

    explained = explaining(lambda one: replace(one, decision=mistaken(one.decision)))
    return {"decide": decided, **explained, **differing(changed)}


ALL: Final = (
    Specimen(
        "tells-a-grant-twice", "ASK-1", "The last grant is told twice.",
        lambda: reaching(lambda one: replace(one, entries=(*one.entries, *one.entries[-1:]))),
    ),
    Specimen("changes-without-places", "ASK-3", "A change names no place.", lambda: differing(_without_places)),
    Specimen("by-what-grew", "ASK-3", "What is told first depends on which policy is longer.", by_what_grew),
    Specimen("as-it-is-written", "ASK-3", "What is told first depends on what is written first.", as_it_is_written),
    Specimen("compares-places", "ASK-3", "A move to another file is told as a change.", compares_places),
    Specimen("names-without-places", "ASK-3", "A change of a name points nowhere.", names_without_places),
    Specimen("compiles-all-the-same", "ASK-4", "What is refused compiles.", lambda: compiling(_all_the_same)),
    Specimen("refuses-with-warnings", "ASK-4", "An error is told as a warning.", lambda: compiling(_as_warnings)),
    Specimen("takes-two-accounts-for-none", "ASK-4", "Ambiguity is answered as no grant.", takes_two_accounts_for_none),
)  # fmt: skip
"""Narrow specimens of questions."""
