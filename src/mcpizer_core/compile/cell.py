"""A set of grants, and which of them match a caller: the inner part of the index.

What keeps the number of grants looked at small lives here and nowhere else. A grant matches if all the facts it asks
for are among the caller's. There are two ways to find such grants, and each grant of a cell goes one of them:

- By row: the grants stand in a row, one bit each. For each attribute a number has the bits of all grants that this
  value does not rule out: those that ask for it, and those that ask for no value of the attribute. What is left after
  `and` over all attributes matches, however many different sets of attributes the grants ask for. It needs a caller
  to have at most one value of the attribute, and room for a row for each value.
- By waiting: a grant that asks for an attribute of many values waits under one of its facts, and is looked at if the
  caller has that fact. Which one does not matter for the answer; the one that the fewest ask for keeps the number of
  grants looked at small. Beside it stands another value that it asks for, of the same attribute or of one that has
  rows: a caller who has neither does not match, and the grant itself need not be fetched.

This module does not know what a grant gives, and does not choose among those that match.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Final, NamedTuple, final

from mcpizer_core.policy import Grant
from mcpizer_core.principals import Arity, Facts, Principal
from mcpizer_core.reasons import Decision

VALUES_IN_ROWS: Final = 256
"""An attribute of more values has no rows: rows take as many bits for each grant as there are values."""

BLOCK: Final = 1_024
"""So many bits are put into a number one by one; more are joined from numbers of at most so many."""

Fact = tuple[str, str]


class Waits(NamedTuple):
    """The fact that a grant waits under, and another value it asks for, or the same value again."""

    attribute: str
    value: str
    also: str


class Entry(NamedTuple):
    """One grant, as all cells it stands in share it.

    `order` counts grants from the strictest limit to the least strict and, among equals, from the earliest, so that
    of several matching grants the one of the lowest order wins. `position` is its place in the declaration; `waits`
    is where it waits, None if it stands in rows.
    """

    required: Facts
    order: int
    position: int
    grant: Grant
    disabled: bool
    waits: Waits | None


class Asked(NamedTuple):
    """An attribute that grants in the row ask for: the row of each value, and the row of any other value or none."""

    attribute: str
    rows: Mapping[str, int]
    otherwise: int


class Waiter(NamedTuple):
    """A grant that waits under one value of an attribute: what else it asks for, of this attribute and of others."""

    same: frozenset[str]
    others: Facts
    entry: Entry


@final
@dataclass(frozen=True, slots=True)
class Cell:
    """Some grants, strictest first; `row` has the bits of those in rows, the strictest the highest bit."""

    entries: tuple[Entry, ...]
    row: int
    asked: tuple[Asked, ...]
    waiting: Mapping[str, Mapping[str, tuple[tuple[str, Waiter], ...]]]
    """Those that wait, by attribute and value, each with another value that it asks for, or with the same again."""
    decided: dict[int, Decision]
    """What the grant of this order decides by itself, while usage is not consulted: made once, when first needed."""

    def standing(self, single: Mapping[str, str]) -> int:
        """Return the bits of the grants in rows that match a caller with these attributes of one value."""
        row = self.row
        for attribute, rows, otherwise in self.asked:
            row &= rows.get(single.get(attribute), otherwise)  # type: ignore[arg-type]
        return row

    def matching(self, principal: Principal, declared: Mapping[str, Arity]) -> list[Entry]:
        """Return the grants that match a caller whose issuer declares these attributes, strictest first."""
        row, found = self.standing(principal._single), []
        while row:
            highest = row.bit_length()
            found.append(self.entries[-highest])
            row ^= 1 << (highest - 1)
        if self.waiting:
            found += self._waited(principal, declared)
            found.sort(key=_BY_ORDER)
        return found

    def _waited(self, principal: Principal, declared: Mapping[str, Arity]) -> list[Entry]:
        found: list[Entry] = []
        single = frozenset(principal._single.values())
        for attribute, table in self.waiting.items():
            values = principal.values(attribute, declared)
            pairs = chain.from_iterable(filter(None, map(table.get, values)))
            near = [one for also, one in pairs if also in values or also in single]
            fitting = [one for one in near if one.same <= values]
            if fitting:
                facts = principal.facts(declared, but=attribute)
                found += [one.entry for one in fitting if one.others <= facts]
        return found


_BY_ORDER: Final = attrgetter("order")
_NOTHING_ELSE: Final[frozenset[str]] = frozenset()
_NO_FACTS: Final[Facts] = frozenset()


Rows = Mapping[str, Mapping[str, int]]
"""The bits of the grants that ask for a value, by attribute and value."""


def cell(entries: Sequence[Entry]) -> Cell:
    """Return the cell of these grants, which come strictest first."""
    row, rows = _in_rows(entries)
    waiting: dict[str, dict[str, list[tuple[str, Waiter]]]] = {}
    for entry in entries:
        if entry.waits is not None:
            attribute, value, also = entry.waits
            under = waiting.setdefault(attribute, {}).setdefault(value, [])
            under.append((also, _waiter(entry, attribute, value)))
    return Cell(
        tuple(entries),
        row,
        tuple([_asked(attribute, values, row) for attribute, values in rows.items()]),
        {one: {value: tuple(found) for value, found in table.items()} for one, table in waiting.items()},
        {},
    )


def _in_rows(entries: Sequence[Entry]) -> tuple[int, Rows]:
    """Return the bits of the grants that do not wait, and of those that ask for a value; the first has the highest."""
    if len(entries) > BLOCK:  # in halves: long numbers are put together seldom
        half = len(entries) // 2
        return _joined(_in_rows(entries[half:]), _in_rows(entries[:half]), len(entries) - half)
    row, rows, bit = 0, defaultdict[str, dict[str, int]](dict), 1
    for entry in reversed(entries):
        if entry.waits is None:
            row |= bit
            for attribute, value in entry.required:
                found = rows[attribute]
                found[value] = found.get(value, 0) | bit
        bit <<= 1
    return row, rows


def _joined(low: tuple[int, Rows], high: tuple[int, Rows], size: int) -> tuple[int, Rows]:
    rows = {attribute: dict(values) for attribute, values in low[1].items()}
    for attribute, values in high[1].items():
        found = rows.setdefault(attribute, {})
        for value, bits in values.items():
            found[value] = found.get(value, 0) | bits << size
    return low[0] | high[0] << size, rows


def _waiter(entry: Entry, attribute: str, value: str) -> Waiter:
    same = frozenset(other for name, other in entry.required if name == attribute and other != value)
    others = frozenset(fact for fact in entry.required if fact[0] != attribute)
    return Waiter(same or _NOTHING_ELSE, others or _NO_FACTS, entry)  # what is empty is one object, and soon found


def _asked(attribute: str, rows: Mapping[str, int], row: int) -> Asked:
    otherwise = row
    for bits in rows.values():
        otherwise &= ~bits
    return Asked(attribute, {value: bits | otherwise for value, bits in rows.items()} if otherwise else rows, otherwise)


def waits(required: Facts, asked: Mapping[Fact, int], rows: Set[str]) -> Waits | None:
    """Return where a grant waits: under the fact that the fewest ask for; None if all its facts have rows."""
    if all(attribute in rows for attribute, _ in required):
        return None
    fact = min(required, key=lambda fact: (asked[fact], fact))
    also = [one for one in required if one != fact and (one[0] == fact[0] or one[0] in rows)]
    return Waits(*fact, min(also, key=lambda fact: (asked[fact], fact), default=fact)[1])


def in_rows(asked: Iterable[Fact], candidates: Set[str]) -> frozenset[str]:
    """Return those of the candidates of which few enough of the asked values are."""
    values = Counter(attribute for attribute, _ in asked)
    return frozenset(name for name in candidates if values[name] <= VALUES_IN_ROWS)
