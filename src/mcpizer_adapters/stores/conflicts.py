"""From rows that stand in the way to the rejection that a later comer gets.

How the refusal of a database is told in the words of the core lives here and nowhere else. It is needed only where a
row belongs to no registration, because somebody wrote past the store: every other conflict is found by the core.

This module does not ask the database anything.
"""

from collections.abc import Iterable

from mcpizer_adapters.stores.rows import HELD, IdRow, ToolRow, Writing
from mcpizer_adapters.stores.shape import from_column
from mcpizer_adapters.stores.whole import hold_of, scope_of
from mcpizer_core import (
    Conflict,
    Discover,
    Event,
    Namespace,
    Offer,
    QuarantineCode,
    Quarantined,
    Reactivate,
    Refresh,
    Register,
    Rejected,
    RejectionCode,
    Retired,
)


def against(
    namespace: Namespace, event: Event, writing: Writing, tools: Iterable[ToolRow], ids: Iterable[IdRow]
) -> Rejected | None:
    """Return the rejection because of rows that carry the names to be written, or None if none of them conflicts."""
    held = [
        Conflict(from_column(new.name), hold_of(old), hold_of(new))
        for new in writing.ids
        for old in ids
        if new.side == old.side == HELD and new.key != old.key and _alike(namespace, new, old)
    ]
    if held:
        return Rejected(namespace, RejectionCode.UPSTREAM_ID_TAKEN, conflicts=tuple(held))
    retired = [
        Retired(from_column(old.name), from_column(old.owner), (scope_of(old.scope, old.whose),))
        for new in writing.ids
        for old in ids
        if new.side != old.side and new.owner != old.owner and _alike(namespace, new, old)
    ]
    if retired:
        return Rejected(namespace, RejectionCode.ID_RETIRED, retired=tuple(dict.fromkeys(retired)))
    names = [
        Conflict(from_column(new.name), hold_of(old), hold_of(new))
        for new in (*writing.tools_changed, *writing.tools)
        for old in tools
        if new[:2] != old[:2] and _alike(namespace, new, old)
    ]
    return _by_name(namespace, event, names) if names else None


def _alike(namespace: Namespace, one: ToolRow | IdRow, other: ToolRow | IdRow) -> bool:
    return one.name == other.name and namespace.rule.forbids(
        scope_of(one.scope, one.whose), scope_of(other.scope, other.whose)
    )


def _by_name(namespace: Namespace, event: Event, names: list[Conflict]) -> Rejected:
    """Return the rejection in the form its event has: offers that would be set aside, or else conflicts."""
    if isinstance(event, Register | Refresh | Discover | Reactivate) and event.offers:
        offers: dict[str, Offer] = {offer.tool: offer for offer in reversed(event.offers)}
        aside = [
            Quarantined(event.key, offers[one.claimant.tool], one.name, QuarantineCode.NAME_TAKEN, one.holder)
            for one in names
            if one.claimant.tool in offers
        ]
        if aside:
            return Rejected(namespace, RejectionCode.NAME_CONFLICT, quarantined=tuple(aside))
    return Rejected(namespace, RejectionCode.NAME_CONFLICT, conflicts=tuple(names))
