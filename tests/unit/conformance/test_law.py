"""How a law is run: what counts as hard, as lost, as declined, as a breach, and that a breach is made small."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpizer_conformance import cases
from mcpizer_conformance.law import LOST_AT_MOST, SMALLER, Dear, Law
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.registry import LAWS, laws
from mcpizer_conformance.running import run
from mcpizer_conformance.specimens import SPECIMENS
from mcpizer_conformance.strategies.revisions import _edited
from mcpizer_conformance.subjects.answers import Declined, Fault, Lost
from mcpizer_conformance.subjects.implementations import core, in_process
from mcpizer_conformance.verdicts import Verdict, worst
from mcpizer_core import Account, Declaration

CORE = Subject()
BARE, EDITED = Declaration(accounts=(Account("one"),)), st.composite(_edited)
SPLITS = next(one for one in LAWS if one.id == "NAME-1.splits-back")


def law(asserts: Callable[[Subject, Any], bool], floor: float = 0.5) -> Law:
    return Law("NAME-1", "made-up", "naming", asserts, st.integers(0, 1_000), floor, frozenset({"split"}))


def saying(answer: Callable[..., Any]) -> Subject:
    return replace(CORE, qualify=answer)


class TestCheck:
    """The verdict on one law."""

    @pytest.mark.parametrize("one", laws("naming"), ids=str)
    def test_the_core_conforms(self, one: Law) -> None:
        result = one.check(CORE, examples=50)
        assert (result.verdict, result.why) == (Verdict.CONFORMS, "")
        assert result.cases >= 50
        assert 0 < result.hard <= result.cases

    def test_a_breach_is_made_small(self) -> None:
        def below(subject: Subject, case: int) -> bool:
            assert case < 137
            return True

        result = law(below).check(CORE)
        assert result.verdict is Verdict.VIOLATES
        assert result.counterexample is not None
        assert cases.restored(result.counterexample.case) == 137

    def test_the_same_seed_tries_the_same_cases(self) -> None:
        def tried(seed: int) -> list[int]:
            seen = list[int]()

            def note(subject: Subject, case: int) -> bool:
                seen.append(case)
                return True

            law(note).check(CORE, examples=20, seed=seed)
            return seen

        assert tried(1) == tried(1) != tried(2)

    def test_too_few_hard_cases_show_nothing(self) -> None:
        result = law(lambda subject, case: case == 1_000_000).check(CORE, examples=30)
        assert result.verdict is Verdict.VACUOUS
        assert result.why == "0 of 30 cases were hard ones, usually 50% are"

    def test_more_cases_are_tried_where_few_are_hard(self) -> None:
        assert law(lambda subject, case: True, floor=0.1).check(CORE, examples=1).cases == 60

    def test_what_raises_is_lost_and_not_searched_for_long(self) -> None:
        def broken(upstream: str, tool: str) -> str:
            raise RuntimeError("out of order")

        result = SPLITS.check(saying(broken))
        assert (result.verdict, result.lost, result.cases) == (Verdict.ERRORED, LOST_AT_MOST, 0)
        assert result.why == "qualify raises RuntimeError: out of order"

    def test_what_raises_where_a_law_forbids_it_is_a_breach(self) -> None:
        specimen = SPECIMENS["fails-without-a-separator"].make()
        total = next(one for one in LAWS if one.id == "NAME-4.split-is-total")
        assert total.check(specimen).verdict is Verdict.VIOLATES

    def test_some_declined_cases_leave_the_others_to_judge(self) -> None:
        def short(upstream: str, tool: str) -> str:
            if len(tool) > 60:
                raise Declined("too long to carry")
            return CORE.qualify(upstream, tool)  # type: ignore[arg-type]

        result = SPLITS.check(saying(short))
        assert (result.verdict, result.why) == (Verdict.DECLINED, "too long to carry")
        assert result.declined > 0
        assert result.cases > 100

    def test_all_declined_is_no_vacuity(self) -> None:
        def never(upstream: str, tool: str) -> str:
            raise Declined("not here")

        assert SPLITS.check(saying(never)).verdict is Verdict.DECLINED

    def test_a_lost_case_does_not_hide_a_breach(self) -> None:
        def bad(upstream: str, tool: str) -> str:
            if tool == "":
                raise Lost("no answer")
            return f"{upstream}_{tool}"

        assert SPLITS.check(saying(bad)).verdict is Verdict.VIOLATES

    def test_answers_that_change_are_a_breach(self) -> None:
        def fickle(subject: Subject, case: int, seen: list[int] = []) -> bool:  # noqa: B006 - it remembers
            seen.append(case)
            assert len(seen) != 3
            return True

        result = law(fickle).check(CORE)
        assert result.verdict is Verdict.VIOLATES
        assert result.why == "asked the same again, it answered otherwise"

    def test_a_fault_of_the_suite_is_no_verdict(self) -> None:
        def wrong(subject: Subject, case: int) -> bool:
            raise Fault("the law is wrong")

        with pytest.raises(Fault):
            law(wrong).check(CORE)


class TestDear:
    """Dear cases are few, the same for all laws of a profile, and made smaller as somebody knows how."""

    DEAR = Dear(4, lambda case: (case // 2, case - 1))

    def dear(self, asserts: Callable[[Subject, Any], bool], name: str = "made-up") -> Law:
        return Law("NAME-1", name, "naming", asserts, st.integers(0, 1_000), 0.5, frozenset({"split"}), dear=self.DEAR)

    def test_few_are_tried(self) -> None:
        kept = self.dear(lambda subject, case: True)
        assert (kept.check(CORE).cases, kept.check(CORE, examples=1).cases) == (4, 1)
        assert kept.sample() == self.dear(lambda subject, case: True, "another").sample()

    def test_a_breach_is_made_smaller_in_few_steps(self) -> None:
        tried = list[int]()

        def below(subject: Subject, case: int) -> bool:
            tried.append(case)
            assert case < 3
            return True

        result = self.dear(below).check(CORE)
        assert result.counterexample is not None
        assert cases.restored(result.counterexample.case) == 3
        assert len(tried) < 4 + SMALLER
        first = self.dear(below).check(CORE, shrink=False).counterexample
        assert first is not None
        assert cases.restored(first.case) in tried
        assert cases.restored(first.case) > 3

    def test_it_does_not_go_on_for_ever(self) -> None:
        tried = list[int]()

        def never(subject: Subject, case: int) -> bool:
            tried.append(case)
            raise AssertionError

        endless = replace(self.dear(never), dear=Dear(1, lambda case: (case + 1,)))
        assert endless.check(CORE).verdict is Verdict.VIOLATES
        assert len(tried) <= SMALLER + 3

    def test_an_unanswered_case_on_the_way_is_no_breach(self) -> None:
        def below(subject: Subject, case: int) -> bool:
            if case == 3:
                raise Lost("no answer")
            assert case < 3
            return True

        result = self.dear(below).check(CORE)
        assert result.verdict is Verdict.VIOLATES
        assert result.counterexample is not None
        assert cases.restored(result.counterexample.case) == 4


class TestSample:
    """Cases can be made once and tried on several."""

    def test_are_those_that_a_check_tries(self) -> None:
        tried = list[Any]()

        def noting(subject: Subject, case: int) -> bool:
            tried.append(case)
            return True

        noted = law(noting)
        noted.check(CORE, examples=20, seed=7)
        assert noted.sample(20, seed=7) == tried

    def test_break_a_law_or_say_nothing(self) -> None:
        some = SPLITS.sample(100)
        assert SPLITS.broken_by(SPECIMENS["splits-at-the-last-separator"].make(), some)
        assert not SPLITS.broken_by(CORE, some)

        def lost(upstream: str, tool: str) -> str:
            raise RuntimeError("out of order")

        assert not SPLITS.broken_by(saying(lost), some)

    @given(st.sampled_from(("grants", "accounts", "arities", "mappings")).flatmap(lambda how: EDITED(BARE, how)))
    def test_a_policy_that_has_lost_its_last_grant_can_be_edited(self, policy: Declaration) -> None:
        assert policy.grants == ()


class TestRun:
    """Results with what is told of a breach."""

    def test_a_breach_comes_with_calls_what_was_wanted_and_who_is_alike(self) -> None:
        specimen = in_process("specimen", SPECIMENS["splits-at-the-last-separator"].make())
        (result,) = run(specimen, [SPLITS])
        assert result.counterexample is not None
        (call,) = result.counterexample.calls
        assert call.function == "split"
        assert call.differs
        assert call.wanted == ({"upstream": "a", "tool": call.input["name"][3:]},)
        assert "splits-at-the-last-separator" in result.alike

    def test_a_law_that_asks_what_is_not_answered_cannot_be_tested(self) -> None:
        one = core()
        poor = replace(one, identity=replace(one.identity, functions=("split",)))
        (result,) = run(poor, [SPLITS])
        assert (result.verdict, result.why) == (
            Verdict.UNTESTABLE,
            "it does not answer parse_upstream_id, qualify",
        )


def test_the_worst_verdict_counts() -> None:
    assert worst([]) is Verdict.CONFORMS
    assert worst([Verdict.VIOLATES, Verdict.CONFORMS, Verdict.ERRORED]) is Verdict.VIOLATES
    assert worst([Verdict.DECLINED, Verdict.ADVISED]) is Verdict.DECLINED
