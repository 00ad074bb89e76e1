"""The vectors that ship are those that the model answers, every one is right, and wrong implementations miss some."""

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mcpizer_conformance.clauses import clauses, edition
from mcpizer_conformance.registry import LAWS
from mcpizer_conformance.selftest.smoke import ASKED, GATE, POLICY
from mcpizer_conformance.specimens import (
    SPECIMENS,
    gateways,
    narrow_audits,
    narrow_decisions,
    narrow_lists,
    stores,
)
from mcpizer_conformance.subjects.implementations import core, in_process, model
from mcpizer_conformance.vectors import making
from mcpizer_conformance.vectors.asking import ask
from mcpizer_conformance.vectors.frozen import SHIPPED, text_of, vectors
from mcpizer_conformance.vectors.oracle import ANSWERS, Open, right
from mcpizer_conformance.vectors.picked import PICKED
from mcpizer_conformance.vectors.vector import PROFILES, Vector, file_of, read, written
from mcpizer_conformance.verdicts import Verdict

OTHER_ACCOUNT = {"id": "another", "disabled": False, "path": "/accounts/1"}

FROZEN = {
    "naming": "9e9ef738ff7cba27",
    "inverse": "de1860a0c280b3bc",
    "projection": "394bc9a3be9a53a1",
    "decision": "1dd7940e4a7c55a5",
    "questions": "58ca34586bd6e92f",
    "lifecycle": "1f3fd8ea2bb2da68",
}
"""What each file was frozen as. A vector is never changed: if one is added, its file has another digest."""

GRANT = POLICY["grants"][0]
NO_GRANTS = {**POLICY, "grants": []}
AMBIGUOUS = {
    **POLICY,
    "grants": [GRANT, {**GRANT, "using": "another"}],
    "accounts": [*POLICY["accounts"], OTHER_ACCOUNT],
}
EQUALLY_NEAR = {**POLICY, "grants": [GRANT, *({**GRANT, "attributes": {"team": [name]}} for name in ("ops", "hr"))]}

UNMARKED = {
    "compares-accounts-only": "a change may have any of several witnesses",
    "tells-changes-that-are-none": "a change may have any of several witnesses",
    "asks-one-for-each-selector": "a change may have any of several witnesses",
    "compares-public-names-only": "a change may have any of several witnesses",
    "compares-equal-selectors": "findings may be bundled in several ways",
    "takes-sets-for-values": "findings may be bundled in several ways",
    "reports-some": "findings may be bundled in several ways",
    "reports-mildly": "findings may be bundled in several ways",
    "the-listing-decides": "two tools of one upstream share a name under few schemes, and vectors are of the usual one",
}
"""The specimens that no vector notices, and why: only laws do."""

NARROW = {one.name for module in (narrow_audits, narrow_decisions, narrow_lists, stores) for one in module.ALL}
"""Specimens that are wrong in one respect only, made for one law each: vectors need not notice them, nor stores."""

RUNNING = {one.name for one in gateways.ALL}
"""Specimens that run, whose functions of values are those of the core: vectors ask about values."""


def wrong(implementation_name: str) -> list[str]:
    specimen = in_process(implementation_name, SPECIMENS[implementation_name].make())
    return [one.law for one in ask(specimen, vectors()) if one.verdict is not Verdict.CONFORMS]


class TestFiles:
    """What ships is what would be written, in the shape that ships with it."""

    def test_are_as_they_would_be_written(self) -> None:
        assert making.stale() == []

    def test_others_are_found(self, tmp_path: Path) -> None:
        for name, text in making.made().items():
            (tmp_path / name).write_text(text, "utf-8")
        assert making.stale(tmp_path) == []
        (tmp_path / "naming.jsonl").write_text(text_of("naming.jsonl").replace("docs", "dots"), "utf-8")
        (tmp_path / "inverse.jsonl").unlink()
        assert making.stale(tmp_path) == ["naming.jsonl", "inverse.jsonl"]

    def test_are_as_they_were_frozen(self) -> None:
        assert {one: sha256(text_of(file_of(one)).encode()).hexdigest()[:16] for one in PROFILES} == FROZEN

    def test_have_the_shape_of_the_schema(self) -> None:
        validator = Draft202012Validator(json.loads(text_of("schema.json")))
        validator.check_schema(validator.schema)
        for profile in PROFILES:
            for line in text_of(file_of(profile)).splitlines():
                assert line.isascii()
                assert validator.is_valid(json.loads(line)), line
        assert not validator.is_valid({**json.loads(text_of("naming.jsonl").splitlines()[0]), "format": "2"})

    def test_come_back_as_they_were_written(self) -> None:
        assert read(written(vectors("naming"))) == vectors("naming")
        assert {one.profile for one in vectors("naming", "decision")} == {"naming", "decision"}
        assert {one.profile for one in vectors()} == set(PROFILES) == set(PICKED)

    @pytest.mark.parametrize("text", ["no", "[]", "{}", '{"format":"2"}', '\n{"format":"1"}'])
    def test_what_is_none_is_found_with_its_line(self, text: str) -> None:
        with pytest.raises(ValueError, match=r"line \d is no"):
            read(text)

    def test_tell_how_to_run_them(self) -> None:
        readme = text_of("README.md")
        assert all(f"`{file_of(one)}`" in readme for one in PROFILES)
        assert all(f"`{key}`" in readme for key in json.loads(text_of("naming.jsonl").splitlines()[0]))
        assert "README.md" in SHIPPED


