"""The policies and the questions about them that figures are taken with.

How grants and questions are drawn lives here and nowhere else. Issuers are of Zipf sizes, the largest of 50 holds about
a fifth of the grants. A grant asks for some of the attributes team, role and env, gives one to eight of the ten
capabilities of one area, and has a limit in three cases of ten. Accounts never compete: some issuers run each area as
one account, some each team, some each team in each env, and these always name what tells the account.

Half of the questions are allowed. The others are mostly near misses: a value that differs or is absent, a capability
next door, an issuer nobody knows. Equal sizes give equal workloads. This module does not know who answers.
"""

import random
from collections.abc import Iterator, Mapping, Set
from typing import Final, NamedTuple

from benchmarks.rivals import Buckets, Person
from mcpizer_conformance.model import plain
from mcpizer_core import (
    Account,
    Attribute,
    Capability,
    Declaration,
    Grant,
    Issuer,
    Limit,
    Policy,
    Principal,
    Selector,
    ToolMapping,
    compile_policy,
)

AREAS: Final = tuple(f"area{number:02}" for number in range(20))
CAPABILITIES: Final = tuple(f"{area}.op{number}" for area in AREAS for number in range(10))
ISSUERS: Final = tuple(f"issuer-{number:02}" for number in range(50))
VALUES: Final = {
    "team": tuple(f"team-{number:03}" for number in range(120)),
    "role": tuple(f"role-{number:02}" for number in range(16)),
    "env": ("dev", "test", "stage", "prod"),
}
LIMITS: Final = (Limit(20, 60_000), Limit(100, 60_000), Limit(500, 3_600_000), Limit(5_000, 86_400_000))
QUESTIONS: Final = 1_000

BY_AREA: Final = {
    ("team", "role"): 36,
    ("team", "role", "env"): 26,
    ("team",): 18,
    ("team", "env"): 12,
    ("role", "env"): 8,
}
BY_TEAM: Final = {("team", "role"): 40, ("team", "role", "env"): 30, ("team",): 16, ("team", "env"): 14}
BY_TEAM_AND_ENV: Final = {("team", "role", "env"): 60, ("team", "env"): 40}
SHAPES: Final = (BY_AREA, BY_TEAM, BY_TEAM_AND_ENV)
"""What grants ask for, with weights: of issuers that run each area, each team, each team in each env as one account."""

WIDE: Final = ((), ("env",), ("role",), ("role",))
"""What the first grants of an issuer of the first kind ask for: grants to so many are few in any policy."""


class Question(NamedTuple):
    """Who asks for what; the caller also as plain attributes, for rivals."""

    principal: Principal
    capability: str
    person: Person


def declaration(size: int) -> Declaration:
    """Return a declaration of so many grants, none of which compete."""
    grants = tuple(_grants(size))
    return Declaration(
        capabilities=tuple(Capability(one) for one in CAPABILITIES),
        tools=tuple(ToolMapping("up", one, one) for one in CAPABILITIES),
        accounts=tuple(Account(one) for one in dict.fromkeys(grant.using for grant in grants)),
        issuers=tuple(Issuer(one, tuple(Attribute(name) for name in VALUES)) for one in ISSUERS),
        grants=grants,
    )


def _grants(size: int) -> Iterator[Grant]:
    dice = random.Random(f"grants {size}")
    weights = [1 / rank for rank in range(1, len(ISSUERS) + 1)]
    held = dict.fromkeys(range(len(ISSUERS)), 0)
    for number in dice.choices(range(len(ISSUERS)), weights, k=size):
        shapes, by_area = SHAPES[number % 3], number % 3 == 0
        wide = by_area and held[number] < len(WIDE)
        names = WIDE[held[number]] if wide else dice.choices(list(shapes), list(shapes.values()))[0]
        held[number] += 1
        when = {name: dice.choice(VALUES[name]) for name in names}
        area = dice.choice(AREAS)
        operations = sorted(dice.sample(range(10), dice.choice((1, 1, 2, 2, 3, 4, 6, 8))))
        told = [area] if by_area else [when["team"]] if number % 3 == 1 else [when["team"], when["env"]]
        yield Grant(
            Selector(ISSUERS[number], when),
            tuple(f"{area}.op{one}" for one in operations),
            "-".join([ISSUERS[number], *told]),
            dice.choice(LIMITS) if dice.random() < 0.3 else None,
        )


