"""The shapes of a namespace as the model has it: lists and dictionaries that a JSON document can hold.

Shapes live here and nowhere else. Times are epoch milliseconds in keys that end in `_ms`, scopes as in `plain`.

This module does not know what any of them means.
"""

from typing import TypedDict

from mcpizer_conformance.model.plain import Scope, Tool


class Offer(TypedDict):
    """One tool as an upstream lists it; a fault is what the gateway found wrong with it, "" if nothing."""

    tool: str
    fingerprint: str
    payload: str
    fault: str


class Hold(TypedDict):
    """A name in a scope; with the tool "" it is an upstream id."""

    name: str
    key: str
    tool: str
    scope: Scope


class Conflict(TypedDict):
    """Two holds of one name."""

    name: str
    holder: Hold
    claimant: Hold


class Quarantined(TypedDict):
    """An offer that is set aside."""

    key: str
    offer: Offer
    name: str
    code: str
    holder: Hold | None


class Contact(TypedDict):
    """Whether the upstream answers."""

    up: bool | None
    reached_at_ms: int | None
    unreached_at_ms: int | None
    detail: str


class Listing(TypedDict):
    """What became of the newest listing, and of the last accepted one."""

    outcome: str
    at_ms: int | None
    quarantined: list[Quarantined]
    accepted_version: int | None
    accepted_at_ms: int | None


class Registration(TypedDict):
    """One upstream as registered."""

    key: str
    upstream: str
    scope: Scope
    owner: str
    generation: int
    active: bool
    offers: list[Offer]
    aliases: dict[str, str]
    tool_scopes: dict[str, Scope]
    quarantined: list[Quarantined]
    contact: Contact
    listing: Listing


class Retired(TypedDict):
    """An upstream id that its owner gave up in these scopes."""

    upstream: str
    owner: str
    scopes: list[Scope]


class Namespace(TypedDict):
    """All there is, in order of keys, and of retired ids."""

    version: int
    registrations: list[Registration]
    retired: list[Retired]


class Event(TypedDict, total=False):
    """What happens: its kind, and whichever of the others that kind has."""

    kind: str
    key: str
    upstream: str
    scope: Scope | None
    owner: str
    offers: list[Offer] | None
    complete: bool
    generation: int | None
    at_ms: int | None
    tool: str
    alias: str | None
    detail: str


class Change(TypedDict):
    """A tool before and after."""

    kind: str
    name: str
    before: Tool | None
    after: Tool | None


class Answer(TypedDict):
    """What becomes of an event: rejected with a code, or accepted with none."""

    code: str | None
    namespace: Namespace
    changes: list[Change]
    quarantined: list[Quarantined]
    shadowed: list[Conflict]
    conflicts: list[Conflict]
    retired: list[Retired]
