"""What an event does: the namespace after it, or why not.

The order in which an event is judged lives here and nowhere else. The registration is first made as the event would
leave it, then that is checked, by the very functions that make the names which are stored.

This module does not know stores, clocks or upstreams: whoever commits does so on the version that was judged.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, TypeVar, assert_never

from mcpizer_core.names import parse_upstream_id
from mcpizer_core.namespace import facts
from mcpizer_core.namespace.answers import Accepted, Applied, Rejected, RejectionCode, changes_of
from mcpizer_core.namespace.claims import blocked_by, id_conflicts, name_conflicts, new_ids, shadows
from mcpizer_core.namespace.events import (
    ChangeScope,
    ChangeToolScope,
    Deactivate,
    Discover,
    Event,
    OnConflict,
    Reached,
    Reactivate,
    Refresh,
    Register,
    Release,
    Remove,
    Rename,
    SetAlias,
    Unreached,
)
from mcpizer_core.namespace.listing import clash, judged, place, with_offers
from mcpizer_core.namespace.rules import carries, names_somebody
from mcpizer_core.namespace.state import Namespace, put, registration_of, released
from mcpizer_core.namespace.values import Offer, QuarantineCode, Quarantined, Registration
from mcpizer_core.scopes import Scope

T = TypeVar("T")

WAITING: Final = (QuarantineCode.NAME_TAKEN, QuarantineCode.ALIAS_RESERVED)
"""What is set aside for its final name only, and so is looked at again when it gets another."""


def apply(namespace: Namespace, event: Event, *, on_conflict: OnConflict = OnConflict.QUARANTINE) -> Applied:
    """Return what becomes of `event`. A rejected one leaves catalog and version as they were (law L1)."""
    if isinstance(event, Register):
        return _register(namespace, event, on_conflict)
    if isinstance(event, Release):
        return _release(namespace, event)
    before = registration_of(namespace, event.key)
    if before is None:
        return Rejected(namespace, RejectionCode.UNKNOWN_REGISTRATION)
    match event:
        case Refresh() | Discover() | Reactivate() | Reached() | Unreached():
            if event.generation not in (None, before.generation):
                return Rejected(namespace, RejectionCode.STALE_GENERATION)
            return _report(namespace, before, event, on_conflict)
        case Deactivate():
            return _settle(namespace, before, replace(before, active=False))
        case Remove():
            return _settle(namespace, before, None)
        case Rename() | ChangeScope() | ChangeToolScope():
            return _move(namespace, before, event)
        case SetAlias():
            return _set_alias(namespace, before, event.tool, event.alias)
        case _:
            assert_never(event)


def _settle(
    namespace: Namespace,
    before: Registration | None,
    after: Registration | None,
    aside: tuple[Quarantined, ...] = (),
) -> Accepted:
    """Accept: put the one in the place of the other, and say what that changed."""
    found, gone, come = put(namespace, before, after)
    changes = changes_of((gone.get(tool), come.get(tool)) for tool in {**gone, **come})
    return Accepted(found, changes, aside, shadows(namespace, before, after))


def _register(namespace: Namespace, event: Register, on_conflict: OnConflict) -> Applied:
    if registration_of(namespace, event.key) is not None:
        return Rejected(namespace, RejectionCode.KEY_TAKEN)
    bare = Registration(event.key, event.upstream, event.scope, event.owner, generation=namespace.version + 1)
    if (refusal := _ill_formed(namespace, event.upstream, event.scope)) is not None:
        return refusal
    if (refusal := _of_ids(namespace, None, bare)) is not None:
        return refusal
    if event.offers is None:
        return _settle(namespace, None, bare)
    found = judged(namespace, bare, event.offers, complete=True)
    if found.aside and on_conflict is OnConflict.REJECT:
        return Rejected(namespace, RejectionCode.NAME_CONFLICT, quarantined=found.aside)
    after = _heard(bare, found.registration, event.at_ms, namespace.version + 1, found.aside)
    return _settle(namespace, None, after, found.aside)


def _release(namespace: Namespace, event: Release) -> Applied:
    if parse_upstream_id(event.upstream) is None:
        return Rejected(namespace, RejectionCode.INVALID_UPSTREAM_ID)
    return Accepted(released(namespace, event.upstream))


def _report(
    namespace: Namespace,
    before: Registration,
    event: Refresh | Discover | Reactivate | Reached | Unreached,
    on_conflict: OnConflict,
) -> Applied:
    """Judge what an upstream is reported to have said, or not to have said."""
    match event:
        case Reached():
            return _settle(namespace, before, replace(before, contact=facts.reached(before.contact, event.at_ms)))
        case Unreached():
            contact = facts.unreached(before.contact, event.at_ms, event.detail)
            return _settle(namespace, before, replace(before, contact=contact))
        case Reactivate(offers=None):
            return _settle(namespace, before, replace(before, active=True))
        case Reactivate():
            return _listed(namespace, before, event.offers or (), event.at_ms, on_conflict, active=True)
        case Refresh():
            return _listed(namespace, before, event.offers, event.at_ms, on_conflict, complete=event.complete)
        case Discover():
            return _listed(namespace, before, event.offers, event.at_ms, on_conflict, complete=False)
        case _:
            assert_never(event)


def _listed(
    namespace: Namespace,
    before: Registration,
    offers: tuple[Offer, ...],
    at_ms: int | None,
    on_conflict: OnConflict,
    *,
    complete: bool = True,
    active: bool = False,
) -> Applied:
    if facts.older(at_ms, before.listing.accepted_at_ms):
        return Rejected(namespace, RejectionCode.STALE_LISTING)
    found = judged(namespace, before, offers, complete=complete)
    if found.aside and on_conflict is OnConflict.REJECT:
        listing = facts.refused(before.listing, at_ms, found.aside)
        told = replace(before, contact=facts.reached(before.contact, at_ms), listing=listing)
        return Rejected(put(namespace, before, told).namespace, RejectionCode.NAME_CONFLICT, quarantined=found.aside)
    after = replace(found.registration, active=before.active or active)
    version = namespace.version + (after != before)
    return _settle(namespace, before, _heard(before, after, at_ms, version, found.aside), found.aside)


def _heard(
    before: Registration, after: Registration, at_ms: int | None, version: int, aside: tuple[Quarantined, ...]
) -> Registration:
    """Return a registration whose listing was accepted, with the facts that follow from that."""
    same = before.listing.accepted_version is not None and (before.offers, before.quarantined) == (
        after.offers,
        after.quarantined,
    )
    return replace(
        after,
        contact=facts.reached(before.contact, at_ms),
        listing=facts.accepted(before.listing, at_ms, version, aside, same=same),
    )


def _move(namespace: Namespace, before: Registration, event: Rename | ChangeScope | ChangeToolScope) -> Applied:
    """Judge another upstream id or scope, all or nothing: every tool that moves is checked."""
    known = True
    match event:
        case Rename():
            after, refusal = replace(before, upstream=event.upstream), _ill_formed(namespace, event.upstream)
        case ChangeScope():
            after, refusal = replace(before, scope=event.scope), _ill_formed(namespace, scope=event.scope)
        case ChangeToolScope():
            scopes = _set(before.tool_scopes, event.tool, event.scope)
            after, refusal = replace(before, tool_scopes=scopes), _ill_formed(namespace, scope=event.scope)
            known = _knows(before, event.tool)
        case _:
            assert_never(event)
    if refusal is not None:
        return refusal
    conflicts = name_conflicts(namespace, before, after)
    if (refusal := _of_ids(namespace, before, after)) is not None:
        return replace(refusal, conflicts=(*refusal.conflicts, *conflicts))
    if not known:
        return Rejected(namespace, RejectionCode.UNKNOWN_TOOL)
    if conflicts:
        return Rejected(namespace, RejectionCode.NAME_CONFLICT, conflicts)
    return _settle(namespace, before, after)


def _set_alias(namespace: Namespace, before: Registration, tool: str, alias: str | None) -> Applied:
    if not _knows(before, tool):
        return Rejected(namespace, RejectionCode.UNKNOWN_TOOL)
    if alias is not None and not carries(alias):
        return Rejected(namespace, RejectionCode.INVALID_ALIAS)
    after = replace(before, aliases=_set(before.aliases, tool, alias))
    if conflicts := name_conflicts(namespace, before, after):
        return Rejected(namespace, RejectionCode.NAME_CONFLICT, conflicts)
    return _settle(namespace, before, _looked_at_again(namespace, after, tool))


def _looked_at_again(namespace: Namespace, registration: Registration, tool: str) -> Registration:
    """Return the registration with an offer admitted that was set aside for a name it has no longer."""
    offers = {offer.tool: offer for offer in registration.offers}
    aside = list(registration.quarantined)
    places = [n for n, one in enumerate(aside) if one.offer.tool == tool and one.code in WAITING]
    if not places or tool in offers:
        return registration
    placed = place(namespace, registration, offers, [aside[places[0]].offer])
    aside[places[0] : places[0] + 1] = [
        clash(namespace, registration, placed.admitted, offer, holder) for offer, holder in placed.clashing
    ]
    return with_offers(registration, placed.admitted, aside)


def _set(given: Mapping[str, T], tool: str, value: T | None) -> dict[str, T]:
    """Return a mapping in which a tool has this value, or none."""
    others = {one: kept for one, kept in given.items() if one != tool}
    return others if value is None else {**others, tool: value}


def _knows(registration: Registration, tool: str) -> bool:
    """Tell whether anything is known of a tool: it is offered, or validly set aside, or has an alias or a scope."""
    return (
        tool in registration.aliases
        or tool in registration.tool_scopes
        or any(offer.tool == tool for offer in registration.offers)
        or (carries(tool) and any(one.offer.tool == tool for one in registration.quarantined))
    )


def _ill_formed(namespace: Namespace, upstream: str | None = None, scope: Scope | None = None) -> Rejected | None:
    """Return the refusal of an id that is none, or of a scope that names nobody."""
    if upstream is not None and parse_upstream_id(upstream) is None:
        return Rejected(namespace, RejectionCode.INVALID_UPSTREAM_ID)
    if scope is not None and not names_somebody(scope):
        return Rejected(namespace, RejectionCode.INVALID_SCOPE)
    return None


def _of_ids(namespace: Namespace, before: Registration | None, after: Registration) -> Rejected | None:
    """Return the refusal of an upstream id that somebody else holds, or gave up, where this one would hold it."""
    new = new_ids(namespace, before, after)
    if conflicts := id_conflicts(namespace, new):
        return Rejected(namespace, RejectionCode.UPSTREAM_ID_TAKEN, conflicts)
    if retired := blocked_by(namespace, after.owner, new):
        return Rejected(namespace, RejectionCode.ID_RETIRED, retired=retired)
    return None
