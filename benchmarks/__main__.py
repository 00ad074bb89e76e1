"""`python -m benchmarks`: takes the figures, prints a table for each question, writes JSON.

What the command line takes, and the list of questions, live here and nowhere else. No figure makes it fail.

This module does not know how anything is measured.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmarks import (
    admitting,
    committing,
    compiling,
    deciding,
    importing,
    lookup,
    naming,
    questioning,
    reading,
    refreshing,
    showing,
    validating,
)
from benchmarks.goals import judged
from benchmarks.harness import QUICK, ROOT, Plan, calibration_us, machine
from benchmarks.report import Answered, Question, Report, read, tables, write

RESULTS: Final = ROOT / "build" / "bench.json"
QUESTIONS: Final = tuple(
    module.QUESTION
    for module in (
        naming,
        lookup,
        deciding,
        showing,
        admitting,
        compiling,
        questioning,
        importing,
        validating,
        reading,
        refreshing,
        committing,
    )
)


def main(words: list[str]) -> None:
    """Measure what the command line asks for."""
    names = [one.name for one in QUESTIONS]
    options = argparse.ArgumentParser(prog="python -m benchmarks", description="How fast it is.")
    options.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    options.add_argument("--quick", action="store_true", help="small and short, to see that everything runs")
    options.add_argument("--million", action="store_true", help="compile a policy of a million grants as well")
    options.add_argument("--keep", action="store_true", help="keep what the file has on the other questions")
    options.add_argument("--json", type=Path, default=RESULTS, metavar="FILE", help="where to write the figures")
    given = options.parse_args(words)
    plan = replace(QUICK if given.quick else Plan(), million=given.million)
    report = measured([one for one in QUESTIONS if one.name in given.only], plan, quick=given.quick)
    if given.keep:
        report = together(read(given.json), report)
    write(report, given.json)
    print(f"written to {given.json}")


def measured(questions: list[Question], plan: Plan, *, quick: bool) -> Report:
    """Answer the questions and print each answer as soon as it is there."""
    report = Report(machine(), (calibration_us(),), quick)
    for question in questions:
        print(f"{question.name} …", file=sys.stderr, flush=True)
        found = question.measure(plan)
        answered = Answered(question.name, question.title, question.command, found.figures, found.notes)
        report = replace(
            report,
            steadiness_us=(*report.steadiness_us, calibration_us()),
            answers=(*report.answers, answered),
        )
        print(as_text(report, answered), flush=True)
    return report


def together(kept: Report, report: Report) -> Report:
    """Return a report with what was kept of an earlier run on the same machine, where the later one says nothing."""
    by_name = {one.name: one for one in (*kept.answers, *report.answers)}
    return replace(
        report,
        steadiness_us=(*kept.steadiness_us, *report.steadiness_us),
        answers=tuple(by_name[one.name] for one in QUESTIONS if one.name in by_name),
    )


def as_text(report: Report, answer: Answered) -> str:
    """Return an answer for a terminal."""
    goals = judged(report, answer.name)
    parts = [*tables(answer.figures), *([goals] if goals.rows else [])]
    blocks = [f"{answer.title}\n{'=' * len(answer.title)}", *(one.as_text() for one in parts), *answer.notes]
    return "\n\n".join(blocks) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
