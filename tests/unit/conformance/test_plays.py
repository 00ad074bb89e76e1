"""Plays travel and are kept as they are; the laws hold for a store that is right, and notice each that is wrong."""

import json
from dataclasses import replace
from functools import cache

import pytest

from mcpizer_conformance import cases
from mcpizer_conformance.law import Law
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.plays import Commit, Crash, Force, Load, Open, Play, Several, Together
from mcpizer_conformance.registry import LAWS, laws
from mcpizer_conformance.running import run
from mcpizer_conformance.selftest import gate, kills
from mcpizer_conformance.specimens import SPECIMENS, stores
from mcpizer_conformance.subjects.asking import subject_of
from mcpizer_conformance.subjects.implementations import core, in_process
from mcpizer_conformance.subjects.serving import answerer_of
from mcpizer_conformance.verdicts import Verdict
from mcpizer_conformance.wire import plays
from mcpizer_conformance.wire.functions import FUNCTIONS

RIGHT = Subject(**stores.playing(stores.Shelf))
OWN = {one.name: one for one in stores.ALL}


@cache
def table() -> dict[str, list[str]]:
    """Return the laws that notice each specimen."""
    return {name: [law.id for law in laws("store") if kills.notices(law, one, 200)] for name, one in OWN.items()}


@cache
def sampled() -> list[Play]:
    """Return what the laws are tried on."""
    return [case for law in laws("store") for case in kills.sampled(law, 200)]


class TestLaws:
    """A store that is right keeps all of them, however it is asked; each that is wrong breaks one."""

    @pytest.mark.parametrize("law", laws("store"), ids=str)
    def test_one_that_is_right_keeps_it_through_plain_calls(self, law: Law) -> None:
        result = law.check(subject_of(answerer_of(RIGHT)))
        assert (result.verdict, result.why) == (Verdict.CONFORMS, "")

    @pytest.mark.parametrize("name", OWN)
    def test_a_specimen_is_noticed_by_a_law_of_its_clause(self, name: str) -> None:
        assert OWN[name].breaks in {law.partition(".")[0] for law in table()[name]}

    def test_each_is_alone_somewhere_or_says_why_it_stays(self) -> None:
        found = gate.alone(table())
        vain = [law.id for law in laws("store") if not found[law.id]]
        assert vain == [id for id in gate.written("stays") if id.startswith("STORE")]

    def test_the_smallest_breach_is_told_as_a_play(self) -> None:
        (law,) = [one for one in LAWS if one.id == "STORE-1.one-commit-per-version"]
        (result,) = run(in_process("specimen", SPECIMENS["compares-before-the-lock"].make()), [law])
        assert result.counterexample is not None
        assert result.counterexample.note == "2 commits to one version are accepted"
        (call,) = result.counterexample.calls
        assert (call.function, call.wanted) == ("play", ())
        (together,) = [one for one in call.answer if one["kind"] == "together"]
        assert [one["kind"] for one in together["answers"]] == ["accepted", "accepted"]

    def test_who_keeps_nothing_does_not_claim_to(self) -> None:
        assert not {"store", "play"} & {*core().identity.profiles, *core().identity.functions}
        assert {result.verdict for result in run(core(), laws("store"))} == {Verdict.UNTESTABLE}
        assert {law.check(Subject()).verdict for law in laws("store")} == {Verdict.DECLINED}

    @pytest.mark.parametrize("spoil", ["one too few", "another kind", "one of several too few"])
    def test_what_is_no_answer_to_a_step_breaks_every_law(self, spoil: str) -> None:
        def play(one: Play) -> tuple[object, ...]:
            answers = RIGHT.play(one)
            if spoil == "one too few":
                return answers[:-1]
            if spoil == "another kind":
                both = zip(one.steps, answers, strict=True)
                return tuple(answers[0] if isinstance(step, Load) else answer for step, answer in both)
            return tuple(Several(each.answers[1:]) if isinstance(each, Several) else each for each in answers)

        due = [law for law in laws("store") if "several" not in spoil or "one-" in law.id]
        for law in due:
            verdict = law.check(replace(RIGHT, play=play), shrink=False).verdict  # type: ignore[arg-type]
            assert verdict is Verdict.VIOLATES, law.id


class TestTravelling:
    """Plays and their answers come back as they went."""

    def test_there_are_steps_of_every_kind(self) -> None:
        found = {type(step) for case in sampled() for step in case.steps}
        assert found == {Open, Load, Commit, Together, Crash, Force}

    def test_a_play_and_its_answers_come_back(self) -> None:
        for play in sampled():
            plain = json.loads(json.dumps(plays.play(play)))
            assert FUNCTIONS["play"].takes(plain)
            assert plays.play_of(plain) == play
            answers = RIGHT.play(play)
            told = json.loads(json.dumps([plays.answer(one) for one in answers]))
            assert FUNCTIONS["play"].gives(told)
            assert tuple(map(plays.answer_of, told)) == answers

    def test_a_case_is_stored_and_comes_back(self) -> None:
        for play in sampled():
            plain = json.loads(json.dumps(cases.stored(play)))
            assert cases.restored(plain) == play
            json.dumps(cases.shown(plain))
