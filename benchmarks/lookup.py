"""How long it takes to find out which tool a name means, among few tools and among very many.

Beside `lookup` stands a bare dictionary, which knows nothing of scopes, of names that two tools hold, or of an answer
other than a tool: the floor.
"""

import random
from collections.abc import Sequence
from typing import Final

from benchmarks.harness import Candidate, Plan, race
from benchmarks.report import Figure, Question, figure
from benchmarks.report import Found as Answer
from mcpizer_core import Catalog, Found, Principal, Public, Scope, Team, Tool, catalog_of, lookup

SIZES: Final = (10, 100, 1_000, 10_000, 100_000)
CALLER: Final = Principal("staff:ada", "staff", teams={"team-1"})


def tools(size: int, teams: int = 0) -> list[Tool]:
    """Return so many tools of ten to an upstream, public, or each name held once in every of so many teams."""
    scopes: list[Scope] = [Team(f"team-{number}") for number in range(teams)] if teams else [Public()]
    return [
        Tool(
            f"key-{number // 10}-{place}",
            f"up-{number // 10}",
            f"tool_{number}",
            f"up-{number // 10}__tool_{number}",
            scope,
        )
        for number in range(size)
        for place, scope in enumerate(scopes)
    ]


def names(catalog: Catalog) -> list[str]:
    """Return 1 000 names in no order, one in ten of them unknown."""
    dice = random.Random("names asked for")
    known = dice.choices(catalog.tools, k=900)
    asked = [one.exposed for one in known] + [f"{one.exposed}x" for one in known[:100]]
    dice.shuffle(asked)
    return asked


def _candidates(catalog: Catalog) -> list[Candidate[str]]:
    plain = {tool.exposed: tool for tool in catalog.tools}
    asked = names(catalog)
    for name in asked:
        found, held = lookup(catalog, name, CALLER), plain.get(name)
        if (found.tool.exposed if isinstance(found, Found) else None) != (held and held.exposed):
            raise ValueError(f"{name} means {found} and {held}; there is nothing to be timed")

    def bare(cases: Sequence[str]) -> None:
        for name in cases:
            plain.get(name)

    def ours(cases: Sequence[str]) -> None:
        for name in cases:
            lookup(catalog, name, CALLER)

    return [Candidate("a bare dictionary", bare, lambda: asked), Candidate("lookup", ours, lambda: asked)]


def measure(plan: Plan) -> Answer:
    """Take the figures."""
    figures: list[Figure] = []
    for size in plan.sizes(*SIZES):
        found = race(_candidates(catalog_of(tools(size))), plan)
        figures += [figure(name, taken.scaled(1e-3), "µs", size) for name, taken in found.items()]
        held_twice = race(_candidates(catalog_of(tools(size, teams=2)))[1:], plan)["lookup"]
        figures.append(figure("lookup, each name held in two teams", held_twice.scaled(1e-3), "µs", size))
    return Answer(
        tuple(sorted(figures, key=lambda one: one.name != "a bare dictionary")),
        ("1 000 names, one in ten unknown. The columns are numbers of tools (of names, where two teams hold each).",),
    )


QUESTION: Final = Question("lookup", "What a name means", measure)
