"""A compiled policy: the declaration, and the cells of grants in which one question is answered.

Which grants stand in which cell lives here and nowhere else: one cell for each issuer and capability, and one with
all grants of each issuer.

This module does not decide and does not judge: the declaration it is given has no errors.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, final

from mcpizer_core.compile.cell import Cell, Entry, Waits, cell, in_rows, waits
from mcpizer_core.policy import Declaration, Grant, Limit
from mcpizer_core.principals import Arity, Facts, arities
from mcpizer_core.reasons import Deny, Reason, ReasonCode


class Granted(NamedTuple):
    """The grants of one issuer: by the capabilities they give, and all of them."""

    arities: Mapping[str, Arity]
    cells: Mapping[str, Cell]
    everything: Cell


@final
@dataclass(frozen=True, slots=True)
class Policy:
    """A policy without errors; only `compile_policy` makes one. `declaration` has its paths filled in."""

    declaration: Declaration
    _ungranted: Mapping[str, Deny] = field(init=False, compare=False, repr=False)
    """What is decided of a declared capability where no grant matches."""
    _issuers: Mapping[str, Granted] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_ungranted", _ungranted(self.declaration))
        object.__setattr__(self, "_issuers", _issuers(self.declaration))

    def __reduce__(self) -> tuple[type["Policy"], tuple[Declaration]]:
        return (Policy, (self.declaration,))  # what follows from the declaration is made anew


def strictness(limit: Limit | None) -> tuple[bool, Fraction, int]:
    """Return a key that sorts the strictest limit first: calls per time, then the shorter window; none comes last."""
    if limit is None:
        return (True, Fraction(0), 0)
    return (False, Fraction(limit.calls, limit.window_ms), limit.window_ms)


def _ungranted(declaration: Declaration) -> dict[str, Deny]:
    realized = {mapping.capability for mapping in declaration.tools}
    return {
        one.id: Deny(
            Reason(ReasonCode.NO_GRANT_MATCHES, "/grants", one.id)
            if one.id in realized
            else Reason(ReasonCode.CAPABILITY_NOT_REALIZED, one.path, one.id)
        )
        for one in declaration.capabilities
    }


def _issuers(declaration: Declaration) -> dict[str, Granted]:
    disabled = {one.id for one in declaration.accounts if one.disabled}
    given: defaultdict[str, list[tuple[int, int, Grant]]] = defaultdict(list)
    strict = ranks(declaration.grants)
    in_order = sorted(enumerate(declaration.grants), key=lambda placed: strict[placed[1].limit])
    for order, (position, grant) in enumerate(in_order):
        given[grant.to.issuer].append((order, position, grant))
    return {one.id: _granted(arities(one), given[one.id], disabled) for one in declaration.issuers}


def ranks(grants: Iterable[Grant]) -> dict[Limit | None, int]:
    """Return a number for each limit, the strictest 0; equally strict ones have equal numbers."""
    keys = {limit: strictness(limit) for limit in {grant.limit for grant in grants}}
    numbers = {key: number for number, key in enumerate(sorted(set(keys.values())))}
    return {limit: numbers[key] for limit, key in keys.items()}


def _granted(declared: Mapping[str, Arity], given: Sequence[tuple[int, int, Grant]], disabled: set[str]) -> Granted:
    under = _waiting([grant.to.required for _, _, grant in given], declared)
    entries = []
    members: defaultdict[str, list[Entry]] = defaultdict(list)
    for order, position, grant in given:
        required = grant.to.required
        entry = Entry(required, order, position, grant, grant.using in disabled, under.get(required))
        entries.append(entry)
        for capability in dict.fromkeys(grant.capabilities):
            members[capability].append(entry)
    return Granted(declared, {one: cell(found) for one, found in members.items()}, cell(entries))


def _waiting(asked: Sequence[Facts], declared: Mapping[str, Arity]) -> dict[Facts, Waits]:
    """Return where a grant waits, for what grants ask for that do not stand in rows."""
    facts: Facts = frozenset().union(*asked)
    rows = in_rows(facts, {name for name, arity in declared.items() if arity is Arity.ONE})
    if all(name in rows for name, _ in facts):
        return {}
    times = Counter(fact for required in asked for fact in required)
    found = {required: waits(required, times, rows) for required in set(asked)}
    return {required: under for required, under in found.items() if under is not None}
