"""Why a decision came out as it did: the grants that matched, and what the nearest others missed.

`explain` and `explain_name` live here and nowhere else. They are for operators: they tell of tools and grants that a
caller is not to learn of.

This module does not decide: it shows what `decide` saw.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest
from operator import attrgetter
from typing import Final, final

from mcpizer_core.access import decide
from mcpizer_core.catalog import Tool
from mcpizer_core.compile import Policy
from mcpizer_core.compile.cell import Entry
from mcpizer_core.gate import Gate
from mcpizer_core.names import one_line
from mcpizer_core.policy import Grant
from mcpizer_core.principals import Facts, Principal
from mcpizer_core.questions.standing import entries_of, facts_in
from mcpizer_core.reasons import Counted, Decision, ReasonCode, Usage
from mcpizer_core.scopes import sees

NEAREST: Final = 10
"""So many grants an explanation shows unless more are asked for."""


@final
@dataclass(frozen=True, slots=True)
class GrantRow:
    """One grant beside a principal: whether it matched, and the facts it asks for that are missing, sorted."""

    grant: Grant
    matched: bool
    missing: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "missing", tuple(self.missing))

    def __str__(self) -> str:
        lacks = ", ".join(f"{name}={value}" for name, value in self.missing)
        return one_line(f"{self.grant.path}: {'matched' if self.matched else f'missing {lacks}'}")


@final
@dataclass(frozen=True, slots=True)
class Explanation:
    """A decision and the grants beside it: the winning one, others that matched, then the nearest that did not.

    `considered` is how many grants the principal's issuer has for the capability, shown or not.
    """

    decision: Decision
    grants: tuple[GrantRow, ...]
    considered: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "grants", tuple(self.grants))


@final
@dataclass(frozen=True, slots=True)
class Candidate:
    """A tool that holds a name: is the principal in its scope, which capability is it, and what is decided on that.

    A tool without a mapping has neither capability nor explanation.
    """

    tool: Tool
    in_scope: bool
    capability: str | None
    explanation: Explanation | None


def explain(
    policy: Policy,
    principal: Principal,
    capability: str,
    *,
    at_ms: int,
    usage: Usage | None = None,
    nearest: int = NEAREST,
) -> Explanation:
    """Explain the decision of `decide` for the same usage; without one it is that of a counter at zero.

    At most `nearest` grants are shown; of those that miss equally many facts the earliest come first.
    """
    decision = decide(policy, principal, capability, at_ms=at_ms, usage=Counted(0, at_ms) if usage is None else usage)
    entries, facts = entries_of(policy, principal.issuer, capability), facts_in(policy, principal)
    lacking = [len(entry.required - facts) for entry in entries]
    matching = _lacking(0, entries, lacking)
    if decision.reason.code is ReasonCode.AMBIGUOUS_GRANT:
        matching = _one_of_each_account_first(matching)
    shown = matching[: max(0, nearest)]
    for count in sorted(set(lacking) - {0}):
        if len(shown) < nearest:
            shown += nsmallest(nearest - len(shown), _lacking(count, entries, lacking), key=_BY_POSITION)
    return Explanation(decision, tuple(_row(entry, facts) for entry in shown), len(entries))


_BY_POSITION: Final = attrgetter("position")


def _lacking(count: int, entries: Sequence[Entry], lacking: Sequence[int]) -> list[Entry]:
    """Return the grants that lack so many facts."""
    return [entry for entry, each in zip(entries, lacking, strict=True) if each == count]


def _one_of_each_account_first(matching: Sequence[Entry]) -> list[Entry]:
    """Return the grants as they were declared, but the first of each account before all others."""
    declared = sorted(matching, key=_BY_POSITION)
    first = {entry.grant.using: entry.position for entry in reversed(declared)}
    return sorted(declared, key=lambda entry: first[entry.grant.using] != entry.position)


def _row(entry: Entry, facts: Facts) -> GrantRow:
    missing = tuple(sorted(entry.required - facts))
    return GrantRow(entry.grant, not missing, missing)


def explain_name(
    gate: Gate, principal: Principal, name: str, *, at_ms: int, usage: Usage | None = None, nearest: int = NEAREST
) -> tuple[Candidate, ...]:
    """Return every tool that holds `name`, seen by the principal or not, and why it may or may not call it.

    For operators, never for callers: to a caller a tool outside its scope does not exist.
    """
    found = []
    mapped = {(one.owner, one.upstream, one.tool): one.capability for one in gate.policy.declaration.tools}
    for tool in gate.catalog.tools:
        if tool.exposed == name:
            capability = mapped.get((tool.owner, tool.upstream, tool.name))
            explanation = (
                None
                if capability is None
                else explain(gate.policy, principal, capability, at_ms=at_ms, usage=usage, nearest=nearest)
            )
            found.append(Candidate(tool, sees(principal, tool.scope), capability, explanation))
    return tuple(found)
