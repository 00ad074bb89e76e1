"""Which pairs of grants could give one principal one capability on two accounts.

Two selectors of one issuer overlap iff their union gives no attribute of arity ONE two values; attributes of
arity MANY never keep two selectors apart. This module finds, for every grant in such a pair, one partner.

Near-linear: the grants of one issuer and capability are sorted by which ONE attributes they ask for. Between two
such groups only the attributes asked for by both matter: if one of these alone tells the account, the two groups are
at peace; otherwise partners share a bucket keyed by the values of these attributes, and a bucket needs to remember
only its first grant and the first on another account.

This module does not know which capabilities are realised, nor what an ambiguity means for a policy.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, final

from mcpizer_core.policy import Grant
from mcpizer_core.principals import Arity


class Contender(NamedTuple):
    """A grant that some principal can match, with the one value it asks of each ONE attribute."""

    position: int
    account: str
    ones: Mapping[str, str]


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
    ones: dict[str, str] = {}
    for name, value in grant.to.required:
        arity = declared.get(name)
        if arity is None or name in ones:
            return None
        if arity is Arity.ONE:
            ones[name] = value
    empty = any(not given for given in grant.to.attributes.values() if not isinstance(given, str))
    return None if empty else Contender(position, grant.using, ones)


def ambiguities(grants: Iterable[Grant], declared: Mapping[str, Mapping[str, Arity]]) -> list[Ambiguity]:
    """Return pairs such that every grant in an ambiguous pair is in one of them; no pair twice, in document order."""
    cells: defaultdict[tuple[str, str], list[Contender]] = defaultdict(list)
    for position, grant in enumerate(grants):
        found = contender(position, grant, declared[grant.to.issuer]) if grant.to.issuer in declared else None
        if found is not None:
            for capability in dict.fromkeys(grant.capabilities):
                cells[grant.to.issuer, capability].append(found)
    pairs: dict[tuple[int, int], Ambiguity] = {}
    for (issuer, capability), members in cells.items():
        for one, other in _partners(members):
            pair = (min(one, other), max(one, other))
            pairs.setdefault(pair, Ambiguity(*pair, issuer, capability))
    return [pairs[pair] for pair in sorted(pairs)]


def _partners(members: list[Contender]) -> Iterator[tuple[int, int]]:
    """Yield each member that has a partner, with its earliest one."""
    if len({member.account for member in members}) < 2:
        return
    groups: defaultdict[tuple[str, ...], list[Contender]] = defaultdict(list)
    for member in members:
        groups[tuple(sorted(member.ones))].append(member)
    telling = _telling(members)
    buckets: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[tuple[str, ...], Bucket]] = {}
    for names, group in groups.items():
        tables = []
        for others in groups:
            common = tuple(name for name in names if name in others)
            if not telling.isdisjoint(common):
                continue
            if (others, common) not in buckets:
                buckets[others, common] = _buckets(groups[others], common)
            tables.append((common, buckets[others, common]))
        if not tables:
            continue
        for member in group:
            found = [one for one in (_partner(member, common, table) for common, table in tables) if one is not None]
            if found:
                yield member.position, min(found)


def _telling(members: list[Contender]) -> set[str]:
    """Return the attributes each of whose values goes with one account only, among the grants that ask for it."""
    accounts: dict[tuple[str, str], str] = {}
    names, untelling = set(), set()
    for member in members:
        for fact in member.ones.items():
            names.add(fact[0])
            if accounts.setdefault(fact, member.account) != member.account:
                untelling.add(fact[0])
    return names - untelling


def _buckets(group: list[Contender], common: tuple[str, ...]) -> dict[tuple[str, ...], Bucket]:
    table: dict[tuple[str, ...], Bucket] = {}
    for member in group:
        key = tuple(member.ones[name] for name in common)
        bucket = table.get(key)
        if bucket is None:
            table[key] = Bucket(member)
        elif bucket.other is None and member.account != bucket.first.account:
            table[key] = Bucket(bucket.first, member)
    return table


def _partner(member: Contender, common: tuple[str, ...], table: Mapping[tuple[str, ...], Bucket]) -> int | None:
    bucket = table.get(tuple(member.ones[name] for name in common))
    if bucket is None:
        return None
    if bucket.first.account != member.account:
        return bucket.first.position
    return bucket.other.position if bucket.other is not None else None
