"""The answer of `mcpizer explain`, and what it looks like.

This module does not know how the answer is found.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Final, assert_never

from attrs import frozen

from mcpizer_adapters.cli.output import Style, aligned, plural
from mcpizer_adapters.cli.questioned import Questioned
from mcpizer_adapters.cli.rendering import values, words
from mcpizer_core import (
    Allow,
    Counted,
    Decision,
    Explanation,
    GrantRow,
    Identified,
    Limit,
    NotConsulted,
    Public,
    ReasonCode,
    Usage,
    UsageUnknown,
    one_line,
)

_ABOUT_LIMITS: Final = frozenset({ReasonCode.LIMIT_EXHAUSTED, ReasonCode.USAGE_UNKNOWN})


@frozen
class Part:
    """One tool (or none in particular), the capability it is mapped to if it is, and the decision on that.

    A tool that is not in the caller's scope does not exist for it, whatever is decided on the capability.
    """

    tool: str | None
    capability: str | None
    explanation: Explanation | None
    in_scope: bool = True


@frozen
class Explained:
    """Why a caller may or may not; `parts` are the tools that hold the name, or the one capability asked for."""

    asked: Questioned
    caller: Identified
    at: datetime
    at_ms: int
    usage: Usage
    capability: str | None
    tool: str | None
    parts: tuple[Part, ...]
    hint: str

    @property
    def exists(self) -> bool:
        """Whether there is what was asked about."""
        decisions = [one.explanation.decision for one in self.parts if one.explanation is not None]
        missing = any(one.reason.code is ReasonCode.CAPABILITY_NOT_DECLARED for one in decisions)
        return bool(self.parts) and not missing

    @property
    def outcome(self) -> str:
        """`allow` if a call would be let through, and `deny` otherwise."""
        decisions = [one.explanation.decision for one in self.parts if one.explanation is not None]
        allowed = len(self.parts) == 1 and isinstance(next(iter(decisions), None), Allow)
        return "allow" if allowed and all(one.in_scope for one in self.parts) else "deny"


def fields(answer: Explained) -> values.Json:
    """Return the answer as JSON."""
    return {
        "policy": values.policy(answer.asked),
        "caller": values.caller(answer.caller),
        "capability": answer.capability,
        "tool": answer.tool,
        "at": answer.at.isoformat(),
        "at_ms": answer.at_ms,
        "usage": values.usage(answer.usage),
        "outcome": answer.outcome,
        "answers": [_part_fields(answer.asked, one) for one in answer.parts],
        "hint": answer.hint,
    }


def _part_fields(asked: Questioned, part: Part) -> values.Json:
    explanation = part.explanation
    return {
        "capability": part.capability,
        "tool": None if part.tool is None else values.tool(asked, part.tool),
        "in_scope": part.in_scope,
        "realized_by": [] if part.capability is None else asked.names_of(part.capability),
        "decision": None if explanation is None else values.decision(asked, explanation.decision),
        "considered": 0 if explanation is None else explanation.considered,
        "grants": [] if explanation is None else [_row_fields(asked, row) for row in explanation.grants],
    }


def _row_fields(asked: Questioned, row: GrantRow) -> values.Json:
    return {
        "matched": row.matched,
        "missing": [{"attribute": name, "value": value} for name, value in row.missing],
        "selector": values.selector(row.grant.to),
        "account": row.grant.using,
        "disabled": row.grant.using in asked.disabled,
        "limit": values.limit(row.grant.limit),
        "place": values.place(asked, row.grant.path),
    }


def lines(answer: Explained) -> list[str]:
    """Return the answer for people."""
    paint, who = words.brush(), one_line(answer.caller.principal.id)
    if not answer.parts:
        said = f"{paint('unknown', Style.YELLOW, Style.BOLD)}  no tool is called {one_line(str(answer.tool))}"
        return [said + (f"; {one_line(answer.hint)}" if answer.hint else "")]
    found: list[str] = []
    for part in answer.parts:
        found += ["", *_part(answer, part, who, paint)]
    return found[1:]


def _part(answer: Explained, part: Part, who: str, paint: words.Paint) -> Iterator[str]:
    what = one_line(part.tool if part.tool is not None else str(part.capability))
    if part.explanation is None:
        yield f"{paint('denied', Style.RED, Style.BOLD)}  {who} may not call {what}: nobody may"
        yield from words.facts(paint, [*_origin(answer, part), ("why", "no mapping makes it a capability")])
        return
    decision = part.explanation.decision
    verb = "call" if part.tool is not None else "use"
    if isinstance(decision, Allow) and part.in_scope:
        yield f"{paint('allowed', Style.GREEN, Style.BOLD)}  {who} may {verb} {what}"
    else:
        yield f"{paint('denied', Style.RED, Style.BOLD)}  {who} may not {verb} {what}"
    yield from words.facts(paint, _facts(answer, part, decision))
    yield from _grants(answer, part, part.explanation, paint)


def _facts(answer: Explained, part: Part, decision: Decision) -> Iterator[tuple[str, str]]:
    asked, code = answer.asked, decision.reason.code
    if not part.in_scope:
        yield "scope", f"{asked.scope_of(str(part.tool))}, where the caller is not: for it there is no such tool"
    if isinstance(decision, Allow):
        yield "as", one_line(decision.account)
        yield "limit", _counted(decision.limit, answer.usage)
    elif code in _ABOUT_LIMITS and (row := next(iter(part.explanation.grants), None) if part.explanation else None):
        yield "limit", _counted(row.grant.limit, answer.usage)
    subject = f" ({one_line(decision.reason.subject)})" if code is ReasonCode.ACCOUNT_DISABLED else ""
    hint = f"; {one_line(answer.hint)}" if answer.hint else ""
    yield "why" if part.in_scope else "else", words.meaning(code) + subject + hint
    yield "where", words.place(asked, decision.reason.path)
    yield from _origin(answer, part)
    if part.tool is None and part.capability is not None and (names := asked.names_of(part.capability)):
        yield "tools", words.some(words.scoped(asked, names))
    yield "caller", words.caller(answer.caller.principal)
    for name in answer.caller.undeclared:
        yield "", f"{one_line(name)} plays no part: the issuer does not declare it"
    for name in answer.caller.unusable:
        yield "", f"{one_line(name)} plays no part: it has several values and its issuer declares it with one"


def _counted(limit: Limit | None, usage: Usage) -> str:
    """Return a limit and what is taken to be known of past calls."""
    if limit is None:
        return "none"
    match usage:
        case Counted():
            since = words.instant(usage.window_start_ms)
            return f"{limit}; {plural(usage.calls, 'call')} counted in the window that began at {since}"
        case UsageUnknown():
            return f"{limit}; how many calls were counted is not known"
        case NotConsulted():
            return f"{limit}; the count is not consulted, as in a listing"
        case _:
            assert_never(usage)


def _origin(answer: Explained, part: Part) -> Iterator[tuple[str, str]]:
    """Yield which upstream, tool and capability a name stands for."""
    if part.tool is None:
        return
    mapping, listed = answer.asked.mappings.get(part.tool), answer.asked.listed.get(part.tool)
    if mapping is not None:
        mapped = f"{mapping.capability}, {words.place(answer.asked, mapping.path)}"
        scope = "" if answer.asked.scope_of(part.tool) == Public() else f", for {answer.asked.scope_of(part.tool)}"
        yield "tool", one_line(f"{mapping.tool} of upstream {mapping.upstream}{scope}")
        yield "means", one_line(mapped)
    elif listed is not None:
        yield "tool", one_line(f"{listed.name} of upstream {listed.upstream}")


def _grants(answer: Explained, part: Part, explanation: Explanation, paint: words.Paint) -> Iterator[str]:
    issuer = one_line(answer.caller.principal.issuer)
    if not explanation.considered:
        others = answer.asked.issuers_with(str(part.capability))
        if others:
            yield ""
            yield f"no grant gives it to callers of {issuer}; it is given to callers of {words.some(others)}"
        return
    rows = explanation.grants
    matching, misses = [row for row in rows if row.matched], [row for row in rows if not row.matched]
    table = aligned([_cells(answer.asked, row) for row in rows])
    told = [(row, line) for row, line in zip(rows, table, strict=True)]
    total = f"of {plural(explanation.considered, 'grant')} to callers of {issuer}"
    for title, chosen in (("matching", matching), ("nearest that do not match", misses)):
        if chosen:
            yield ""
            yield f"{title} ({len(chosen)} {total})"
            yield from (f"  {_mark(answer.asked, row, paint)} {line}" for row, line in told if row in chosen)


def _mark(asked: Questioned, row: GrantRow, paint: words.Paint) -> str:
    """Return whether a grant gives what it says: one that runs as a disabled account gives nothing."""
    gives = row.matched and row.grant.using not in asked.disabled
    return paint("✓", Style.GREEN) if gives else paint("✗", Style.RED)


def _cells(asked: Questioned, row: GrantRow) -> tuple[str, ...]:
    off = " (disabled)" if row.grant.using in asked.disabled else ""
    lacks = one_line(", ".join(f"{name}={value}" for name, value in row.missing))
    return (
        str(row.grant.to),
        words.terms(row.grant.using, row.grant.limit) + off,
        words.place(asked, row.grant.path),
        f"missing {lacks}" if lacks else "",
    )
