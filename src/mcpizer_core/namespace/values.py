"""What a namespace is made of: offers, registrations, the names they hold, and what is known of each upstream.

The shapes and the two vocabularies of a listing (what sets an offer aside, what became of a listing) live here and
nowhere else. Key and upstream id are two things: the key is who a registration is, the id is what it is called.

This module does not know how any of them changes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, final

from mcpizer_core.names import UpstreamId, one_line, qualify
from mcpizer_core.principals import FrozenMap
from mcpizer_core.scopes import Scope

Scheme = Callable[[UpstreamId, str], str]
"""Makes the exposed name of an upstream id and a tool name or alias: a pure function of the two, for every text."""

QUALIFIED: Final[Scheme] = qualify
"""The scheme of this project: upstream id, two underscores, tool name."""


class QuarantineCode(StrEnum):
    """Why an offer is set aside. Of several that apply the one that needs no other offer is named."""

    NAME_TAKEN = "name_taken"
    """A tool that could be seen beside this one holds the name."""
    REPEATED_IN_LISTING = "repeated_in_listing"
    """The listing names the tool more than once, and this is not the first good one."""
    INVALID_TOOL_NAME = "invalid_tool_name"
    """The name is empty, or holds a lone surrogate, which no wire can carry."""
    ALIAS_RESERVED = "alias_reserved"
    """A kept alias holds the name for a tool that is absent just now."""
    REFUSED_BY_GATEWAY = "refused_by_gateway"
    """The gateway cannot carry the definition; the fault of the offer says why."""


class ListingOutcome(StrEnum):
    """What became of the last listing of an upstream."""

    NEVER = "never"
    """There was none yet."""
    ACCEPTED = "accepted"
    """It was accepted; some of its offers may be set aside."""
    UNCHANGED = "unchanged"
    """It was accepted and said what was known already."""
    REFUSED = "refused"
    """It was refused as a whole, and the one accepted before stays."""


@final
@dataclass(frozen=True, slots=True)
class Offer:
    """One tool as an upstream lists it. The fingerprint alone decides whether a definition changed.

    A `fault` says why the gateway cannot carry it. `payload` is carried and never opened; it takes no part in
    equality, hash or repr.
    """

    tool: str
    fingerprint: str
    payload: object = field(default=None, compare=False, repr=False)
    fault: str = ""


@final
@dataclass(frozen=True, slots=True)
class Hold:
    """A name in a scope, and who holds it there. With the tool "" it is an upstream id, else a final name."""

    name: str
    key: str
    tool: str
    scope: Scope

    def __str__(self) -> str:
        what = f"tool {self.tool!r} of registration {self.key!r}" if self.tool else f"registration {self.key!r}"
        return one_line(f"{what} ({self.scope})")


@final
@dataclass(frozen=True, slots=True)
class Conflict:
    """Two holds of one name that one principal could see. It may name another tenant: for operators, not callers."""

    name: str
    holder: Hold
    claimant: Hold

    def __str__(self) -> str:
        return one_line(f"{self.name}: held by {self.holder}, claimed by {self.claimant}")


@final
@dataclass(frozen=True, slots=True)
class Quarantined:
    """An offer that is set aside: under which name, why, and the hold that it would clash with."""

    key: str
    offer: Offer
    name: str
    code: QuarantineCode
    holder: Hold | None = None

    def __str__(self) -> str:
        by = f", held by {self.holder}" if self.holder else f": {self.offer.fault}" if self.offer.fault else ""
        return one_line(f"{self.name} of registration {self.key!r} is set aside as {self.code}{by}")


@final
@dataclass(frozen=True, slots=True)
class Contact:
    """Whether the upstream answered when last tried, and when (epoch milliseconds) it last did and last did not.

    `up` is None before any try. `detail` says what went wrong, if the newest fact is that something did.
    """

    up: bool | None = None
    reached_at_ms: int | None = None
    unreached_at_ms: int | None = None
    detail: str = ""


@final
@dataclass(frozen=True, slots=True)
class Listing:
    """What became of the newest listing, when, and what it set aside or was refused for; and the last accepted one.

    `accepted_version` is the version of the namespace since which the offers are what they are.
    """

    outcome: ListingOutcome = ListingOutcome.NEVER
    at_ms: int | None = None
    quarantined: tuple[Quarantined, ...] = ()
    accepted_version: int | None = None
    accepted_at_ms: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "quarantined", tuple(self.quarantined))


@final
@dataclass(frozen=True, slots=True)
class Registration:
    """One upstream as registered. `offers` are those admitted, in order of their tools, one of each.

    `generation` is the version of the namespace that first had it. Aliases and scopes of tools are kept also while the
    tool is absent. Whether it is `active`, what was `contact` and what became of its `listing` are three facts.
    """

    key: str
    upstream: str
    scope: Scope
    owner: str = ""
    generation: int = 0
    active: bool = True
    offers: tuple[Offer, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    tool_scopes: Mapping[str, Scope] = field(default_factory=dict)
    quarantined: tuple[Quarantined, ...] = ()
    contact: Contact = Contact()
    listing: Listing = Listing()

    def __post_init__(self) -> None:
        object.__setattr__(self, "offers", tuple(self.offers))
        object.__setattr__(self, "quarantined", tuple(self.quarantined))
        for name in ("aliases", "tool_scopes"):
            if not isinstance(given := getattr(self, name), FrozenMap):
                object.__setattr__(self, name, FrozenMap(dict(sorted(given.items()))))


@final
@dataclass(frozen=True, slots=True)
class Retired:
    """An upstream id that `owner` gave up in these scopes; nobody else may take it there before its release."""

    upstream: str
    owner: str
    scopes: tuple[Scope, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "scopes", tuple(self.scopes))

    def __str__(self) -> str:
        return one_line(f"{self.upstream} of owner {self.owner!r} in {', '.join(map(str, self.scopes))}")
