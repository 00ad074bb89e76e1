"""A compiled policy: the declaration, and an index that finds the grants that matter for one question.

What `decide` looks things up in lives here and nowhere else. Grants stand in one cell per issuer and
capability, the strictest limit first and earlier grants before later ones, so that the first that matches wins.

This module does not decide and does not judge: the declaration it is given has no errors.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, final

from mcpizer_core.policy import Account, Declaration, Grant, Limit
from mcpizer_core.principals import Arity, Facts, arities
from mcpizer_core.reasons import Allow, Deny, Reason, ReasonCode


class Entry(NamedTuple):
    """One grant in one cell: the facts it asks for, its place in the declaration, and its answer."""

    required: Facts
    position: int
    allow: Allow
    disabled: Deny | None


class Standing(NamedTuple):
    """What there is to say of a declared capability before any grant is looked at."""

    realized: bool
    unrealized: Deny
    ungranted: Deny


@final
@dataclass(frozen=True, slots=True)
class Policy:
    """A policy without errors; only `compile_policy` makes one. `declaration` has its paths filled in."""

    declaration: Declaration
    arities: Mapping[str, Mapping[str, Arity]] = field(init=False, compare=False, repr=False)
    standings: Mapping[str, Standing] = field(init=False, compare=False, repr=False)
    cells: Mapping[tuple[str, str], tuple[Entry, ...]] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "arities", {one.id: arities(one) for one in self.declaration.issuers})
        object.__setattr__(self, "standings", _standings(self.declaration))
        object.__setattr__(self, "cells", _cells(self.declaration))


def strictness(limit: Limit | None) -> tuple[bool, Fraction, int]:
    """Return a key that sorts the strictest limit first: calls per time, then the shorter window; none comes last."""
    if limit is None:
        return (True, Fraction(0), 0)
    return (False, Fraction(limit.calls, limit.window_ms), limit.window_ms)


def _standings(declaration: Declaration) -> dict[str, Standing]:
    realized = {mapping.capability for mapping in declaration.tools}
    return {
        one.id: Standing(
            one.id in realized,
            Deny(Reason(ReasonCode.CAPABILITY_NOT_REALIZED, one.path, one.id)),
            Deny(Reason(ReasonCode.NO_GRANT_MATCHES, "/grants", one.id)),
        )
        for one in declaration.capabilities
    }


def _cells(declaration: Declaration) -> dict[tuple[str, str], tuple[Entry, ...]]:
    accounts = {one.id: one for one in declaration.accounts}
    cells: defaultdict[tuple[str, str], list[Entry]] = defaultdict(list)
    for position, grant in _strictest_first(declaration.grants):
        required = grant.to.required
        for capability in dict.fromkeys(grant.capabilities):
            cells[grant.to.issuer, capability].append(
                _entry(position, grant, required, capability, accounts[grant.using])
            )
    return {cell: tuple(entries) for cell, entries in cells.items()}


def _strictest_first(grants: Iterable[Grant]) -> list[tuple[int, Grant]]:
    return sorted(enumerate(grants), key=lambda pair: (strictness(pair[1].limit), pair[0]))


def _entry(position: int, grant: Grant, required: Facts, capability: str, account: Account) -> Entry:
    allow = Allow(Reason(ReasonCode.GRANTED, grant.path, capability), grant.using, grant.limit)
    disabled = Deny(Reason(ReasonCode.ACCOUNT_DISABLED, grant.path, grant.using)) if account.disabled else None
    return Entry(required, position, allow, disabled)
