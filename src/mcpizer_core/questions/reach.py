"""Who can use a capability: every grant of it, with all that a decision depends on.

`who_can` lives here and nowhere else. The decision on any principal follows from its answer alone (law Q1).

This module does not know principals: it names selectors.
"""

from dataclasses import dataclass
from operator import attrgetter
from typing import Final, NamedTuple, final

from mcpizer_core.compile import Policy
from mcpizer_core.compile.cell import Entry
from mcpizer_core.names import one_line
from mcpizer_core.policy import Limit, Selector
from mcpizer_core.principals import Issuer
from mcpizer_core.questions.standing import entries_of


@final
class ReachEntry(NamedTuple):
    """One grant of the capability: to whom, as which account and whether that is disabled, under which limit, where."""

    selector: Selector
    account: str
    disabled: bool
    limit: Limit | None
    path: str

    def __str__(self) -> str:
        off = " (disabled)" if self.disabled else ""
        under = f", {self.limit}" if self.limit else ""
        return one_line(f"{self.selector} as {self.account}{off}{under}: {self.path}")


@final
@dataclass(frozen=True, slots=True)
class Reach:
    """All that decides about one capability.

    `path` is where it is declared, or `/capabilities`; `entries` are its grants in the order of the declaration;
    `issuers` are those that the grants speak of, with the attributes and arities that matching goes by.
    """

    capability: str
    declared: bool
    realized: bool
    path: str
    issuers: tuple[Issuer, ...]
    entries: tuple[ReachEntry, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "issuers", tuple(self.issuers))
        object.__setattr__(self, "entries", tuple(self.entries))


_BY_POSITION: Final = attrgetter("position")


def who_can(policy: Policy, capability: str) -> Reach:
    """Return every grant of `capability`; a capability that is not realized, or not declared, reaches nobody."""
    declaration = policy.declaration
    path = next((one.path for one in declaration.capabilities if one.id == capability), None)
    issuers = list[Issuer]()
    found = list[Entry]()
    for issuer in declaration.issuers:
        if entries := entries_of(policy, issuer.id, capability):
            issuers.append(issuer)
            found += entries
    found.sort(key=_BY_POSITION)
    return Reach(
        capability,
        declared=path is not None,
        realized=path is not None and any(one.capability == capability for one in declaration.tools),
        path="/capabilities" if path is None else path,
        issuers=tuple(issuers),
        entries=tuple(
            ReachEntry(one.grant.to, one.grant.using, one.disabled, one.grant.limit, one.grant.path) for one in found
        ),
    )