def compiled(whole: Declaration) -> Policy:
    """Return the policy of a declaration that has no errors."""
    compilation = compile_policy(whole)
    if compilation.policy is None:
        raise ValueError(f"the workload does not compile: {compilation.diagnostics[0]}")
    return compilation.policy


def questions(policy: Policy, count: int = QUESTIONS) -> list[Question]:
    """Return questions about the policy in no order, half of them allowed."""
    grants = policy.declaration.grants
    dice, judge = random.Random(f"questions {len(grants)}"), Buckets(policy.declaration)
    asked: list[Question] = []
    while len(asked) < count:
        allowed = len(asked) % 2 == 0
        grant = dice.choice(grants)
        question = _fitting(dice, grant) if allowed else _missing(dice, grant)
        if judge.decide(question.person, question.capability).allowed is allowed:
            asked.append(question)
    dice.shuffle(asked)
    return asked


def question(dice: random.Random, issuer: str, attributes: Mapping[str, str | Set[str]], capability: str) -> Question:
    """Return a question of some caller with these attributes."""
    person = Person(issuer, {**attributes, "client": f"client-{dice.randrange(9)}"})
    return Question(principal(dice, person), capability, person)


def principal(dice: random.Random, person: Person) -> Principal:
    """Return somebody new with the attributes of this person."""
    return Principal(f"{person.issuer}:{dice.randrange(10**9)}", person.issuer, person.attributes)


def _fitting(dice: random.Random, grant: Grant) -> Question:
    attributes = {name: dice.choice(values) for name, values in VALUES.items()} | carried(grant)
    return question(dice, grant.to.issuer, attributes, dice.choice(grant.capabilities))


def carried(grant: Grant) -> dict[str, str]:
    """Return what the grant asks for, one value each."""
    return {name: value for name, value in grant.to.attributes.items() if isinstance(value, str)}


def _missing(dice: random.Random, grant: Grant) -> Question:
    fitting, how = _fitting(dice, grant), dice.random()
    issuer, attributes, capability = grant.to.issuer, dict(fitting.person.attributes), fitting.capability
    if how < 0.6 and grant.to.attributes:
        name = dice.choice(sorted(grant.to.attributes))
        attributes.pop(name)
        if how < 0.5:
            attributes[name] = dice.choice(VALUES[name])
    elif how < 0.9:
        capability = f"{capability.partition('.')[0]}.op{dice.randrange(10)}"
    else:
        issuer = dice.choice((*ISSUERS, "issuer-nobody-knows"))
    return question(dice, issuer, attributes, capability)


def plain_declaration(whole: Declaration) -> plain.Declaration:
    """Return the declaration as the naive model reads it."""
    return {
        "capabilities": [{"id": one.id, "path": one.path} for one in whole.capabilities],
        "tools": [
            {
                "upstream": one.upstream,
                "tool": one.tool,
                "capability": one.capability,
                "owner": one.owner,
                "path": one.path,
            }
            for one in whole.tools
        ],
        "accounts": [{"id": one.id, "disabled": one.disabled, "path": one.path} for one in whole.accounts],
        "issuers": [
            {
                "id": one.id,
                "attributes": [{"name": each.name, "arity": each.arity.value} for each in one.attributes],
                "path": one.path,
            }
            for one in whole.issuers
        ],
        "grants": [
            {
                "issuer": one.to.issuer,
                "attributes": _listed(one.to.attributes),
                "capabilities": list(one.capabilities),
                "using": one.using,
                "limit": None if one.limit is None else {"calls": one.limit.calls, "window_ms": one.limit.window_ms},
                "path": one.path,
            }
            for one in whole.grants
        ],
    }


def plain_principal(one: Principal) -> plain.Principal:
    """Return the principal as the naive model reads it."""
    return {
        "id": one.id,
        "issuer": one.issuer,
        "attributes": _listed(one.attributes),
        "teams": sorted(one.teams),
    }


def _listed(attributes: Mapping[str, str | Set[str]]) -> dict[str, list[str]]:
    return {name: [value] if isinstance(value, str) else sorted(value) for name, value in attributes.items()}