class TestVectors:
    """Each has an id of its own, a note, a defect, and is right for model and core."""

    def test_say_of_which_clause_they_are_and_where_it_went_wrong(self) -> None:
        assert len({one.id for one in vectors()}) == len(vectors())
        for one in vectors():
            assert re.fullmatch(rf"{one.clause}/[a-z0-9]+(-[a-z0-9]+)*", one.id)
            assert one.clause in clauses()
            assert re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", one.bug), one.id
            assert re.fullmatch(r".{8,}[.]", one.note) or one.note.endswith("taken"), one.id

    def test_the_core_keeps_all(self) -> None:
        assert [one for one in ask(core(), vectors()) if one.verdict is not Verdict.CONFORMS] == []

    def test_the_model_keeps_all_that_it_answers(self) -> None:
        results = list(ask(model(), vectors()))
        assert {one.verdict for one in results} == {Verdict.CONFORMS, Verdict.UNTESTABLE}
        unanswered = {one.function for one, found in zip(vectors(), results, strict=True) if found.why}
        assert unanswered <= set(ANSWERS)

    def test_every_clause_that_has_a_law_of_one_answer_has_some(self) -> None:
        lawful = {law.clause for law in LAWS if law.profile in PROFILES}
        assert {one.clause for one in vectors()} == lawful <= set(edition().required)

    @pytest.mark.parametrize(
        ("function", "given", "why"),
        [
            ("bake", {}, "no vector asks bake"),
            ("diff", {"before": POLICY, "after": NO_GRANTS}, "witnesses"),
            ("diff_names", {"before": GATE, "after": {**GATE, "declaration": NO_GRANTS}}, "witnesses"),
            ("compile_policy", {"declaration": AMBIGUOUS, "on_ambiguity": "deny"}, "bundled"),
            ("explain", {**ASKED, "declaration": EQUALLY_NEAR, "nearest": "10"}, "equally near"),
        ],
        ids=lambda one: one if isinstance(one, str) else "",
    )
    def test_a_question_with_several_answers_is_refused(self, function: str, given: dict[str, Any], why: str) -> None:
        with pytest.raises(Open, match=why):
            right(function, given)

    def test_a_wrong_answer_is_told_with_the_right_one(self) -> None:
        specimen = in_process("specimen", SPECIMENS["splits-at-the-last-separator"].make())
        result = next(one for one in ask(specimen, vectors("naming")) if one.verdict is Verdict.VIOLATES)
        assert result.counterexample is not None
        (call,) = result.counterexample.calls
        assert call.differs
        assert (result.clause, call.function) == ("NAME-1", "split")
        assert "splits-at-the-last-separator" in result.alike


@pytest.mark.parametrize("name", sorted(SPECIMENS.keys() - NARROW - RUNNING))
def test_a_specimen_gives_wrong_answers(name: str) -> None:
    assert (wrong(name) == []) == (name in UNMARKED)


def test_whatever_is_raised_is_no_answer() -> None:
    specimen = in_process("specimen", SPECIMENS["fails-without-a-separator"].make())
    (one,) = (each for each in vectors() if each.id == "NAME-4/bare-tool-name")
    (result,) = ask(specimen, [one])
    assert (result.verdict, result.counterexample) == (Verdict.ERRORED, None)
    assert "split raises ValueError" in result.why


def test_a_vector_is_what_its_line_says() -> None:
    one = Vector("X-1/a", "naming", "X-1", "split", {"name": "\u0663"}, None, "A note.", "a/b#1")
    (line,) = written([one]).splitlines()
    assert line.startswith('{"format":"1","id":"X-1/a","profile":"naming","clause":"X-1","function":"split",')
    assert "\\u0663" in line
