"""What is known of an upstream besides its offers: whether it answered, and what became of its listings.

How a new fact joins those that are stored lives here and nowhere else: an older one never displaces a newer one, one
of the same time or without a time does, and a time once known is not forgotten.

This module does not know names, and nothing in it touches a catalog.
"""

from dataclasses import replace

from mcpizer_core.namespace.values import Contact, Listing, ListingOutcome, Quarantined


def older(at_ms: int | None, stored_ms: int | None) -> bool:
    """Tell whether a time is before the one stored; of times that are not known none is."""
    return at_ms is not None and stored_ms is not None and at_ms < stored_ms


def latest(*times_ms: int | None) -> int | None:
    """Return the latest of the times that are known."""
    return max((time for time in times_ms if time is not None), default=None)


def reached(contact: Contact, at_ms: int | None) -> Contact:
    """Return the contact with an upstream that answered at this time."""
    if older(at_ms, latest(contact.reached_at_ms, contact.unreached_at_ms)):
        return contact
    return replace(contact, up=True, reached_at_ms=latest(at_ms, contact.reached_at_ms), detail="")


def unreached(contact: Contact, at_ms: int | None, detail: str) -> Contact:
    """Return the contact with an upstream that did not answer at this time."""
    if older(at_ms, latest(contact.reached_at_ms, contact.unreached_at_ms)):
        return contact
    return replace(contact, up=False, unreached_at_ms=latest(at_ms, contact.unreached_at_ms), detail=detail)


def accepted(
    listing: Listing, at_ms: int | None, version: int, aside: tuple[Quarantined, ...], *, same: bool
) -> Listing:
    """Return the facts after a listing that was accepted at `version`; `same` where it said what was known."""
    outcome = ListingOutcome.UNCHANGED if same else ListingOutcome.ACCEPTED
    since = listing.accepted_version if same else version
    known = replace(listing, accepted_version=since, accepted_at_ms=latest(at_ms, listing.accepted_at_ms))
    return _newest(known, outcome, at_ms, aside)


def refused(listing: Listing, at_ms: int | None, aside: tuple[Quarantined, ...]) -> Listing:
    """Return the facts after a listing that was refused because of these offers."""
    return _newest(listing, ListingOutcome.REFUSED, at_ms, aside)


def _newest(listing: Listing, outcome: ListingOutcome, at_ms: int | None, aside: tuple[Quarantined, ...]) -> Listing:
    if older(at_ms, listing.at_ms):
        return listing
    return replace(listing, outcome=outcome, at_ms=latest(at_ms, listing.at_ms), quarantined=aside)
