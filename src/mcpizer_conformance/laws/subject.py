"""What the laws are asked about: an implementation, as the functions that it is made of.

The list of functions under test lives here and nowhere else. `Subject()` is the core, and the
gateway of this package that is built on it; a broken implementation
is a subject with one function replaced.

This module does not know any law.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol, final

import mcpizer_core
from mcpizer_conformance.laws.running_gateway import StartGateway
from mcpizer_conformance.plays import Answer, Play
from mcpizer_conformance.subjects.answers import Declined
from mcpizer_conformance.subjects.gateways import mcpizer_serve
from mcpizer_core import (
    AmbiguousName,
    Applied,
    Candidate,
    Catalog,
    Change,
    Compilation,
    Conflict,
    Counted,
    Decision,
    Event,
    Explanation,
    Found,
    Gate,
    Hold,
    Identified,
    Limit,
    NameChanged,
    Namespace,
    OnConflict,
    Outcome,
    Policy,
    Principal,
    Projection,
    Reach,
    Scope,
    Tool,
    UnknownName,
    Usage,
)

NOT_CONSULTED: Final = mcpizer_core.NotConsulted()


class Decide(Protocol):
    """The signature of `decide`."""

    def __call__(
        self, policy: Policy, principal: Principal, capability: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
    ) -> Decision: ...


class Charge(Protocol):
    """The signature of `charge`."""

    def __call__(self, limit: Limit, used: Counted, *, at_ms: int) -> Counted | None: ...


class Admit(Protocol):
    """The signature of `admit`."""

    def __call__(
        self, gate: Gate, principal: Principal, name: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
    ) -> Outcome: ...


class Apply(Protocol):
    """The signature of `apply`."""

    def __call__(
        self, namespace: Namespace, event: Event, *, on_conflict: OnConflict = OnConflict.QUARANTINE
    ) -> Applied: ...


Meaning = Found | UnknownName | AmbiguousName


def keeps_nothing(play: Play) -> tuple[Answer, ...]:
    """Decline a play: what is no store keeps nothing."""
    raise Declined("it is no store and keeps nothing")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """An implementation under test."""

    parse_upstream_id: Callable[[str], str | None] = mcpizer_core.parse_upstream_id
    qualify: Callable[[mcpizer_core.UpstreamId, str], str] = mcpizer_core.qualify
    split: Callable[[str], tuple[str, str] | None] = mcpizer_core.split
    sees: Callable[[Principal, Scope], bool] = mcpizer_core.sees
    share_viewer: Callable[[Scope, Scope], bool] = mcpizer_core.share_viewer
    identify: Callable[..., Identified] = mcpizer_core.identify
    compile_policy: Callable[..., Compilation] = mcpizer_core.compile_policy
    decide: Decide = mcpizer_core.decide
    charge: Charge = mcpizer_core.charge
    catalog_of: Callable[[list[Tool]], Catalog] = mcpizer_core.catalog_of
    lookup: Callable[[Catalog, str, Principal], Meaning] = mcpizer_core.lookup
    bind: Callable[[Policy, Catalog], Gate] = mcpizer_core.bind
    visible: Callable[[Gate, Principal], Projection] = mcpizer_core.visible
    admit: Admit = mcpizer_core.admit
    who_can: Callable[[Policy, str], Reach] = mcpizer_core.who_can
    explain: Callable[..., Explanation] = mcpizer_core.explain
    explain_name: Callable[..., tuple[Candidate, ...]] = mcpizer_core.explain_name
    diff: Callable[[Policy, Policy], tuple[Change, ...]] = mcpizer_core.diff
    diff_names: Callable[[Gate, Gate], tuple[NameChanged, ...]] = mcpizer_core.diff_names
    projection_changes: Callable[[Gate, Gate, Principal], tuple[tuple[str, ...], tuple[str, ...]]] = (
        mcpizer_core.projection_changes
    )
    apply: Apply = mcpizer_core.apply
    audit: Callable[[Namespace], tuple[Conflict, ...]] = mcpizer_core.audit
    holds: Callable[[Namespace, str], tuple[Hold, ...]] = mcpizer_core.holds
    restore: Callable[..., Namespace] = mcpizer_core.restore
    play: Callable[[Play], tuple[Answer, ...]] = keeps_nothing
    start_gateway: StartGateway = mcpizer_serve
