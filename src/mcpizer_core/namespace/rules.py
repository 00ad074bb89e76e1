"""Which two scopes may not hold one name, and which final name a tool holds.

The rule of conflict, and the one function that makes the final name, for checking and for storing alike, live here
and nowhere else.

This module does not know who holds what.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Final

from mcpizer_core.names import UpstreamId
from mcpizer_core.namespace.values import Hold, Registration, Scheme
from mcpizer_core.scopes import Private, Public, Scope, Team, scope_key, share_viewer

NOTHING: Final[Mapping[str, Hold]] = {}
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class ConflictRule(StrEnum):
    """Which two holds of one name are a conflict."""

    SHARED_VIEWER = "shared_viewer"
    """Those that one principal could see: to nobody a name ever means two tools."""
    SAME_SCOPE = "same_scope"
    """Those in one scope: whoever sees two may find a name ambiguous, and a newcomer is told whom it shadows."""

    def forbids(self, one: Scope, other: Scope) -> bool:
        """Tell whether two tools, one in each scope, may not have one name."""
        return one == other if self is ConflictRule.SAME_SCOPE else share_viewer(one, other)

    def covers(self, one: Scope, other: Scope) -> bool:
        """Tell whether a hold in scope `one` forbids at least whatever one in scope `other` forbids."""
        return one == other or (self is ConflictRule.SHARED_VIEWER and not isinstance(one, Private))

    def uncovered(self, scopes: Iterable[Scope], by: Iterable[Scope]) -> tuple[Scope, ...]:
        """Return those of `scopes` that none of the others covers, in order."""
        others = tuple(by)
        return tuple(one for one in in_order(scopes) if not any(self.covers(other, one) for other in others))


def in_order(scopes: Iterable[Scope]) -> tuple[Scope, ...]:
    """Return the different scopes: public, then teams, then owners, each by code points."""
    order = {"public": 0, "team": 1, "owner": 2}
    return tuple(sorted(set(scopes), key=lambda one: (order[scope_key(one)[0]], scope_key(one)[1])))


def carries(text: str) -> bool:
    """Tell whether a text can be the name or the alias of a tool: not empty, and no lone surrogate in it."""
    return bool(text) and _LONE_SURROGATE.search(text) is None


def names_somebody(scope: Scope) -> bool:
    """Tell whether a scope says whose it is."""
    match scope:
        case Public():
            return True
        case Team(team):
            return bool(team)
        case Private(owner):
            return bool(owner)


def holding(scheme: Scheme, registration: Registration) -> Callable[[str], Hold]:
    """Return what tells of each tool what it holds, or would hold: its final name, in its scope."""
    upstream, key, scope = UpstreamId(registration.upstream), registration.key, registration.scope
    aliases, scopes = dict(registration.aliases), dict(registration.tool_scopes)

    def hold(tool: str) -> Hold:
        return Hold(scheme(upstream, aliases.get(tool, tool)), key, tool, scopes.get(tool, scope))

    return hold


def names_of(scheme: Scheme, registration: Registration | None, known: Mapping[str, Hold] = NOTHING) -> dict[str, Hold]:
    """Return what each tool holds: those admitted, and those absent that have an alias, which is kept for them.

    What is `known`, of the same registration under the same names and scopes, is not worked out anew.
    """
    if registration is None:
        return {}
    hold = holding(scheme, registration)
    tools = dict.fromkeys([*[offer.tool for offer in registration.offers], *registration.aliases])
    return {tool: known.get(tool) or hold(tool) for tool in tools}


def named_alike(one: Registration, other: Registration) -> bool:
    """Tell whether each tool has the same final name and scope in both, if it has one."""
    return (one.key, one.upstream, one.scope, one.aliases, one.tool_scopes) == (
        other.key,
        other.upstream,
        other.scope,
        other.aliases,
        other.tool_scopes,
    )


def ids_of(registration: Registration | None) -> tuple[Hold, ...]:
    """Return the upstream id as it is held: in the registration's scope and in every scope set on one of its tools."""
    if registration is None:
        return ()
    scopes = (registration.scope, *registration.tool_scopes.values())
    return tuple(Hold(registration.upstream, registration.key, "", one) for one in in_order(scopes))
