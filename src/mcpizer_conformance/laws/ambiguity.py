"""The core side of law Q4: ambiguity is reported iff some principal meets it, and denies exactly those who do.

Principals are enumerated, not reasoned about: over the values that the strategies use, all that could differ.

This module does not know selectors: whether two overlap is seen from who matches both.
"""

from collections.abc import Iterator
from itertools import combinations, product

from mcpizer_conformance.laws.access import policy_of
from mcpizer_conformance.laws.matching import covering
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.strategies.identities import VALUES
from mcpizer_conformance.strategies.policies import NOW_MS
from mcpizer_core import (
    Arity,
    Declaration,
    Diagnostic,
    DiagnosticCode,
    Issuer,
    OnAmbiguity,
    Principal,
    ReasonCode,
    Severity,
)

Pair = frozenset[str]
"""The paths of two grants."""


def everybody(issuer: Issuer) -> Iterator[Principal]:
    """A principal for each way to fill the attributes; of arity MANY with no value, one, or all."""
    one: tuple[str | frozenset[str], ...] = (*VALUES, frozenset())
    many: tuple[str | frozenset[str], ...] = (frozenset(), VALUES[0], frozenset(VALUES))
    ranges = [one if attribute.arity is Arity.ONE else many for attribute in issuer.attributes]
    for given in product(*ranges):
        names = (attribute.name for attribute in issuer.attributes)
        yield Principal(f"{issuer.id}:any", issuer.id, dict(zip(names, given, strict=True)))


def clashes(declaration: Declaration) -> set[tuple[Pair, str]]:
    """Every two grants on different accounts that one principal matches for one capability, with the capability."""
    found = set()
    for issuer in declaration.issuers:
        for principal in everybody(issuer):
            for capability in {one.id for one in declaration.capabilities}:
                for one, other in combinations(covering(declaration, principal, capability), 2):
                    if one.using != other.using:
                        found.add((frozenset((one.path, other.path)), capability))
    return found


def reports(subject: Subject, declaration: Declaration, on_ambiguity: OnAmbiguity) -> list[Diagnostic]:
    """The reports of ambiguity."""
    diagnostics = subject.compile_policy(declaration, on_ambiguity=on_ambiguity).diagnostics
    return [one for one in diagnostics if one.code is DiagnosticCode.AMBIGUOUS_GRANT]


def reported_iff_met(subject: Subject, declaration: Declaration) -> bool:
    """Ambiguity is reported, and there is no policy, iff some principal meets it. Hard: grants differ in account."""
    met = bool(clashes(declaration))
    compilation = subject.compile_policy(declaration, on_ambiguity=OnAmbiguity.REFUSE)
    assert bool(reports(subject, declaration, OnAmbiguity.REFUSE)) == met
    assert (compilation.policy is None) == met
    return any(
        one.using != other.using
        and one.to.issuer == other.to.issuer
        and set(one.capabilities) & set(other.capabilities)
        for one, other in combinations(declaration.grants, 2)
    )


def severity_follows_the_choice(subject: Subject, declaration: Declaration) -> bool:
    """To refuse makes it an error, to deny a warning; what is reported is the same. Hard: something is."""
    refused = reports(subject, declaration, OnAmbiguity.REFUSE)
    denied = reports(subject, declaration, OnAmbiguity.DENY)
    assert [(one.path, one.subject, one.related) for one in refused] == [
        (one.path, one.subject, one.related) for one in denied
    ]
    assert {one.severity for one in refused} <= {Severity.ERROR}
    assert {one.severity for one in denied} <= {Severity.WARNING}
    return bool(refused)


def every_grant_is_named(subject: Subject, declaration: Declaration) -> bool:
    """Every grant concerned is named with a partner it truly clashes with; no pair twice. Hard: there are some."""
    placed = policy_of(subject, declaration).declaration
    real = clashes(placed)
    named = [
        (frozenset((one.path, one.related[0].path)), one.subject)
        for one in reports(subject, declaration, OnAmbiguity.DENY)
        if one.related
    ]
    assert set(named) <= real, "a pair is reported that nobody meets"
    assert len({pair for pair, _ in named}) == len(named), "a pair is reported twice"
    assert {path for pair, _ in named for path in pair} == {path for pair, _ in real for path in pair}
    return bool(real)


def denied_exactly(subject: Subject, declaration: Declaration) -> bool:
    """Where the capability is realized, exactly those who meet the ambiguity are denied for it. Hard: some are."""
    policy, some = policy_of(subject, declaration), False
    for issuer in declaration.issuers:
        for principal in everybody(issuer):
            for capability in sorted({one.capability for one in declaration.tools}):
                met = len({grant.using for grant in covering(declaration, principal, capability)}) > 1
                decision = subject.decide(policy, principal, capability, at_ms=NOW_MS)
                assert (decision.reason.code is ReasonCode.AMBIGUOUS_GRANT) == met
                some = some or met
    return some
