"""What the figures are to reach.

Every goal, and which figure it is about, lives here and nowhere else. This module does not know what was measured.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from benchmarks.report import GAP, Figure, Report, Table, shown


class Bound(StrEnum):
    """On which side of a goal a figure is to be."""

    AT_MOST = "≤"
    AT_LEAST = "≥"


@dataclass(frozen=True, slots=True)
class Goal:
    """What one figure of one question is to reach."""

    question: str
    name: str
    at: str
    bound: Bound
    value: float
    unit: str

    def is_met(self, figure: Figure) -> bool:
        """Tell whether a figure reaches it."""
        return figure.value <= self.value if self.bound is Bound.AT_MOST else figure.value >= self.value

    def is_about(self, figure: Figure) -> bool:
        """Tell whether it is about this figure."""
        return (self.name, self.at, self.unit) == (figure.name, figure.at, figure.unit)


MOST, LEAST = Bound.AT_MOST, Bound.AT_LEAST

GOALS: Final = (
    Goal("naming", "qualify", "", MOST, 0.2, "µs"),
    Goal("lookup", "lookup", "100 000", MOST, 0.3, "µs"),
    Goal("deciding", "plain loop ÷ decide", "1 000", LEAST, 15, "×"),
    Goal("deciding", "plain loop ÷ decide", "10 000", LEAST, 120, "×"),
    Goal("deciding", "plain loop ÷ decide", "100 000", LEAST, 5_000, "×"),
    Goal("deciding", "decide, p50", "100 000", MOST, 2, "µs"),
    Goal("deciding", "decide, p99", "100 000", MOST, 5, "µs"),
    Goal("deciding", "decide, growth exponent", "", MOST, 0.2, ""),
    Goal("deciding", "1 000 sets of attributes in one cell: decide", "", MOST, 10, "µs"),
    Goal("deciding", "200 values in a MANY attribute, 10 000 grants: decide", "", MOST, 25, "µs"),
    Goal("compiling", "compile_policy", "100 000", MOST, 2, "s"),
    Goal("compiling", "resident after it", "100 000", MOST, 250, "MB"),
    Goal("compiling", "compile_policy", "1 000 000", MOST, 25, "s"),
    Goal("compiling", "compile_policy, growth exponent", "", MOST, 1.15, ""),
    Goal("showing", "a new caller", "", MOST, 250, "µs"),
    Goal("showing", "another caller, capabilities seen before", "", MOST, 10, "µs"),
    Goal("showing", "the same caller again", "", MOST, 10, "µs"),
    Goal("importing", "import mcpizer_core, over the bare interpreter", "", MOST, 60, "ms"),
    Goal("importing", "memory, over the bare interpreter", "", MOST, 8, "MB"),
)


def judged(report: Report, question: str | None = None) -> Table:
    """Return every goal of a question (of all, if none is named) beside what was measured."""
    rows = []
    for goal in GOALS:
        if question is None or goal.question == question:
            found = [one for answer in report.answers if answer.name == goal.question for one in answer.figures]
            figure = next((one for one in found if goal.is_about(one)), None)
            size = f", {goal.at}" if goal.at else ""
            measured = GAP if figure is None else f"{shown(figure.value)} {goal.unit}".rstrip()
            verdict = "not measured" if figure is None else "met" if goal.is_met(figure) else "missed"
            rows.append((f"{goal.name}{size}", f"{goal.bound} {goal.value:g} {goal.unit}".rstrip(), measured, verdict))
    return Table(("goal", "to reach", "measured", ""), tuple(rows))


def unmeasured(report: Report) -> list[Goal]:
    """Return the goals whose figure the report does not have."""
    figures = {answer.name: answer.figures for answer in report.answers}
    return [goal for goal in GOALS if not any(goal.is_about(one) for one in figures.get(goal.question, ()))]
