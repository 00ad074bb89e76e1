"""What a record claims is what was shown: neither the last line nor the badge says more."""

from dataclasses import replace
from pathlib import Path

import pytest

from mcpizer_conformance.clauses import CURRENT, clauses
from mcpizer_conformance.cli.ending import Exit
from mcpizer_conformance.cli.main import main
from mcpizer_conformance.report import badge, junit, lines, text
from mcpizer_conformance.subjects.implementations import core
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
