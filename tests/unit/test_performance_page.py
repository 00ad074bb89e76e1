"""The page about speed says what was measured, and what measures it runs. No test here asks how fast anything is."""

import json
import platform
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from benchmarks import __main__ as benchmarks
from benchmarks import deciding, page
from benchmarks.goals import GOALS, Bound, Goal, judged, unmeasured
from benchmarks.harness import QUICK, ROOT, Candidate, exponent, race, resident_mb, singly
from benchmarks.report import Figure, Report, read, shown, tables, write
from benchmarks.rivals import Answer, Buckets, Loop, Person
from benchmarks.workload import compiled, declaration, questions

from mcpizer_core import Allow, decide

KEPT, PEERS = page.kept()


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A whole run, in little."""
    file = tmp_path_factory.mktemp("bench") / "results.json"
    benchmarks.main(["--quick", "--json", str(file)])
    return read(file)


class TestThePage:
    """The page is written from the figures that are kept, and is up to date."""

    def test_is_up_to_date(self) -> None:
        assert not page.is_stale(), "run: python -m benchmarks.page"

    def test_one_that_is_missing_or_differs_is_found(self, tmp_path: Path) -> None:
        other = tmp_path / "performance.md"
        assert page.is_stale(other)
        other.write_text(page.page(*page.kept()).replace("met", "kept"), "utf-8")
        assert page.is_stale(other)

    def test_is_about_whole_runs_of_every_question(self) -> None:
        assert not KEPT.quick
        assert [one.name for one in KEPT.answers] == [one.name for one in benchmarks.QUESTIONS]

    def test_has_every_goal_and_every_command(self) -> None:
        text = page.page(KEPT, PEERS)
        for goal in GOALS:
            assert f"| {goal.name}{', ' * bool(goal.at)}{goal.at} | {goal.bound} {goal.value:g}" in text
        for question in benchmarks.QUESTIONS:
            assert f"$ {question.command}\n" in text

    def test_keeps_what_it_does_not_measure_anew(self, quick: Report, tmp_path: Path) -> None:
        file = tmp_path / "results.json"
        write(quick, file)
        benchmarks.main(["--quick", "--only", "naming", "--keep", "--json", str(file)])
        found = read(file)
        assert [one.name for one in found.answers] == [one.name for one in quick.answers]
        assert found.answers[1:] == quick.answers[1:]
        assert len(found.steadiness_us) == len(quick.steadiness_us) + 2

    def test_shows_what_was_measured_of_others(self) -> None:
        section = {
            "title": "Engines",
            "command": "make bench-peers",
            "columns": ["engine", "µs"],
            "rows": [["a|b", 12.34], ["gone", None]],
            "notes": ["One of them could not be had."],
        }
        text = page.page(KEPT, {"versions": {"python": "3.11"}, "sections": [section]})
        assert "| a\\|b | 12.3 |\n| gone | – |\n" in text
        assert "could not be had" in text
        assert "Not measured in this run" in page.page(KEPT, None)

    def test_says_when_the_machine_was_busy(self) -> None:
        assert "was busy" in page.page(replace(KEPT, steadiness_us=(100.0, 200.0)), None)
        assert "was busy" not in page.page(replace(KEPT, steadiness_us=(100.0, 101.0)), None)

    def test_tells_nothing_of_whose_machine_it_was(self) -> None:
        text = page.RESULTS.read_text("utf-8") + page.PAGE.read_text("utf-8")
        assert str(ROOT) not in text
        assert platform.node() not in json.loads(page.RESULTS.read_text("utf-8"))["machine"].values()


class TestGoals:
    """A goal is met, missed or not measured."""

    def report(self, *figures: Figure) -> Report:
        return replace(KEPT, answers=(replace(KEPT.answers[0], name="naming", figures=figures),))

    @pytest.mark.parametrize(("value", "said"), [(0.1, "met"), (0.2, "met"), (0.21, "missed")])
    def test_at_most(self, value: float, said: str) -> None:
        report = self.report(Figure("qualify", "", "µs", value, value, value))
        assert judged(report, "naming").rows[0][-1] == said
        assert len(unmeasured(report)) == len(GOALS) - 1

    def test_at_least(self) -> None:
        goal = Goal("naming", "x", "", Bound.AT_LEAST, 5, "×")
        assert [goal.is_met(Figure("x", "", "×", value, value, value)) for value in (4.9, 5, 6)] == [False, True, True]

    def test_one_without_a_figure(self) -> None:
        report = self.report(Figure("qualify", "", "ms", 0.1, 0.1, 0.1))
        assert judged(report, "naming").rows[0][-1] == "not measured"
        assert len(unmeasured(report)) == len(GOALS)

    def test_each_is_about_a_figure_that_is_taken(self) -> None:
        assert {goal.at for goal in unmeasured(KEPT)} <= {"1 000 000"}


class TestMeasuring:
    """Everything runs, in little; figures go to JSON and come back."""

    def test_every_question_is_answered(self, quick: Report) -> None:
        assert [answer.name for answer in quick.answers] == [one.name for one in benchmarks.QUESTIONS]
        for answer in quick.answers:
            assert answer.figures
            assert all(one.value > 0 or "over" in one.name or "exponent" in one.name for one in answer.figures)
            assert all(table.as_text() and table.as_markdown() for table in tables(answer.figures))
        assert quick.quick

    def test_it_comes_back_from_json_and_makes_a_page(self, quick: Report, tmp_path: Path) -> None:
        write(quick, tmp_path / "again.json")
        assert read(tmp_path / "again.json") == quick
        assert page.page(quick, None).count("\n## ") == len(quick.answers) + 4

    def test_a_rival_that_answers_otherwise_is_not_timed(self) -> None:
        class Generous(Buckets):
            def decide(self, person: Person, capability: str) -> Answer:
                return super().decide(person, capability)._replace(allowed=True)

        policy = compiled(declaration(100))
        asked = questions(policy)
        deciding.agree(policy, asked, [Buckets(policy.declaration), Loop(policy.declaration)])
        with pytest.raises(ValueError, match="nothing to be timed"):
            deciding.agree(policy, asked, [Generous(policy.declaration)])

    def test_half_of_the_questions_are_allowed(self) -> None:
        policy = compiled(declaration(1_000))
        allowed = [
            isinstance(decide(policy, one.principal, one.capability, at_ms=0), Allow) for one in questions(policy)
        ]
        assert sum(allowed) * 2 == len(allowed)

    def test_a_slow_candidate_is_asked_a_sample_and_a_fast_one_everything(self) -> None:
        asked: dict[str, set[int]] = {"slow": set(), "fast": set()}

        def slow(cases: Any) -> None:
            for case in cases:
                asked["slow"].add(case)
                sum(range(20_000))

        candidates = [
            Candidate("slow", slow, lambda: range(1_000)),
            Candidate("fast", asked["fast"].update, lambda: range(1_000)),
        ]
        found = race(candidates, QUICK)
        assert len(asked["slow"]) < len(asked["fast"]) == 1_000
        assert all(taken.low <= taken.median <= taken.high for taken in found.values())
        assert set(singly(candidates[1:], QUICK)) == {"fast, p50", "fast, p99"}

    def test_growth(self) -> None:
        assert exponent({10: 1.0, 100: 10.0, 1_000: 100.0}) == pytest.approx(1)
        assert exponent({10: 5.0, 100: 5.0}) == pytest.approx(0)

    def test_memory_is_of_the_process(self) -> None:
        held, most = resident_mb(), resident_mb("VmHWM")
        assert (held is None) == (most is None)
        assert held is None or most is None or 1 < held <= most

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (0.0, "0"),
            (0.0123, "0.012"),
            (1.0, "1.00"),
            (12.34, "12.3"),
            (1234.5, "1 234"),
            (1_000, "1 000"),
            (None, "–"),
        ],
    )
    def test_numbers_for_people(self, value: object, text: str) -> None:
        assert shown(value) == text
