"""From values of the core to the plain values of the model, so that the two can be compared.

Every conversion lives here and nowhere else. None of them judges: what is several stays several, what is in an
order stays in it.

This module does not know what the values mean.
"""

from collections.abc import Mapping, Set

from mcpizer_conformance.model import plain
from mcpizer_core import (
    Admitted,
    Allow,
    AmbiguousName,
    Counted,
    Decision,
    Declaration,
    Diagnostic,
    Found,
    Grant,
    Identified,
    Issuer,
    Limit,
    NotConsulted,
    Outcome,
    Principal,
    Private,
    Projection,
    Public,
    Refused,
    Scope,
    Team,
    Tool,
    UnknownName,
    Usage,
)


def attributes(given: Mapping[str, str | Set[str]]) -> dict[str, list[str]]:
    return {name: [value] if isinstance(value, str) else sorted(value) for name, value in given.items()}


def principal(one: Principal) -> plain.Principal:
    return {"id": one.id, "issuer": one.issuer, "attributes": attributes(one.attributes), "teams": sorted(one.teams)}


def identified(one: Identified) -> plain.Identified:
    return {
        "principal": principal(one.principal),
        "undeclared": list(one.undeclared),
        "unusable": list(one.unusable),
    }


def scope(one: Scope) -> plain.Scope:
    match one:
        case Public():
            return ["public"]
        case Team(team):
            return ["team", team]
        case Private(owner):
            return ["owner", owner]


def limit(one: Limit | None) -> plain.Limit | None:
    return None if one is None else {"calls": one.calls, "window_ms": one.window_ms}


def issuer(one: Issuer) -> plain.Issuer:
    names: list[plain.Attribute] = [{"name": a.name, "arity": a.arity.value} for a in one.attributes]
    return {"id": one.id, "attributes": names, "path": one.path}


def grant(one: Grant) -> plain.Grant:
    return {
        "issuer": one.to.issuer,
        "attributes": attributes(one.to.attributes),
        "capabilities": list(one.capabilities),
        "using": one.using,
        "limit": limit(one.limit),
        "path": one.path,
    }


def declaration(whole: Declaration) -> plain.Declaration:
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


def finding(one: Diagnostic) -> plain.Finding:
    return {"code": one.code.value, "path": one.path, "subject": one.subject}


def usage(one: Usage) -> plain.Usage:
    if isinstance(one, Counted):
        return {"kind": "counted", "calls": one.calls, "window_start_ms": one.window_start_ms}
    kind = "not_consulted" if isinstance(one, NotConsulted) else "unknown"
    return {"kind": kind, "calls": 0, "window_start_ms": 0}


def decision(one: Decision) -> plain.Decision:
    allowed = isinstance(one, Allow)
    return {
        "allowed": allowed,
        "code": one.reason.code.value,
        "path": one.reason.path,
        "subject": one.reason.subject,
        "account": one.account if isinstance(one, Allow) else None,
        "limit": limit(one.limit) if isinstance(one, Allow) else None,
    }


def tool(one: Tool) -> plain.Tool:
    return {
        "key": one.key,
        "upstream": one.upstream,
        "name": one.name,
        "exposed": one.exposed,
        "scope": scope(one.scope),
        "owner": one.owner,
        "fingerprint": one.fingerprint,
    }


def meaning(one: Found | UnknownName | AmbiguousName) -> plain.Meaning:
    match one:
        case Found():
            return {"kind": "found", "tools": [tool(one.tool)]}
        case UnknownName():
            return {"kind": "unknown", "tools": []}
        case AmbiguousName():
            return {"kind": "ambiguous", "tools": [tool(each) for each in one.candidates]}


def answer(one: Outcome) -> plain.Answer:
    kind, tools = "unknown", list[plain.Tool]()
    if isinstance(one, AmbiguousName):
        kind, tools = "ambiguous", [tool(each) for each in one.candidates]
    if isinstance(one, Admitted | Refused):
        kind, tools = "admitted" if isinstance(one, Admitted) else "refused", [tool(one.tool)]
    met = isinstance(one, Admitted | Refused)
    return {
        "kind": kind,
        "tools": tools,
        "capability": one.capability if isinstance(one, Admitted | Refused) else None,
        "decision": decision(one.decision) if isinstance(one, Admitted | Refused) else None,
        "listed": one.listed if isinstance(one, Refused) else met,
    }


def projection(one: Projection) -> plain.Projection:
    return {
        "tools": [
            {"tool": tool(each.tool), "capability": each.capability, "decision": decision(each.decision)}
            for each in one.tools
        ],
        "withheld": list(one.withheld),
    }
