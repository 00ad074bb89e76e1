"""A policy bound to a catalog: what a principal is shown, and what becomes of a call.

Listing and calling are one function of the same facts, so they cannot disagree (law P1); that lives here and
nowhere else.

This module does not know protocols, counters or credentials.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final, final

from mcpizer_core.access import covering, decide, granted
from mcpizer_core.catalog import AmbiguousName, Catalog, Tool, UnknownName
from mcpizer_core.compile import Policy
from mcpizer_core.compile.cell import Entry
from mcpizer_core.principals import Principal
from mcpizer_core.reasons import NOT_CONSULTED, Allow, Deny, ReasonCode, Usage
from mcpizer_core.scopes import Private, Public, Team, sees


@final
@dataclass(frozen=True, slots=True)
class Admitted:
    """The name means this tool, and the principal may call it."""

    tool: Tool
    capability: str
    decision: Allow


@final
@dataclass(frozen=True, slots=True)
class Refused:
    """The name means this tool, and the principal may not call it now; `listed` tells whether it is shown."""

    tool: Tool
    capability: str
    decision: Deny
    listed: bool


Outcome = Admitted | Refused | UnknownName | AmbiguousName
"""What may become of a call."""


@final
@dataclass(frozen=True, slots=True)
class Projection:
    """The tools a principal is shown in canonical order, and the ambiguous names kept back from it."""

    tools: tuple[Admitted, ...]
    withheld: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "tools", tuple(self.tools))
        object.__setattr__(self, "withheld", tuple(self.withheld))


Held = tuple[Tool, str | None]
"""A tool that holds a name, and the capability it realises if it is mapped."""

Seen = tuple[tuple[int, ...], Set[str], str]
"""What decides what a caller is shown: the grants that match it, its teams and its id, where these are in scopes."""

REMEMBERED: Final = 500_000
"""So many shown tools a gate remembers at the most, over all sets of grants that callers have come with."""

SETS: Final = 1_024
"""So many sets of grants a gate remembers at the most, however few tools there are."""


@final
@dataclass(frozen=True, slots=True)
class Gate:
    """A policy bound to a catalog.

    Most names are held by one public tool (`_plain`); what the others mean depends on who asks (`_shared`, with the
    name's place in the canonical order). Names that no mapped tool holds mean nothing to anybody and are left out.
    """

    policy: Policy
    catalog: Catalog
    _plain: Mapping[str, tuple[Tool, str]] = field(init=False, compare=False, repr=False)
    _by_capability: Mapping[str, tuple[tuple[int, Tool], ...]] = field(init=False, compare=False, repr=False)
    _shared: Mapping[str, tuple[int, tuple[Held, ...]]] = field(init=False, compare=False, repr=False)
    _teams: Set[str] = field(init=False, compare=False, repr=False)
    _owners: Set[str] = field(init=False, compare=False, repr=False)
    _seen: dict[Seen, Projection] = field(init=False, compare=False, repr=False)
    _room: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        mapped = {(one.owner, one.upstream, one.tool): one.capability for one in self.policy.declaration.tools}
        plain: dict[str, tuple[Tool, str]] = {}
        by_capability: dict[str, list[tuple[int, Tool]]] = {}
        shared: dict[str, tuple[int, tuple[Held, ...]]] = {}
        for place, (name, tools) in enumerate(self.catalog._by_name.items()):
            held = tuple((tool, mapped.get((tool.owner, tool.upstream, tool.name))) for tool in tools)
            first, capability = held[0]
            if len(held) == 1 and capability is not None and first.scope == Public():
                plain[name] = (first, capability)
                by_capability.setdefault(capability, []).append((place, first))
            elif any(capability is not None for _, capability in held):
                shared[name] = (place, held)
        object.__setattr__(self, "_plain", plain)
        object.__setattr__(self, "_by_capability", {one: tuple(tools) for one, tools in by_capability.items()})
        object.__setattr__(self, "_shared", shared)
        scopes = {tool.scope for _, held in shared.values() for tool, _ in held}
        object.__setattr__(self, "_teams", frozenset(one.team for one in scopes if isinstance(one, Team)))
        object.__setattr__(self, "_owners", frozenset(one.owner for one in scopes if isinstance(one, Private)))
        object.__setattr__(self, "_seen", {})
        object.__setattr__(self, "_room", min(SETS, 1 + REMEMBERED // (1 + len(plain) + len(shared))))

    def __reduce__(self) -> tuple[type["Gate"], tuple[Policy, Catalog]]:
        return (Gate, (self.policy, self.catalog))  # what follows from the two is made anew, and nobody is remembered


_NOBODY: Final[tuple[int, tuple[Held, ...]]] = (0, ())
_PLACE: Final = itemgetter(0)

_SPENT: Final = frozenset({ReasonCode.USAGE_UNKNOWN, ReasonCode.LIMIT_EXHAUSTED})
"""The denials that a listing, which consults no usage, would not make."""


def bind(policy: Policy, catalog: Catalog) -> Gate:
    """Bind `policy` to `catalog`. A mapping applies only to tools of registrations of its owner."""
    return Gate(policy, catalog)


def admit(gate: Gate, principal: Principal, name: str, *, at_ms: int, usage: Usage = NOT_CONSULTED) -> Outcome:
    """Return what becomes of a call of `name` by `principal` at `at_ms` (epoch milliseconds) after that `usage`."""
    meant = gate._plain.get(name) or _meant(gate, principal, name)
    if not isinstance(meant, tuple):
        return meant
    tool, capability = meant
    match decide(gate.policy, principal, capability, at_ms=at_ms, usage=usage):
        case Allow() as allow:
            return Admitted(tool, capability, allow)
        case deny:
            return Refused(tool, capability, deny, listed=deny.reason.code in _SPENT)


def visible(gate: Gate, principal: Principal) -> Projection:
    """Return what `principal` is shown: exactly the names that `admit` admits while usage is not consulted.

    Callers whom the same grants match, and who are in the same scopes, are shown the same, which is made once.
    """
    matching = covering(gate.policy, principal)
    seen = (
        tuple([entry.order for entry in matching]),
        gate._teams & principal.teams,
        principal.id if principal.id in gate._owners else "",
    )
    projection = gate._seen.get(seen)
    if projection is None:
        projection = _project(gate, principal, matching)
        if len(gate._seen) >= gate._room:
            gate._seen.clear()
        gate._seen[seen] = projection
    return projection


def _project(gate: Gate, principal: Principal, matching: Iterable[Entry]) -> Projection:
    allowed = granted(gate.policy, matching)
    shown: list[tuple[int, Admitted]] = []
    for capability, decision in allowed.items():
        shown += _admitted(gate._by_capability.get(capability, ()), capability, decision)
    withheld = []
    for name, (place, _) in gate._shared.items():
        meant = _meant(gate, principal, name)
        if isinstance(meant, AmbiguousName):
            withheld.append(name)
        elif isinstance(meant, tuple) and (allow := allowed.get(meant[1])) is not None:
            shown.append((place, Admitted(*meant, allow)))
    shown.sort(key=_PLACE)
    return Projection(tuple([admitted for _, admitted in shown]), tuple(withheld))


_NEW: Final = object.__new__
_SET_TOOL, _SET_CAPABILITY, _SET_DECISION = (getattr(Admitted, name).__set__ for name in Admitted.__slots__)


def _admitted(tools: Iterable[tuple[int, Tool]], capability: str, decision: Allow) -> list[tuple[int, Admitted]]:
    """Return the tools of one capability as admitted; by hand, as the generated constructor takes twice as long."""
    found = []
    for place, tool in tools:
        one = _NEW(Admitted)
        _SET_TOOL(one, tool)
        _SET_CAPABILITY(one, capability)
        _SET_DECISION(one, decision)
        found.append((place, one))
    return found


def _meant(gate: Gate, principal: Principal, name: str) -> tuple[Tool, str] | UnknownName | AmbiguousName:
    """Return the one mapped tool that `name` means; ambiguity is a matter of scope and comes before the mapping."""
    _, held = gate._shared.get(name, _NOBODY)
    seen = [(tool, capability) for tool, capability in held if sees(principal, tool.scope)]
    if not any(capability is not None for _, capability in seen):
        return UnknownName(name)
    if len(seen) > 1:
        return AmbiguousName(name, tuple(tool for tool, _ in seen))
    tool, capability = seen[0]
    return UnknownName(name) if capability is None else (tool, capability)
