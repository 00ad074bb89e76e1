"""What a benchmark beside peers found, as sections of plain values.

The shape of the JSON file lives here and nowhere else. A value that was not measured is null in the file and a dash
in a table; the notes of a section say why.

This module does not know what is measured, nor how a table looks.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from benchmarks.report import Table, shown

Value = str | float | int | None


@dataclass(frozen=True, slots=True)
class Section:
    """One table: its title, the command that makes it again, column names, rows of values, and notes."""

    title: str
    command: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = ()

    def table(self) -> Table:
        """Return the table as text."""
        return Table(self.columns, tuple(tuple(map(shown, row)) for row in self.rows))

    def as_text(self) -> str:
        """Return the section for a terminal."""
        return "\n\n".join([f"{self.title}\n{'=' * len(self.title)}", self.table().as_text(), *self.notes]) + "\n"


def as_json(versions: Mapping[str, str | int], sections: Iterable[Section], kept: str | None = None) -> str:
    """Return a run as JSON text: of what and on what, and what it found, numbers with four significant digits.

    What an earlier run found, `kept`, stays where this one did not look, with the versions it was about.
    """
    before = json.loads(kept) if kept is not None else {"versions": {}, "sections": []}
    found = {one["title"]: one for one in before["sections"]}
    for one in sections:
        found[one.title] = {**asdict(one), "rows": [[significant(value) for value in row] for row in one.rows]}
    whole = {"versions": {**before["versions"], **versions}, "sections": list(found.values())}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def significant(value: Value) -> Value:
    """Return a number with four significant digits, all that a measurement is good for."""
    return float(f"{value:.4g}") if isinstance(value, float) else value


def ratio(value: float | None, base: float | None) -> float | None:
    """Return how many times `base` a value is; None if one of them was not measured."""
    return value / base if value is not None and base else None
