"""Which pairs of grants could give one principal one capability on two accounts.

Two selectors of one issuer overlap iff their union gives no attribute of arity ONE two values; attributes of
arity MANY never keep two selectors apart. This module finds, for every grant in such a pair, one partner.

Near-linear, in two steps, both of which sort grants by which ONE attributes they ask for: of two such groups only the
attributes asked for by both matter, so that partners share the values of these. The first step finds which
capabilities of an issuer are contested at all, mostly none: it takes all capabilities at once, as bits, and of all
grants that share values only what they give on each account. The second step names grants, for one contested
capability at a time: there a bucket of grants that share values needs to remember only the first of them and the
first on another account.

This module does not know which capabilities are realised, nor what an ambiguity means for a policy.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from operator import itemgetter
from typing import Final, NamedTuple, final

from mcpizer_core.policy import Grant
from mcpizer_core.principals import Arity

_BY_NAME: Final = itemgetter(0)


class Contender(NamedTuple):
    """A grant that some principal can match: the ONE attributes it asks for, and their values."""

    position: int
    account: str
    capabilities: tuple[str, ...]
    names: tuple[str, ...]
    values: tuple[str, ...]


class Bucket(NamedTuple):
    """The first grant of a bucket, and the first on another account than that."""

    first: Contender
    other: Contender | None = None


@final
@dataclass(frozen=True, slots=True)
class Ambiguity:
    """Two grants (positions, the earlier first) that can meet in one principal, and the capability they share."""

    earlier: int
    later: int
    issuer: str
    capability: str


def contender(position: int, grant: Grant, declared: Mapping[str, Arity]) -> Contender | None:
    """Return what keeps `grant` apart from others, or None if no principal can match it."""
    names, values = [], []
    for name, given in sorted(grant.to.attributes.items(), key=_BY_NAME):
        arity = declared.get(name)
        if arity is None or (not isinstance(given, str) and (not given or (arity is Arity.ONE and len(given) > 1))):
            return None
        if arity is Arity.ONE:
            names.append(name)
            values.append(given if isinstance(given, str) else next(iter(given)))
    return Contender(position, grant.using, grant.capabilities, tuple(names), tuple(values))


def ambiguities(grants: Iterable[Grant], declared: Mapping[str, Mapping[str, Arity]]) -> list[Ambiguity]:
    """Return pairs such that every grant in an ambiguous pair is in one of them; no pair twice, in document order."""
    issuers: defaultdict[str, list[tuple[int, Grant]]] = defaultdict(list)
    for placed in enumerate(grants):
        issuers[placed[1].to.issuer].append(placed)
    pairs: dict[tuple[int, int], Ambiguity] = {}
    for issuer, given in issuers.items():
        if issuer in declared and len({grant.using for _, grant in given}) > 1:
            for capability in contested(_contenders(given, declared[issuer])):
                members = [one for one in given if capability in one[1].capabilities]
                for one, other in _partners(_contenders(members, declared[issuer])):
                    pair = (min(one, other), max(one, other))
                    pairs.setdefault(pair, Ambiguity(*pair, issuer, capability))
    return [pairs[pair] for pair in sorted(pairs)]


def _contenders(given: Iterable[tuple[int, Grant]], declared: Mapping[str, Arity]) -> Iterator[Contender]:
    """Yield what keeps these grants apart, one after the other: all at once would be much to hold."""
    return filter(None, (contender(position, grant, declared) for position, grant in given))


class Given(NamedTuple):
    """What grants that share values give, as bits: anything at all, on more than one account, and on each account."""

    any: int
    several: int
    accounts: Mapping[str, int]


def contested(members: Iterable[Contender]) -> list[str]:
    """Return the capabilities of one issuer that some two of its grants could give one principal on two accounts."""
    bits: dict[str, int] = {}
    groups: dict[tuple[str, ...], dict[tuple[str, ...], dict[str, int]]] = {}
    for member in members:
        given = 0
        for capability in member.capabilities:
            given |= bits.setdefault(capability, 1 << len(bits))
        accounts = groups.setdefault(member.names, {}).setdefault(member.values, {})
        accounts[member.account] = accounts.get(member.account, 0) | given
    found = 0
    shared: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[tuple[str, ...], Given]] = {}
    for names, others in combinations_with_replacement(groups, 2):
        common = tuple(name for name in names if name in others)
        for each in (names, others):
            if (each, common) not in shared:
                shared[each, common] = _shared(groups[each], each, common)
        small, large = sorted((shared[names, common], shared[others, common]), key=len)
        for values, one in small.items():
            if (other := large.get(values)) is not None:
                found |= one.several if one is other else _clash(one, other)
    return [capability for capability, bit in bits.items() if found & bit]


def _shared(
    group: Mapping[tuple[str, ...], Mapping[str, int]], names: Sequence[str], common: Sequence[str]
) -> dict[tuple[str, ...], Given]:
    """Return what the grants of a group give together that share the values of the common attributes."""
    if len(common) == len(names):  # each by itself
        return {values: _given(accounts) for values, accounts in group.items()}
    places = [names.index(name) for name in common]
    together: dict[tuple[str, ...], dict[str, int]] = {}
    for values, accounts in group.items():
        whole = together.setdefault(tuple([values[place] for place in places]), {})
        for account, given in accounts.items():
            whole[account] = whole.get(account, 0) | given
    return {values: _given(accounts) for values, accounts in together.items()}


def _given(accounts: Mapping[str, int]) -> Given:
    anything = several = 0
    for given in accounts.values():
        several |= anything & given
        anything |= given
    return Given(anything, several, accounts)


def _clash(one: Given, other: Given) -> int:
    """Return what the two give on different accounts."""
    both = one.any & other.any
    if not both:
        return 0
    same = 0
    for account in one.accounts.keys() & other.accounts.keys():
        same |= one.accounts[account] & other.accounts[account]
    return both & (~same | one.several | other.several)


def _partners(members: Iterable[Contender]) -> Iterator[tuple[int, int]]:
    """Yield each member that has a partner, with its earliest one; all give one capability."""
    groups: defaultdict[tuple[str, ...], list[Contender]] = defaultdict(list)
    for member in members:
        groups[member.names].append(member)
    buckets: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[tuple[str, ...], Bucket]] = {}
    for names, group in groups.items():
        tables = []
        for others in groups:
            common = tuple(name for name in names if name in others)
            if (others, common) not in buckets:
                buckets[others, common] = _buckets(groups[others], common)
            tables.append((common, buckets[others, common]))
        for member in group:
            found = [one for one in (_partner(member, common, table) for common, table in tables) if one is not None]
            if found:
                yield member.position, min(found)


def _key(member: Contender, common: Sequence[str]) -> tuple[str, ...]:
    return tuple([value for name, value in zip(member.names, member.values, strict=True) if name in common])


def _buckets(group: Iterable[Contender], common: Sequence[str]) -> dict[tuple[str, ...], Bucket]:
    table: dict[tuple[str, ...], Bucket] = {}
    for member in group:
        key = _key(member, common)
        bucket = table.get(key)
        if bucket is None:
            table[key] = Bucket(member)
        elif bucket.other is None and member.account != bucket.first.account:
            table[key] = Bucket(bucket.first, member)
    return table


def _partner(member: Contender, common: Sequence[str], table: Mapping[tuple[str, ...], Bucket]) -> int | None:
    bucket = table.get(_key(member, common))
    if bucket is None:
        return None
    if bucket.first.account != member.account:
        return bucket.first.position
    return bucket.other.position if bucket.other is not None else None
