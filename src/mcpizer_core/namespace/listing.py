"""Which offers of a listing are admitted, and which are set aside, and why.

Judging offers lives here and nowhere else. Each offer is judged for itself: those of tools already admitted keep
their names, then come tools whose alias was kept for them, then the others in the order of the listing.

This module does not know where a listing comes from, nor what becomes of one that sets something aside.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from mcpizer_core.namespace.claims import others
from mcpizer_core.namespace.rules import carries, holding, names_of
from mcpizer_core.namespace.state import Namespace
from mcpizer_core.namespace.values import Hold, Offer, QuarantineCode, Quarantined, Registration

Offers = dict[str, Offer]


class Judged(NamedTuple):
    """A registration as a listing leaves it, and what the listing itself set aside, by tool."""

    registration: Registration
    aside: tuple[Quarantined, ...]


class Placed(NamedTuple):
    """The offers that hold a name, by tool, and those that find theirs held, with who holds it."""

    admitted: Offers
    clashing: list[tuple[Offer, Hold]]


def judged(namespace: Namespace, before: Registration, offers: Iterable[Offer], *, complete: bool) -> Judged:
    """Return what a listing of `before` leaves. What is known with the same fingerprint stays as it is stored."""
    stored: dict[Offer, Offer] = {}
    for known in (*before.offers, *(one.offer for one in before.quarantined)):
        stored.setdefault(known, known)
    good, bad = _sorted_out([stored.get(offer, offer) for offer in offers])
    incumbents = {offer.tool: offer for offer in before.offers}
    kept = incumbents if not complete else {}
    staying = {**kept, **{tool: offer for tool, offer in good.items() if tool in incumbents}}
    newcomers = [offer for tool, offer in good.items() if tool not in incumbents]
    placed = place(namespace, before, staying, sorted(newcomers, key=lambda one: one.tool not in before.aliases))
    aside = [
        *(_spoiled(namespace, before, offer, code, placed.admitted) for offer, code in bad),
        *(clash(namespace, before, placed.admitted, offer, holder) for offer, holder in placed.clashing),
    ]
    aside.sort(key=lambda one: one.offer.tool)  # stable: of one tool as the listing has them
    listed = {*good, *(offer.tool for offer, _ in bad)}
    earlier = [one for one in before.quarantined if not complete and one.offer.tool not in listed]
    quarantined = sorted([*earlier, *aside], key=lambda one: one.offer.tool)
    return Judged(with_offers(before, placed.admitted, quarantined), tuple(aside))


def with_offers(before: Registration, admitted: Offers, quarantined: Iterable[Quarantined]) -> Registration:
    """Return the registration with other offers, in order of their tools."""
    return replace(before, offers=tuple(admitted[tool] for tool in sorted(admitted)), quarantined=tuple(quarantined))


def _sorted_out(offers: Iterable[Offer]) -> tuple[Offers, list[tuple[Offer, QuarantineCode]]]:
    """Return the first good offer of each tool, and those that are bad whatever else there is."""
    good: Offers = {}
    bad = []
    for offer in offers:
        if not carries(offer.tool):
            bad.append((offer, QuarantineCode.INVALID_TOOL_NAME))
        elif offer.fault:
            bad.append((offer, QuarantineCode.REFUSED_BY_GATEWAY))
        elif offer.tool in good:
            bad.append((offer, QuarantineCode.REPEATED_IN_LISTING))
        else:
            good[offer.tool] = offer
    return good, bad


def place(namespace: Namespace, registration: Registration, staying: Offers, newcomers: Iterable[Offer]) -> Placed:
    """Admit newcomers one after the other beside offers that stay, each unless its final name is held."""
    admitted, clashing, waiting = dict(staying), [], list(newcomers)
    held: dict[str, list[Hold]] = {}
    for hold in names_of(namespace.scheme, with_offers(registration, admitted, ())).values() if waiting else ():
        held.setdefault(hold.name, []).append(hold)
    would_hold = holding(namespace.scheme, registration)
    for offer in waiting:
        own = would_hold(offer.tool)
        rivals = [
            one
            for one in (*held.get(own.name, ()), *others(namespace, own))
            if (one.key, one.tool) != (own.key, own.tool) and namespace.rule.forbids(one.scope, own.scope)
        ]
        if rivals:
            clashing.append((offer, min(rivals, key=lambda one: (one.key != own.key, one.key, one.tool))))
        else:
            admitted[offer.tool] = offer
            held.setdefault(own.name, []).append(own)
    return Placed(admitted, clashing)


def clash(
    namespace: Namespace, registration: Registration, admitted: Offers, offer: Offer, holder: Hold
) -> Quarantined:
    """Return an offer whose final name is held, as it is set aside."""
    name = holding(namespace.scheme, registration)(offer.tool).name
    other = namespace.registrations.get(holder.key)
    offered = admitted.keys() if holder.key == registration.key or other is None else {one.tool for one in other.offers}
    code = QuarantineCode.NAME_TAKEN if holder.tool in offered else QuarantineCode.ALIAS_RESERVED
    return Quarantined(registration.key, offer, name, code, holder)


def _spoiled(
    namespace: Namespace, registration: Registration, offer: Offer, code: QuarantineCode, admitted: Offers
) -> Quarantined:
    """Return an offer that is bad whatever else there is, as it is set aside; of a twin its first is the holder."""
    own = holding(namespace.scheme, registration)(offer.tool)
    twin = own if code is QuarantineCode.REPEATED_IN_LISTING and offer.tool in admitted else None
    return Quarantined(registration.key, offer, own.name, code, twin)
