"""A record of a run comes back as it was written, and its forms tell what is in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpizer_conformance import cases
from mcpizer_conformance.registry import LAWS
from mcpizer_conformance.report import lines, markdown, text
from mcpizer_conformance.running import run
from mcpizer_conformance.specimens import SPECIMENS
from mcpizer_conformance.strategies.samples import crowded, gate_revisions, questions
from mcpizer_conformance.subjects.implementations import in_process


def recorded() -> lines.Record:
    specimen = in_process("specimen", SPECIMENS["joins-with-a-hyphen"].make())
    some = [law for law in LAWS if law.clause in ("NAME-2", "NAME-5")]
    head = lines.Head(specimen.identity, ("naming",), 300, 3, ("node", "my driver.mjs"), "9")
    return lines.Record(head, tuple(run(specimen, some, examples=300, seed=3)))


def written(record: lines.Record) -> list[str]:
    return [lines.head_line(record.head), *map(lines.result_line, record.results), lines.end_line(record)]


class TestRecords:
    """JSON Lines are the source of every form."""

    def test_come_back_as_they_were_written(self) -> None:
        record = recorded()
        assert lines.read(written(record)) == record
        assert not record.conforms

    def test_one_that_was_cut_short_is_found(self) -> None:
        with pytest.raises(ValueError, match="cut short"):
            lines.read(written(recorded())[:-1])

    @pytest.mark.parametrize("some", [[], ["no"], ["[]"], ["{}"], ['{"line":"run"}']])
    def test_others_are_none(self, some: list[str]) -> None:
        with pytest.raises(ValueError, match=r"not a record of a run|Expecting value"):
            lines.read(some)

    def test_forms_tell_clause_case_and_command(self) -> None:
        record = recorded()
        for form in (text.whole(record), markdown.whole(record)):
            assert "violates NAME-2 (MUST): Two different pairs" in form
            assert "like     " in form
            assert "--law NAME-2.injective --seed 3 --examples 300 -- node 'my driver.mjs'" in form
        assert text.whole(record).endswith("specimen does not conform: 4 laws of naming; 2 violates\n")
        assert "| NAME-5 | " in markdown.whole(record)


class TestCases:
    """A case is stored as JSON and comes back."""

    @given(st.one_of(crowded, gate_revisions(), questions()))
    def test_comes_back(self, case: object) -> None:
        plain = cases.stored(case)
        assert cases.stored(cases.restored(plain)) == plain
        if not isinstance(case, tuple):
            assert cases.restored(plain) == case

    def test_others_are_refused(self) -> None:
        with pytest.raises(TypeError, match="no case is made of object"):
            cases.stored(object())
