"""Policies of one issuer and one capability that are hard to index: very many sets of attributes, very many values.

How they are drawn lives here and nowhere else; half of the callers have all that some grant asks for, the others all
but one thing. This module does not know who answers.
"""

import random
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

from benchmarks.workload import Question, question
from mcpizer_core import Account, Arity, Attribute, Capability, Declaration, Grant, Issuer, Selector, ToolMapping

CAPABILITY: Final = "report.read"
ISSUER: Final = "staff"
CALLERS: Final = 400


def _declaration(attributes: list[Attribute], asked: Sequence[Mapping[str, str | frozenset[str]]]) -> Declaration:
    return Declaration(
        (Capability(CAPABILITY),),
        (ToolMapping("up", "read", CAPABILITY),),
        (Account("bot"),),
        (Issuer(ISSUER, tuple(attributes)),),
        tuple(Grant(Selector(ISSUER, when), (CAPABILITY,), "bot") for when in asked),
    )


def sets_of_attributes(sets: int) -> tuple[Declaration, list[Question]]:
    """Return a policy with two grants for each of so many sets of one to five of twelve attributes, and questions."""
    dice = random.Random("sets")
    names = [f"attribute-{number:02}" for number in range(12)]
    possible = [chosen for size in range(1, 6) for chosen in combinations(names, size)]
    asked = [{name: f"value-{dice.randrange(20)}" for name in chosen} for chosen in dice.sample(possible, sets) * 2]
    questions = []
    for number in range(CALLERS):
        person = {name: f"value-{dice.randrange(20)}" for name in names} | dice.choice(asked)
        if number % 2:
            person[dice.choice(names)] = "another"
        questions.append(question(dice, ISSUER, person, CAPABILITY))
    return _declaration([Attribute(name) for name in names], asked), questions


def many_values(grants: int, values: int, known: int) -> tuple[Declaration, list[Question]]:
    """Return a policy on `groups` of arity MANY, and questions of callers in so many of the known groups.

    Grants ask in turn for a group and a team, for two groups, and for three.
    """
    dice = random.Random("groups")
    groups = [f"group-{number:05}" for number in range(known)]
    teams = [f"team-{number:03}" for number in range(120)]
    asked: list[dict[str, str | frozenset[str]]] = []
    for number in range(grants):
        several = frozenset(dice.sample(groups, (1, 2, 3)[number % 3]))
        asked.append({"groups": several, "team": dice.choice(teams)} if number % 3 == 0 else {"groups": several})
    questions = []
    for number in range(CALLERS):
        when = dice.choice(asked)
        wanted = sorted(when["groups"])[number % 2 :]
        team = str(when.get("team", dice.choice(teams)))
        carried = frozenset([*wanted, *dice.sample(groups, values - len(wanted))])
        questions.append(question(dice, ISSUER, {"team": team, "groups": carried}, CAPABILITY))
    return _declaration([Attribute("team"), Attribute("groups", Arity.MANY)], asked), questions
