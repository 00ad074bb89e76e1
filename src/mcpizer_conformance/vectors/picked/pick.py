"""A question that was picked, and the plain values that many of them are made of.

This module does not know what is right about any of them.
"""

from typing import Any, Final, NamedTuple

from mcpizer_conformance.subjects.asking import placed
from mcpizer_conformance.wire import encoding
from mcpizer_core import (
    Account,
    Capability,
    Counted,
    Declaration,
    Grant,
    Issuer,
    NotConsulted,
    Principal,
    Public,
    Scope,
    Tool,
    ToolMapping,
    Usage,
)

NOW_MS: Final = 1_800_000_000_000
NOW: Final = str(NOW_MS)
NOT_CONSULTED: Final = NotConsulted()


class Pick(NamedTuple):
    """A question: the clause it is about, its own name, the call, what is special, and a public defect of the kind."""

    clause: str
    name: str
    function: str
    input: dict[str, Any]
    note: str
    bug: str

    @property
    def id(self) -> str:
        """The permanent id: that of the clause, and the name."""
        return f"{self.clause}/{self.name}"


def declared(whole: Declaration) -> dict[str, Any]:
    """Return a declaration as every call carries it, with all places filled in."""
    return placed(encoding.declaration(whole))


def policy(
    *grants: Grant,
    mappings: tuple[ToolMapping, ...] = (ToolMapping("docs", "search", "pages.read"),),
    capabilities: tuple[str, ...] = ("pages.read", "pages.write"),
    accounts: tuple[Account, ...] = (Account("reader"), Account("writer"), Account("former", disabled=True)),
    issuers: tuple[Issuer, ...],
) -> Declaration:
    """Return a declaration of these grants."""
    return Declaration(tuple(map(Capability, capabilities)), mappings, accounts, issuers, grants)


def tool(
    key: str, upstream: str, name: str, scope: Scope | None = None, *, exposed: str = "", owner: str = ""
) -> dict[str, Any]:
    """Return a tool as it travels: public, and under its qualified name, unless it is said otherwise."""
    shown = exposed or f"{upstream}__{name}"
    return encoding.tool(Tool(key, upstream, name, shown, Public() if scope is None else scope, owner))


def deciding(
    whole: Declaration, who: Principal, capability: str = "pages.read", usage: Usage = NOT_CONSULTED, at: str = NOW
) -> dict[str, Any]:
    """Return the input of `decide`."""
    return {
        "declaration": declared(whole),
        "principal": encoding.principal(who),
        "capability": capability,
        "at_ms": at,
        "usage": encoding.usage(usage),
    }


def counted(calls: int, ms_ago: int = 0) -> Counted:
    """Return a counter whose window began so long ago."""
    return Counted(calls, NOW_MS - ms_ago)
