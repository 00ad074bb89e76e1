"""What a gateway is tried on: a small world of upstreams, accounts and callers, and the calls that are made there.

Every world has tools of each predicament: fine, under a limit, without a credential, of a disabled account, of an
upstream that fails, out of scope, mapped to nothing; and calls in which several things are wrong at once.

This module does not know what is right.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, final

from hypothesis import assume
from hypothesis import strategies as st

from mcpizer_core import (
    Account,
    Attribute,
    Capability,
    Declaration,
    Grant,
    Issuer,
    Limit,
    Principal,
    Public,
    Selector,
    Team,
    Tool,
    ToolMapping,
    qualify,
)
from mcpizer_core import parse_upstream_id as parsed

WINDOW_MS: Final = 86_400_000
"""No limit is free again while a gateway is tried."""

NOBODY: Final = ""
"""Who calls without any header."""
IMPOSTOR: Final = "impostor"
"""Who calls with headers that look like those of a caller, and are nobody's."""


@final
@dataclass(frozen=True, slots=True)
class Asked:
    """One call: the principal id of the caller, NOBODY or IMPOSTOR, and the exposed name."""

    caller: str
    name: str


@final
@dataclass(frozen=True, slots=True)
class Scenario:
    """A world and the calls made there, one after the other.

    `tools` are all that upstreams list. The upstreams in `failing` fail every call; what else there is answers.
    The credentials of the accounts in `lost` cannot be had.
    """

    calls: tuple[Asked, ...]
    failing: tuple[str, ...]
    lost: tuple[str, ...]
    tools: tuple[Tool, ...]
    callers: tuple[Principal, ...]
    declaration: Declaration


@final
@dataclass(frozen=True, slots=True)
class Burst:
    """So many calls of one limited tool at once, by a caller to whom it is granted."""

    call: Asked
    times: int
    world: Scenario


PLAIN: Final = ("fine", "other", "rare", "lone", "shut", "spent", "loose", "secret-plans")
"""The tools of the upstream that answers, as far as they need no name that is drawn."""
BROKEN: Final = ("breaks", "breaks-spent", "breaks-lone")
"""Those of the upstream that fails; of the last two something else is wrong before that."""
ODD_NAMES: Final = ("find", "a__b", "_x", "x_", "find.all", "Find-It")
UPSTREAMS: Final = ("crm", "docs", "a", "0-9")

CAPABILITIES: Final = {
    "fine": "use.fine",
    "other": "use.other",
    "rare": "use.rare",
    "lone": "use.lone",
    "shut": "use.shut",
    "spent": "use.spent",
    "secret-plans": "use.fine",
    "breaks": "use.fine",
    "breaks-spent": "use.spent",
    "breaks-lone": "use.lone",
}
"""What each tool is mapped to; `loose` is mapped to nothing."""
MISSING: Final = ("nothing", "gone")


@st.composite
def worlds(draw: st.DrawFn) -> Scenario:
    """Generate a world in which nobody calls yet."""
    fine, failing = draw(st.lists(st.sampled_from(UPSTREAMS), min_size=2, max_size=2, unique=True))
    odd = draw(st.sampled_from(ODD_NAMES))
    names = [(fine, one) for one in (*PLAIN, odd)] + [(failing, one) for one in BROKEN]
    team = draw(st.sampled_from(("ops", "web")))
    rare, lone = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    issuers = tuple(
        Issuer(one, (Attribute("role"),), f"/issuers/{place}") for place, one in enumerate(("ann", "ben", "cas"))
    )
    callers = tuple(
        Principal(f"{one}:{one}", one, {"role": role}, teams)
        for one, role, teams in (("ann", "writer", {team}), ("ben", "reader", set[str]()), ("cas", "writer", {team}))
    )
    limits = {"use.rare": Limit(rare, WINDOW_MS), "use.lone": Limit(lone, WINDOW_MS), "use.spent": Limit(0, WINDOW_MS)}
    accounts = {"use.other": "writer", "use.lone": "lost", "use.shut": "closed", "use.spent": "lost"}
    held = [
        (issuer, capability)
        for issuer in ("ann", "ben")
        for capability in dict.fromkeys(CAPABILITIES.values())
        if issuer == "ann" or draw(st.booleans())
    ]
    grants = tuple(
        Grant(
            Selector(issuer, {"role": "writer"} if capability == "use.other" else {}),
            (capability,),
            accounts.get(capability, "reader"),
            limits.get(capability),
            f"/grants/{place}",
        )
        for place, (issuer, capability) in enumerate(held)
    )
    mapped = [(upstream, tool) for upstream, tool in names if tool != "loose"]
    declaration = Declaration(
        tuple(Capability(one, f"/capabilities/{n}") for n, one in enumerate(dict.fromkeys(CAPABILITIES.values()))),
        tuple(
            ToolMapping(upstream, tool, CAPABILITIES.get(tool, "use.fine"), f"/tools/{place}")
            for place, (upstream, tool) in enumerate(mapped)
        ),
        tuple(
            Account(one, one == "closed", f"/accounts/{place}")
            for place, one in enumerate(("reader", "writer", "lost", "closed"))
        ),
        issuers,
        grants,
    )
    tools = tuple(_tool(*one, team) for one in names)
    return Scenario((), (failing,), ("lost",), tools, callers, declaration)


