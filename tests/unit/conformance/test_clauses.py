"""Clauses, editions and the table of laws fit together, and are worded as they may be."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from mcpizer_conformance import clauses as module
from mcpizer_conformance.clauses import CURRENT, Keyword, clauses, digest, edition
from mcpizer_conformance.registry import LAWS, laws
from mcpizer_conformance.specimens import SPECIMENS
from mcpizer_conformance.subjects.implementations import PROFILES
from mcpizer_conformance.wire.functions import EVERY

FROZEN = {
    "1": "be18d343ce7eac0a71e4ac1f9420b7f84a3838cfd6214a451bf94819494936ca",
    "2": "8083baf8dba4127371dce8d18a7810a8cdcf6c408c9b9122295e16ec4f4b7ba8",
    "3": "d9ee408100e7f6f55614442175273ec5d62152f7c2f775d1bb89b1b58ac98027",
}
"""What each edition was frozen as. A changed sentence is another edition."""
LONGEST = 160
FILES = Path(module.__file__).with_name("editions")


def faults(sentence: str, keyword: Keyword) -> list[str]:
    found = []
    if len(sentence) > LONGEST:
        found.append("too long")
    if keyword is Keyword.MUST and re.search(r"\bshould\b", sentence):
        found.append("says should")
    if not re.fullmatch(r"[A-Z].*\.", sentence) or re.search(r"\. [A-Z]", sentence):
        found.append("not one sentence")
    return found


class TestClauses:
    """A clause is one sentence under an id that never changes."""

    @pytest.mark.parametrize("clause", clauses().values(), ids=lambda one: one.id)
    def test_is_one_sentence_with_a_reason_and_a_defect_it_is_about(self, clause: module.Clause) -> None:
        assert faults(clause.sentence, clause.keyword) == []
        assert re.fullmatch(r"(NAME|INV|PROJ|DEC|ASK|LIFE|STORE|GATE)-[1-9][0-9]*", clause.id)
        assert clause.why.endswith(".")
        assert re.search(r"[\w.-]+/[\w.-]+#\d+", clause.bug)

    @pytest.mark.parametrize("sentence", ["x" * 161 + ".", "A name should fit.", "One thing. Another thing.", "no"])
    def test_another_wording_is_found(self, sentence: str) -> None:
        assert faults(sentence, Keyword.MUST) != []

    def test_every_law_of_the_contract_but_those_of_clients_has_one(self) -> None:
        counts = {"N": 6, "I": 3, "P": 6, "D": 12, "Q": 4, "L": 13, "S": 4, "G": 7}
        due = [f"{letter}{number}" for letter, last in counts.items() for number in range(1, last + 1)]
        assert [one.law for one in clauses().values()] == due


class TestEditions:
    """An edition is frozen, and every clause stands in it, as required or as not scored."""

    def test_is_as_it_was_frozen(self) -> None:
        assert {id: edition(id).digest for id in FROZEN} == FROZEN
        assert {id: digest(edition(id)) for id in FROZEN} == FROZEN
        assert {one.stem for one in FILES.glob("*.toml")} == FROZEN.keys()

    def test_the_current_one_is_the_newest_and_takes_nothing_back(self) -> None:
        assert max(FROZEN, key=int) == CURRENT
        assert set(edition("1").required) <= set(edition().required)

    def test_another_wording_is_found(self, monkeypatch: pytest.MonkeyPatch) -> None:
        changed = {**clauses(), "NAME-1": replace(clauses()["NAME-1"], sentence="Names are fine.")}
        monkeypatch.setattr(module, "clauses", lambda: changed)
        assert digest(edition()) != edition().digest

    def test_holds_every_clause_once(self) -> None:
        aside = [id for _, ids in edition().not_scored for id in ids]
        assert sorted([*edition().required, *aside]) == sorted(clauses())


class TestLaws:
    """Every required clause has laws, every law a clause, and an id of its own."""

    def test_cover_every_clause_of_a_profile_that_can_be_run(self) -> None:
        assert {one.clause for one in LAWS} >= {one.id for one in clauses().values() if one.profile in PROFILES}

    def test_cover_the_edition(self) -> None:
        assert {one.clause for one in LAWS} == set(edition().required)
        assert len({one.id for one in LAWS}) == len(LAWS)

    def test_ask_what_there_is_to_ask(self) -> None:
        assert {name for one in LAWS for name in one.functions} == set(EVERY)
        assert {one.profile for one in LAWS} == set(PROFILES)

    def test_tell_what_they_assert(self) -> None:
        assert [one.id for one in LAWS if len(one.sentence) < 20 or "Hard" in one.sentence] == []

    def test_are_chosen_by_profile(self) -> None:
        assert laws() == LAWS
        assert {one.profile for one in laws("naming", "decision")} == {"naming", "decision"}
        with pytest.raises(ValueError, match="no profile is called baking"):
            laws("baking")

    def test_each_required_clause_has_a_specimen_that_breaks_it(self) -> None:
        assert {one.breaks for one in SPECIMENS.values()} == set(edition().required)
