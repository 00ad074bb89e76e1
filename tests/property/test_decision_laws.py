"""The laws of decision: who may, as which account, under which limit, and why."""

from dataclasses import replace
from itertools import count
from typing import cast

import pytest
from hypothesis import strategies as st

from mcpizer_conformance.laws import access
from mcpizer_conformance.laws.checking import caught, holds, reaches, refutes
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.strategies.identities import ATTRIBUTES, UNDECLARED
from mcpizer_conformance.strategies.policies import crowds
from mcpizer_conformance.strategies.worlds import Question, questions, reordered
from mcpizer_core import (
    Allow,
    Arity,
    Counted,
    Decision,
    Declaration,
    Deny,
    NotConsulted,
    Policy,
    Principal,
    Reason,
    ReasonCode,
    UsageUnknown,
)
from tests.property import broken

CORE = Subject()

asked = questions()
crowd = questions(crowds())
turned = (questions() | crowd).flatmap(lambda question: st.tuples(st.just(question), reordered(question.declaration)))
names = st.sampled_from((*ATTRIBUTES, *UNDECLARED))


def doubled(question: Question) -> Question:
    """The question of a principal with two values of the first attribute of arity ONE that its issuer declares."""
    principal = question.principal
    for issuer in question.declaration.issuers:
        for attribute in issuer.attributes:
            if issuer.id == principal.issuer and attribute.arity is Arity.ONE:
                two = {**principal.attributes, attribute.name: {"a", "b"}}
                return replace(question, principal=replace(principal, attributes=two))
    return question


def generous(decision: Decision, policy: Policy, principal: Principal) -> Decision:
    """Whoever has no grant is allowed."""
    if decision.reason.code is ReasonCode.NO_GRANT_MATCHES and policy.declaration.accounts:
        reason = Reason(ReasonCode.GRANTED, "/grants", decision.reason.subject)
        return Allow(reason, policy.declaration.accounts[0].id, None)
    return decision


class TestTheScan:
    """The scan that the broken implementations are made of decides like the core while no part of it is wrong."""

    @holds(asked, floor=0.15)
    def test_the_right_parts_decide_like_the_core(self, question: Question) -> bool:
        ours, theirs = access.ask(CORE, question), access.ask(broken.scanning(), question)
        assert access.gist(ours) == access.gist(theirs)
        return isinstance(ours, Allow)


class TestD1:
    """D1 · Whoever is allowed is covered by some grant."""

    @holds(asked, floor=0.14)
    def test_the_account_is_that_of_a_covering_grant(self, question: Question) -> bool:
        return access.allowed_is_covered(CORE, question)

    @refutes(asked)
    def test_catches_an_allow_by_default(self, question: Question) -> None:
        access.allowed_is_covered(broken.deciding(generous), question)

    @refutes(asked)
    def test_catches_a_match_on_any_fact(self, question: Question) -> None:
        access.allowed_is_covered(broken.scanning(match=broken.any_fact), question)

    @refutes(asked)
    def test_catches_a_match_across_issuers(self, question: Question) -> None:
        access.allowed_is_covered(broken.scanning(match=broken.any_issuer), question)


class TestD2:
    """D2 · A covering grant with everything in order allows."""

    @holds(asked, floor=0.15)
    def test_what_is_covered_and_in_order_is_allowed(self, question: Question) -> bool:
        return access.covered_is_allowed(CORE, question)

    @refutes(asked)
    def test_catches_a_decision_that_always_denies(self, question: Question) -> None:
        def never(decision: Decision, policy: Policy, principal: Principal) -> Decision:
            return Deny(replace(decision.reason, code=ReasonCode.NO_GRANT_MATCHES))

        access.covered_is_allowed(broken.deciding(never), question)

    @refutes(asked)
    def test_catches_a_match_on_exactly_the_facts(self, question: Question) -> None:
        access.covered_is_allowed(broken.scanning(match=broken.exactly_the_facts), question)

    @refutes(asked)
    def test_catches_unknown_usage_denied_without_a_limit(self, question: Question) -> None:
        def cautious(decision: Decision, policy: Policy, principal: Principal) -> Decision:
            unknown = isinstance(question.usage, UsageUnknown)
            return Deny(replace(decision.reason, code=ReasonCode.USAGE_UNKNOWN)) if unknown else decision

        access.covered_is_allowed(broken.deciding(cautious), question)