def _tool(upstream: str, name: str, team: str) -> Tool:
    id = parsed(upstream)
    assert id is not None
    scope = Team(team) if name == "secret-plans" else Public()
    return Tool(upstream, upstream, name, qualify(id, name), scope)


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Generate a world and calls of all kinds; a call that is left out changes nothing but what was counted."""
    world = draw(worlds())
    calls = [one for one in draw(st.permutations(_every_call(world))) if draw(st.integers(0, 15)) > 0]
    assume(calls)
    return replace(world, calls=tuple(calls))


def _every_call(world: Scenario) -> list[Asked]:
    """Who may call what, each once, what is limited more often, and some calls by nobody."""
    known = [one.exposed for one in world.tools]
    missing = [qualify(one.upstream, name) for one in world.tools[:: len(PLAIN) + 1] for name in MISSING]  # type: ignore[arg-type]
    limited = [one.exposed for one in world.tools if one.name in ("rare", "lone")]
    by_ann = [Asked("ann:ann", one) for one in (*known, *missing, *limited * 2)]
    by_ben = [Asked("ben:ben", one) for one in (*known, missing[0], *limited)]
    others = {one.name: one.exposed for one in world.tools}
    by_cas = [Asked("cas:cas", others[one]) for one in ("fine", "rare", "lone", "breaks", "secret-plans")]
    strange = [Asked(who, others[one]) for who in (NOBODY, IMPOSTOR) for one in ("fine", "breaks-lone", "lone")]
    return [*by_ann, *by_ben, *by_cas, Asked("cas:cas", missing[0]), *strange, Asked(NOBODY, missing[0])]


@st.composite
def bursts(draw: st.DrawFn) -> Burst:
    """Generate more calls at once than a limit has."""
    world = draw(worlds())
    rare = next(one.exposed for one in world.tools if one.name == "rare")
    return Burst(Asked("ann:ann", rare), draw(st.integers(4, 8)), world)


def smaller(case: Scenario | Burst) -> Iterator[Scenario | Burst]:
    """Yield what is smaller, by the most first: without half of the calls, a quarter, …, then without other tools."""
    if isinstance(case, Burst):
        yield from (replace(case, times=times) for times in range(2, case.times))
        return
    size = len(case.calls)
    while size := size // 2:
        for start in range(0, len(case.calls), size):
            yield replace(case, calls=case.calls[:start] + case.calls[start + size :])
    asked = {one.name for one in case.calls}
    needed = tuple(one for one in case.tools if one.exposed in asked)
    if 0 < len(needed) < len(case.tools):
        known = {(one.upstream, one.name) for one in needed}
        mapped = tuple(one for one in case.declaration.tools if (one.upstream, one.tool) in known)
        yield replace(case, tools=needed, declaration=replace(case.declaration, tools=mapped))


any_scenario: Final = scenarios()
any_burst: Final = bursts()
"""What laws are tried on: those that are tried on the same share it."""
