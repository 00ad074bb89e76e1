"""The laws of questions, and the comparison of every answer with the naive model."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from mcpizer_conformance.laws import questions
from mcpizer_conformance.laws.access import gist, policy_of
from mcpizer_conformance.laws.checking import holds, reaches, refutes
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.model import questions as model
from mcpizer_conformance.strategies.policies import NOW_MS, crowds, declarations
from mcpizer_conformance.strategies.revisions import Revision, gate_revisions, revisions
from mcpizer_conformance.strategies.worlds import Question, World, principals_for, reordered, worlds
from mcpizer_conformance.strategies.worlds import questions as any_questions
from mcpizer_core import (
    Allow,
    Arity,
    Change,
    Declaration,
    Deny,
    Explanation,
    Gate,
    NameChanged,
    Policy,
    Principal,
    Reach,
    ReasonCode,
    decide,
    diff,
    diff_names,
    explain,
    explain_name,
    who_can,
)
from tests.property import bridge

CORE = Subject()

either = declarations() | crowds()
asked = any_questions()
revised = revisions()
regated = gate_revisions()
named = worlds().flatmap(lambda one: st.tuples(st.just(one), st.sampled_from(sorted({t.exposed for t in one.tools}))))
shuffled = either.flatmap(lambda one: st.tuples(st.just(one), reordered(one)))
revised_twice = revised.flatmap(lambda one: st.tuples(st.just(one), reordered(one.before)))
watched = regated.flatmap(lambda one: st.tuples(st.just(one), principals_for(one.after.grants)))


class TestQ1:
    """Q1 · `who_can` is sound and complete for `decide`."""

    @holds(asked, floor=0.15)
    def test_decisions_follow_from_it_alone(self, question: Question) -> bool:
        return questions.reach_decides(CORE, question)

    @holds(asked, floor=0.3)
    def test_its_entries_are_the_grants(self, question: Question) -> bool:
        return questions.reach_is_declared(CORE, question)

    @holds(asked, floor=0.3)
    def test_the_model_finds_the_same(self, question: Question) -> bool:
        policy = policy_of(CORE, question.declaration)
        found, whole = who_can(policy, question.capability), bridge.declaration(policy.declaration)
        assert [(one.path, one.disabled) for one in found.entries] == [
            (one["grant"]["path"], one["disabled"]) for one in model.who_can(whole, question.capability)
        ]
        return bool(found.entries)

    @refutes(asked)
    def test_catches_the_strictest_left_out(self, question: Question) -> None:
        questions.reach_decides(reaching(lambda one: replace(one, entries=one.entries[1:])), question)

    @refutes(asked)
    def test_catches_arities_left_out(self, question: Question) -> None:
        def loose(one: Reach) -> Reach:
            issuers = tuple(
                replace(each, attributes=tuple(replace(a, arity=Arity.MANY) for a in each.attributes))
                for each in one.issuers
            )
            return replace(one, issuers=issuers)

        questions.reach_decides(reaching(loose), question)

    @refutes(asked)
    def test_catches_disabled_accounts_that_are_not_marked(self, question: Question) -> None:
        def unmarked(one: Reach) -> Reach:
            return replace(one, entries=tuple(each._replace(disabled=False) for each in one.entries))

        questions.reach_decides(reaching(unmarked), question)

    @refutes(asked)
    def test_catches_a_capability_taken_for_realized(self, question: Question) -> None:
        questions.reach_decides(reaching(lambda one: replace(one, realized=one.declared)), question)


def reaching(change: Callable[[Reach], Reach]) -> Subject:
    """A subject whose answer to `who_can` is spoiled."""

    def reached(policy: Policy, capability: str) -> Reach:
        return change(who_can(policy, capability))

    return replace(CORE, who_can=reached)


class TestQ2:
    """Q2 · `explain` agrees with `decide` for the same usage."""

    @holds(asked, floor=0.04)
    def test_it_is_what_is_decided(self, question: Question) -> bool:
        return questions.explained_as_decided(CORE, question)

    @holds(asked, floor=0.1)
    def test_rows_say_what_is_missing(self, question: Question) -> bool:
        return questions.rows_are_true(CORE, question)

    @holds(named, floor=0.05)
    def test_a_name_is_explained_by_all_that_hold_it(self, case: tuple[World, str]) -> bool:
        return questions.candidates_explain_the_outcome(CORE, *case)

    @holds(asked, floor=0.2)
    def test_the_model_finds_the_same(self, question: Question) -> bool:
        policy = policy_of(CORE, question.declaration)
        found = explain(policy, question.principal, question.capability, at_ms=NOW_MS, nearest=100)
        whole, principal = bridge.declaration(policy.declaration), bridge.principal(question.principal)
        wanted = [
            (row["grant"]["path"], tuple(row["missing"])) for row in model.rows(whole, principal, question.capability)
        ]
        rows = [(row.grant.path, row.missing) for row in found.grants]
        matching = sum(row.matched for row in found.grants)
        if found.decision.reason.code is not ReasonCode.AMBIGUOUS_GRANT:  # then no grant is the winning one
            assert rows[:1] == wanted[:1]
        assert sorted(rows[:matching]) == sorted(wanted[:matching])
        assert rows[matching:] == wanted[matching:]
        return len(rows) > 1

    @refutes(asked)
    def test_catches_usage_left_out(self, question: Question) -> None:
        def listed(policy: Policy, principal: Principal, capability: str, *, at_ms: int, **rest: Any) -> Explanation:
            found = explain(policy, principal, capability, at_ms=at_ms, **rest)
            return replace(found, decision=decide(policy, principal, capability, at_ms=at_ms))

        questions.explained_as_decided(replace(CORE, explain=listed), question)

    @refutes(asked)
    def test_catches_the_nearest_not_first(self, question: Question) -> None:
        def last(*given: Any, **rest: Any) -> Explanation:
            found = explain(*given, **rest)
            return replace(found, grants=found.grants[::-1])

        questions.rows_are_true(replace(CORE, explain=last), question)

    @refutes(named)
    def test_catches_a_tool_out_of_scope_left_out(self, case: tuple[World, str]) -> None:
        def seen(*given: Any, **rest: Any) -> Any:
            return tuple(one for one in explain_name(*given, **rest) if one.in_scope)

        questions.candidates_explain_the_outcome(replace(CORE, explain_name=seen), *case)


def differing(change: Callable[[tuple[Change, ...]], tuple[Change, ...]]) -> Subject:
    """A subject whose answer to `diff` is spoiled."""

    def differ(before: Policy, after: Policy) -> tuple[Change, ...]:
        return change(diff(before, after))

    return replace(CORE, diff=differ)


def one_for_each_selector(before: Policy, after: Policy) -> tuple[Change, ...]:
    """The changes that show in principals with exactly what one grant asks for, and in no others."""
    found = []
    for grant in (*before.declaration.grants, *after.declaration.grants):
        witness = Principal(f"{grant.to.issuer}:any", grant.to.issuer, grant.to.attributes)
        for capability in grant.capabilities:
            one, other = (decide(each, witness, capability, at_ms=0) for each in (before, after))
            if gist(one) != gist(other):
                found.append(Change(witness, capability, one, other))
    return tuple(found)


class TestQ3:
    """Q3 · `diff` exact, `diff(p, p)` empty, blind to order, antisymmetric."""

    @holds(revised, floor=0.3)
    def test_every_change_is_real(self, revision: Revision) -> bool:
        return questions.changes_are_real(CORE, revision)

    @holds(revised, floor=0.1)
    def test_nobody_is_missed(self, revision: Revision) -> bool:
        return questions.nobody_is_missed(CORE, revision)

    @holds(revised, floor=0.3)
    def test_the_other_way_round(self, revision: Revision) -> bool:
        return questions.the_other_way_round(CORE, revision)

    @holds(shuffled, floor=0.5)
    def test_order_and_paths_are_no_change(self, case: tuple[Declaration, Declaration]) -> bool:
        return questions.order_and_paths_are_nothing(CORE, *case)

    @holds(revised_twice, floor=0.3)
    def test_order_plays_no_part(self, case: tuple[Revision, Declaration]) -> bool:
        return questions.order_plays_no_part(CORE, *case)

    @holds(revised, floor=0.1)
    def test_the_model_finds_the_same(self, revision: Revision) -> bool:
        before, after = policy_of(CORE, revision.before), policy_of(CORE, revision.after)
        wanted = model.differing(*(bridge.declaration(one.declaration) for one in (before, after)))
        found = diff(before, after)
        assert {one.capability for one in found} == {capability for _, capability in wanted}
        return bool(found)

    @holds(regated, floor=0.1)
    def test_every_change_of_a_name_is_real(self, revision: Revision) -> bool:
        return questions.name_changes_are_real(CORE, revision)

    @holds(regated, floor=0.05)
    def test_no_name_is_missed(self, revision: Revision) -> bool:
        return questions.no_name_is_missed(CORE, revision)

    @holds(watched, floor=0.02)
    def test_names_gained_and_lost(self, case: tuple[Revision, Principal]) -> bool:
        return questions.shown_before_and_after(CORE, *case)

    @refutes(revised)
    def test_catches_one_principal_for_each_selector(self, revision: Revision) -> None:
        questions.nobody_is_missed(replace(CORE, diff=one_for_each_selector), revision)

    @refutes(revised)
    def test_catches_limits_left_out(self, revision: Revision) -> None:
        def accounts_only(changes: tuple[Change, ...]) -> tuple[Change, ...]:
            def account(decision: Allow | Deny) -> object:
                return decision.account if isinstance(decision, Allow) else decision.reason.code

            return tuple(one for one in changes if account(one.before) != account(one.after))

        questions.nobody_is_missed(differing(accounts_only), revision)

    @refutes(revised)
    def test_catches_a_change_that_is_none(self, revision: Revision) -> None:
        def more(changes: tuple[Change, ...]) -> tuple[Change, ...]:
            return tuple(replace(one, after=one.before) for one in changes)

        questions.changes_are_real(differing(more), revision)

    @refutes(shuffled)
    def test_catches_paths_compared(self, case: tuple[Declaration, Declaration]) -> None:
        def by_place(before: Policy, after: Policy) -> tuple[Change, ...]:
            changed = before.declaration.grants != after.declaration.grants
            reason = decide(before, Principal("a:a", "a"), "", at_ms=0)
            return (Change(Principal("a:a", "a"), "", reason, reason),) if changed else ()

        questions.order_and_paths_are_nothing(replace(CORE, diff=by_place), *case)

    @refutes(regated)
    def test_catches_scopes_left_out(self, revision: Revision) -> None:
        def public_only(before: Gate, after: Gate) -> tuple[NameChanged, ...]:
            return tuple(one for one in diff_names(before, after) if not one.witness.teams)

        questions.no_name_is_missed(replace(CORE, diff_names=public_only), revision)


class TestTheStrategy:
    """Revisions reach what one principal for each selector does not show."""

    def test_only_a_second_value_shows_it(self) -> None:
        assert reaches(revised, lambda one: self._only(one, lambda w: any(not isinstance(v, str) for v in w)), 3_000)

    def test_only_two_selectors_together_show_it(self) -> None:
        def clash(one: Revision) -> bool:
            codes = {ReasonCode.AMBIGUOUS_GRANT, ReasonCode.ACCOUNT_DISABLED}
            changes = self._changes(one)
            return bool(changes) and all({c.before.reason.code, c.after.reason.code} == codes for c in changes)

        assert reaches(revised, clash, 3_000)

    def _changes(self, one: Revision) -> tuple[Change, ...]:
        return diff(policy_of(CORE, one.before), policy_of(CORE, one.after))

    def _only(self, one: Revision, shows: Callable[[list[Any]], bool]) -> bool:
        changes = self._changes(one)
        alone = one_for_each_selector(policy_of(CORE, one.before), policy_of(CORE, one.after))
        return not alone and any(shows(list(change.witness.attributes.values())) for change in changes)
