"""The shapes of a namespace and of what happens to it.

A namespace travels whole, with the rule and the scheme it lives by. What it shows travels beside it and only comes
back: what a namespace is asked with says it already.

This module does not know which functions there are.
"""

from typing import Final

from mcpizer_conformance.wire.shapes import Either, Flag, Listing, Record, Shape, Table, Text, Whole, Word, maybe
from mcpizer_conformance.wire.values import SCOPE, TOOL, TOOLS
from mcpizer_core import ChangeKind, ConflictRule, ListingOutcome, QuarantineCode, RejectionCode

TIME: Final = maybe(Whole())
"""Epoch milliseconds, or null: nobody knows."""
OFFER: Final = Record({"tool": Text(), "fingerprint": Text(), "fault": Text()})
OFFERS: Final = Listing(OFFER)
HOLD: Final = Record({"name": Text(), "key": Text(), "tool": Text(), "scope": SCOPE})
CONFLICT: Final = Record({"name": Text(), "holder": HOLD, "claimant": HOLD})
QUARANTINED: Final = Record(
    {
        "key": Text(),
        "offer": OFFER,
        "name": Text(),
        "code": Word(tuple(one.value for one in QuarantineCode)),
        "holder": maybe(HOLD),
    }
)
REGISTRATION: Final = Record(
    {
        "key": Text(),
        "upstream": Text(),
        "scope": SCOPE,
        "owner": Text(),
        "generation": Whole(),
        "active": Flag(),
        "offers": OFFERS,
        "aliases": Table(Text()),
        "tool_scopes": Table(SCOPE),
        "quarantined": Listing(QUARANTINED),
        "contact": Record({"up": maybe(Flag()), "reached_at_ms": TIME, "unreached_at_ms": TIME, "detail": Text()}),
        "listing": Record(
            {
                "outcome": Word(tuple(one.value for one in ListingOutcome)),
                "at_ms": TIME,
                "quarantined": Listing(QUARANTINED),
                "accepted_version": maybe(Whole()),
                "accepted_at_ms": TIME,
            }
        ),
    }
)
RETIRED: Final = Record({"upstream": Text(), "owner": Text(), "scopes": Listing(SCOPE)})
NAMESPACE: Final = Record(
    {"version": Whole(), "registrations": Listing(REGISTRATION), "retired": Listing(RETIRED)},
)
WORLD: Final[dict[str, Shape]] = {
    "rule": Word(tuple(one.value for one in ConflictRule)),
    "scheme": Word(("qualified", "hyphenated")),
    "namespace": NAMESPACE,
}
"""`qualified` is upstream, two underscores, tool; `hyphenated` joins with a hyphen and makes underscores hyphens, as
gateways do whose names are not injective. Whoever knows one of them only declines the other."""
AFTER: Final[dict[str, Shape]] = {"namespace": NAMESPACE, "tools": TOOLS}


def _event(kind: str, **more: Shape) -> Record:
    return Record({"kind": Word((kind,)), "key": Text(), **more})


_GENERATION: Final = maybe(Whole())
_LISTED: Final[dict[str, Shape]] = {"offers": OFFERS, "generation": _GENERATION, "at_ms": TIME}
_MET: Final[dict[str, Shape]] = {"at_ms": TIME, "generation": _GENERATION}

EVENT: Final = Either(
    (
        _event("register", upstream=Text(), scope=SCOPE, offers=maybe(OFFERS), owner=Text(), at_ms=TIME),
        _event("refresh", **_LISTED, complete=Flag()),
        _event("discover", **_LISTED),
        _event("reactivate", **{**_LISTED, "offers": maybe(OFFERS)}),
        _event("rename", upstream=Text()),
        _event("change_scope", scope=SCOPE),
        _event("change_tool_scope", tool=Text(), scope=maybe(SCOPE)),
        _event("set_alias", tool=Text(), alias=maybe(Text())),
        _event("deactivate"),
        _event("remove"),
        _event("reached", **_MET),
        _event("unreached", **_MET, detail=Text()),
        Record({"kind": Word(("release",)), "upstream": Text()}),
    )
)
APPLIED: Final = Record(
    {
        "code": maybe(Word(tuple(one.value for one in RejectionCode))),
        **AFTER,
        "changes": Listing(
            Record(
                {
                    "kind": Word(tuple(one.value for one in ChangeKind)),
                    "name": Text(),
                    "before": maybe(TOOL),
                    "after": maybe(TOOL),
                }
            )
        ),
        "quarantined": Listing(QUARANTINED),
        "shadowed": Listing(CONFLICT),
        "conflicts": Listing(CONFLICT),
        "retired": Listing(RETIRED),
    }
)
"""Accepted with `changes` and `shadowed`, or rejected with `conflicts` and `retired`; the others are empty."""
