"""How long it takes to say what becomes of a call, past usage included.

Beside `admit` stand `decide` alone, given the capability, and what a gateway without a core would do: a dictionary from
names to tools and the dictionary buckets, without scopes and without usage.
"""

import random
from collections.abc import Sequence
from typing import Final, NamedTuple

from benchmarks.harness import Candidate, Plan, race, singly
from benchmarks.report import Found, Question, figure, sized
from benchmarks.rivals import Buckets, Person
from benchmarks.showing import GRANTS, SMALL, TOOLS, callers, world
from mcpizer_core import Admitted, Counted, NotConsulted, Principal, Usage, UsageUnknown, admit, bind, decide

NOW_MS: Final = 1_764_547_200_000
USAGES: Final[tuple[Usage, ...]] = (
    Counted(7, NOW_MS - 1_000),
    Counted(100, NOW_MS - 1_000),
    Counted(100, NOW_MS - 100_000),
    UsageUnknown(),
    NotConsulted(),
)
CALLS: Final = 1_000


class Call(NamedTuple):
    """Who calls what, and what a counter says."""

    principal: Principal
    person: Person
    name: str
    usage: Usage
    capability: str


def measure(plan: Plan) -> Found:
    """Take the figures."""
    tools = TOOLS if plan.most > SMALL else SMALL
    policy, catalog = world(tools, min(GRANTS, plan.most))
    gate, buckets = bind(policy, catalog), Buckets(policy.declaration)
    mapped = {f"{one.upstream}__{one.tool}": one.capability for one in policy.declaration.tools}
    calls = _calls(mapped)

    for one in calls:
        ours = admit(gate, one.principal, one.name, at_ms=NOW_MS)
        known = one.name in mapped
        if isinstance(ours, Admitted) is not (known and buckets.decide(one.person, one.capability).allowed):
            raise ValueError(f"{one} is answered by {ours}, and otherwise by hand; there is nothing to be timed")

    def admitting(cases: Sequence[Call]) -> None:
        for principal, _, name, usage, _ in cases:
            admit(gate, principal, name, at_ms=NOW_MS, usage=usage)

    def deciding(cases: Sequence[Call]) -> None:
        for principal, _, _, usage, capability in cases:
            decide(policy, principal, capability, at_ms=NOW_MS, usage=usage)

    def by_hand(cases: Sequence[Call]) -> None:
        for _, person, name, _, _ in cases:
            capability = mapped.get(name)
            if capability is not None:
                buckets.decide(person, capability)

    candidates = [
        Candidate("a dictionary and dictionary buckets", by_hand, lambda: calls),
        Candidate("decide, with usage", deciding, lambda: calls),
        Candidate("admit, with usage", admitting, lambda: calls),
    ]
    found = race(candidates, plan) | singly(candidates[-1:], plan)
    return Found(
        tuple(figure(name, taken.scaled(1e-3), "µs") for name, taken in found.items()),
        (
            f"{sized(CALLS)} calls of {sized(tools)} tools by 100 callers: half of tools they are given, one in ten "
            "of a name that nobody holds; usage in turn below and at the limit, in a window that has passed, unknown, "
            "not consulted.",
        ),
    )


def _calls(mapped: dict[str, str]) -> list[Call]:
    dice, names = random.Random("calls"), sorted(mapped)
    by_area: dict[str, list[str]] = {}
    for name, capability in mapped.items():
        by_area.setdefault(capability.partition(".")[0], []).append(name)
    found = []
    for number in range(CALLS):
        principal = dice.choice(callers("ann"))
        team = str(principal.attributes["team"]).partition("-")[2]
        name = dice.choice(by_area[f"area{int(team):02}"] if number % 2 else names)
        name = f"{name}x" if number % 10 == 0 else name
        person = Person(principal.issuer, principal.attributes)
        found.append(Call(principal, person, name, USAGES[number % len(USAGES)], mapped.get(name, "nothing")))
    dice.shuffle(found)
    return found


QUESTION: Final = Question("admitting", "Admitting a call", measure)
