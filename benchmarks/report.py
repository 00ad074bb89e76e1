"""What a run found: figures by question, as JSON, and as tables for a terminal or for a page.

The shape of the JSON and the look of a table live here and nowhere else. This module does not know how a figure is
taken, nor which goals there are.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.harness import Plan, Taken

GAP: Final = "–"
RATIO: Final = "×"


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number: what of, at which size (or ""), in which unit, and the range of the runs behind it."""

    name: str
    at: str
    unit: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Found:
    """What a question found; `notes` says what the figures are of."""

    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """One question: its name on the command line, a title, and how it is answered."""

    name: str
    title: str
    measure: Callable[[Plan], Found]

    @property
    def command(self) -> str:
        """Return the command that answers it again."""
        return f"python -m benchmarks --only {self.name}"


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with what was found, as it stands in a report."""

    name: str
    title: str
    command: str
    figures: tuple[Figure, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A whole run: on what, how steady that was (times of one fixed piece of Python, in µs), and the answers."""

    machine: Mapping[str, str | int]
    steadiness_us: tuple[float, ...]
    quick: bool
    answers: tuple[Answered, ...] = field(default=())


def figure(name: str, given: Taken, unit: str, at: int | str = "") -> Figure:
    """Return a figure with four significant digits, all that a measurement is good for."""
    return Figure(name, sized(at), unit, *(float(f"{value:.4g}") for value in given))


def ratio(name: str, one: Taken, other: Taken, at: int | str = "") -> Figure:
    """Return how many times the other one is; the range is that of the runs, at its widest."""
    return figure(name, Taken(one.median / other.median, one.low / other.high, one.high / other.low), RATIO, at)


def exactly(name: str, value: float, unit: str, at: int | str = "") -> Figure:
    """Return a figure that was worked out from others."""
    return figure(name, Taken(value, value, value), unit, at)


def sized(size: int | str) -> str:
    """Return a size as people read it."""
    return size if isinstance(size, str) else f"{size:,}".replace(",", " ")


def write(report: Report, path: Path) -> None:
    """Write a report as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(report), indent=1, ensure_ascii=False) + "\n", "utf-8")


def read(path: Path) -> Report:
    """Return the report that a file holds."""
    held = json.loads(path.read_text("utf-8"))
    answers = [
        Answered(
            one["name"],
            one["title"],
            one["command"],
            tuple(Figure(**each) for each in one["figures"]),
            tuple(one["notes"]),
        )
        for one in held["answers"]
    ]
    return Report(held["machine"], tuple(held["steadiness_us"]), held["quick"], tuple(answers))


def shown(value: Any) -> str:
    """Return a value as a table shows it: three significant digits, thousands set apart."""
    match value:
        case None:
            return GAP
        case float() if value >= 100 or value == 0:
            return f"{value:,.0f}".replace(",", " ")
        case float():
            return f"{value:#.3g}" if value >= 0.1 else f"{value:.3f}"
        case int():
            return sized(value)
        case _:
            return str(value)


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text, and what each column is called."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def as_text(self) -> str:
        """Return the table for a terminal."""
        widths = [max(map(len, cells)) for cells in self._by_column()]
        lines = [self.columns, tuple("-" * width for width in widths), *self.rows]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if at_left else cell.rjust(width)
                for cell, width, at_left in zip(line, widths, self._at_left(), strict=True)
            ).rstrip()
            for line in lines
        )

    def as_markdown(self) -> str:
        """Return the table for a page."""
        lines = [self.columns, tuple("---" if at_left else "---:" for at_left in self._at_left()), *self.rows]
        return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)

    def _by_column(self) -> list[tuple[str, ...]]:
        return list(zip(self.columns, *self.rows, strict=True))

    def _at_left(self) -> list[bool]:
        """Tell which columns are of words: the first, and those in which some cell has no digit."""
        return [
            place == 0 or any(cell != GAP and not re.search(r"\d", cell) for cell in cells)
            for place, (_, *cells) in enumerate(self._by_column())
        ]


def tables(figures: Iterable[Figure]) -> list[Table]:
    """Return the figures as tables: those that have a size with a column for each size, the others in a list."""
    given = list(figures)
    grown = [one for one in given if one.at]
    single = [one for one in given if not one.at]
    return [table for table in (_by_size(grown), _listed(single)) if table.rows]


def _by_size(figures: Sequence[Figure]) -> Table:
    sizes = list(dict.fromkeys(one.at for one in figures))
    rows: dict[tuple[str, str], dict[str, float]] = {}
    for one in figures:
        rows.setdefault((one.name, one.unit), {})[one.at] = one.value
    return Table(
        ("", "unit", *sizes),
        tuple((name, unit, *(shown(held.get(size)) for size in sizes)) for (name, unit), held in rows.items()),
    )


def _listed(figures: Sequence[Figure]) -> Table:
    return Table(
        ("", "unit", "median", "runs from", "to"),
        tuple((one.name, one.unit, shown(one.value), *_range(one)) for one in figures),
    )


def _range(one: Figure) -> tuple[str, str]:
    """Return between what the runs lie; a figure worked out from others has none."""
    return (GAP, GAP) if one.low == one.high else (shown(one.low), shown(one.high))