class TestD3:
    """D3 · A disabled account is never used."""

    @holds(asked, floor=0.05)
    def test_no_disabled_account(self, question: Question) -> bool:
        return access.no_disabled_account(CORE, question)

    @refutes(asked)
    def test_catches_a_switch_that_is_not_read(self, question: Question) -> None:
        order = [code for code in ReasonCode if code is not ReasonCode.ACCOUNT_DISABLED]
        access.no_disabled_account(broken.scanning(order=order), question)


class TestD4:
    """D4 · There is always a reason from the vocabulary, and its path exists in the declaration."""

    @holds(asked, floor=0.36)
    def test_the_place_is_one_of_the_declaration(self, question: Question) -> bool:
        return access.reason_has_a_place(CORE, question)

    @refutes(asked)
    def test_catches_a_place_that_is_made_up(self, question: Question) -> None:
        def elsewhere(decision: Decision, policy: Policy, principal: Principal) -> Decision:
            return replace(decision, reason=replace(decision.reason, path=f"{decision.reason.path}/to"))

        access.reason_has_a_place(broken.deciding(elsewhere), question)

    @refutes(asked)
    def test_catches_a_position_in_place_of_the_declared_path(self, question: Question) -> None:
        def positional(decision: Decision, policy: Policy, principal: Principal) -> Decision:
            paths = [grant.path for grant in policy.declaration.grants]
            path = f"/grants/{paths.index(decision.reason.path)}" if decision.reason.path in paths else "/grants"
            return replace(decision, reason=replace(decision.reason, path=path))

        access.reason_has_a_place(broken.deciding(positional), question)


_ALONE = (ReasonCode.NO_GRANT_MATCHES, ReasonCode.USAGE_UNKNOWN, ReasonCode.GRANTED)
"""Codes that never apply together with the one that follows them."""


class TestD5:
    """D5 · Precedence is total: there is one code per input, the first that applies."""

    @holds(asked, floor=0.22)
    def test_the_first_code_that_applies(self, question: Question) -> bool:
        return access.first_code_that_applies(CORE, question)

    @pytest.mark.parametrize("code", [code for code in ReasonCode if code not in _ALONE], ids=str)
    def test_catches_a_code_that_comes_one_too_late(self, code: ReasonCode) -> None:
        codes = list(ReasonCode)
        place = codes.index(code)
        codes[place], codes[place + 1] = codes[place + 1], codes[place]
        late = broken.scanning(order=codes)
        assert caught(asked, lambda question: access.first_code_that_applies(late, question))


class TestD6:
    """D6 · The order of a declaration changes neither outcome, code, account nor limit."""

    @holds(turned, floor=0.16)
    def test_order_is_nothing(self, both: tuple[Question, Declaration]) -> bool:
        return access.order_is_nothing(CORE, *both)

    @refutes(turned)
    def test_catches_the_first_grant_wins(self, both: tuple[Question, Declaration]) -> None:
        access.order_is_nothing(broken.scanning(choose=broken.first_grant), *both)

    @refutes(turned)
    def test_catches_the_last_grant_wins_over_ambiguity(self, both: tuple[Question, Declaration]) -> None:
        order = [code for code in ReasonCode if code is not ReasonCode.AMBIGUOUS_GRANT]
        access.order_is_nothing(broken.scanning(choose=lambda grants: grants[-1], order=order), *both)


class TestD7:
    """D7 · Decisions are deterministic."""

    @holds(asked, floor=0.13)
    def test_the_same_question_has_the_same_answer(self, question: Question) -> bool:
        return access.deterministic(CORE, question)

    @refutes(asked)
    def test_catches_a_decision_that_remembers(self, question: Question) -> None:
        calls = count(1)

        def every_second(decision: Decision, policy: Policy, principal: Principal) -> Decision:
            return decision if next(calls) % 2 else Deny(replace(decision.reason, code=ReasonCode.LIMIT_EXHAUSTED))

        access.deterministic(broken.deciding(every_second), question)


class TestD8:
    """D8 · A denial carries no account."""

    @holds(asked, floor=0.16)
    def test_a_denial_has_no_such_attribute(self, question: Question) -> bool:
        return access.denial_is_bare(CORE, question)

    @refutes(asked)
    def test_catches_an_empty_account(self, question: Question) -> None:
        def chatty(decision: Decision, policy: Policy, principal: Principal) -> Decision:
            return decision if isinstance(decision, Allow) else cast(Deny, broken.DenyWithAccount(decision.reason))

        access.denial_is_bare(broken.deciding(chatty), question)


