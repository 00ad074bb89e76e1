"""Who already holds what a registration is about to hold: names, upstream ids, and ids that others gave up.

Finding conflicts lives here and nowhere else. Whatever a registration held before in a scope that forbids as much is
no claim: it adds no conflict, so what has been double for long may still become narrower.

This module does not know what is done about a conflict.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations

from mcpizer_core.catalog.spread import entries
from mcpizer_core.namespace.rules import ConflictRule, ids_of, names_of
from mcpizer_core.namespace.state import Namespace, retired_of
from mcpizer_core.namespace.values import Conflict, Hold, Registration, Retired
from mcpizer_core.scopes import Scope, share_viewer

Clash = Callable[[Scope, Scope], bool]


def claims_of(rule: ConflictRule, was: Mapping[str, Hold], now: Mapping[str, Hold]) -> dict[str, Hold]:
    """Return the holds that are new, by tool: another name, or a scope that forbids more."""
    return {
        tool: hold
        for tool, hold in now.items()
        if (old := was.get(tool)) is None or old.name != hold.name or not rule.covers(old.scope, hold.scope)
    }


def name_conflicts(namespace: Namespace, before: Registration | None, after: Registration) -> tuple[Conflict, ...]:
    """Return every conflict that the final names of a registration would add, once it is as it is after."""
    return _conflicts(namespace, before, after, namespace.rule.forbids)


def shadows(namespace: Namespace, before: Registration | None, after: Registration | None) -> tuple[Conflict, ...]:
    """Return whom new final names stand beside for whoever sees both, where the rule allows it."""
    if namespace.rule is ConflictRule.SHARED_VIEWER or after is None:
        return ()
    return _conflicts(
        namespace, before, after, lambda one, other: share_viewer(one, other) and not namespace.rule.forbids(one, other)
    )


def _conflicts(
    namespace: Namespace, before: Registration | None, after: Registration, clash: Clash
) -> tuple[Conflict, ...]:
    now = names_of(namespace.scheme, after)
    claims = claims_of(namespace.rule, names_of(namespace.scheme, before), now)
    own: dict[str, list[Hold]] = {}
    if claims:
        for hold in now.values():
            own.setdefault(hold.name, []).append(hold)
    return _in_order(
        Conflict(claim.name, holder, claim)
        for claim in claims.values()
        for holder in (*others(namespace, claim), *own[claim.name])
        if holder != claim and clash(holder.scope, claim.scope) and not _counted_from_the_other(claims, holder, claim)
    )


def _counted_from_the_other(claims: Mapping[str, Hold], holder: Hold, claim: Hold) -> bool:
    """Tell whether both are new and of one registration, and the pair is found from the other side."""
    return holder.key == claim.key and holder.tool in claims and holder.tool > claim.tool


def others(namespace: Namespace, hold: Hold) -> list[Hold]:
    """Return the holds of this final name by other registrations, whatever their scope."""
    return [one for one in namespace._names.get(hold.name, ()) if one.key != hold.key]


def new_ids(namespace: Namespace, before: Registration | None, after: Registration) -> tuple[Hold, ...]:
    """Return the upstream id in each scope in which it was not yet held as much."""
    scopes = (hold.scope for hold in ids_of(before) if hold.name == after.upstream)
    new = set(namespace.rule.uncovered((hold.scope for hold in ids_of(after)), scopes))
    return tuple(hold for hold in ids_of(after) if hold.scope in new)


def id_conflicts(namespace: Namespace, new: Iterable[Hold]) -> tuple[Conflict, ...]:
    """Return every conflict of an upstream id with that of another registration."""
    return _in_order(
        Conflict(claim.name, holder, claim)
        for claim in new
        for holder in namespace._ids.get(claim.name, ())
        if holder.key != claim.key and namespace.rule.forbids(holder.scope, claim.scope)
    )


def blocked_by(namespace: Namespace, owner: str, new: Iterable[Hold]) -> tuple[Retired, ...]:
    """Return whose retired ids stand in the way of these, by owner."""
    holds = tuple(new)
    return tuple(
        one
        for one in (retired_of(namespace, holds[0].name) if holds else ())
        if one.owner != owner
        and any(namespace.rule.forbids(scope, hold.scope) for scope in one.scopes for hold in holds)
    )


def holds(namespace: Namespace, key: str) -> tuple[Hold, ...]:
    """Return every name that a registration holds: its id once for each held scope, then final names in order.

    Names of tools that are not shown are among them, and those kept for absent tools. A store's rule of uniqueness is
    fed with these.
    """
    registration = namespace.registrations.get(key)
    names = names_of(namespace.scheme, registration).values()
    return (*ids_of(registration), *sorted(names, key=lambda hold: (hold.name, hold.tool)))


def audit(namespace: Namespace) -> tuple[Conflict, ...]:
    """Return every pair of final names in conflict; of each the registration that came first is the holder.

    There are none but what `restore` brought in.
    """

    def came(hold: Hold) -> tuple[int, str, str]:
        return (namespace.registrations[hold.key].generation, hold.key, hold.tool)

    return _in_order(
        Conflict(name, holder, claimant)
        for name, held in entries(namespace._names._root)
        if len(held) > 1
        for holder, claimant in combinations(sorted(held, key=came), 2)
        if namespace.rule.forbids(holder.scope, claimant.scope)
    )


def _in_order(conflicts: Iterable[Conflict]) -> tuple[Conflict, ...]:
    """Return the conflicts by name, then by who claims and who holds."""

    def order(one: Conflict) -> tuple[str, ...]:
        return (one.name, one.claimant.tool, one.claimant.key, one.holder.key, one.holder.tool, *_both(one))

    return tuple(sorted(conflicts, key=order))


def _both(one: Conflict) -> tuple[str, str]:
    return (str(one.claimant.scope), str(one.holder.scope))
