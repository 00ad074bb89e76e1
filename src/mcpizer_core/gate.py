"""A policy bound to a catalog: what a principal is shown, and what becomes of a call.

Listing and calling are one function of the same facts, so they cannot disagree (law P1); that lives here and
nowhere else.

This module does not know protocols, counters or credentials.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, final

from mcpizer_core.access import decide
from mcpizer_core.catalog import AmbiguousName, Catalog, Tool, UnknownName, in_scope
from mcpizer_core.compile import Policy
from mcpizer_core.principals import Principal
from mcpizer_core.reasons import NOT_CONSULTED, Allow, Decision, Deny, ReasonCode, Usage


@final
@dataclass(frozen=True, slots=True)
class Gate:
    """A policy and a catalog, and which capability each mapped tool realises."""

    policy: Policy
    catalog: Catalog
    _capabilities: Mapping[Tool, str] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        mapped = {(one.owner, one.upstream, one.tool): one.capability for one in self.policy.declaration.tools}
        capabilities = {
            tool: capability
            for tool in self.catalog.tools
            if (capability := mapped.get((tool.owner, tool.upstream, tool.name))) is not None
        }
        object.__setattr__(self, "_capabilities", capabilities)


def bind(policy: Policy, catalog: Catalog) -> Gate:
    """Bind `policy` to `catalog`. A mapping applies only to tools of registrations of its owner."""
    return Gate(policy, catalog)


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


_SPENT: Final = frozenset({ReasonCode.USAGE_UNKNOWN, ReasonCode.LIMIT_EXHAUSTED})
"""The denials that a listing, which consults no usage, would not make."""


def admit(gate: Gate, principal: Principal, name: str, *, at_ms: int, usage: Usage = NOT_CONSULTED) -> Outcome:
    """Return what becomes of a call of `name` by `principal` at `at_ms` (epoch milliseconds) after that `usage`."""
    meant = _meant(gate, principal, name)
    if not isinstance(meant, Tool):
        return meant
    capability = gate._capabilities[meant]
    match decide(gate.policy, principal, capability, at_ms=at_ms, usage=usage):
        case Allow() as allow:
            return Admitted(meant, capability, allow)
        case deny:
            return Refused(meant, capability, deny, listed=deny.reason.code in _SPENT)


def visible(gate: Gate, principal: Principal) -> Projection:
    """Return what `principal` is shown: exactly the names that `admit` admits while usage is not consulted."""
    decisions: dict[str, Decision] = {}
    tools: list[Admitted] = []
    withheld: list[str] = []
    for name in gate.catalog._by_name:
        meant = _meant(gate, principal, name)
        if isinstance(meant, AmbiguousName):
            withheld.append(name)
        elif isinstance(meant, Tool):
            capability = gate._capabilities[meant]
            if capability not in decisions:
                decisions[capability] = decide(gate.policy, principal, capability, at_ms=0)
            if isinstance(allow := decisions[capability], Allow):
                tools.append(Admitted(meant, capability, allow))
    return Projection(tuple(tools), tuple(withheld))


def _meant(gate: Gate, principal: Principal, name: str) -> Tool | UnknownName | AmbiguousName:
    """Return the one mapped tool that `name` means; ambiguity is a matter of scope and comes before the mapping."""
    candidates = in_scope(gate.catalog, name, principal)
    if not any(tool in gate._capabilities for tool in candidates):
        return UnknownName(name)
    return candidates[0] if len(candidates) == 1 else AmbiguousName(name, candidates)
