"""A matrix as data inside a page: compact JSON that can close no element, and each text safe to show.

How a matrix is spelled for the script of the page lives here and nowhere else; `report.js` reads exactly this.

This module does not know the page.
"""

import json
import re
from typing import Final

from attrs import define, field

from mcpizer_adapters.report.matrix import Cell, Matrix, Named, change, decided_by
from mcpizer_core import Allow, Decision, Limit, ReasonCode, one_line

_IN_MARKUP: Final = re.compile("[<>&]")


def embedded(matrix: Matrix) -> str:
    """Return the matrix as JSON for a script element: ASCII, and without any character that markup consists of."""
    text = json.dumps(_document(matrix), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return _IN_MARKUP.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def limit_of(limit: Limit | None) -> str:
    """Return a limit as the page shows it; no limit is no text."""
    return "" if limit is None else str(limit)


def said(decision: Decision) -> tuple[bool, str, str, str, str]:
    """Return a decision as the page shows it: is it allowed, account, limit, code, and the code in words."""
    code = decision.reason.code
    if isinstance(decision, Allow):
        return True, one_line(decision.account), limit_of(decision.limit), code, code.meaning
    account = one_line(decision.reason.subject) if code is ReasonCode.ACCOUNT_DISABLED else ""
    return False, account, "", code, code.meaning


@define
class _Table:
    """Values that come again and again, each written once and named by its position."""

    values: list[object] = field(factory=list)
    _at: dict[object, int] = field(factory=dict)

    def position(self, value: object) -> int:
        found = self._at.setdefault(value, len(self.values))
        if found == len(self.values):
            self.values.append(value)
        return found


def _document(matrix: Matrix) -> dict[str, object]:
    decisions, places = _Table(), _Table()
    cells = [_cell(matrix, one, decisions, places) for one in matrix.cells]
    grants = [
        (
            one.side,
            one.row,
            one.columns,
            one_line(one.account),
            one.disabled,
            limit_of(one.limit),
            places.position(one.place),
        )
        for one in matrix.grants
    ]
    return {
        "compared": matrix.compared,
        "sides": [(one_line(one.path), one.version) for one in matrix.sides],
        "attributes": [(issuer, [one_line(one) for one in names]) for issuer, names in matrix.attributes.items()],
        "rows": [
            (one.kind, one.issuer, [(one_line(name), one_line(value)) for name, value in one.facts], one.broader)
            for one in matrix.rows
        ],
        "columns": [(one.capability, _tools(one.before), _tools(one.after)) for one in matrix.columns],
        "decisions": decisions.values,
        "places": places.values,
        "cells": cells,
        "grants": grants,
    }


def _tools(tools: tuple[Named, ...]) -> list[tuple[str, str]]:
    return [(one.upstream, one_line(one.name)) for one in tools]


def _cell(matrix: Matrix, cell: Cell, decisions: _Table, places: _Table) -> tuple[object, ...]:
    """Return row, column, what is decided and by which place; compared, the same of before, and what changed."""
    after = (decisions.position(said(cell.after)), _place(matrix, -1, cell.after, places))
    if cell.before is None:
        return cell.row, cell.column, *after
    before = (decisions.position(said(cell.before)), _place(matrix, 0, cell.before, places))
    return cell.row, cell.column, *after, *before, change(cell.before, cell.after) or ""


def _place(matrix: Matrix, side: int, decision: Decision, places: _Table) -> int:
    path = decided_by(decision)
    return places.position(matrix.sides[side].locate(path)) if path else -1
