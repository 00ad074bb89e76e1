"""Which principals two policies have to be asked about, so that no difference is missed.

The selectors worth asking and the principals that stand for them live here and nowhere else. Matching is inclusion:
more facts never match fewer grants, so whoever is decided differently has, among its facts, those of a selector that
shows it. A grant that both policies have, and that reads no attribute whose arity moved, cannot be what differs.

This module does not compare decisions.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from itertools import product
from typing import Final, NamedTuple, final

from mcpizer_core.compile import Policy
from mcpizer_core.policy import Declaration, Limit
from mcpizer_core.principals import Arity, Facts, Principal, arities

SUBJECT: Final = "witness"
"""The subject of principals made up to show a difference; a dash is added while somebody owns something by that id."""

STRANGER: Final = "stranger"
"""The issuer of a principal that no grant selects; a dash is added while some policy declares it."""

FRESH: Final = "another"
"""A value that no grant asks for; a dash is added while one does."""

Names = frozenset[str]
NO_NAMES: Final[Names] = frozenset()
NO_FACTS: Final[Facts] = frozenset()

Arities = Mapping[str, Mapping[str, Arity]]
Standings = Mapping[str, bool]
Terms = tuple[str, Facts, str, bool, Limit | None]
"""What a grant comes to apart from its capabilities: issuer, facts, account, is that disabled, limit."""


class Place(NamedTuple):
    """An issuer and a capability: whoever asks, the grants of one place are all that is looked at."""

    issuer: str
    capability: str


@final
@dataclass(frozen=True, slots=True)
class Comparison:
    """Two policies side by side.

    `changed` has, for each place where they may differ, the selectors of grants that only one of them has.
    """

    before: Policy
    after: Policy
    arities: tuple[Arities, Arities]
    moved: Mapping[str, Names]
    """For each issuer the attributes that both policies declare, with different arities."""
    standings: tuple[Standings, Standings]
    """For each declared capability whether it is realized."""
    changed: Mapping[Place, Set[Facts]]
    selectors: Mapping[Place, Mapping[Facts, str]]
    """For each place where they may differ every selector, with the account of some grant that has it."""
    fresh: str
    stranger: str
    _made: dict[tuple[str, Facts, Names], Principal] = field(default_factory=dict, compare=False, repr=False)
    _sorted: dict[Facts, tuple[tuple[str, str], ...]] = field(default_factory=dict, compare=False, repr=False)

    def concerned(self, place: Place) -> list[Facts]:
        """Return the selectors of a place that may be decided differently: the changed ones, and those above them."""
        changed, selectors = self.changed[place], self.selectors[place]
        if NO_FACTS in changed or len(changed) == len(selectors):
            return list(selectors)
        waiting = _waiting(changed)
        return [
            facts
            for facts in selectors
            if facts in changed or any(one <= facts for fact in facts for one in waiting.get(fact, ()))
        ]

    def in_order(self, facts: Facts) -> tuple[tuple[str, str], ...]:
        """Return the facts sorted: what selectors are put in order by, whatever order policies were written in."""
        found = self._sorted.get(facts)
        if found is None:
            found = self._sorted[facts] = tuple(sorted(facts))
        return found

    def principal(self, issuer: str, facts: Facts, more: Names = NO_NAMES) -> Principal:
        """Return somebody with these facts, and with one more value of these attributes that no grant asks for."""
        key = (issuer, facts, more)
        found = self._made.get(key)
        if found is None:
            given: dict[str, str | frozenset[str]] = dict.fromkeys(more, self.fresh)
            for name, value in self.in_order(facts):
                held = given.get(name)
                given[name] = (
                    value if held is None else frozenset((value, *((held,) if isinstance(held, str) else held)))
                )
            found = self._made[key] = Principal(f"{issuer}:{SUBJECT}", issuer, given)
        return found

    def more(self, issuer: str, *selectors: Facts) -> list[Names]:
        """Return the sets of attributes to be given one more value, so that the other policy counts them as absent.

        A selector still matches where the attribute may have many values; where it may have one, two count as none.
        What lies between none of these attributes and all of them is decided as both are, if both are decided alike.
        """
        moved = self.moved.get(issuer)
        if moved is None:
            return [NO_NAMES]
        read = [moved & {name for name, _ in facts} for facts in selectors]
        many = [frozenset(name for name in moved if known[issuer][name] is Arity.MANY) for known in self.arities]
        found = {NO_NAMES: None}
        for roles in product(many, repeat=len(selectors)):
            spoilt = [names - role for names, role in zip(read, roles, strict=True)]
            found[NO_NAMES.union(*read).difference(*spoilt)] = None
        return list(found)

    def subsets(self, issuer: str, facts: Facts) -> Iterator[Names]:
        """Yield every set of attributes to be given one more value; there may be very many."""
        names = sorted(self.moved.get(issuer, NO_NAMES) & {name for name, _ in facts})
        for chosen in product((False, True), repeat=len(names)):
            yield frozenset(name for name, taken in zip(names, chosen, strict=True) if taken)

    def single(self, issuer: str) -> Names:
        """Return the attributes of which nobody has two values that count, in either policy."""
        known = [each.get(issuer, {}) for each in self.arities]
        return frozenset(
            name for each in known for name in each if all(one.get(name) is not Arity.MANY for one in known)
        )


def _waiting(changed: Collection[Facts]) -> dict[tuple[str, str], list[Facts]]:
    """Return the selectors, each under that of its facts that the fewest of them have."""
    times = Counter(fact for facts in changed for fact in facts)
    waiting: dict[tuple[str, str], list[Facts]] = {}
    for facts in changed:
        waiting.setdefault(min(facts, key=lambda fact: (times[fact], fact)), []).append(facts)
    return waiting


def compare(before: Policy, after: Policy, whole: Set[str] = frozenset()) -> Comparison:
    """Put two policies side by side. Of the capabilities in `whole` the selectors of all places are wanted."""
    policies = (before, after)
    known = (_arities(before), _arities(after))
    moved = {
        issuer: names
        for issuer in known[0].keys() & known[1].keys()
        if (names := frozenset(n for n, one in known[0][issuer].items() if known[1][issuer].get(n, one) is not one))
    }
    standings = (_standings(before), _standings(after))
    changed = _changed(policies, moved, standings)
    issuers = known[0].keys() | known[1].keys()
    values = {
        value
        for policy in policies
        for grant in (policy.declaration.grants if moved else ())
        for _, value in grant.to.required
    }
    return Comparison(
        before=before,
        after=after,
        arities=known,
        moved=moved,
        standings=standings,
        changed=changed,
        selectors=_selectors(policies, {*changed, *(Place(issuer, one) for one in whole for issuer in issuers)}),
        fresh=unlike(FRESH, values),
        stranger=unlike(STRANGER, issuers),
    )


def unlike(text: str, taken: Set[str]) -> str:
    """Return the text, with as many dashes as make it one that is not taken."""
    while text in taken:
        text += "-"
    return text


def _arities(policy: Policy) -> dict[str, dict[str, Arity]]:
    return {issuer.id: arities(issuer) for issuer in policy.declaration.issuers}


def _standings(policy: Policy) -> dict[str, bool]:
    realized = {one.capability for one in policy.declaration.tools}
    return {one.id: one.id in realized for one in policy.declaration.capabilities}


def _changed(
    policies: tuple[Policy, Policy], moved: Mapping[str, Names], standings: tuple[Standings, Standings]
) -> dict[Place, set[Facts]]:
    """Return the selectors of grants that the policies do not share, of capabilities that one of them realizes."""
    found: dict[Place, set[Facts]] = {}
    mine, others = (_terms(policy.declaration) for policy in policies)
    for one, capabilities in mine.items():
        if others.get(one) != capabilities or one[0] in moved:
            _tell_apart(found, one, capabilities, others.get(one, ()), moved.get(one[0], NO_NAMES))
    for one, capabilities in others.items():
        if one not in mine:
            _tell_apart(found, one, capabilities, (), NO_NAMES)
    for place, facts in _of_other_standing(policies, standings):
        found.setdefault(place, set()).add(facts)
    realized = {one for each in standings for one, is_realized in each.items() if is_realized}
    return {place: facts for place, facts in found.items() if place.capability in realized}


def _tell_apart(
    found: dict[Place, set[Facts]], one: Terms, these: tuple[str, ...], those: tuple[str, ...], moved: Names
) -> None:
    """Add the places at which grants on these terms differ: all of them, if they read an attribute that moved."""
    reads = bool(moved) and any(name in moved for name, _ in one[1])
    for capability in {*these, *those} if reads else {*these}.symmetric_difference(those):
        found.setdefault(Place(one[0], capability), set()).add(one[1])


def _terms(declaration: Declaration) -> dict[Terms, tuple[str, ...]]:
    """Return the capabilities that grants give on each of the terms there are."""
    disabled = {one.id for one in declaration.accounts if one.disabled}
    found: dict[Terms, tuple[str, ...]] = {}
    for grant in declaration.grants:
        to, using = grant.to, grant.using
        terms = (to.issuer, to.required, using, using in disabled, grant.limit)
        held = found.setdefault(terms, grant.capabilities)
        if held is not grant.capabilities:
            found[terms] = held + grant.capabilities
    return found


def _of_other_standing(
    policies: Iterable[Policy], standings: tuple[Standings, Standings]
) -> Iterator[tuple[Place, Facts]]:
    """Yield all selectors of capabilities that one policy realizes and the other does not."""
    named = standings[0].keys() | standings[1].keys()
    moved = {one for one in named if standings[0].get(one, False) is not standings[1].get(one, False)}
    if moved:
        for policy in policies:
            for grant in policy.declaration.grants:
                for capability in moved.intersection(grant.capabilities):
                    yield Place(grant.to.issuer, capability), grant.to.required


def _selectors(policies: Iterable[Policy], places: Set[Place]) -> dict[Place, dict[Facts, str]]:
    """Return every selector of these places, with the least of the accounts that grants with it use."""
    found: dict[Place, dict[Facts, str]] = {place: {} for place in places}
    by_issuer: dict[str, dict[str, dict[Facts, str]]] = {}
    for (issuer, capability), selectors in found.items():
        by_issuer.setdefault(issuer, {})[capability] = selectors
    for policy in policies if places else ():
        for grant in policy.declaration.grants:
            required, using = grant.to.required, grant.using
            here = by_issuer.get(grant.to.issuer, {})
            for capability in grant.capabilities if here else ():
                if capability in here and here[capability].setdefault(required, using) > using:
                    here[capability][required] = using
    return found
