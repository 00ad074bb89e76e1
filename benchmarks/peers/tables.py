"""What a benchmark found, as sections of plain values, and how a section is shown to a person.

The shape of the JSON file and the look of a table live here and nowhere else. A value that was not measured is null
in the one and a dash in the other; the notes of a section say why.

This module does not know what is measured.
"""

from dataclasses import asdict, dataclass
from typing import Any, Final

Value = str | float | int | None

GAP: Final = "–"


@dataclass(frozen=True, slots=True)
class Section:
    """One table: its title, the command that makes it again, column names, rows of values, and notes."""

    title: str
    command: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """Return the section as a JSON document holds it; numbers keep four significant digits."""
        rows = [[significant(value) if isinstance(value, float) else value for value in row] for row in self.rows]
        return {**asdict(self), "rows": rows}


def significant(value: float) -> float:
    """Return a number with four significant digits, all that a measurement is good for."""
    return float(f"{value:.4g}")


def ratio(value: float | None, base: float | None) -> float | None:
    """Return how many times `base` a value is; None if one of them was not measured."""
    return value / base if value is not None and base else None


def shown(value: Value) -> str:
    """Return a value as a table shows it: three significant digits, thousands set apart."""
    match value:
        case None:
            return GAP
        case float() if value >= 100:
            return f"{value:,.0f}"
        case float() if value >= 10:
            return f"{value:.1f}"
        case float():
            return f"{value:.2f}"
        case int():
            return f"{value:,}"
        case _:
            return value


def rendered(section: Section) -> str:
    """Return a section as text for a terminal."""
    cells = [section.columns, *(tuple(map(shown, row)) for row in section.rows)]
    widths = [max(len(row[number]) for row in cells) for number in range(len(section.columns))]
    left = [all(isinstance(row[number], str) for row in section.rows) for number in range(len(section.columns))]
    lines = [
        "  ".join(
            text.ljust(width) if at_left else text.rjust(width)
            for text, width, at_left in zip(row, widths, left, strict=True)
        ).rstrip()
        for row in cells
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join([section.title, "=" * len(section.title), "", *lines, "", *section.notes])
