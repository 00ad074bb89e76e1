"""The core side of Q4: what two grants on two accounts mean for the principals who match both."""

from dataclasses import replace
from typing import Any

from mcpizer_conformance.laws import ambiguity
from mcpizer_conformance.laws.checking import holds, refutes
from mcpizer_conformance.laws.subject import NOT_CONSULTED, Subject
from mcpizer_conformance.strategies.policies import crowds, declarations, sound_declarations
from mcpizer_core import (
    Compilation,
    Declaration,
    Deny,
    Diagnostic,
    DiagnosticCode,
    OnAmbiguity,
    Policy,
    Principal,
    Reason,
    ReasonCode,
    Related,
    Severity,
    Usage,
    compile_policy,
    decide,
)

CORE = Subject()

either = declarations() | crowds()


def reporting(pairs: Any) -> Subject:
    """A subject that reports the ambiguous pairs of grants that `pairs` finds, as a compiler would."""

    def compiled(declaration: Declaration, *, on_ambiguity: OnAmbiguity = OnAmbiguity.REFUSE) -> Compilation:
        policy = compile_policy(declaration, on_ambiguity=OnAmbiguity.DENY).policy
        assert policy is not None
        found = pairs(policy.declaration)
        grave = Severity.WARNING if on_ambiguity is OnAmbiguity.DENY else Severity.ERROR
        code = DiagnosticCode.AMBIGUOUS_GRANT
        diagnostics = tuple(
            Diagnostic(code, grave, one.path, capability, (Related(other.path, "and here"),))
            for one, other, capability in found
        )
        refused = bool(diagnostics) and on_ambiguity is OnAmbiguity.REFUSE
        return Compilation(None if refused else policy, diagnostics)

    return replace(CORE, compile_policy=compiled)


def two_accounts(declaration: Declaration) -> Any:
    """Every two grants of one issuer that share a capability and not the account."""
    for place, one in enumerate(declaration.grants):
        for other in declaration.grants[:place]:
            shared = [capability for capability in one.capabilities if capability in other.capabilities]
            if one.using != other.using and one.to.issuer == other.to.issuer and shared:
                yield other, one, shared[0]


class TestQ4:
    """Q4 · `ambiguous_grant` is reported iff some principal matches two grants of one capability on different
    accounts; where that capability is realized, exactly those principals are denied for it."""

    @holds(either, floor=0.2)
    def test_it_is_reported_iff_some_principal_meets_it(self, declaration: Declaration) -> bool:
        return ambiguity.reported_iff_met(CORE, declaration)

    @holds(either, floor=0.1)
    def test_the_choice_makes_it_an_error_or_a_warning(self, declaration: Declaration) -> bool:
        return ambiguity.severity_follows_the_choice(CORE, declaration)

    @holds(either, floor=0.2)
    def test_every_grant_concerned_is_named_and_no_pair_twice(self, declaration: Declaration) -> bool:
        return ambiguity.every_grant_is_named(CORE, declaration)

    @holds(either, floor=0.2)
    def test_exactly_the_principals_concerned_are_denied(self, declaration: Declaration) -> bool:
        return ambiguity.denied_exactly(CORE, declaration)

    @holds(sound_declarations(), floor=0.045)
    def test_declarations_made_without_it_compile(self, declaration: Declaration) -> bool:
        assert compile_policy(declaration).policy is not None
        ambiguity.reported_iff_met(CORE, declaration)
        return len({grant.using for grant in declaration.grants}) > 1

    @refutes(either)
    def test_catches_only_equal_selectors_compared(self, declaration: Declaration) -> None:
        equal = reporting(lambda placed: [pair for pair in two_accounts(placed) if pair[0].to == pair[1].to])
        ambiguity.reported_iff_met(equal, declaration)

    @refutes(either)
    def test_catches_values_that_are_not_compared(self, declaration: Declaration) -> None:
        ambiguity.reported_iff_met(reporting(two_accounts), declaration)

    @refutes(either)
    def test_catches_sets_of_many_taken_for_values_of_one(self, declaration: Declaration) -> None:
        def apart(placed: Declaration) -> Any:
            for one, other, capability in two_accounts(placed):
                both = one.to.attributes.keys() & other.to.attributes.keys()
                if all(one.to.attributes[name] == other.to.attributes[name] for name in both):
                    yield one, other, capability

        ambiguity.reported_iff_met(reporting(apart), declaration)

    @refutes(either)
    def test_catches_a_grant_that_is_not_named(self, declaration: Declaration) -> None:
        def first_only(placed: Declaration, *, on_ambiguity: OnAmbiguity) -> Compilation:
            whole = compile_policy(placed, on_ambiguity=on_ambiguity)
            return replace(whole, diagnostics=whole.diagnostics[:3])

        ambiguity.every_grant_is_named(replace(CORE, compile_policy=first_only), declaration)

    @refutes(either)
    def test_catches_a_pair_reported_from_both_ends(self, declaration: Declaration) -> None:
        def both_ends(placed: Declaration) -> Any:
            for one, other, capability in two_accounts(placed):
                yield one, other, capability
                yield other, one, capability

        ambiguity.every_grant_is_named(reporting(both_ends), declaration)

    @refutes(either)
    def test_catches_a_warning_where_an_error_was_chosen(self, declaration: Declaration) -> None:
        def mild(placed: Declaration, *, on_ambiguity: OnAmbiguity) -> Compilation:
            return compile_policy(placed, on_ambiguity=OnAmbiguity.DENY)

        ambiguity.severity_follows_the_choice(replace(CORE, compile_policy=mild), declaration)

    @refutes(either)
    def test_catches_a_whole_capability_denied(self, declaration: Declaration) -> None:
        def every(
            policy: Policy, principal: Principal, capability: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
        ) -> Any:
            if any(one.subject == capability for one in ambiguity.reports(CORE, declaration, OnAmbiguity.DENY)):
                return Deny(Reason(ReasonCode.AMBIGUOUS_GRANT, "/grants", capability))
            return decide(policy, principal, capability, at_ms=at_ms, usage=usage)

        ambiguity.denied_exactly(replace(CORE, decide=every), declaration)
