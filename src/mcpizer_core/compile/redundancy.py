"""Which grants give nothing that other grants do not give as well.

A grant is redundant if each of its capabilities is given by another grant of the same issuer on the same account that
needs no more facts and is at least as strict; of twins, which give the same to the same, only the later is. Each
finding is true by itself: removing that one grant changes no decision.

Near-linear, in two steps. The first finds suspects, mostly few: it takes all capabilities of a grant at once, as bits,
and asks whether grants that need no more facts and are at least as strict give all of them. The second names, for each
capability of a suspect, another grant that gives it: later twins are put aside; of the grants left that ask for the
same facts under an equally strict limit two are enough to know, and of those that ask for fewer facts the strictest.
Where there are many sets of facts, those within what a grant asks for are found by asking a cell of the index, with
what the grant asks for in the place of a caller.

This module does not know whether anything else is wrong with a grant.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, combinations
from typing import Final, NamedTuple

from mcpizer_core.compile.cell import Cell, Entry, cell, in_rows, waits
from mcpizer_core.compile.index import ranks
from mcpizer_core.policy import Grant
from mcpizer_core.principals import Arity, Facts, Principal

ENOUGH: Final = 2
"""Of so many grants that ask for the same under the same limit one is another than any given one."""

FEW: Final = 64
"""So few sets of facts are compared one by one: an index would take longer to make than it saves."""

Key = tuple[Facts, int]
"""What a grant asks for, and how strict its limit is: 0 is the strictest."""


class Member(NamedTuple):
    """A grant among those of its issuer and account."""

    position: int
    key: Key
    grant: Grant


class Givers:
    """The grants of one issuer and account that give one capability."""

    __slots__ = ("_index", "_members", "_strictest")

    def __init__(self) -> None:
        self._members: dict[Key, list[Member]] = {}
        self._strictest: dict[Facts, Member] = {}
        self._index: Index | None = None

    def add(self, member: Member) -> None:
        """Take in a grant."""
        required, rank = member.key
        found = self._members.setdefault(member.key, [])
        if len(found) < ENOUGH:
            found.append(member)
        if self._strictest.setdefault(required, member).key[1] > rank:
            self._strictest[required] = member

    def another(self, than: Member) -> int | None:
        """Return the position of another grant that needs no more facts and is at least as strict."""
        required, rank = than.key
        for member in self._members[than.key]:
            if member is not than:
                return member.position
        near = _few(self._strictest, required)
        for facts in self._indexed().asked_within(than.grant) if near is None else near:
            member = self._strictest[facts]
            if member.key[1] <= rank and facts <= required and member.key != than.key:
                return member.position
        return None

    def _indexed(self) -> "Index":
        if self._index is None:
            self._index = Index(list(self._strictest.values()))
        return self._index


class Index:
    """Finds, among many sets of facts, those that are within what a grant asks for."""

    __slots__ = ("_cell", "_declared")

    def __init__(self, members: Sequence[Member]) -> None:
        asked = Counter(fact for member in members for fact in member.key[0])
        names = {name for name, _ in asked}
        rows = in_rows(asked, names - _several(member.key[0] for member in members))
        self._declared = dict.fromkeys(names, Arity.MANY)
        self._cell: Cell = cell(
            [
                Entry(key[0], order, position, grant, disabled=False, waits=waits(key[0], asked, rows))
                for order, (position, key, grant) in enumerate(members)
            ]
        )

    def asked_within(self, grant: Grant) -> list[Facts]:
        """Return the sets of facts found."""
        caller = Principal("", "", grant.to.attributes)
        return [one.required for one in self._cell.matching(caller, self._declared)]


def redundant(grants: Iterable[tuple[int, Grant]]) -> Iterator[tuple[int, list[int]]]:
    """Yield the position of each redundant grant, with those of grants that give the same.

    `grants` are those whose limit can be counted, each with its position.
    """
    grants = list(grants)
    strictness = ranks(grant for _, grant in grants)
    together: defaultdict[tuple[str, str], list[tuple[int, Grant]]] = defaultdict(list)
    for placed in grants:
        together[placed[1].to.issuer, placed[1].using].append(placed)
    for some in together.values():
        if len(some) > 1:
            members = [Member(at, (one.to.required, strictness[one.limit]), one) for at, one in some]
            if suspects := set(_suspects(members)):
                yield from _redundant(members, suspects)


def _suspects(members: Sequence[Member]) -> Iterator[int]:
    """Yield the position of each grant whose capabilities are all given by others that do for it, twins included."""
    bits: dict[str, int] = {}
    masks = []
    anybody = several = 0
    given: dict[Facts, dict[int, tuple[int, int]]] = {}  # by what is asked for and rank: by any, by two at least
    for member in members:
        mask = 0
        for capability in member.grant.capabilities:
            mask |= bits.setdefault(capability, 1 << len(bits))
        masks.append(mask)
        anybody, several = anybody | mask, several | anybody & mask
        required, rank = member.key
        ranked = given.setdefault(required, {})
        once, twice = ranked.get(rank, (0, 0))
        ranked[rank] = (once | mask, twice | once & mask)
    for member, mask in zip(members, masks, strict=True):
        if mask & ~several:  # it alone gives something
            continue
        required, rank = member.key
        if (near := _few(given, required)) is None or not mask & ~_by_others(given, near, required, rank):
            yield member.position


def _by_others(
    given: Mapping[Facts, Mapping[int, tuple[int, int]]], near: Iterable[Facts], required: Facts, rank: int
) -> int:
    """Return what grants give that need no more facts and are at least as strict, this one itself not counted."""
    found = 0
    for facts in near:
        if facts <= required:
            for other, (once, twice) in given[facts].items():
                if other < rank or (other == rank and facts != required):
                    found |= once
                elif other == rank:
                    found |= twice
    return found


def _few(known: Mapping[Facts, object], required: Facts) -> Iterable[Facts] | None:
    """Return few of the known sets of facts, all that are within what is required among them, or None if not known."""
    parts = 1 << len(required)
    if min(len(known), parts) > FEW:
        return None
    return known if len(known) < parts else filter(known.__contains__, _parts(required))


def _parts(required: Facts) -> Iterator[Facts]:
    """Yield every set of some of these facts, or of none, or of all."""
    return map(frozenset, chain.from_iterable(combinations(required, size) for size in range(len(required) + 1)))


def _redundant(members: Iterable[Member], suspects: Set[int]) -> Iterator[tuple[int, list[int]]]:
    """Yield the redundant grants of one issuer and account; no others than the suspects are."""
    first: dict[tuple[Key, frozenset[str]], Member] = {}
    givers: dict[str, Givers] = {}
    for member in members:
        if member.position in suspects:
            givers.update({one: Givers() for one in member.grant.capabilities if one not in givers})
    for member in members:
        if member.position in suspects:
            given = frozenset(member.grant.capabilities)
            twin = first.setdefault((member.key, given), member)
            if twin is not member:
                if given:
                    yield member.position, [twin.position]
                continue
        for capability in dict.fromkeys(member.grant.capabilities):
            if capability in givers:
                givers[capability].add(member)
    for (_, given), member in first.items():
        if given and (same := _same(member, [givers[capability] for capability in given])):
            yield member.position, same


def _same(member: Member, givers: Iterable[Givers]) -> list[int]:
    """Return grants that give together what this one gives, or none if it alone gives something."""
    found: set[int] = set()
    for one in givers:
        another = one.another(member)
        if another is None:
            return []
        found.add(another)
    return sorted(found)


def _several(asked: Iterable[Facts]) -> set[str]:
    """Return the attributes of which somebody asks for more than one value."""
    found: set[str] = set()
    for required in asked:
        if len({name for name, _ in required}) < len(required):
            found.update(name for name, times in Counter(name for name, _ in required).items() if times > 1)
    return found
