"""What is read back after an operation: from every store, cold and warm, from the tables, and for each principal.

These are the oracles of the regression matrix, as far as a store has them. Each says in words what holds; none asks
the code under test what it ought to be.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from mcpizer_adapters.stores.store import Store
from mcpizer_core import (
    AmbiguousName,
    ConflictRule,
    Found,
    Namespace,
    Principal,
    Private,
    Public,
    Scheme,
    Scope,
    Team,
    UnknownName,
    lookup,
    parse_upstream_id,
)

ByHand = Callable[[str], list[tuple[Any, ...]]]
"""Runs a statement past the store."""

WHO: Final[Mapping[str, Principal]] = {
    "the owner": Principal("i:ann", "i"),
    "another owner": Principal("i:bob", "i"),
    "a team-mate": Principal("i:eve", "i", teams=frozenset(["red"])),
    "a member of two teams": Principal("i:max", "i", teams=frozenset(["red", "blue"])),
    "an outsider": Principal("j:zoe", "j"),
    "an owner in every team": Principal("i:ann", "i", teams=frozenset(["red", "blue"])),
}

TABLES: Final[Mapping[str, str]] = {
    "registrations": "select key, document from registrations",
    "tools": "select key, tool, name, scope, whose, offer from tools",
    "ids": "select side, name, key, owner, scope, whose from ids",
    "facts": "select key, generation, document from facts",
    "log": "select count(*), max(version) from log",
    "head": "select version from head",
}

CONFLICTING: Final[Mapping[ConflictRule, str]] = {
    ConflictRule.SHARED_VIEWER: "not (a.scope = 'owner' and b.scope = 'owner' and a.whose <> b.whose)",
    ConflictRule.SAME_SCOPE: "a.scope = b.scope and a.whose = b.whose",
}


class Content(NamedTuple):
    """Every row of every table, as the database has it; of the log, which only grows, how many there are."""

    rows: Mapping[str, frozenset[tuple[Any, ...]]]

    def changed(self, other: "Content") -> dict[str, set[tuple[Any, ...]]]:
        """Return the rows that only one of the two has, by table."""
        found = {table: set(self.rows[table] ^ other.rows[table]) for table in self.rows}
        return {table: rows for table, rows in found.items() if rows}


def content(run: ByHand) -> Content:
    """Read all tables by hand."""
    return Content({table: frozenset(run(sql)) for table, sql in TABLES.items()})


def pairs(run: ByHand, rule: ConflictRule) -> int:
    """Count the pairs of tools that may not stand under one name, by the database's own arithmetic."""
    ((count,),) = run(
        "select count(*) from tools a join tools b on a.name = b.name and (a.key, a.tool) < (b.key, b.tool)"
        f" where {CONFLICTING[rule]}"
    )
    return int(count)


def in_scope(principal: Principal, scope: Scope) -> bool:
    """Tell whether somebody sees a scope, in the plainest words."""
    match scope:
        case Public():
            return True
        case Team(team):
            return team in principal.teams
        case Private(owner):
            return owner == principal.id


def shown(namespace: Namespace, scheme: Scheme, principal: Principal) -> dict[str, set[tuple[str, str]]]:
    """Return what somebody sees under each name, by looking at every offer of every registration."""
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for key, one in namespace.registrations.items():
        upstream = parse_upstream_id(one.upstream)
        assert upstream is not None
        for offer in one.offers if one.active else ():
            if in_scope(principal, one.tool_scopes.get(offer.tool, one.scope)):
                found[scheme(upstream, one.aliases.get(offer.tool, offer.tool))].add((key, offer.tool))
    return found


def calls(namespace: Namespace, scheme: Scheme, names: Iterable[str]) -> None:
    """To everybody each name, those that are listed too, is the one tool seen under it, or ambiguous, or unknown."""
    for who, principal in WHO.items():
        seen = shown(namespace, scheme, principal)
        for name in {*names, *seen}:
            answer = lookup(namespace.catalog, name, principal)
            found: set[tuple[str, str]] = set()
            match answer:
                case Found(tool):
                    found = {(tool.key, tool.name)}
                    assert len(seen[name]) == 1, f"{name} is one tool to {who}, and it is {seen[name]}"
                case AmbiguousName(candidates=tools):
                    found = {(tool.key, tool.name) for tool in tools}
                    assert len(seen[name]) > 1, f"{name} is ambiguous to {who}"
                case UnknownName():
                    pass
            assert found == seen[name], f"{name} is {found} to {who}"


def agreed(stores: Iterable[Store]) -> Namespace:
    """All stores hold the same, payloads included; return it."""
    first, *others = [one.load() for one in stores]
    assert isinstance(first, Namespace), first
    for other in others:
        assert other == first
        assert isinstance(other, Namespace)
        assert payloads(other) == payloads(first)
    return first


def payloads(namespace: Namespace) -> dict[str, list[object]]:
    return {key: [offer.payload for offer in one.offers] for key, one in namespace.registrations.items()}
