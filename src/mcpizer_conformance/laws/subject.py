"""What the laws are asked about: an implementation, as the functions that it is made of.

The list of functions under test lives here and nowhere else. `Subject()` is the core; a broken implementation
is a subject with one function replaced.

This module does not know any law.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol, final

import mcpizer_core
from mcpizer_core import (
    AmbiguousName,
    Catalog,
    Compilation,
    Counted,
    Decision,
    Found,
    Gate,
    Identified,
    Limit,
    Outcome,
    Policy,
    Principal,
    Projection,
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


Meaning = Found | UnknownName | AmbiguousName


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
