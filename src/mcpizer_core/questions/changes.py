"""What a change of policy changes: for each selector decided differently a principal that shows it.

The exact difference of two policies lives here and nowhere else. Paths play no part in it, nor does order.

This module does not know which principals are worth asking, nor how a decision is reached.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple, final

from mcpizer_core.access import decide
from mcpizer_core.compile import Policy
from mcpizer_core.names import one_line
from mcpizer_core.principals import Facts, Principal, facts_of
from mcpizer_core.questions.comparing import NO_FACTS, NO_NAMES, Comparison, Names, Place, compare
from mcpizer_core.questions.partners import CLASH, Account, Label, Member, may_clash, member, partners
from mcpizer_core.reasons import Allow, Decision, ReasonCode


@final
@dataclass(frozen=True, slots=True)
class Change:
    """A principal that two policies decide differently on a capability: in outcome, code, account or limit.

    `before` and `after` are what `decide` answers while usage is not consulted.
    """

    witness: Principal
    capability: str
    before: Decision
    after: Decision

    def __str__(self) -> str:
        facts = ", ".join(f"{name}={value}" for name, value in sorted(facts_of(self.witness.attributes)))
        whom = f"{self.witness.issuer} ({facts})" if facts else self.witness.issuer
        return one_line(f"{self.capability} for {whom}: {self.before} → {self.after}")


class Asked(NamedTuple):
    """A principal, the facts it stands for, and what the two policies decide on it."""

    facts: Facts
    more: Names
    witness: Principal
    before: Decision
    after: Decision


Gist = Callable[[Decision], object]
"""What of a decision is compared."""


def gist(decision: Decision) -> object:
    """Return the account and limit of an allowance, the code of a denial."""
    return (decision.account, decision.limit) if isinstance(decision, Allow) else decision.reason.code


def diff(before: Policy, after: Policy) -> tuple[Change, ...]:
    """Return who is decided differently on what: each with a witness, by capability, issuer and facts.

    If nothing is reported for an issuer and a capability, no principal of that issuer is decided differently on it.
    A capability that is declared or realized in one policy only differs for everybody: a stranger stands for those
    whom no grant selects.
    """
    comparison = compare(before, after)
    found = [
        Change(one.witness, place.capability, one.before, one.after)
        for place in comparison.changed
        for one in differences(comparison, place, gist)
    ]
    for capability in comparison.standings[0].keys() | comparison.standings[1].keys():
        one = ask(comparison, Place(comparison.stranger, capability), NO_FACTS)
        if gist(one.before) != gist(one.after):
            found.append(Change(one.witness, capability, one.before, one.after))
    found.sort(key=lambda one: (one.capability, one.witness.issuer))  # those of a place are in order
    return tuple(found)


def ask(comparison: Comparison, place: Place, facts: Facts, more: Names = NO_NAMES) -> Asked:
    """Return what the two policies decide on whoever has these facts."""
    witness = comparison.principal(place.issuer, facts, more)
    return Asked(
        facts,
        more,
        witness,
        decide(comparison.before, witness, place.capability, at_ms=0),
        decide(comparison.after, witness, place.capability, at_ms=0),
    )


def differences(comparison: Comparison, place: Place, of: Gist) -> list[Asked]:
    """Return those of a place, of all that are worth asking, on whom the two policies differ in `of`, in order.

    There is one iff there is any principal of that issuer on whom they differ. Selectors are asked alone, then a few
    pairs; only where nothing came up all pairs are asked, until one shows a difference.
    """
    alone = [
        ask(comparison, place, facts, more)
        for facts in comparison.concerned(place)
        for more in comparison.more(place.issuer, facts)
    ]
    found = {(one.facts, one.more): one for one in alone if of(one.before) != of(one.after)}
    labels = {one.facts: Label(_account(one.before), _account(one.after)) for one in reversed(alone)}
    arity_moved = place.issuer in comparison.moved
    if arity_moved or may_clash(labels, comparison.selectors[place]):
        members = _members(comparison, place, labels)
        for one in _together(comparison, place, partners(members, every=False)):
            if of(one.before) != of(one.after):
                found[one.facts, one.more] = one
        if not found:
            hidden = any(gist(one.before) != gist(one.after) for one in alone)
            for one in _exhaustively(comparison, place, members, arity_matters=hidden and arity_moved):
                if of(one.before) != of(one.after):
                    return [one]
    return sorted(found.values(), key=lambda one: (comparison.in_order(one.facts), sorted(one.more)))


def _account(decision: Decision) -> Account:
    """Return as which account a selector alone is decided, be it a disabled one."""
    if isinstance(decision, Allow):
        return decision.account
    if decision.reason.code is ReasonCode.ACCOUNT_DISABLED:
        return decision.reason.subject
    return CLASH if decision.reason.code is ReasonCode.AMBIGUOUS_GRANT else None


def _members(comparison: Comparison, place: Place, labels: Mapping[Facts, Label]) -> list[Member]:
    """Return all selectors of a place in an order of their own; those not asked have one account before and after."""
    single, selectors = comparison.single(place.issuer), comparison.selectors[place]
    return [
        member(number, facts, single, labels.get(facts) or Label(selectors[facts], selectors[facts]))
        for number, facts in enumerate(sorted(selectors, key=comparison.in_order))
    ]


def _together(comparison: Comparison, place: Place, pairs: Iterable[tuple[Facts, Facts]]) -> Iterator[Asked]:
    """Yield what is decided on whoever has the facts of both."""
    for one, other in pairs:
        for more in comparison.more(place.issuer, one, other):
            yield ask(comparison, place, one | other, more)


def _exhaustively(
    comparison: Comparison, place: Place, members: Sequence[Member], *, arity_matters: bool
) -> Iterator[Asked]:
    """Yield what is decided on everybody who could show what nobody else did.

    Where an arity moved and only codes of denials differ, an account may depend on which attributes have several
    values: then each set of these is asked, and each pair.
    """
    pairs = partners(members, every=True)
    if arity_matters:
        for one in members:
            for more in comparison.subsets(place.issuer, one.facts):
                yield ask(comparison, place, one.facts, more)
        pairs = ((one.facts, other.facts) for one, other in combinations(members, 2))
    yield from _together(comparison, place, pairs)
