"""The one workload of all policy engines: additive grants, queries about them, and what the naive model answers.

How grants and queries are drawn lives here and nowhere else. A grant names an issuer, some of the attributes team,
role and env, capabilities of one area, an account and perhaps a limit. An issuer runs each area under one account, so
no grant is ambiguous. Half of the queries are allowed; the others are mostly near misses. Equal sizes and seeds give
equal workloads.

This module does not know any engine.
"""

import random
from collections.abc import Sequence
from typing import Final, NamedTuple, TypedDict

from mcpizer_conformance.model import plain
from mcpizer_conformance.model.deciding import decide

ISSUERS: Final = tuple(f"issuer-{number:02}" for number in range(40))
AREAS: Final = tuple(f"area{number:02}" for number in range(20))
CAPABILITIES: Final = tuple(f"{area}.op{number}" for area in AREAS for number in range(10))
VALUES: Final = {
    "team": tuple(f"team-{number:03}" for number in range(100)),
    "role": tuple(f"role-{number:02}" for number in range(12)),
    "env": ("dev", "test", "stage", "prod"),
}
LIMITS: Final = ([10, 60], [60, 60], [100, 600], [1_000, 3_600], [20_000, 86_400])

SHAPES: Final = {("team", "role"): 40, ("team", "role", "env"): 30, ("team",): 16, ("role", "env"): 14}
"""The attributes a grant asks for, and how often of a hundred grants it asks for just these."""

WIDE: Final = (("env",), (), ("env",))
"""What the first grants of each issuer ask for; grants to so many principals are few in any policy."""

SEED: Final = 20261201


class Grant(TypedDict):
    """One grant; `when` is what a principal's attributes must equal, `limit` so many calls in so many seconds."""

    issuer: str
    when: dict[str, str]
    capabilities: list[str]
    account: str
    limit: list[int] | None


class Caller(TypedDict):
    """Who asks."""

    issuer: str
    sub: str
    attrs: dict[str, str]


class Query(TypedDict):
    """May this caller use this capability?"""

    caller: Caller
    capability: str


class Answer(NamedTuple):
    """Whether a query is allowed, as which account, under which limit (calls, seconds)."""

    allowed: bool
    account: str | None
    limit: list[int] | None


DENIED: Final = Answer(False, None, None)


def grants(count: int, seed: int = SEED) -> list[Grant]:
    """Return `count` grants; few issuers hold many of them, many hold few."""
    dice = random.Random(f"grants {count} {seed}")
    held = dict.fromkeys(ISSUERS, 0)
    drawn: list[Grant] = []
    for _ in range(count):
        issuer = ISSUERS[int(len(ISSUERS) * dice.random() ** 1.5)]
        shape = WIDE[held[issuer]] if held[issuer] < len(WIDE) else dice.choices([*SHAPES], [*SHAPES.values()])[0]
        held[issuer] += 1
        area = dice.choice(AREAS)
        operations = sorted(dice.sample(range(10), dice.choice((1, 1, 2, 3, 4, 7))))
        drawn.append(
            {
                "issuer": issuer,
                "when": {name: dice.choice(VALUES[name]) for name in shape},
                "capabilities": [f"{area}.op{number}" for number in operations],
                "account": f"{issuer}-{area}",
                "limit": list(dice.choice(LIMITS)) if dice.random() < 0.3 else None,
            }
        )
    return drawn


class Judge:
    """The naive model, asked about the grants of a workload."""

    def __init__(self, held: Sequence[Grant]) -> None:
        attributes: list[plain.Attribute] = [{"name": name, "arity": "one"} for name in VALUES]
        self._declaration: plain.Declaration = {
            "capabilities": [{"id": one, "path": ""} for one in CAPABILITIES],
            "tools": [
                {"upstream": "up", "tool": one, "capability": one, "owner": "", "path": ""} for one in CAPABILITIES
            ],
            "accounts": [
                {"id": one, "disabled": False, "path": ""} for one in sorted({one["account"] for one in held})
            ],
            "issuers": [{"id": one, "attributes": attributes, "path": ""} for one in ISSUERS],
            "grants": [
                {
                    "issuer": one["issuer"],
                    "attributes": {name: [value] for name, value in one["when"].items()},
                    "capabilities": one["capabilities"],
                    "using": one["account"],
                    "limit": one["limit"] and {"calls": one["limit"][0], "window_ms": one["limit"][1] * 1_000},
                    "path": "",
                }
                for one in held
            ],
        }

    def answer(self, query: Query) -> Answer:
        """Return the right answer."""
        caller = query["caller"]
        principal: plain.Principal = {
            "id": f"{caller['issuer']}:{caller['sub']}",
            "issuer": caller["issuer"],
            "attributes": {name: [value] for name, value in caller["attrs"].items()},
            "teams": [],
        }
        usage: plain.Usage = {"kind": "not_consulted", "calls": 0, "window_start_ms": 0}
        decided = decide(self._declaration, principal, query["capability"], 0, usage)
        limit = decided["limit"]
        return Answer(decided["allowed"], decided["account"], limit and [limit["calls"], limit["window_ms"] // 1_000])


def queries(held: Sequence[Grant], count: int, judge: Judge, seed: int = SEED) -> list[tuple[Query, Answer]]:
    """Return `count` queries about the grants with their right answers, every other one allowed."""
    dice = random.Random(f"queries {len(held)} {seed}")
    asked: list[tuple[Query, Answer]] = []
    while len(asked) < count:
        wanted = len(asked) % 2 == 0
        grant = dice.choice(held)
        query = _fitting(dice, grant) if wanted else _missing(dice, grant)
        answer = judge.answer(query)
        if answer.allowed is wanted:
            asked.append((query, answer))
    return asked


def _fitting(dice: random.Random, grant: Grant) -> Query:
    """Return a query that the grant allows, by a caller who has more attributes than it asks for."""
    attrs = {name: dice.choice(values) for name, values in VALUES.items()} | grant["when"]
    sub = f"s{dice.randrange(1_000_000):06}"
    caller: Caller = {"issuer": grant["issuer"], "sub": sub, "attrs": {**attrs, "client": f"c{dice.randrange(9)}"}}
    return {"caller": caller, "capability": dice.choice(grant["capabilities"])}


def _missing(dice: random.Random, grant: Grant) -> Query:
    """Return a query that the grant does not allow: another value, no value, another capability or issuer."""
    query = _fitting(dice, grant)
    how = dice.random()
    if how < 0.6 and grant["when"]:
        name = dice.choice(sorted(grant["when"]))
        del query["caller"]["attrs"][name]
        if how < 0.5:
            query["caller"]["attrs"][name] = dice.choice([one for one in VALUES[name] if one != grant["when"][name]])
    elif how < 0.9:
        query["capability"] = dice.choice(CAPABILITIES)
    else:
        query["caller"]["issuer"] = dice.choice((*ISSUERS, "issuer-nobody-knows"))
    return query
