"""What JSON answers are made of: places, decisions, limits, selectors, callers and tools, each in one spelling.

This module does not know any command. The schemas in `schemas/` say the same in JSON Schema.
"""

from collections.abc import Mapping, Set

from mcpizer_adapters.cli.questioned import Questioned
from mcpizer_adapters.scopes import scope_as_json
from mcpizer_core import (
    Allow,
    Counted,
    Decision,
    Identified,
    Limit,
    NotConsulted,
    Principal,
    Selector,
    Usage,
    UsageUnknown,
)

Json = dict[str, object]


def place(asked: Questioned, pointer: str) -> Json:
    """Return where a pointer leads; file, line and column are null where the policy has nothing there."""
    found = asked.read.place(pointer)
    if found is None:
        return {"pointer": pointer, "file": None, "line": None, "column": None}
    return {"pointer": pointer, "file": found.file, "line": found.line, "column": found.column}


def policy(asked: Questioned) -> Json:
    """Return which policy was asked."""
    return {"path": asked.read.path, "version": asked.read.version}


def limit(one: Limit | None) -> Json | None:
    """Return a limit; null is none."""
    return None if one is None else {"calls": one.calls, "window_ms": one.window_ms}


def decision(asked: Questioned, one: Decision) -> Json:
    """Return a decision with its reason; a denial has neither account nor limit."""
    allowed = one if isinstance(one, Allow) else None
    return {
        "outcome": "deny" if allowed is None else "allow",
        "code": one.reason.code.value,
        "subject": one.reason.subject,
        "place": place(asked, one.reason.path),
        "account": None if allowed is None else allowed.account,
        "limit": None if allowed is None else limit(allowed.limit),
    }


def attributes(given: Mapping[str, str | Set[str]]) -> Json:
    """Return attributes, each with the list of its values, sorted."""
    return {name: [value] if isinstance(value, str) else sorted(value) for name, value in sorted(given.items())}


def selector(one: Selector) -> Json:
    """Return whom a grant selects."""
    return {"issuer": one.issuer, "attributes": attributes(one.attributes)}


def principal(one: Principal) -> Json:
    """Return a caller."""
    return {
        "id": one.id,
        "issuer": one.issuer,
        "attributes": attributes(one.attributes),
        "teams": sorted(one.teams),
    }


def caller(found: Identified) -> Json:
    """Return a caller with the names of attributes that play no part."""
    return {**principal(found.principal), "undeclared": list(found.undeclared), "unusable": list(found.unusable)}


def usage(one: Usage) -> Json:
    """Return what is taken to be known of past calls."""
    match one:
        case Counted():
            return {"kind": "counted", "calls": one.calls, "window_start_ms": one.window_start_ms}
        case UsageUnknown():
            return {"kind": "unknown", "calls": None, "window_start_ms": None}
        case NotConsulted():
            return {"kind": "none", "calls": None, "window_start_ms": None}


def tool(asked: Questioned, name: str) -> Json:
    """Return a tool by its exposed name, with the capability it is mapped to, if it is, and where."""
    mapping, listed = asked.mappings.get(name), asked.listed.get(name)
    upstream, own = (mapping.upstream, mapping.tool) if mapping is not None else ("", "")
    if listed is not None:
        upstream, own = listed.upstream, listed.name
    return {
        "name": name,
        "upstream": upstream,
        "tool": own,
        "scope": scope_as_json(asked.scope_of(name)),
        "capability": None if mapping is None else mapping.capability,
        "place": None if mapping is None else place(asked, mapping.path),
    }
