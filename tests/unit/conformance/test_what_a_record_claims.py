"""What a record claims is what was shown: neither the last line nor the badge says more."""

from dataclasses import replace
from pathlib import Path

import pytest

from mcpizer_conformance.clauses import CURRENT, clauses
from mcpizer_conformance.cli.ending import Exit
from mcpizer_conformance.cli.main import main
from mcpizer_conformance.report import badge, junit, lines, matrix, text
from mcpizer_conformance.subjects.implementations import core
from mcpizer_conformance.vectors.frozen import vectors
from mcpizer_conformance.verdicts import Result, Verdict

NAMING = [one.id for one in clauses().values() if one.profile == "naming"]
INVERSE = [one.id for one in clauses().values() if one.profile == "inverse"]


def record(verdicts: dict[str, Verdict]) -> lines.Record:
    head = lines.Head(core().identity, ("naming", "inverse"), 200, 0, ())
    return lines.Record(head, tuple(Result(f"{clause}.law", clause, one) for clause, one in verdicts.items()))


ALL = record(dict.fromkeys([*NAMING, *INVERSE], Verdict.CONFORMS))


class TestDeclined:
    """Who declines some of it says so; who declines all of a profile shows nothing."""

    def test_some_are_told(self) -> None:
        some = record({**dict.fromkeys([*NAMING, *INVERSE], Verdict.CONFORMS), INVERSE[0]: Verdict.DECLINED})
        assert some.conforms
        assert text.closing(some) == "mcpizer core conforms: 9 laws of naming, inverse; 1 declined"
        assert badge.message(some) == f"edition {CURRENT}: naming, inverse (1 declined)"

    def test_all_of_a_profile_do_not_conform_to_it(self) -> None:
        kept, declined = dict.fromkeys(NAMING, Verdict.CONFORMS), dict.fromkeys(INVERSE, Verdict.DECLINED)
        none = record({**kept, **declined})
        assert none.empty == ("inverse",)
        assert not none.conforms
        assert text.closing(none).endswith("; 3 declined; nothing of inverse")
        assert badge.message(none) == "nothing of inverse"
        assert badge.BAD_COLOUR in badge.whole(none)

    def test_what_was_not_asked_is_not_declined(self) -> None:
        assert record(dict.fromkeys(NAMING, Verdict.CONFORMS)).conforms
        assert (ALL.conforms, ALL.empty, badge.message(ALL)) == (True, (), f"edition {CURRENT}: naming, inverse")


def asked(profiles: tuple[str, ...], *laws: tuple[str, Verdict]) -> lines.Record:
    """A record of real laws, whose profile may be another than that of their clause."""
    head = lines.Head(core().identity, profiles, 200, 0, ())
    return lines.Record(head, tuple(Result(id, id.partition(".")[0], verdict) for id, verdict in laws))


COUNTED = ("GATE-4.exactly-k-in-one-window", Verdict.CONFORMS)


class TestProfiles:
    """A result is of the profile of its law, whatever the profile of the clause."""

    def test_a_law_of_decisions_shows_nothing_of_a_gateway(self) -> None:
        declined = ("GATE-1.nothing-later-happens", Verdict.DECLINED)
        some = asked(("decision", "gateway"), COUNTED, declined)
        assert some.empty == ("gateway",)

    def test_a_law_of_decisions_shows_something_of_decisions(self) -> None:
        assert asked(("decision",), COUNTED, ("DEC-1.allowed-is-covered", Verdict.DECLINED)).empty == ()

    def test_vectors_have_one_too(self) -> None:
        id = next(one.id for one in vectors("decision") if one.clause == "GATE-4")
        some = lines.Record(asked(("decision",)).head, (Result(id, "GATE-4", Verdict.CONFORMS),))
        assert 'classname="decision.GATE-4"' in junit.whole([some])

    def test_reports_are_grouped_so(self) -> None:
        page = matrix.whole([asked(("decision",), COUNTED)])
        assert 'scope="rowgroup" colspan="2">decision<' in page
        assert 'scope="rowgroup" colspan="2">gateway<' not in page
        assert 'classname="decision.GATE-4"' in junit.whole([asked(("decision",), COUNTED)])

    def test_a_clause_of_two_profiles_has_a_row_in_each(self) -> None:
        both = asked(("decision", "gateway"), COUNTED, ("GATE-4.exactly-k-run-at-once", Verdict.VIOLATES))
        page = matrix.whole([both])
        assert page.count("<code>GATE-4</code>") == 2
        assert "<caption>1 clause, 1 implementation<" in page

    def test_of_a_law_that_nobody_knows_it_is_that_of_the_clause(self) -> None:
        assert 'classname="gateway.GATE-4"' in junit.whole([asked(("gateway",), ("GATE-4.new", Verdict.CONFORMS))])


