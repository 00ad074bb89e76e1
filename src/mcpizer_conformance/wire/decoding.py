"""From plain values that travelled to values of the core; what comes in has the shape of its function already.

One value of an attribute becomes a text, several a set; a code that no vocabulary has stays the text it is, and a
denial with an account keeps it, so that the laws see what was answered.

This module does not know which call a value belongs to.
"""

from dataclasses import dataclass
from typing import Any, cast

from mcpizer_core import (
    Account,
    Admitted,
    Allow,
    AmbiguousName,
    Arity,
    Attribute,
    Candidate,
    Capability,
    Counted,
    Decision,
    Declaration,
    Deny,
    Diagnostic,
    DiagnosticCode,
    Explanation,
    Found,
    Grant,
    GrantRow,
    Issuer,
    Limit,
    NotConsulted,
    Outcome,
    Principal,
    Private,
    Projection,
    Public,
    Reach,
    ReachEntry,
    Reason,
    ReasonCode,
    Refused,
    Related,
    Scope,
    Selector,
    Severity,
    Team,
    Tool,
    ToolMapping,
    UnknownName,
    Usage,
    UsageUnknown,
)

Plain = dict[str, Any]

REASONS = {code.value: code for code in ReasonCode}
DIAGNOSTICS = {code.value: code for code in DiagnosticCode}


@dataclass(frozen=True, slots=True)
class DenialWithAccount:
    """A denial that tells an account, which none may (law D8)."""

    reason: Reason
    account: str | None
    limit: Limit | None


def attributes(plain: dict[str, list[str]]) -> dict[str, str | frozenset[str]]:
    return {name: values[0] if len(values) == 1 else frozenset(values) for name, values in plain.items()}


def principal(plain: Plain) -> Principal:
    return Principal(plain["id"], plain["issuer"], attributes(plain["attributes"]), frozenset(plain["teams"]))


def scope(plain: list[str]) -> Scope:
    if plain[0] == "public":
        return Public()
    return Team(plain[1]) if plain[0] == "team" else Private(plain[1])


def limit(plain: Plain | None) -> Limit | None:
    return None if plain is None else Limit(int(plain["calls"]), int(plain["window_ms"]))


def counter(plain: Plain | None) -> Counted | None:
    return None if plain is None else Counted(int(plain["calls"]), int(plain["window_start_ms"]))


def usage(plain: Plain) -> Usage:
    if plain["kind"] == "counted":
        return Counted(int(plain["calls"]), int(plain["window_start_ms"]))
    return NotConsulted() if plain["kind"] == "not_consulted" else UsageUnknown()


def issuer(plain: Plain) -> Issuer:
    declared = tuple(Attribute(one["name"], Arity(one["arity"])) for one in plain["attributes"])
    return Issuer(plain["id"], declared, plain["path"])


def grant(plain: Plain) -> Grant:
    return Grant(
        Selector(plain["issuer"], attributes(plain["attributes"])),
        tuple(plain["capabilities"]),
        plain["using"],
        limit(plain["limit"]),
        plain["path"],
    )


def declaration(plain: Plain) -> Declaration:
    return Declaration(
        capabilities=tuple(Capability(one["id"], one["path"]) for one in plain["capabilities"]),
        tools=tuple(
            ToolMapping(one["upstream"], one["tool"], one["capability"], one["path"], one["owner"])
            for one in plain["tools"]
        ),
        accounts=tuple(Account(one["id"], one["disabled"], one["path"]) for one in plain["accounts"]),
        issuers=tuple(issuer(one) for one in plain["issuers"]),
        grants=tuple(grant(one) for one in plain["grants"]),
    )


def diagnostic(plain: Plain) -> Diagnostic:
    code = cast(DiagnosticCode, DIAGNOSTICS.get(plain["code"], plain["code"]))
    related = tuple(Related(path, "") for path in plain["related"])
    return Diagnostic(code, Severity(plain["severity"]), plain["path"], plain["subject"], related)


def decision(plain: Plain) -> Decision:
    code = cast(ReasonCode, REASONS.get(plain["code"], plain["code"]))
    reason, under = Reason(code, plain["path"], plain["subject"]), limit(plain.get("limit"))
    if plain["allowed"]:
        return Allow(reason, plain.get("account") or "", under)
    if "account" in plain or "limit" in plain:
        return cast(Deny, DenialWithAccount(reason, plain.get("account"), under))
    return Deny(reason)


def tool(plain: Plain) -> Tool:
    return Tool(
        plain["key"],
        plain["upstream"],
        plain["name"],
        plain["exposed"],
        scope(plain["scope"]),
        plain["owner"],
        plain["fingerprint"],
    )


def tools(plain: list[Plain]) -> tuple[Tool, ...]:
    return tuple(tool(one) for one in plain)


def meaning(plain: Plain) -> Found | UnknownName | AmbiguousName:
    if plain["kind"] == "unknown":
        return UnknownName(plain["name"])
    if plain["kind"] == "found":
        return Found(tool(plain["tools"][0]))
    return AmbiguousName(plain["name"], tools(plain["tools"]))


def outcome(plain: Plain) -> Outcome:
    if plain["kind"] in ("unknown", "ambiguous"):
        return cast(UnknownName | AmbiguousName, meaning(plain))
    meant, decided = tool(plain["tools"][0]), decision(plain["decision"])
    if plain["kind"] == "admitted":
        return Admitted(meant, plain["capability"], cast(Allow, decided))
    return Refused(meant, plain["capability"], cast(Deny, decided), plain["listed"])


def projection(plain: Plain) -> Projection:
    listed = (
        Admitted(tool(one["tool"]), one["capability"], cast(Allow, decision(one["decision"]))) for one in plain["tools"]
    )
    return Projection(tuple(listed), tuple(plain["withheld"]))


def reach(plain: Plain, capability: str) -> Reach:
    entries = tuple(
        ReachEntry(
            Selector(one["issuer"], attributes(one["attributes"])),
            one["account"],
            one["disabled"],
            limit(one["limit"]),
            one["path"],
        )
        for one in plain["entries"]
    )
    issuers = tuple(issuer(one) for one in plain["issuers"])
    return Reach(capability, plain["declared"], plain["realized"], plain["path"], issuers, entries)


def explanation(plain: Plain) -> Explanation:
    rows = tuple(
        GrantRow(grant(one["grant"]), one["matched"], tuple((name, value) for name, value in one["missing"]))
        for one in plain["grants"]
    )
    return Explanation(decision(plain["decision"]), rows, int(plain["considered"]))


def candidate(plain: Plain) -> Candidate:
    told = plain["explanation"]
    return Candidate(
        tool(plain["tool"]), plain["in_scope"], plain["capability"], None if told is None else explanation(told)
    )
