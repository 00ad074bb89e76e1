"""What scopes promise: who sees one, and which two one principal could see.

`share_viewer` is checked against enumeration: every principal that two scopes could tell apart.

This module does not know tools.
"""

from itertools import chain, combinations

from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.strategies.identities import PRINCIPAL_IDS, TEAMS
from mcpizer_core import Principal, Public, Scope


def everybody() -> list[Principal]:
    """A principal for each id and each set of teams."""
    bags = chain.from_iterable(combinations(TEAMS, size) for size in range(len(TEAMS) + 1))
    return [Principal(id, id.partition(":")[0], {}, frozenset(bag)) for bag in bags for id in PRINCIPAL_IDS]


def shared_iff_somebody_sees_both(subject: Subject, one: Scope, other: Scope) -> bool:
    """Two scopes share a viewer iff some principal sees both; the order plays no part. Hard: neither is public."""
    somebody = any(subject.sees(viewer, one) and subject.sees(viewer, other) for viewer in everybody())
    assert subject.share_viewer(one, other) == somebody
    assert subject.share_viewer(other, one) == somebody
    return not isinstance(one, Public) and not isinstance(other, Public)


def seen_by_its_own(subject: Subject, principal: Principal, scope: Scope) -> bool:
    """A scope is seen by everybody, its team or its owner. Hard: the principal is in teams, the scope not public."""
    named = {*principal.teams, principal.id}
    assert subject.sees(principal, scope) == (isinstance(scope, Public) or str(scope).partition(": ")[2] in named)
    return bool(principal.teams) and not isinstance(scope, Public)