class TestVacuous:
    """What shows nothing is not charged to the implementation, and does not conform either."""

    def vacuous(self, *more: Verdict) -> lines.Record:
        some = dict.fromkeys([*NAMING, *INVERSE], Verdict.CONFORMS)
        return record({**some, INVERSE[0]: Verdict.VACUOUS, **dict(zip(NAMING, more, strict=False))})

    def test_is_told_as_what_is_not_shown(self) -> None:
        some = self.vacuous()
        assert not some.conforms
        assert text.closing(some) == "mcpizer core is not shown to conform: 9 laws of naming, inverse; 1 vacuous"
        assert badge.message(some) == "1 clause not shown"
        assert badge.BAD_COLOUR in badge.whole(some)
        assert "<small>is not shown to conform</small>" in matrix.whole([some])

    def test_beside_a_breach_it_does_not_count(self) -> None:
        some = self.vacuous(Verdict.VIOLATES)
        assert text.closing(some).startswith("mcpizer core does not conform: ")
        assert badge.message(some) == "1 clause not met"

    @pytest.mark.parametrize(
        ("more", "code"),
        [((), Exit.SUITE_FAULT), ((Verdict.ADVISED,), Exit.SUITE_FAULT), ((Verdict.VIOLATES,), Exit.VIOLATIONS)],
    )
    def test_ends_with_the_code_of_the_suite_unless_something_else_is_wrong(
        self, more: tuple[Verdict, ...], code: Exit, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        some, file = self.vacuous(*more), tmp_path / "run.jsonl"
        written = [lines.head_line(some.head), *map(lines.result_line, some.results), lines.end_line(some)]
        file.write_text("\n".join(written) + "\n", "utf-8")
        assert main(["summary", str(file)]) == code
        assert ("is not shown to conform" in capsys.readouterr().out) == (code is Exit.SUITE_FAULT)


class TestOnly:
    """A run of a few laws is no run of their profile."""

    def test_comes_back(self) -> None:
        few = replace(ALL, head=replace(ALL.head, only=("NAME-1", "INV-1.law")))
        written = [lines.head_line(few.head), *map(lines.result_line, few.results), lines.end_line(few)]
        assert lines.read(written).head.only == few.head.only
        assert '<property name="only" value="NAME-1, INV-1.law" />' in junit.whole([few])
        older = [written[0].replace(',"only":["NAME-1","INV-1.law"]', ""), *written[1:]]
        assert lines.read(older).head.only == ()

    @pytest.mark.parametrize("vectors", [(), ("--vectors",)], ids=["laws", "vectors"])
    def test_has_no_badge(self, vectors: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        file = str(tmp_path / "few.jsonl")
        assert main(["run", *vectors, "--law", "NAME-1", "--examples", "5", "--report", file]) == Exit.CONFORMS
        assert " of naming\n" in capsys.readouterr().out  # and of no other profile
        assert main(["summary", file, "--format", "badge"]) == Exit.USAGE
        assert "run it without `--law`" in capsys.readouterr().err
        assert main(["summary", file, "--format", "junit"]) == Exit.CONFORMS

    def test_one_is_one(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["run", "--quiet", "--law", "NAME-1.splits-back", "--examples", "5"]) == Exit.CONFORMS
        assert capsys.readouterr().out == "mcpizer core conforms: 1 law of naming\n"

    def test_a_law_of_another_profile_than_named_is_not_run(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["run", "--profile", "naming", "--law", "DEC-9"]) == Exit.USAGE
        assert "DEC-9 is not of the profile naming" in capsys.readouterr().err
