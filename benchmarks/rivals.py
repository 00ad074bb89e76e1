"""What somebody in a hurry would write instead, each with the full answer: code, path, account and limit.

A plain loop over all grants; the same loop inside a dictionary entry for each issuer and capability; and, for equality
alone, one dictionary for each set of attributes. They take a caller as the plainest values that will do, know no
attributes of arity MANY unless they say so, and leave past usage out.

This module does not know how policies are drawn. It is compared with the core before anything is timed.
"""

from collections import defaultdict
from collections.abc import Mapping, Set
from typing import Final, NamedTuple

from mcpizer_core import Declaration, Grant, Limit

Attributes = Mapping[str, str | Set[str]]


class Person(NamedTuple):
    """Who asks."""

    issuer: str
    attributes: Attributes


class Answer(NamedTuple):
    """Whether it is allowed, why, by what, as whom and under which limit."""

    allowed: bool
    code: str
    path: str
    account: str | None = None
    limit: Limit | None = None


NOTHING: Final = Answer(False, "no_grant_matches", "/grants")


def stricter(one: Limit | None, other: Limit | None) -> bool:
    """Tell whether one limit is stricter than the other."""
    if one is None or other is None:
        return one is not None and other is None
    left, right = one.calls * other.window_ms, other.calls * one.window_ms
    return left < right or (left == right and one.window_ms < other.window_ms)


class Row(NamedTuple):
    """One grant, and its place among them."""

    place: int
    issuer: str
    capabilities: Set[str]
    when: tuple[tuple[str, str | Set[str]], ...]
    account: str
    limit: Limit | None
    path: str


NOBODY: Final = Row(0, "", frozenset(), (), "", None, "")


def _row(place: int, grant: Grant) -> Row:
    when = tuple(grant.to.attributes.items())
    return Row(place, grant.to.issuer, frozenset(grant.capabilities), when, grant.using, grant.limit, grant.path)


class Loop:
    """One pass over all grants."""

    def __init__(self, declaration: Declaration) -> None:
        self.rows = [_row(place, grant) for place, grant in enumerate(declaration.grants)]
        self.disabled = frozenset(one.id for one in declaration.accounts if one.disabled)

    def decide(self, person: Person, capability: str) -> Answer:
        """Return the full answer."""
        issuer, attributes = person
        found, earliest = None, ""
        for row in self.rows:
            if row.issuer != issuer or capability not in row.capabilities:
                continue
            for name, value in row.when:
                if attributes.get(name) != value:
                    break
            else:
                if found is None:
                    found, earliest = row, row.path
                elif row.account != found.account:
                    return Answer(False, "ambiguous_grant", earliest)
                elif stricter(row.limit, found.limit):
                    found = row
        return NOTHING if found is None else _answer(found, self.disabled)


def _answer(row: Row, disabled: Set[str]) -> Answer:
    if row.account in disabled:
        return Answer(False, "account_disabled", row.path)
    return Answer(True, "granted", row.path, row.account, row.limit)


class Buckets:
    """The same loop inside a dictionary entry for each issuer and capability."""

    def __init__(self, declaration: Declaration) -> None:
        self.rows: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
        for place, grant in enumerate(declaration.grants):
            row = _row(place, grant)
            for capability in grant.capabilities:
                self.rows[row.issuer, capability].append(row)
        self.disabled = frozenset(one.id for one in declaration.accounts if one.disabled)

    def decide(self, person: Person, capability: str) -> Answer:
        """Return the full answer."""
        issuer, attributes = person
        found, earliest = None, ""
        for row in self.rows.get((issuer, capability), ()):
            for name, value in row.when:
                if attributes.get(name) != value:
                    break
            else:
                if found is None:
                    found, earliest = row, row.path
                elif row.account != found.account:
                    return Answer(False, "ambiguous_grant", earliest)
                elif stricter(row.limit, found.limit):
                    found = row
        return NOTHING if found is None else _answer(found, self.disabled)


class SetBuckets(Buckets):
    """Buckets that know attributes of arity MANY: all values asked for are among those carried."""

    def decide(self, person: Person, capability: str) -> Answer:
        """Return the full answer."""
        issuer, attributes = person
        found, earliest = None, ""
        for row in self.rows.get((issuer, capability), ()):
            for name, value in row.when:
                given = attributes.get(name)
                if given is None or not (given == value if isinstance(value, str) else value <= given):  # type: ignore[operator]
                    break
            else:
                if found is None:
                    found, earliest = row, row.path
                elif row.account != found.account:
                    return Answer(False, "ambiguous_grant", earliest)
                elif stricter(row.limit, found.limit):
                    found = row
        return NOTHING if found is None else _answer(found, self.disabled)


Values = tuple[str | Set[str] | None, ...]


class Tables:
    """For each issuer and capability one dictionary for each set of attributes; one grant for each of its keys."""

    def __init__(self, declaration: Declaration) -> None:
        self.tables: defaultdict[tuple[str, str], dict[tuple[str, ...], dict[Values, Row]]] = defaultdict(dict)
        for place, grant in enumerate(declaration.grants):
            row = _row(place, grant)
            names = tuple(name for name, _ in row.when)
            for capability in grant.capabilities:
                table = self.tables[row.issuer, capability].setdefault(names, {})
                table.setdefault(tuple(value for _, value in row.when), row)
        self.disabled = frozenset(one.id for one in declaration.accounts if one.disabled)

    def decide(self, person: Person, capability: str) -> Answer:
        """Return the full answer."""
        issuer, attributes = person
        found, earliest, ambiguous = None, NOBODY, False
        for names, table in self.tables[issuer, capability].items():
            row = table.get(tuple([attributes.get(name) for name in names]))
            if row is None:
                continue
            if found is None:
                found, earliest = row, row
                continue
            if row.account != found.account:
                ambiguous = True
            if row.place < earliest.place:
                earliest = row
            if stricter(row.limit, found.limit) or (row.limit == found.limit and row.place < found.place):
                found = row
        if ambiguous:
            return Answer(False, "ambiguous_grant", earliest.path)
        return NOTHING if found is None else _answer(found, self.disabled)
