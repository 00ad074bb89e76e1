"""What the figures are to reach.

Every goal, and which figure it is about, lives here and nowhere else. This module does not know what was measured.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

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
    Goal("compiling", "the ambiguity check alone", "100 000", MOST, 1, "s"),
    Goal("compiling", "the ambiguity check alone", "1 000 000", MOST, 12, "s"),
    Goal("compiling", "the ambiguity check alone, growth exponent", "", MOST, 1.15, ""),
    Goal("compiling", "looking for redundant grants alone", "100 000", MOST, 3, "s"),
    Goal("questioning", "diff, 1 % changed", "100 000", MOST, 4, "s"),
    Goal("questioning", "who_can", "100 000", MOST, 3, "ms"),
    Goal("questioning", "explain a denial, ten nearest", "100 000", MOST, 1, "ms"),
    Goal("importing", "import mcpizer_core, over the bare interpreter", "", MOST, 60, "ms"),
    Goal("importing", "memory, over the bare interpreter", "", MOST, 8, "MB"),
    Goal("validating", "validate, the whole command", "", MOST, 250, "ms"),
    Goal("refreshing", "refresh, all 50 changed ÷ in 1 000 tools", "1 000 000", MOST, 3, "×"),
    Goal("refreshing", "refresh, one new ÷ in 1 000 tools", "1 000 000", MOST, 3, "×"),
    Goal("refreshing", "restore", "100 000", MOST, 2, "s"),
    Goal("committing", "sqlite ÷ bare", "16 writers", LEAST, 0.5, "×"),
    Goal("committing", "postgres ÷ bare", "16 writers", LEAST, 0.5, "×"),
)


@dataclass(frozen=True, slots=True)
class PeerGoal:
    """What a column of a table beside peers is to reach, in each of the rows that have these values."""

    name: str
    section: str
    rows: Mapping[str, str | int]
    column: str
    bound: Bound
    value: float

    def worst(self, sections: Iterable[Mapping[str, Any]]) -> float | None:
        """Return the figure that is furthest from the goal, or None if there is none."""
        found = []
        for section in sections:
            if section["title"] == self.section and self.column in section["columns"]:
                rows = [dict(zip(section["columns"], row, strict=True)) for row in section["rows"]]
                found += [row[self.column] for row in rows if self.rows.items() <= row.items()]
        values = [value for value in found if value is not None]
        return None if not values else max(values) if self.bound is MOST else min(values)

    def is_met(self, value: float) -> bool:
        """Tell whether a figure reaches it."""
        return value <= self.value if self.bound is MOST else value >= self.value


ENGINES, HTTP = "Policy engines: one decision", "Gateways: HTTP"
THIN: Final = "call × thin"

PEER_GOALS: Final = (
    PeerGoal("scan ÷ decide, 1 000", ENGINES, {"engine": "scan"}, "1 000, × mcpizer", LEAST, 15),
    PeerGoal("scan ÷ decide, 10 000", ENGINES, {"engine": "scan"}, "10 000, × mcpizer", LEAST, 120),
    PeerGoal("scan ÷ decide, 100 000", ENGINES, {"engine": "scan"}, "100 000, × mcpizer", LEAST, 5_000),
    PeerGoal("regorus_nested ÷ decide", ENGINES, {"engine": "regorus_nested"}, "100 000, × mcpizer", LEAST, 3),
    PeerGoal("a call ÷ thin, in memory", "Gateways: in memory", {"gateway": "mcpizer"}, THIN, MOST, 1.25),
    PeerGoal("a call ÷ thin, stdio", "Gateways: standard input and output", {"gateway": "mcpizer"}, THIN, MOST, 1.25),
    PeerGoal("a call ÷ thin, HTTP", HTTP, {"gateway": "mcpizer"}, THIN, MOST, 1.25),
    PeerGoal("FastMCP ÷ a call, HTTP", HTTP, {"gateway": "fastmcp"}, "call × mcpizer", LEAST, 6),
    PeerGoal("a list ÷ direct, HTTP", HTTP, {"gateway": "mcpizer", "tools": 1_000}, "list × direct", MOST, 1.3),
    PeerGoal("calls per second ÷ thin, HTTP", HTTP, {"gateway": "mcpizer"}, "calls/s × thin", LEAST, 0.85),
)
"""Of rows that differ in era or number of tools the worst counts."""


def judged_beside_peers(peers: Mapping[str, Any] | None) -> Table:
    """Return every goal beside peers with the worst of what was measured."""
    rows = []
    for goal in PEER_GOALS:
        worst = None if peers is None else goal.worst(peers["sections"])
        verdict = "not measured" if worst is None else "met" if goal.is_met(worst) else "missed"
        measured = GAP if worst is None else f"{shown(worst)} ×"
        rows.append((goal.name, f"{goal.bound} {goal.value:g} ×", measured, verdict))
    return Table(("goal", "to reach", "worst measured", ""), tuple(rows))


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
