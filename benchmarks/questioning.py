"""How long it takes to question a policy: who can do something, why somebody may not, and what a change changes.

A change is one grant of a hundred: another limit, a grant that goes, one that gives less, one that selects others.
Beside `diff` stands asking both policies about every selector, beside the other two the same by a plain loop over all
grants; the answers are compared before anything is timed. `python -m benchmarks --only questioning` runs it.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from benchmarks.harness import Candidate, Plan, exponent, race
from benchmarks.report import Figure, Found, Question, exactly, figure, ratio
from benchmarks.workload import CAPABILITIES, VALUES, compiled, declaration, questions
from benchmarks.workload import Question as Asked
from mcpizer_core import (
    Allow,
    Declaration,
    Grant,
    Limit,
    OnAmbiguity,
    Policy,
    Principal,
    Selector,
    compile_policy,
    decide,
    diff,
    explain,
    who_can,
)

SIZES: Final = (1_000, 10_000, 100_000)
NEAREST: Final = 10
LIMIT: Final = Limit(7, 60_000)


def edited(whole: Declaration) -> Policy:
    """Return the policy with one grant of a hundred edited; what would be ambiguous then denies."""
    dice, grants = random.Random("edits"), list[Grant]()
    chosen = set(dice.sample(range(len(whole.grants)), max(1, len(whole.grants) // 100)))
    for place, grant in enumerate(whole.grants):
        grants += _edited(dice, grant) if place in chosen else [grant]
    policy = compile_policy(replace(whole, grants=tuple(grants)), on_ambiguity=OnAmbiguity.DENY).policy
    if policy is None:
        raise ValueError("the edited workload does not compile")
    return policy


def _edited(dice: random.Random, grant: Grant) -> list[Grant]:
    how = dice.random()
    if how < 0.5:
        return [replace(grant, limit=LIMIT)]
    if how < 0.7:
        return []
    if how < 0.85 or "role" not in grant.to.attributes:
        return [replace(grant, capabilities=grant.capabilities[:1])]
    when = {**grant.to.attributes, "role": dice.choice(VALUES["role"])}
    return [replace(grant, to=Selector(grant.to.issuer, when))]


def asking_everybody(before: Policy, after: Policy) -> set[str]:
    """Return the capabilities on which some selector of either policy is decided differently."""
    found = set()
    for grant in (*before.declaration.grants, *after.declaration.grants):
        who = Principal(f"{grant.to.issuer}:any", grant.to.issuer, grant.to.attributes)
        for capability in grant.capabilities:
            one, other = (decide(policy, who, capability, at_ms=0) for policy in (before, after))
            if _gist(one) != _gist(other):
                found.add(capability)
    return found


def _gist(decision: Any) -> object:
    return (decision.account, decision.limit) if isinstance(decision, Allow) else decision.reason.code


def loop_who_can(grants: Iterable[Grant], capability: str) -> list[Grant]:
    """Return the grants of a capability."""
    return [grant for grant in grants if capability in grant.capabilities]


def loop_explain(grants: Iterable[Grant], asked: Asked) -> list[int]:
    """Return how many facts the nearest grants miss, fewest first."""
    person = set(asked.person.attributes.items())
    return sorted(
        sum(fact not in person for fact in grant.to.attributes.items())
        for grant in grants
        if grant.to.issuer == asked.person.issuer and asked.capability in grant.capabilities
    )[:NEAREST]


def agree(before: Policy, after: Policy, asked: Sequence[Asked]) -> None:
    """Raise an error unless everything that is timed answers alike."""
    grants = before.declaration.grants
    if {change.capability for change in diff(before, after)} != asking_everybody(before, after):
        raise ValueError("diff and asking about every selector differ; there is nothing to be timed")
    for one in asked[:20]:
        rows = explain(before, one.principal, one.capability, at_ms=0).grants
        reach = who_can(before, one.capability).entries
        if [len(row.missing) for row in rows] != loop_explain(grants, one):
            raise ValueError(f"explain and the loop differ on {one}; there is nothing to be timed")
        if [entry.path for entry in reach] != [grant.path for grant in loop_who_can(grants, one.capability)]:
            raise ValueError(f"who_can and the loop differ on {one.capability}; there is nothing to be timed")


def growing(size: int, plan: Plan) -> list[Figure]:
    """Return the figures of a policy of so many grants."""
    whole = declaration(size)
    before, after = compiled(whole), edited(whole)
    grants = before.declaration.grants
    denied = [one for one in questions(before) if not isinstance(decide(before, *one[:2], at_ms=0), Allow)]
    agree(before, after, denied)

    def comparing(cases: Sequence[None]) -> None:
        for _ in cases:
            diff(before, after)

    def comparing_with_itself(cases: Sequence[None]) -> None:
        for _ in cases:
            diff(before, before)

    def everybody(cases: Sequence[None]) -> None:
        for _ in cases:
            asking_everybody(before, after)

    def reaching(cases: Sequence[str]) -> None:
        for capability in cases:
            who_can(before, capability)

    def loop_reaching(cases: Sequence[str]) -> None:
        for capability in cases:
            loop_who_can(grants, capability)

    def explaining(cases: Sequence[Asked]) -> None:
        for principal, capability, _ in cases:
            explain(before, principal, capability, at_ms=0, nearest=NEAREST)

    def loop_explaining(cases: Sequence[Asked]) -> None:
        for one in cases:
            loop_explain(grants, one)

    slow = race(
        [
            Candidate("diff, 1 % changed", comparing, lambda: [None]),
            Candidate("diff, nothing changed", comparing_with_itself, lambda: [None]),
            Candidate("asking about every selector", everybody, lambda: [None]),
        ],
        plan,
    )
    fast = race(
        [
            Candidate("who_can", reaching, lambda: CAPABILITIES),
            Candidate("who_can by a plain loop", loop_reaching, lambda: CAPABILITIES),
            Candidate("explain a denial, ten nearest", explaining, lambda: denied),
            Candidate("explain by a plain loop", loop_explaining, lambda: denied),
        ],
        plan,
    )
    return [
        *(figure(name, taken.scaled(1e-9), "s", size) for name, taken in slow.items()),
        *(figure(name, taken.scaled(1e-6), "ms", size) for name, taken in fast.items()),
        ratio(
            "asking about every selector ÷ diff", slow["asking about every selector"], slow["diff, 1 % changed"], size
        ),
    ]


def measure(plan: Plan) -> Found:
    """Take the figures."""
    figures = [one for size in plan.sizes(*SIZES) for one in growing(size, plan)]
    grown = {int(one.at.replace(" ", "")): one.value for one in figures if one.name == "diff, 1 % changed"}
    if len(grown) > 1:
        figures.append(exactly("diff, growth exponent", exponent(grown), ""))
    return Found(tuple(figures), NOTES)


NOTES: Final = (
    "The grants of *Deciding*. Of 100 000 about 1 700 give any one capability. One grant of a hundred is edited: half "
    "of these get another limit, the others go, give less or select others. The columns are numbers of grants.",
    "Asking about every selector asks more than `diff` and may miss what shows in no single selector.",
)

QUESTION: Final = Question("questioning", "Questioning a policy", measure)
