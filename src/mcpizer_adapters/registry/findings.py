"""What in a namespace needs an operator's eye: duplicates, offers set aside, shadowed names, refused listings.

What counts as such lives here and nowhere else.

This module does not print, and mends nothing.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations

from attrs import frozen

from mcpizer_core import (
    Conflict,
    Hold,
    ListingOutcome,
    Namespace,
    Quarantined,
    Registration,
    audit,
    holds,
    share_viewer,
)


@frozen
class Findings:
    """Everything that stands out in a namespace, in order of names or keys."""

    duplicates: tuple[Conflict, ...]
    """Two holders of one final name, or of one upstream id, that the rule forbids: the past brought them in."""
    shadowed: tuple[Conflict, ...]
    """Two holders of one final name that the rule allows, and that somebody could see both."""
    quarantined: tuple[Quarantined, ...]
    refused: tuple[Registration, ...]
    """The registrations whose last listing was refused as a whole."""

    def __bool__(self) -> bool:
        return bool(self.duplicates or self.shadowed or self.quarantined or self.refused)


def findings(namespace: Namespace) -> Findings:
    """Return what stands out."""
    registrations = [one for _, one in sorted(namespace.registrations.items())]
    held = [hold for one in registrations for hold in holds(namespace, one.key)]
    ids = _pairs(namespace, [hold for hold in held if not hold.tool])
    names = _pairs(namespace, [hold for hold in held if hold.tool])
    return Findings(
        (*audit(namespace), *(one for one in ids if _forbidden(namespace, one))),
        tuple(one for one in names if not _forbidden(namespace, one)),
        tuple(each for one in registrations for each in one.quarantined),
        tuple(one for one in registrations if one.listing.outcome is ListingOutcome.REFUSED),
    )


def _forbidden(namespace: Namespace, one: Conflict) -> bool:
    return namespace.rule.forbids(one.holder.scope, one.claimant.scope)


def _pairs(namespace: Namespace, held: Iterable[Hold]) -> Iterator[Conflict]:
    """Yield each two holders of one name that somebody could see both; the registration that came first holds it."""
    by_name: dict[str, list[Hold]] = {}
    for hold in held:
        by_name.setdefault(hold.name, []).append(hold)

    def came(hold: Hold) -> tuple[int, str, str]:
        return namespace.registrations[hold.key].generation, hold.key, hold.tool

    for name in sorted(name for name, some in by_name.items() if len(some) > 1):
        for holder, claimant in combinations(sorted(by_name[name], key=came), 2):
            apart = (holder.key, holder.tool) != (claimant.key, claimant.tool)  # an id is held once for each scope
            if apart and share_viewer(holder.scope, claimant.scope):
                yield Conflict(name, holder, claimant)
