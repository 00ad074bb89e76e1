"""The laws of the life cycle, asked through plain calls; and lives that travel, are stored, and come back."""

import json
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpizer_conformance import cases
from mcpizer_conformance.law import Law
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.model import naming
from mcpizer_conformance.registry import LAWS, laws
from mcpizer_conformance.running import run
from mcpizer_conformance.selftest.smoke import WORLD
from mcpizer_conformance.specimens import SPECIMENS
from mcpizer_conformance.strategies.histories import SCHEMES, History, histories
from mcpizer_conformance.strategies.samples import carried
from mcpizer_conformance.subjects.answers import Declined, Fault
from mcpizer_conformance.subjects.asked import AskedNamespace
from mcpizer_conformance.subjects.asking import subject_of
from mcpizer_conformance.subjects.implementations import core, in_process, model
from mcpizer_conformance.subjects.model import ANSWERER, numbers
from mcpizer_conformance.verdicts import Verdict
from mcpizer_conformance.wire import life_decoding, life_encoding
from mcpizer_conformance.wire.functions import FUNCTIONS
from mcpizer_core import ConflictRule, Offer, Public, Registration, UpstreamId, apply, restore

THROUGH_CALLS = subject_of(core().answerer)
FEW = settings(max_examples=20, deadline=None)
travelling = histories().map(carried)


class TestLaws:
    """A law of lives is one function, however it is asked."""

    @pytest.mark.parametrize("law", laws("lifecycle"), ids=str)
    def test_the_core_keeps_it_through_plain_calls(self, law: Law) -> None:
        result = law.check(THROUGH_CALLS, examples=10)
        assert (result.verdict, result.why) == (Verdict.CONFORMS, "")

    @pytest.mark.parametrize("law", laws("lifecycle"), ids=str)
    def test_the_model_keeps_it(self, law: Law) -> None:
        result = law.check(model().subject, examples=10)
        assert (result.verdict, result.why) == (Verdict.CONFORMS, "")

    def test_a_breach_comes_with_what_was_wanted_and_who_is_alike(self) -> None:
        (law,) = [one for one in LAWS if one.id == "LIFE-7.reach-is-no-matter-of-the-catalog"]
        (result,) = run(in_process("specimen", SPECIMENS["down-is-gone"].make()), [law])
        assert result.counterexample is not None
        (call,) = result.counterexample.calls
        assert call.function == "apply"
        assert call.input["event"]["kind"] == "unreached"
        wanted, answered = (
            [one for one in answer["tools"] if one["key"] == call.input["event"]["key"]]
            for answer in (call.wanted[0], call.answer)
        )
        assert wanted != []
        assert answered == []
        assert "down-is-gone" in result.alike

    def test_what_is_shown_is_what_was_told(self) -> None:
        (law,) = [one for one in LAWS if one.id == "LIFE-7.off-shows-nothing"]
        shown = in_process("specimen", SPECIMENS["shown-though-off"].make())
        assert law.check(subject_of(shown.answerer)).verdict is Verdict.VIOLATES

    def test_who_knows_one_scheme_declines_the_other_and_conforms(self) -> None:
        def one_scheme(function: str, given: object) -> object:
            if isinstance(given, dict) and given.get("scheme") == "hyphenated":
                raise Declined("no hyphens here")
            return core().answerer(function, cast(dict[str, object], given))

        (law,) = [one for one in LAWS if one.id == "LIFE-12.changes-are-the-difference"]
        result = law.check(subject_of(one_scheme), examples=30)
        assert (result.verdict, result.why) == (Verdict.DECLINED, "no hyphens here")
        assert result.cases > 0

    def test_a_law_that_cannot_judge_is_no_verdict_on_anybody(self) -> None:
        def confused(subject: Subject, case: int) -> bool:
            raise KeyError(case)

        law = Law("NAME-1", "made-up", "naming", confused, st.integers(), 0.5, frozenset())
        with pytest.raises(Fault, match=r"NAME-1\.made-up cannot judge an answer: KeyError"):
            law.check(Subject())


class TestTravelling:
    """Namespaces and events come back as they went, payloads apart."""

    @FEW
    @given(travelling)
    def test_a_history_comes_back(self, history: History) -> None:
        namespace = history.start
        for step in history.steps:
            plain = life_encoding.world(namespace)
            parts = life_decoding.namespace(plain["namespace"])
            again = restore(
                parts.registrations,
                retired=parts.retired,
                version=parts.version,
                rule=life_decoding.rule(plain),
                scheme=life_decoding.scheme(plain),
            )
            assert (again, again.catalog) == (namespace, namespace.catalog)
            event = life_encoding.event(step.event)
            assert life_decoding.event(json.loads(json.dumps(event))) == step.event
            given = {**plain, "event": event, "on_conflict": step.on_conflict.value}
            assert FUNCTIONS["apply"].takes(given)
            answer = core().answerer("apply", given)
            assert FUNCTIONS["apply"].gives(answer)
            assert answer == ANSWERER("apply", given)
            namespace = apply(namespace, step.event, on_conflict=step.on_conflict).namespace

    @FEW
    @given(histories())
    def test_a_case_is_stored_and_comes_back(self, history: History) -> None:
        plain = json.loads(json.dumps(cases.stored(history)))
        again = cases.restored(plain)
        assert again == history
        assert (again.start.rule, again.start.scheme) == (history.start.rule, history.start.scheme)
        json.dumps(cases.shown(plain))

    def test_words_of_cases_mean_one_thing(self) -> None:
        words = [cases.WORDS[one.value] for one in cases.WORDS.values()]
        assert words == list(cases.WORDS.values())
        assert cases.restored(cases.stored(ConflictRule.SAME_SCOPE)) is ConflictRule.SAME_SCOPE

    def test_the_schemes_are_those_of_the_histories_and_of_the_model(self) -> None:
        assert tuple(life_encoding.SCHEMES.values()) == SCHEMES
        pairs = [("docs", "a_b"), ("docs-a", "b"), ("docs", "")]
        for name, own in (("qualified", naming.exposed_name), ("hyphenated", naming.hyphenated)):
            scheme = life_encoding.SCHEMES[name]
            assert [scheme(UpstreamId(one), tool) for one, tool in pairs] == [own(*pair) for pair in pairs]


class TestTheModel:
    """The model restores what the core restores, and takes no name of a tool for a number."""

    def test_duplicates_of_the_past_stay_and_bad_offers_are_set_aside(self) -> None:
        offers = (Offer("b", "1"), Offer("a", "1"), Offer("b", "2"), Offer("", "1"))
        one = Registration("k1", "docs", Public(), generation=3, offers=offers)
        namespace = AskedNamespace(
            1, {"k1": one, "k2": replace(one, key="k2")}, (), None, ConflictRule.SHARED_VIEWER, SCHEMES[0]  # type: ignore[arg-type]
        )  # fmt: skip
        given = life_encoding.world(namespace)  # type: ignore[arg-type]
        answer = core().answerer("restore", given)
        assert answer == ANSWERER("restore", given)
        assert (answer["namespace"]["version"], len(answer["tools"])) == ("3", 4)
        (twin, nameless) = answer["namespace"]["registrations"][0]["quarantined"]
        assert (twin["code"], nameless["code"]) == ("repeated_in_listing", "invalid_tool_name")

    def test_keys_of_tables_are_no_numbers(self) -> None:
        world = json.loads(json.dumps(WORLD))
        world["namespace"]["registrations"][0]["aliases"] = {"version": "seven"}
        found = numbers(world)["namespace"]["registrations"][0]
        assert (found["aliases"], found["generation"]) == ({"version": "seven"}, 1)
