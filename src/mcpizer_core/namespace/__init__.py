"""A namespace of tools over its whole life: who may hold which name, and what each event changes.

Names are checked as they will stand after the event, by the function that stores them; an incumbent never loses its
name to a newcomer; and what an event changes is said exactly. All of that lives here and nowhere else.

This package does not know stores, clocks or upstreams: it answers what becomes of an event at one version.
"""

from mcpizer_core.namespace.answers import Accepted, Applied, ChangeKind, NameChange, Rejected, RejectionCode
from mcpizer_core.namespace.applying import apply
from mcpizer_core.namespace.claims import audit, holds
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
from mcpizer_core.namespace.rules import ConflictRule
from mcpizer_core.namespace.state import Namespace, empty_namespace, restore
from mcpizer_core.namespace.values import (
    QUALIFIED,
    Conflict,
    Contact,
    Hold,
    Listing,
    ListingOutcome,
    Offer,
    QuarantineCode,
    Quarantined,
    Registration,
    Retired,
    Scheme,
)

__all__ = [
    "QUALIFIED",
    "Accepted",
    "Applied",
    "ChangeKind",
    "ChangeScope",
    "ChangeToolScope",
    "Conflict",
    "ConflictRule",
    "Contact",
    "Deactivate",
    "Discover",
    "Event",
    "Hold",
    "Listing",
    "ListingOutcome",
    "NameChange",
    "Namespace",
    "Offer",
    "OnConflict",
    "QuarantineCode",
    "Quarantined",
    "Reached",
    "Reactivate",
    "Refresh",
    "Register",
    "Registration",
    "Rejected",
    "RejectionCode",
    "Release",
    "Remove",
    "Rename",
    "Retired",
    "Scheme",
    "SetAlias",
    "Unreached",
    "apply",
    "audit",
    "empty_namespace",
    "holds",
    "restore",
]
