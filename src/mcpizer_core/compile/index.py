"""A compiled policy: the declaration, and an index that finds the grants that matter for one question.

The index lives here and nowhere else. Grants stand in one cell per issuer and capability. A principal is a set of
facts, and a grant matches if all the facts it asks for are among them; so it is enough to look at the grants that
wait under a fact the principal has, each grant waiting under one of its own facts. Which one does not matter for the
answer; the one that the fewest grants of the cell ask for keeps the number of grants looked at small. Grants that ask
for nothing always match.

This module does not decide and does not judge: the declaration it is given has no errors.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, NamedTuple, final

from mcpizer_core.policy import Declaration, Grant, Limit
from mcpizer_core.principals import Arity, Facts, arities
from mcpizer_core.reasons import Deny, Reason, ReasonCode

FEW: Final = 4
"""A cell of so few grants is looked at whole: finding out which to leave out would take longer."""


class Entry(NamedTuple):
    """One grant, as all cells it stands in share it: the facts it asks for, and whether its account is disabled.

    `order` counts grants from the strictest limit to the least strict and, among equals, from the earliest, so that
    of several matching grants the one of the lowest order wins. `position` is its place in the declaration.
    """

    required: Facts
    order: int
    position: int
    grant: Grant
    disabled: bool


@final
@dataclass(frozen=True, slots=True)
class Cell:
    """The grants of one issuer and capability: those looked at always, and those that wait under a fact."""

    always: tuple[Entry, ...]
    facts: Facts
    waiting: Mapping[tuple[str, str], tuple[Entry, ...]]

    def matching(self, facts: Facts) -> list[Entry]:
        """Return the grants all of whose required facts are among `facts`."""
        found = [entry for entry in self.always if entry.required <= facts]
        for fact in self.facts & facts:
            for entry in self.waiting[fact]:
                if entry.required <= facts:
                    found.append(entry)
        return found


class Standing(NamedTuple):
    """What there is to say of a declared capability before any grant is looked at."""

    unrealized: Deny | None
    ungranted: Deny


@final
@dataclass(frozen=True, slots=True)
class Policy:
    """A policy without errors; only `compile_policy` makes one. `declaration` has its paths filled in."""

    declaration: Declaration
    _arities: Mapping[str, Mapping[str, Arity]] = field(init=False, compare=False, repr=False)
    _standings: Mapping[str, Standing] = field(init=False, compare=False, repr=False)
    _cells: Mapping[tuple[str, str], Cell] = field(init=False, compare=False, repr=False)
    _issuers: Mapping[str, Cell] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_arities", {one.id: arities(one) for one in self.declaration.issuers})
        object.__setattr__(self, "_standings", _standings(self.declaration))
        cells, issuers = _cells(self.declaration)
        object.__setattr__(self, "_cells", cells)
        object.__setattr__(self, "_issuers", issuers)

    def __reduce__(self) -> tuple[type["Policy"], tuple[Declaration]]:
        return (Policy, (self.declaration,))  # what follows from the declaration is made anew


def strictness(limit: Limit | None) -> tuple[bool, Fraction, int]:
    """Return a key that sorts the strictest limit first: calls per time, then the shorter window; none comes last."""
    if limit is None:
        return (True, Fraction(0), 0)
    return (False, Fraction(limit.calls, limit.window_ms), limit.window_ms)


def _standings(declaration: Declaration) -> dict[str, Standing]:
    realized = {mapping.capability for mapping in declaration.tools}
    return {
        one.id: Standing(
            None if one.id in realized else Deny(Reason(ReasonCode.CAPABILITY_NOT_REALIZED, one.path, one.id)),
            Deny(Reason(ReasonCode.NO_GRANT_MATCHES, "/grants", one.id)),
        )
        for one in declaration.capabilities
    }


def _cells(declaration: Declaration) -> tuple[dict[tuple[str, str], Cell], dict[str, Cell]]:
    """Return a cell for each issuer and capability, and one for all grants of each issuer."""
    disabled = {one.id for one in declaration.accounts if one.disabled}
    members: defaultdict[tuple[str, str], list[Entry]] = defaultdict(list)
    everything: defaultdict[str, list[Entry]] = defaultdict(list)
    for order, (position, grant) in enumerate(_strictest_first(declaration.grants)):
        entry = Entry(grant.to.required, order, position, grant, grant.using in disabled)
        everything[grant.to.issuer].append(entry)
        for capability in dict.fromkeys(grant.capabilities):
            members[grant.to.issuer, capability].append(entry)
    return (
        {place: _cell(entries) for place, entries in members.items()},
        {issuer: _cell(entries) for issuer, entries in everything.items()},
    )


def _strictest_first(grants: Iterable[Grant]) -> list[tuple[int, Grant]]:
    keys = {limit: strictness(limit) for limit in {grant.limit for grant in grants}}
    return sorted(enumerate(grants), key=lambda pair: keys[pair[1].limit])


_NOTHING_WAITS: Final[Mapping[tuple[str, str], tuple[Entry, ...]]] = {}


def _cell(entries: list[Entry]) -> Cell:
    if len(entries) <= FEW:
        return Cell(tuple(entries), frozenset(), _NOTHING_WAITS)
    asked = Counter(fact for entry in entries for fact in entry.required)
    waiting: defaultdict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.required:
            waiting[min(entry.required, key=lambda fact: (asked[fact], fact))].append(entry)
    return Cell(
        tuple(entry for entry in entries if not entry.required),
        frozenset(waiting),
        {fact: tuple(found) for fact, found in waiting.items()},
    )
