"""`mcpizer diff`: what a change of policy changes, for whom.

What two policies differ in for people (who gains, who loses, whose account or limit changes, which tools move) is
put together here from what the core finds, and from what `surroundings` does outside of that.

This module does not compare decisions and does not print: the core compares, `rendering.diff` shows.
"""

from collections.abc import Iterator, Sequence

import click

from mcpizer_adapters.cli.output import enveloped, write
from mcpizer_adapters.cli.questioned import Questioned, consult
from mcpizer_adapters.cli.rendering import diff as rendering
from mcpizer_adapters.cli.rendering.diff import Caller, Compared, Difference, Kind, Moved, ToolKind
from mcpizer_adapters.cli.rendering.surroundings import KeyCaller
from mcpizer_adapters.cli.surroundings import surroundings
from mcpizer_adapters.cli.terminal import Exit
from mcpizer_adapters.cli.waiting import telling
from mcpizer_core import Admitted, Allow, Change, Decision, Outcome, diff, diff_names


def run(before: str, after: str, catalogs: Sequence[str], *, as_json: bool, everything: bool) -> None:
    """Answer, and end with 1 if anything differs, 2 if one of the two cannot be read or does not compile."""
    if len(catalogs) > 2:
        raise click.UsageError("--catalog is given once, for both, or twice, for BEFORE and for AFTER")
    old, new = (catalogs[0], catalogs[-1]) if catalogs else (None, None)
    first = consult([before], old, broken=Exit.USAGE)
    second = consult([after], new, broken=Exit.USAGE)
    with telling("comparing"):
        answer = compare(first, second)
    if as_json:
        write(enveloped("diff", rendering.fields(answer)))
    else:
        write("\n".join(rendering.lines(answer, everything=everything)))
    if answer.changed:
        raise SystemExit(Exit.FINDINGS)


def compare(before: Questioned, after: Questioned) -> Compared:
    """Return all that differs between two policies and their tools."""
    differences = [Difference(_kind(one), one) for one in diff(before.policy, after.policy)]
    around = surroundings(before, after)
    callers = [Difference(_kind(one), one) for one in around.callers]
    return Compared(before, after, tuple(differences), tuple(callers), tuple(_moved(before, after)), around)


def _kind(change: Change | KeyCaller) -> Kind:
    before, after = change.before, change.after
    if isinstance(before, Allow) and isinstance(after, Allow):
        return Kind.ACCOUNT if before.account != after.account else Kind.LIMIT
    if isinstance(after, Allow):
        return Kind.GAINED
    return Kind.LOST if isinstance(before, Allow) else Kind.REASON


def _moved(before: Questioned, after: Questioned) -> Iterator[Moved]:
    """Yield the tools that came, went, are mapped to something else, for others or defined otherwise, by name."""
    kinds = {name: kind for name in _names(before, after) if (kind := _tool_kind(before, after, name)) is not None}
    callers = _callers(before, after) if set(kinds.values()) - {ToolKind.REDEFINED} else {}
    for name, kind in kinds.items():
        yield Moved(name, kind, tuple(callers.get(name, ())) if kind is not ToolKind.REDEFINED else ())


def _names(before: Questioned, after: Questioned) -> list[str]:
    return sorted({*before.mappings, *after.mappings, *before.listed, *after.listed})


def _tool_kind(before: Questioned, after: Questioned, name: str) -> ToolKind | None:
    old, new = before.mappings.get(name), after.mappings.get(name)
    if old is None and new is None:
        return None  # closed before and after: no caller ever saw it
    if old is None or new is None:
        return ToolKind.ADDED if old is None else ToolKind.REMOVED
    if old.capability != new.capability:
        return ToolKind.MOVED
    if before.scope_of(name) != after.scope_of(name):
        return ToolKind.RESCOPED
    defined, anew = before.listed.get(name), after.listed.get(name)
    return ToolKind.REDEFINED if defined is not None and anew is not None and defined != anew else None


def _callers(before: Questioned, after: Questioned) -> dict[str, list[Caller]]:
    """Return for each name the callers to whom it means something else."""
    found: dict[str, list[Caller]] = {}
    for one in diff_names(before.gate, after.gate):
        old, new = _allowed(one.before), _allowed(one.after)
        if old != new:
            kind = Kind.GAINED if old is None else Kind.LOST if new is None else Kind.ACCOUNT
            if old is not None and new is not None and old.account == new.account:
                kind = Kind.LIMIT
            found.setdefault(one.name, []).append(Caller(kind, one.witness, old, new))
    return found


def _allowed(outcome: Outcome) -> Allow | None:
    decision: Decision | None = outcome.decision if isinstance(outcome, Admitted) else None
    return decision if isinstance(decision, Allow) else None
