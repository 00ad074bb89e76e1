"""What becomes of an event: it is accepted, and says what changed, or rejected, and says why.

The rejection codes, the kinds of change and the shapes of the two answers live here and nowhere else.

This module does not know how an event is judged.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import final

from mcpizer_core.catalog import Tool
from mcpizer_core.names import one_line
from mcpizer_core.namespace.state import Namespace
from mcpizer_core.namespace.values import Conflict, Quarantined, Retired


class RejectionCode(StrEnum):
    """Why an event is rejected, in order of precedence: the first that applies is named."""

    KEY_TAKEN = "key_taken"
    """A registration with this key exists."""
    UNKNOWN_REGISTRATION = "unknown_registration"
    """No registration has this key."""
    STALE_GENERATION = "stale_generation"
    """The event is about an earlier or later registration under this key."""
    STALE_LISTING = "stale_listing"
    """The listing is older than the one accepted last."""
    INVALID_UPSTREAM_ID = "invalid_upstream_id"
    """The text is no upstream id: `[a-z0-9][a-z0-9-]*`."""
    INVALID_SCOPE = "invalid_scope"
    """The scope is for a team or an owner without a name."""
    UPSTREAM_ID_TAKEN = "upstream_id_taken"
    """Another registration holds the upstream id where this one would."""
    ID_RETIRED = "id_retired"
    """Another owner gave the upstream id up there, and it has not been released."""
    UNKNOWN_TOOL = "unknown_tool"
    """The tool is neither offered nor set aside under a valid name, and has neither alias nor scope."""
    INVALID_ALIAS = "invalid_alias"
    """The alias is empty, or holds a lone surrogate, which no wire can carry."""
    NAME_CONFLICT = "name_conflict"
    """Some final names are held already; all are listed."""


class ChangeKind(StrEnum):
    """How a tool of the catalog changed."""

    ADDED = "added"
    """It was not there before."""
    REMOVED = "removed"
    """It is no longer there."""
    RENAMED = "renamed"
    """It has another exposed name or upstream id."""
    REDEFINED = "redefined"
    """It has another fingerprint."""
    RESCOPED = "rescoped"
    """It is for others to see."""


@final
@dataclass(frozen=True, slots=True)
class NameChange:
    """One tool of one registration before and after; `name` is its exposed name afterwards, or if it went, before."""

    kind: ChangeKind
    name: str
    before: Tool | None
    after: Tool | None

    def __str__(self) -> str:
        was = f" (was {self.before.exposed})" if self.kind is ChangeKind.RENAMED and self.before else ""
        return one_line(f"{self.kind} {self.name}{was}")


@final
@dataclass(frozen=True, slots=True)
class Accepted:
    """The namespace after the event, the exact difference of the two catalogs, and what is worth knowing besides.

    `quarantined` is what this event set aside; `shadowed` are those beside whom a new name makes a name ambiguous to
    whoever sees both, which only the rule SAME_SCOPE allows.
    """

    namespace: Namespace
    changes: tuple[NameChange, ...] = ()
    quarantined: tuple[Quarantined, ...] = ()
    shadowed: tuple[Conflict, ...] = ()

    def __post_init__(self) -> None:
        for name in ("changes", "quarantined", "shadowed"):
            object.__setattr__(self, name, tuple(getattr(self, name)))


@final
@dataclass(frozen=True, slots=True)
class Rejected:
    """The code, and what stood against the event: offers of a listing, or conflicts, and retired ids.

    Catalog and version of the namespace are as they were; a refused listing is remembered in the facts.
    """

    namespace: Namespace
    code: RejectionCode
    conflicts: tuple[Conflict, ...] = ()
    quarantined: tuple[Quarantined, ...] = ()
    retired: tuple[Retired, ...] = ()

    def __post_init__(self) -> None:
        for name in ("conflicts", "quarantined", "retired"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    def __str__(self) -> str:
        against = [*self.conflicts, *self.quarantined, *self.retired]
        return one_line(f"{self.code}: {'; '.join(map(str, against))}" if against else str(self.code))


Applied = Accepted | Rejected
"""What becomes of an event."""


def kind_of(before: Tool | None, after: Tool | None) -> ChangeKind | None:
    """Return how a tool changed, or None if it did not."""
    if before is None or after is None:
        return None if before is after else ChangeKind.REMOVED if after is None else ChangeKind.ADDED
    if (before.exposed, before.upstream) != (after.exposed, after.upstream):
        return ChangeKind.RENAMED
    if before.fingerprint != after.fingerprint:
        return ChangeKind.REDEFINED
    return ChangeKind.RESCOPED if before.scope != after.scope else None


def changes_of(pairs: Iterable[tuple[Tool | None, Tool | None]]) -> tuple[NameChange, ...]:
    """Return the changes of tools, each given before and after, in canonical order."""
    found = []
    for before, after in pairs:
        tool = after or before
        if tool is not None and (kind := kind_of(before, after)) is not None:
            found.append(((tool.exposed, tool.key, tool.name), NameChange(kind, tool.exposed, before, after)))
    return tuple(change for _, change in sorted(found, key=lambda one: one[0]))
