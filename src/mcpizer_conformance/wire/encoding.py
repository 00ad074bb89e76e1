"""From values of the core to plain ones that travel.

Nothing is judged on the way: what is several stays several, what is in an order stays in it, sets are sorted.

This module does not know which call a value belongs to.
"""

from collections.abc import Iterable, Mapping, Set
from typing import Any, assert_never

from mcpizer_core import (
    Admitted,
    Allow,
    AmbiguousName,
    Compilation,
    Counted,
    Decision,
    Declaration,
    Diagnostic,
    Explanation,
    Found,
    Gate,
    Grant,
    Issuer,
    Limit,
    NotConsulted,
    Outcome,
    Principal,
    Private,
    Projection,
    Public,
    Reach,
    Refused,
    Scope,
    Team,
    Tool,
    UnknownName,
    Usage,
    UsageUnknown,
)

Plain = dict[str, Any]


def attributes(given: Mapping[str, str | Set[str]]) -> dict[str, list[str]]:
    return {name: [value] if isinstance(value, str) else sorted(value) for name, value in given.items()}


def principal(one: Principal) -> Plain:
    return {"id": one.id, "issuer": one.issuer, "attributes": attributes(one.attributes), "teams": sorted(one.teams)}


def scope(one: Scope) -> list[str]:
    match one:
        case Public():
            return ["public"]
        case Team(team):
            return ["team", team]
        case Private(owner):
            return ["owner", owner]
        case _:
            assert_never(one)


def limit(one: Limit | None) -> Plain | None:
    return None if one is None else {"calls": str(one.calls), "window_ms": str(one.window_ms)}


def counter(one: Counted | None) -> Plain | None:
    return None if one is None else {"calls": str(one.calls), "window_start_ms": str(one.window_start_ms)}


def usage(one: Usage) -> Plain:
    match one:
        case Counted():
            return {"kind": "counted", "calls": str(one.calls), "window_start_ms": str(one.window_start_ms)}
        case NotConsulted():
            return {"kind": "not_consulted", "calls": "0", "window_start_ms": "0"}
        case UsageUnknown():
            return {"kind": "unknown", "calls": "0", "window_start_ms": "0"}
        case _:
            assert_never(one)


def issuer(one: Issuer) -> Plain:
    names = [{"name": each.name, "arity": each.arity.value} for each in one.attributes]
    return {"id": one.id, "attributes": names, "path": one.path}


def grant(one: Grant) -> Plain:
    return {
        "issuer": one.to.issuer,
        "attributes": attributes(one.to.attributes),
        "capabilities": list(one.capabilities),
        "using": one.using,
        "limit": limit(one.limit),
        "path": one.path,
    }


def declaration(whole: Declaration) -> Plain:
    return {
        "capabilities": [{"id": one.id, "path": one.path} for one in whole.capabilities],
        "tools": [
            {
                "upstream": one.upstream,
                "tool": one.tool,
                "capability": one.capability,
                "owner": one.owner,
                "path": one.path,
            }
            for one in whole.tools
        ],
        "accounts": [{"id": one.id, "disabled": one.disabled, "path": one.path} for one in whole.accounts],
        "issuers": [issuer(one) for one in whole.issuers],
        "grants": [grant(one) for one in whole.grants],
    }


def diagnostic(one: Diagnostic) -> Plain:
    return {
        "code": one.code.value,
        "severity": one.severity.value,
        "path": one.path,
        "subject": one.subject,
        "related": [also.path for also in one.related],
    }


def compilation(one: Compilation) -> Plain:
    return {
        "declaration": None if one.policy is None else declaration(one.policy.declaration),
        "diagnostics": [diagnostic(each) for each in one.diagnostics],
    }


def decision(one: Decision) -> Plain:
    """A decision with the account and the limit it has, if it has any, be it an allow or not."""
    reason: Plain = {
        "allowed": isinstance(one, Allow),
        "code": str(one.reason.code),
        "path": one.reason.path,
        "subject": one.reason.subject,
    }
    if hasattr(one, "account"):
        reason["account"] = one.account
    if hasattr(one, "limit"):
        reason["limit"] = limit(one.limit)
    return reason


def tool(one: Tool) -> Plain:
    """A tool without its payload, which nobody opens."""
    return {
        "key": one.key,
        "upstream": one.upstream,
        "name": one.name,
        "exposed": one.exposed,
        "scope": scope(one.scope),
        "owner": one.owner,
        "fingerprint": one.fingerprint,
    }


def tools(some: Iterable[Tool]) -> list[Plain]:
    return [tool(one) for one in some]


def meaning(one: Found | UnknownName | AmbiguousName, name: str) -> Plain:
    match one:
        case Found():
            return {"kind": "found", "name": name, "tools": [tool(one.tool)]}
        case UnknownName():
            return {"kind": "unknown", "name": one.name, "tools": []}
        case AmbiguousName():
            return {"kind": "ambiguous", "name": one.name, "tools": tools(one.candidates)}
        case _:
            assert_never(one)


def outcome(one: Outcome, name: str) -> Plain:
    match one:
        case UnknownName() | AmbiguousName():
            return meaning(one, name)
        case Admitted():
            return {"kind": "admitted", "name": name, "tools": [tool(one.tool)], **_decided(one)}
        case Refused():
            return {"kind": "refused", "name": name, "tools": [tool(one.tool)], **_decided(one), "listed": one.listed}
        case _:
            assert_never(one)


def _decided(one: Admitted | Refused) -> Plain:
    return {"capability": one.capability, "decision": decision(one.decision)}


def projection(one: Projection) -> Plain:
    return {
        "tools": [{"tool": tool(each.tool), **_decided(each)} for each in one.tools],
        "withheld": list(one.withheld),
    }


def reach(one: Reach) -> Plain:
    return {
        "declared": one.declared,
        "realized": one.realized,
        "path": one.path,
        "issuers": [issuer(each) for each in one.issuers],
        "entries": [
            {
                "issuer": each.selector.issuer,
                "attributes": attributes(each.selector.attributes),
                "account": each.account,
                "disabled": each.disabled,
                "limit": limit(each.limit),
                "path": each.path,
            }
            for each in one.entries
        ],
    }


def explanation(one: Explanation) -> Plain:
    return {
        "decision": decision(one.decision),
        "grants": [
            {"grant": grant(row.grant), "matched": row.matched, "missing": [list(fact) for fact in row.missing]}
            for row in one.grants
        ],
        "considered": str(one.considered),
    }


def gate(one: Gate) -> Plain:
    return {"declaration": declaration(one.policy.declaration), "tools": tools(one.catalog.tools)}