class TestD9:
    """D9 · The strictest limit wins, compared exactly."""

    @holds(asked | crowd, floor=0.032)
    def test_the_least_calls_per_time(self, question: Question) -> bool:
        return access.strictest_limit_wins(CORE, question)

    @pytest.mark.parametrize(
        "choose",
        [
            broken.first_grant,
            broken.loosest,
            broken.strictest_in_floats,
            broken.fewest_calls,
            broken.longest_window,
            broken.latest_of_equals,
        ],
    )
    def test_catches_another_choice(self, choose: broken.Choose) -> None:
        wrong = broken.scanning(choose=choose)
        assert caught(asked, lambda question: access.strictest_limit_wins(wrong, question))


class TestD10:
    """D10 · Unknown usage under a limit denies; it never counts as zero."""

    @holds(asked, floor=0.04)
    def test_unknown_is_not_zero(self, question: Question) -> bool:
        return access.unknown_is_not_zero(CORE, question)

    @holds(asked, floor=0.025)
    def test_not_consulted_is_for_listing(self, question: Question) -> bool:
        return access.not_consulted_is_for_listing(CORE, question)

    @refutes(asked)
    def test_catches_unknown_counted_as_zero(self, question: Question) -> None:
        lenient = broken.asking(lambda usage, at_ms: Counted(0, at_ms) if isinstance(usage, UsageUnknown) else usage)
        access.unknown_is_not_zero(lenient, question)

    @refutes(asked)
    def test_catches_unknown_taken_for_not_consulted(self, question: Question) -> None:
        open_ended = broken.asking(lambda usage, at_ms: NotConsulted() if isinstance(usage, UsageUnknown) else usage)
        access.unknown_is_not_zero(open_ended, question)

    @refutes(asked)
    def test_catches_a_list_that_counts(self, question: Question) -> None:
        counting = broken.asking(lambda usage, at_ms: Counted(0, at_ms) if isinstance(usage, NotConsulted) else usage)
        access.not_consulted_is_for_listing(counting, question)


class TestD11:
    """D11 · Attributes an issuer does not declare never matter."""

    @holds(asked, names, floor=0.08)
    def test_an_undeclared_attribute_changes_nothing(self, question: Question, extra: str) -> bool:
        return access.undeclared_is_nothing(CORE, question, extra)

    @holds(asked.map(doubled), floor=0.28)
    def test_several_values_of_one_are_none(self, question: Question) -> bool:
        return access.several_of_one_are_none(CORE, question)

    @holds(asked, floor=0.07)
    def test_teams_and_the_subject_decide_nothing(self, question: Question) -> bool:
        return access.teams_are_no_attributes(CORE, question)

    @refutes(asked, names)
    def test_catches_a_principal_denied_for_what_nobody_asked(self, question: Question, extra: str) -> None:
        access.undeclared_is_nothing(broken.scanning(match=broken.exactly_the_facts), question, extra)

    @refutes(asked.map(doubled))
    def test_catches_all_values_of_one_counted(self, question: Question) -> None:
        access.several_of_one_are_none(broken.scanning(match=broken.raw_facts), question)

    @refutes(asked.map(doubled))
    def test_catches_the_first_of_several_values(self, question: Question) -> None:
        def first(principal: Principal, policy: Policy) -> Principal:
            given = {n: v if isinstance(v, str) else frozenset(sorted(v)[:1]) for n, v in principal.attributes.items()}
            return replace(principal, attributes=given)

        access.several_of_one_are_none(broken.of_another(first), question)

    @refutes(asked)
    def test_catches_teams_taken_for_values(self, question: Question) -> None:
        def member(principal: Principal, policy: Policy) -> Principal:
            return replace(principal, attributes={} if principal.teams else principal.attributes)

        access.teams_are_no_attributes(broken.of_another(member), question)


class TestD12:
    """D12 · Each reason code is reachable."""

    @pytest.mark.parametrize("code", ReasonCode)
    def test_some_question_is_answered_with_it(self, code: ReasonCode) -> None:
        assert reaches(asked, lambda question: access.ask(CORE, question).reason.code is code)

    @pytest.mark.parametrize("code", [ReasonCode.USAGE_UNKNOWN, ReasonCode.AMBIGUOUS_GRANT])
    def test_catches_a_code_that_is_never_answered(self, code: ReasonCode) -> None:
        mute = broken.scanning(order=[one for one in ReasonCode if one is not code])
        assert not reaches(asked, lambda question: access.ask(mute, question).reason.code is code, within=300)
