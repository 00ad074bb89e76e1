"""How long it takes to work out what a caller is shown, of 5 000 tools.

Beside `visible` stand the naive loop, which asks `admit` for every name, and copying a list that is ready, which is the
floor. A new caller is one whose capabilities the gate has not met; so each of them comes to a gate that has met nobody.
"""

import gc
import random
from collections.abc import Sequence
from typing import Final, NamedTuple

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
SMALL: Final = 1_000
"""So many tools there are where it is only to be seen that everything runs."""
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


class World(NamedTuple):
    """What is shown, and how a gate comes to be visited."""

    policy: Policy
    catalog: Catalog

    def visits(self, *subjects: str) -> list[Visit]:
        """Return visits of the last of these to a gate that all before have visited, and that has settled since."""
        gate = bind(self.policy, self.catalog)
        for subject in subjects[:-1]:
            _showing([(gate, caller) for caller in callers(subject)])
        gc.collect()
        gc.freeze()
        return [(gate, caller) for caller in callers(subjects[-1])]

    def agree(self) -> None:
        """Raise an error unless what is shown is a tenth, and what the naive loop finds."""
        for gate, caller in self.visits("ann", "ben")[:5]:
            shown = [one.tool.exposed for one in visible(gate, caller).tools]
            if shown != callable_names(gate, caller) or len(shown) * 10 != len(self.catalog.tools):
                raise ValueError(f"{caller.id} is shown {len(shown)} tools, and these are not what it may call")


def callable_names(gate: Gate, caller: Principal) -> list[str]:
    """Return the names that `admit` admits, asking for each of them."""
    names = [tool.exposed for tool in gate.catalog.tools]
    return [name for name in names if isinstance(admit(gate, caller, name, at_ms=0), Admitted)]


def measure(plan: Plan) -> Found:
    """Take the figures."""
    tools = TOOLS if plan.most > SMALL else SMALL
    shown = World(*world(tools, min(GRANTS, plan.most)))
    shown.agree()
    settled, again = shown.visits("ann"), shown.visits("ann", "ann")
    ready = list(visible(*shown.visits("ann")[0]).tools)

    def copying(cases: Sequence[Visit]) -> None:
        for _gate, _caller in cases:
            ready.copy()

    def asking_each(cases: Sequence[Visit]) -> None:
        for gate, caller in cases:
            callable_names(gate, caller)

    found = race(
        [
            Candidate("copying a ready list", copying, lambda: settled),
            Candidate("a new caller", _showing, lambda: shown.visits("ann")),
            Candidate("another caller, capabilities seen before", _showing, lambda: shown.visits("ann", "ben")),
            Candidate("the same caller again", _showing, lambda: again),
            Candidate("asking for every name", asking_each, lambda: settled),
        ],
        plan,
    )
    figures: list[Figure] = [figure(name, taken.scaled(1e-3), "µs") for name, taken in found.items()]
    figures.append(ratio("asking for every name ÷ a new caller", found["asking for every name"], found["a new caller"]))
    return Found(
        tuple(figures),
        (
            f"{sized(tools)} tools over {len(CAPABILITIES)} capabilities, a tenth of them seen by each of 100 callers, "
            "who are given different capabilities; a policy of about 10 000 grants. The same caller comes as an equal "
            "principal, not as the same object.",
        ),
    )


QUESTION: Final = Question("showing", "Showing tools", measure)
