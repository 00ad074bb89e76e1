"""How long it takes to work out what a caller is shown, of 5 000 tools.

Beside `visible` stand the naive loop, which asks `admit` for every name, and copying a list that is ready, which is the
floor. A new caller is one whose capabilities the gate has not met; so each of them comes to a gate that has met nobody.
"""

import gc
import random
from collections.abc import Callable, Sequence
from typing import Final

from benchmarks.harness import Candidate, Plan, race
from benchmarks.report import Figure, Found, Question, figure, ratio, sized
from benchmarks.workload import AREAS, CAPABILITIES, compiled
from benchmarks.workload import declaration as drawn
from mcpizer_core import (
    Account,
    Admitted,
    Attribute,
    Catalog,
    Declaration,
    Gate,
    Grant,
    Issuer,
    Limit,
    Policy,
    Principal,
    Public,
    Selector,
    Tool,
    ToolMapping,
    admit,
    bind,
    catalog_of,
    visible,
)

TOOLS: Final = 5_000
GRANTS: Final = 10_000
SEEN: Final = TOOLS // 10
ISSUER: Final = "crew"
TEAMS: Final = tuple(f"team-{number}" for number in range(10))
ROLES: Final = tuple(f"role-{number}" for number in range(10))

Visit = tuple[Gate, Principal]


def world(tools: int, grants: int) -> tuple[Policy, Catalog]:
    """Return a policy and a catalog; each caller of the crew is given two areas of 20, that is a tenth of the tools.

    Its team gives it one area and its role another; some capabilities of it come under a limit as well.
    """
    others = drawn(grants)
    catalog = catalog_of(Tool("key", "up", f"tool-{number}", f"up__tool-{number}", Public()) for number in range(tools))
    crew = [
        *(_given({"team": team}, AREAS[number]) for number, team in enumerate(TEAMS)),
        *(_given({"role": role}, AREAS[10 + number]) for number, role in enumerate(ROLES)),
        *(
            _given({"team": team, "role": role}, AREAS[number], Limit(100, 60_000))
            for number, team in enumerate(TEAMS)
            for role in ROLES
        ),
    ]
    return compiled(
        Declaration(
            others.capabilities,
            tuple(
                ToolMapping("up", f"tool-{number}", CAPABILITIES[number % len(CAPABILITIES)]) for number in range(tools)
            ),
            (*others.accounts, *(Account(area) for area in AREAS)),
            (*others.issuers, Issuer(ISSUER, (Attribute("team"), Attribute("role")))),
            (*others.grants, *crew),
        )
    ), catalog


def _given(when: dict[str, str], area: str, limit: Limit | None = None) -> Grant:
    operations = [one for one in CAPABILITIES if one.startswith(f"{area}.")]
    return Grant(Selector(ISSUER, when), tuple(operations if limit is None else operations[:3]), area, limit)


def callers(subject: str) -> list[Principal]:
    """Return a caller for each team and role, in no order: no two of them are given the same capabilities."""
    found = [
        Principal(f"{ISSUER}:{subject}-{team}-{role}", ISSUER, {"team": team, "role": role})
        for team in TEAMS
        for role in ROLES
    ]
    random.Random(subject).shuffle(found)
    return found


def _showing(cases: Sequence[Visit]) -> None:
    for gate, caller in cases:
        visible(gate, caller)


def measure(plan: Plan) -> Found:
    """Take the figures."""
    policy, catalog = world(TOOLS, min(GRANTS, plan.most))
    names = [tool.exposed for tool in catalog.tools]

    def asking_each(cases: Sequence[Visit]) -> None:
        for gate, caller in cases:
            [name for name in names if isinstance(admit(gate, caller, name, at_ms=0), Admitted)]

    def met(*subjects: str) -> Callable[[], list[Visit]]:
        """Return visits of the last of these to a gate that all before have visited, and that has settled since."""

        def visits() -> list[Visit]:
            gate = bind(policy, catalog)
            for subject in subjects[:-1]:
                _showing([(gate, caller) for caller in callers(subject)])
            gc.collect()
            gc.freeze()
            return [(gate, caller) for caller in callers(subjects[-1])]

        return visits

    agree(policy, catalog, names)
    ready = list(visible(bind(policy, catalog), callers("ann")[0]).tools)

    def copying(cases: Sequence[Visit]) -> None:
        for _gate, _caller in cases:
            ready.copy()

    found = race(
        [
            Candidate("copying a ready list", copying, met("ann")),
            Candidate("a new caller", _showing, met("ann")),
            Candidate("another caller, capabilities seen before", _showing, met("ann", "ben")),
            Candidate("the same caller again", _showing, met("ann", "ann")),
            Candidate("asking for every name", asking_each, met("ann")),
        ],
        plan,
    )
    figures: list[Figure] = [figure(name, taken.scaled(1e-3), "µs") for name, taken in found.items()]
    figures.append(ratio("asking for every name ÷ a new caller", found["asking for every name"], found["a new caller"]))
    return Found(
        tuple(figures),
        (
            f"{sized(TOOLS)} tools over {len(CAPABILITIES)} capabilities, {SEEN} of them seen by each of 100 callers, "
            "who are given different capabilities; a policy of about 10 000 grants.",
        ),
    )


def agree(policy: Policy, catalog: Catalog, names: Sequence[str]) -> None:
    """Raise an error unless what is shown is a tenth, and what the naive loop finds."""
    gate = bind(policy, catalog)
    for caller in callers("ann")[:5]:
        shown = [one.tool.exposed for one in visible(gate, caller).tools]
        asked = [name for name in names if isinstance(admit(gate, caller, name, at_ms=0), Admitted)]
        if shown != asked or len(shown) != SEEN:
            raise ValueError(f"{caller.id} is shown {len(shown)} tools, and may call {len(asked)}")


QUESTION: Final = Question("showing", "Showing tools", measure)
