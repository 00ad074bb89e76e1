"""How long an event takes in a namespace, and a start from what a store gives back, as the namespace grows.

Each event is about a registration of 50 tools, another one every time. Beside a refresh stands the same by copying: a
dictionary of all names, copied before 50 of them are replaced, which is what an immutable namespace without shared
parts would do. `python -m benchmarks --only refreshing` runs it.
"""

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from benchmarks.harness import Candidate, Plan, race
from benchmarks.report import Figure, Found, Question, exactly, figure, ratio
from mcpizer_core import (
    Accepted,
    Event,
    Namespace,
    Offer,
    Public,
    Refresh,
    Registration,
    Rename,
    SetAlias,
    apply,
    restore,
)

TOOLS: Final = 50
SIZES: Final = (1_000, 100_000, 1_000_000)
RESTORED: Final = (1_000, 100_000)
CASES: Final = 200


def registrations(tools: int) -> list[Registration]:
    """Return registrations of fifty tools each, so many tools in all."""
    offers = tuple(Offer(f"tool_{number:02}", "0") for number in range(TOOLS))
    return [
        Registration(f"k{place}", f"up-{place}", Public(), generation=place + 1, offers=offers)
        for place in range(tools // TOOLS)
    ]


def events(tools: int, kind: str) -> list[Event]:
    """Return events of one kind, each about a registration of its own choice."""
    dice, found = random.Random(kind), list[Event]()
    for number in range(CASES):
        key = f"k{dice.randrange(tools // TOOLS)}"
        offers = [Offer(f"tool_{place:02}", "0") for place in range(TOOLS)]
        if kind == "all":
            found.append(Refresh(key, tuple(replace(one, fingerprint="1") for one in offers)))
        elif kind == "one":
            found.append(Refresh(key, (*offers[:-1], Offer("new", "0"))))
        elif kind == "none":
            found.append(Refresh(key, tuple(offers), at_ms=number))
        elif kind == "rename":
            found.append(Rename(key, f"other-{number}"))
        else:
            found.append(SetAlias(key, "tool_07", "alias"))
    return found


def agree(namespace: Namespace, some: Sequence[Event]) -> None:
    """Raise an error unless every event that is timed is accepted."""
    if not all(isinstance(apply(namespace, one), Accepted) for one in some):
        raise ValueError("an event is rejected; there is nothing to be timed")


def growing(size: int, plan: Plan) -> list[Figure]:
    """Return the figures of a namespace of so many tools."""
    namespace = restore(registrations(size))
    names = {tool.exposed: tool for tool in namespace.catalog.tools}
    kinds = {
        "refresh, all 50 changed": "all",
        "refresh, one new": "one",
        "refresh, nothing changed": "none",
        "rename of 50 tools": "rename",
        "an alias": "alias",
    }
    made = {name: events(size, kind) for name, kind in kinds.items()}
    for some in made.values():
        agree(namespace, some)

    def applying(cases: Sequence[Event]) -> None:
        for event in cases:
            apply(namespace, event)

    def copying(cases: Sequence[Event]) -> None:
        for _ in cases:
            copy = dict(names)
            copy.update(dict.fromkeys(list(names)[:TOOLS]))  # type: ignore[arg-type]  # what is put there costs the same

    times = race(
        [
            *(Candidate(name, applying, partial(list, some)) for name, some in made.items()),
            Candidate("copying all names", copying, lambda: made["refresh, all 50 changed"][:5]),
        ],
        plan,
    )
    return [figure(name, taken.scaled(1e-3), "µs", size) for name, taken in times.items()] + [
        ratio("copying all names ÷ refresh", times["copying all names"], times["refresh, all 50 changed"], size)
    ]


def starting(size: int, plan: Plan) -> list[Figure]:
    """Return how long a start takes from what a store gives back."""
    kept = registrations(size)

    def restoring(cases: Sequence[None]) -> None:
        for _ in cases:
            restore(kept)

    taken = race([Candidate("restore", restoring, lambda: [None])], plan)["restore"]
    return [figure("restore", taken.scaled(1e-9), "s", size)]


def measure(plan: Plan) -> Found:
    """Take the figures."""
    sizes = plan.sizes(*SIZES[:2]) + ([SIZES[2]] if plan.million else [])
    figures = [one for size in sizes for one in growing(size, plan)]
    figures += [one for size in plan.sizes(*RESTORED) for one in starting(size, plan)]
    for name in ("refresh, all 50 changed", "refresh, one new"):
        smallest, *larger = [one for one in figures if one.name == name]
        figures += [exactly(f"{name} ÷ in 1 000 tools", one.value / smallest.value, "×", one.at) for one in larger]
    return Found(tuple(figures), NOTES)


NOTES: Final = (
    "The columns are numbers of tools, fifty to a registration, all public, under the default rule and scheme. Each "
    "case is about a registration chosen anew, so that what it touches is seldom in a cache of the processor.",
)

QUESTION: Final = Question("refreshing", "Keeping a namespace", measure)
