"""The parts of the page that need no script: what is told of the policies, and every cell as a row of a table.

Their markup lives here and nowhere else. Every text goes through `text`, which leaves no markup and no character
that does not print.

This module does not know the page around them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Final

from mcpizer_adapters.report.embed import limit_of, said
from mcpizer_adapters.report.matrix import Cell, Change, Given, Kind, Matrix, Row, change
from mcpizer_core import Decision, one_line

MARKS: Final[Mapping[Change, tuple[str, str, str]]] = {
    Change.GAINED: ("+", "gained", "denied before, allowed now"),
    Change.LOST: ("−", "lost", "allowed before, denied now"),
    Change.ACCOUNT: ("⇄", "account", "runs as another account"),
    Change.LIMIT: ("≠", "limit", "runs under another limit"),
    Change.REASON: ("×", "reason", "denied before and now, for another reason"),
}
"""For each change its mark, its word and its meaning; `report.js` shows the first two beside the colour."""


_NOT_COMPARED: Final = (
    "<p><small>How callers prove who they are, which attributes stand in the policy for them, how upstreams are "
    "reached and where secrets are is not compared here; <code>mcpizer diff</code> compares it.</small></p>"
)


def text(value: str) -> str:
    """Return a text as markup that shows it."""
    return escape(one_line(value))


def number(count: int) -> str:
    """Return a count as people read it: `12 000`."""
    return f"{count:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def who(row: Row) -> str:
    """Return whom a row stands for, as one line of text."""
    if row.kind is Kind.ANYBODY:
        return "callers that no grant selects"
    facts = ", ".join(f"{name}={value}" for name, value in row.facts)
    shown = f"{row.issuer} ({facts})" if facts else f"{row.issuer} (everyone)"
    return f"for example {shown}" if row.kind is Kind.EXAMPLE else shown


def heading(matrix: Matrix) -> str:
    """Return which policies the report is about."""
    names = ("Policy",) if not matrix.compared else ("Before", "After")
    return "".join(
        f"<p><strong>{name}</strong> <code>{text(one.path)}</code> <small>version {text(one.version)}</small></p>"
        for name, one in zip(names, matrix.sides, strict=True)
    )


def figures(matrix: Matrix) -> str:
    """Return how much there is of everything."""
    now = [one for one in matrix.grants if one.side == len(matrix.sides) - 1]
    declared = {position for position, one in enumerate(matrix.columns) if _declared(matrix, one.capability)}
    given = declared.intersection(column for one in now for column in one.columns)
    counted = (
        ("who", number(len({one.row for one in now}))),
        ("capabilities", f"{number(len(given))} of {number(len(declared))} <small>given by a grant</small>"),
        ("accounts", number(len(matrix.sides[-1].policy.declaration.accounts))),
        ("grants", number(len(now))),
    )
    return "<dl>" + "".join(f"<div><dt>{name}</dt><dd>{one}</dd></div>" for name, one in counted) + "</dl>"


def legend(matrix: Matrix) -> str:
    """Return what the marks of changes mean and how many cells have each; nothing if nothing is compared."""
    if not matrix.compared:
        return ""
    counts = Counter(change(one.before, one.after) for one in matrix.cells if one.before is not None)
    lines = [
        f'<li class="{kind}"><span class="mark">{mark}</span> <strong>{word}</strong> {meaning}:'
        f" <strong>{number(counts[kind])}</strong></li>"
        for kind, (mark, word, meaning) in MARKS.items()
    ]
    same = "" if any(counts[kind] for kind in MARKS) else "<p>Nothing is decided differently.</p>"
    return f'<h2>What changes</h2>{same}<ul class="legend">{"".join(lines)}</ul>{_NOT_COMPARED}'


def idle(matrix: Matrix) -> str:
    """Return the capabilities that no grant gives, and those that no tool realises."""
    granted = {matrix.columns[one].capability for given in matrix.grants for one in given.columns}
    declared = [one for one in matrix.columns if _declared(matrix, one.capability)]
    return _list("that no grant gives", [one.capability for one in declared if one.capability not in granted]) + _list(
        "that no tool realises", [one.capability for one in declared if not one.after]
    )


def _declared(matrix: Matrix, capability: str) -> bool:
    return any(one.id == capability for one in matrix.sides[-1].policy.declaration.capabilities)


def _list(what: str, capabilities: list[str]) -> str:
    if not capabilities:
        return ""
    items = "".join(f"<li><code>{text(one)}</code></li>" for one in capabilities)
    return f"<details><summary>Capabilities {what}: {number(len(capabilities))}</summary><ul>{items}</ul></details>"


def table(matrix: Matrix) -> str:
    """Return the whole matrix as a table, one line for each cell, with the grants and their places."""
    heads = "".join(
        f'<th scope="col">{one}</th>' for one in ("Who", "Capability", "Tools", "Account and limit", "Grants")
    ) + ('<th scope="col" class="narrow">Change</th>' if matrix.compared else "")
    cells = defaultdict[int, list[Cell]](list)
    for cell in matrix.cells:
        cells[cell.row].append(cell)
    grants = defaultdict[tuple[int, int], list[Given]](list)
    for given in matrix.grants:
        for column in given.columns:
            grants[given.row, column].append(given)
    bodies = "".join(f"<tbody>{''.join(_lines(matrix, one, cells[one], grants))}</tbody>" for one in sorted(cells))
    caption = "<caption>Everything this report holds; with JavaScript it can be filtered</caption>"
    return f'<table class="plain">{caption}<thead><tr>{heads}</tr></thead>{bodies}</table>'


def _lines(matrix: Matrix, row: int, cells: list[Cell], grants: Mapping[tuple[int, int], list[Given]]) -> Iterator[str]:
    for position, cell in enumerate(cells):
        column = matrix.columns[cell.column]
        tools = sorted({one.name for one in (*column.before, *column.after)})
        parts = [
            f"<code>{text(column.capability)}</code>",
            _several(f"<code>{text(one)}</code>" for one in tools),
            _several(_outcomes(cell)),
            _several(_grant(matrix, one) for one in grants.get((row, cell.column), ())),
        ]
        if cell.before is not None:
            kind = change(cell.before, cell.after)
            parts.append(f'<span class="{kind}">{MARKS[kind][0]} {MARKS[kind][1]}</span>' if kind else "")
        first = f'<th scope="rowgroup" rowspan="{len(cells)}">{_named(matrix, row)}</th>' if position == 0 else ""
        yield f"<tr>{first}{''.join(f'<td>{part}</td>' for part in parts)}</tr>"


def _named(matrix: Matrix, row: int) -> str:
    broader = matrix.rows[row].broader
    also = _several(text(who(matrix.rows[one])) for one in broader)
    return text(who(matrix.rows[row])) + (f"<small> and all that is given to {also}</small>" if also else "")


def _several(parts: Iterable[str]) -> str:
    return "<br>".join(parts)


def _outcomes(cell: Cell) -> Iterator[str]:
    if cell.before is not None and change(cell.before, cell.after):
        yield f"before: {_outcome(cell.before)}"
        yield f"now: {_outcome(cell.after)}"
    else:
        yield _outcome(cell.after)


def _outcome(decision: Decision) -> str:
    allowed, account, limit, _, meaning = said(decision)
    if allowed:
        return f"as <strong>{text(account)}</strong>{f', {text(limit)}' if limit else ''}"
    return f"denied: {text(meaning)}{f' ({text(account)})' if account else ''}"


def _grant(matrix: Matrix, given: Given) -> str:
    when = "" if not matrix.compared else ("before: ", "now: ")[given.side]
    limit = f", {text(limit_of(given.limit))}" if given.limit is not None else ""
    off = ", disabled" if given.disabled else ""
    return f"{when}<code>{text(given.place)}</code> as {text(given.account)}{off}{limit}"
