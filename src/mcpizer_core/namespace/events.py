"""What can happen to a namespace: one value for each kind of event, and nothing else can.

The events live here and nowhere else. Times are epoch milliseconds, and may be left out where nobody knows them; a
generation, where given, says which registration under a key the event is about.

This module does not know what an event does.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import final

from mcpizer_core.namespace.values import Offer
from mcpizer_core.scopes import Scope


class OnConflict(StrEnum):
    """What becomes of a listing some offers of which cannot be admitted."""

    QUARANTINE = "quarantine"
    """These are set aside and the others admitted."""
    REJECT = "reject"
    """The listing is rejected as a whole."""


@final
@dataclass(frozen=True, slots=True)
class Register:
    """A new registration. Without offers (None) it is not listed yet, which is not the same as listing nothing."""

    key: str
    upstream: str
    scope: Scope
    offers: tuple[Offer, ...] | None
    owner: str = ""
    at_ms: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "offers", detached(self.offers))


@final
@dataclass(frozen=True, slots=True)
class Refresh:
    """The upstream listed these offers, and unless the listing is not complete, no others."""

    key: str
    offers: tuple[Offer, ...]
    complete: bool = True
    generation: int | None = None
    at_ms: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "offers", detached(self.offers))


@final
@dataclass(frozen=True, slots=True)
class Discover:
    """The upstream has these offers among others: a refresh that is not complete, which removes nothing."""

    key: str
    offers: tuple[Offer, ...]
    generation: int | None = None
    at_ms: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "offers", detached(self.offers))


@final
@dataclass(frozen=True, slots=True)
class Rename:
    """The registration gets another upstream id."""

    key: str
    upstream: str


@final
@dataclass(frozen=True, slots=True)
class ChangeScope:
    """The registration, and every tool without a scope of its own, is for others to see."""

    key: str
    scope: Scope


@final
@dataclass(frozen=True, slots=True)
class ChangeToolScope:
    """One tool gets a scope of its own, or with None that of its registration again."""

    key: str
    tool: str
    scope: Scope | None


@final
@dataclass(frozen=True, slots=True)
class SetAlias:
    """One tool gets another name after its upstream id, or with None its own again."""

    key: str
    tool: str
    alias: str | None


@final
@dataclass(frozen=True, slots=True)
class Deactivate:
    """The registration shows nothing, and keeps what it holds."""

    key: str


@final
@dataclass(frozen=True, slots=True)
class Reactivate:
    """The registration shows its tools again: those it had, or those of a complete listing."""

    key: str
    offers: tuple[Offer, ...] | None
    generation: int | None = None
    at_ms: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "offers", detached(self.offers))


@final
@dataclass(frozen=True, slots=True)
class Remove:
    """The registration goes, with its aliases and scopes; its id stays retired for its owner."""

    key: str


@final
@dataclass(frozen=True, slots=True)
class Release:
    """Whoever gave up this upstream id, anybody may take it from now on."""

    upstream: str


@final
@dataclass(frozen=True, slots=True)
class Reached:
    """The upstream answered."""

    key: str
    at_ms: int | None
    generation: int | None = None


@final
@dataclass(frozen=True, slots=True)
class Unreached:
    """The upstream did not answer, or not with a listing; `detail` says how it failed."""

    key: str
    at_ms: int | None
    detail: str
    generation: int | None = None


Event = (
    Register
    | Refresh
    | Discover
    | Rename
    | ChangeScope
    | ChangeToolScope
    | SetAlias
    | Deactivate
    | Reactivate
    | Remove
    | Release
    | Reached
    | Unreached
)
"""What can happen to a namespace."""


def detached(offers: Iterable[Offer] | None) -> tuple[Offer, ...] | None:
    """Return a copy of the offers, if there are any."""
    return None if offers is None else tuple(offers)
