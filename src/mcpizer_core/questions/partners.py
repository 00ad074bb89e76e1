"""Which two selectors together may be ambiguous under one policy and not under the other.

The pairs worth asking live here and nowhere else. Alone, two selectors can be decided alike under both policies and
together not: where two accounts became one, or one became two. Only a selector whose account moved can be in such a
pair. Partners are looked for among selectors that agree in the attributes of one value which both ask for.

This module does not know policies: it is told the account of each selector.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice, product
from operator import attrgetter
from typing import Final, NamedTuple

from mcpizer_core.principals import Facts

Account = str | None
"""As which account a selector alone is decided; None: no grant matches."""

CLASH: Final = ""
"""What stands in place of an account where a selector alone is ambiguous; no account has an empty id."""


class Label(NamedTuple):
    """The account of a selector under each policy."""

    before: Account
    after: Account


class Member(NamedTuple):
    """A selector of one place, with the one value it asks of each attribute of one value, and where it stands."""

    place: int
    facts: Facts
    ones: Mapping[str, str]
    label: Label


Names = tuple[str, ...]
Bucket = dict[Label, list[Member]]


def member(place: int, facts: Facts, single: Set[str], label: Label) -> Member:
    """Return a selector with its label."""
    return Member(place, facts, {name: value for name, value in facts if name in single}, label)


def may_clash(labels: Mapping[Facts, Label], accounts: Mapping[Facts, str]) -> bool:
    """Tell whether some selector moved, and two accounts can meet at all, of those and of all the other selectors."""
    if all(label.before == label.after for label in labels.values()):
        return False
    others = {account for facts, account in accounts.items() if facts not in labels}
    sides = ({label.before for label in labels.values()}, {label.after for label in labels.values()})
    return any(CLASH in side or len((side | others) - {None}) > 1 for side in sides)


def partners(members: Sequence[Member], *, every: bool) -> Iterator[tuple[Facts, Facts]]:
    """Yield pairs that may be ambiguous under just one policy: for each selector that moved a few, or every one."""
    moved = _by_shape(one for one in members if one.label.before != one.label.after)
    shapes = _by_shape(members) if moved else {}
    telling = [_telling(members, side) for side in (0, 1)] if moved else []
    tables: dict[tuple[Names, Names], dict[Names, Bucket]] = {}
    for names, shape in product(moved, shapes):
        common = tuple(name for name in shape if name in names)
        if all(told.intersection(common) for told in telling):
            continue  # whoever overlaps has one account, before and after
        if (shape, common) not in tables:
            tables[shape, common] = _table(shapes[shape], common)
        for one in moved[names]:
            bucket = tables[shape, common].get(tuple(one.ones[name] for name in common), {})
            yield from ((one.facts, other) for other in _in_bucket(one, bucket, every=every))


def _by_shape(members: Iterable[Member]) -> dict[Names, list[Member]]:
    """Return the selectors by which attributes of one value they ask for."""
    shapes: dict[Names, list[Member]] = {}
    for one in members:
        shapes.setdefault(tuple(sorted(one.ones)), []).append(one)
    return shapes


def _table(members: Iterable[Member], common: Names) -> dict[Names, Bucket]:
    table: dict[Names, Bucket] = {}
    for one in members:
        bucket = table.setdefault(tuple(one.ones[name] for name in common), {})
        bucket.setdefault(one.label, []).append(one)
    return table


def _telling(members: Iterable[Member], side: int) -> set[str]:
    """Return the attributes each of whose values goes with one account under this policy."""
    accounts: dict[tuple[str, str], str] = {}
    names, untelling = set(), set()
    for one in members:
        account = one.label[side]
        if account is not None:
            for fact in one.ones.items():
                names.add(fact[0])
                if account == CLASH or accounts.setdefault(fact, account) != account:
                    untelling.add(fact[0])
    return names - untelling


def _in_bucket(one: Member, bucket: Bucket, *, every: bool) -> Iterator[Facts]:
    """Yield the partners of a selector in a bucket: every one, or just the first of the labels that come up most."""
    before, after = one.label
    labels: Iterable[Label] = bucket
    if not every and before and after:  # whoever did not move is a partner iff its account is one of the two
        labels = [label for label in (Label(before, before), Label(after, after)) if label in bucket]
    found = (
        other
        for label in labels
        if _differ(one.label, label)
        for other in (bucket[label] if every else bucket[label][:2])
        if other.facts != one.facts
    )
    if every:
        yield from (other.facts for other in found)
    elif labels is bucket:
        yield from (other.facts for other in islice(found, 1))
    else:
        yield from (other.facts for other in sorted(found, key=_BY_PLACE)[:1])


_BY_PLACE: Final = attrgetter("place")


def _differ(one: Label, other: Label) -> bool:
    return _clash(one.before, other.before) is not _clash(one.after, other.after)


def _clash(one: Account, other: Account) -> bool:
    if CLASH in (one, other):
        return True
    return one is not None and other is not None and one != other
