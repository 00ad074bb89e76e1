"""What a listing offers to a namespace, and which of its tools callers of which era can be shown.

What the payload of an offer is lives here and nowhere else: the definition as the upstream gave it, with the upstream's
own name, as JSON. So it can be kept in any store, and be read by another process than the one that listed.

This module does not know policies or callers.
"""

from attrs import frozen

from mcpizer_adapters.mcp.listing import Listing, SetAsideCode, fits
from mcpizer_core import Offer


def offers(listing: Listing) -> tuple[Offer, ...]:
    """Return what `listing` offers, in its order; what no client could be shown has its fault with it."""
    good = [Offer(tool.name, tool.fingerprint, tool.definition) for tool in listing.tools]
    bad = [
        Offer(one.name, "", fault="" if one.code is SetAsideCode.REPEATED_IN_LISTING else one.detail)
        for one in listing.set_aside
    ]
    return (*good, *bad)


@frozen
class Shown:
    """Whether callers of the 2026 era and those of the 2025 era can be shown a definition."""

    modern: bool
    legacy: bool


def shown(payload: object) -> Shown:
    """Return who can be shown the definition that `payload` is, also if it comes from somebody else's store."""
    modern = fits(payload, legacy=False)
    return Shown(modern, modern and fits(payload, legacy=True))
