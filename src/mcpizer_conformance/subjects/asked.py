"""What a policy, a catalog, a gate and a namespace are when somebody else keeps none of them: what they were made of.

This module does not know how anybody is asked.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import final

from mcpizer_conformance.subjects.answers import Plain
from mcpizer_core import ConflictRule, Declaration, Registration, Retired, Scheme, Tool


@dataclass(frozen=True, slots=True)
class AskedPolicy:
    """A policy as its implementation declares it, and as every call carries it."""

    declaration: Declaration
    plain: Plain = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class AskedCatalog:
    """Tools as they came in; in the order of the catalog once somebody looks."""

    given: list[Plain]
    ask: Callable[[], tuple[Tool, ...]]

    @property
    def tools(self) -> tuple[Tool, ...]:
        return self.ask()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AskedCatalog) and self.tools == other.tools

    def __hash__(self) -> int:
        return hash(self.tools)


@dataclass(frozen=True, slots=True)
class AskedGate:
    """A policy and a catalog."""

    policy: AskedPolicy
    catalog: AskedCatalog


@final
@dataclass(frozen=True, slots=True)
class AskedNamespace:
    """A namespace as it was answered: what it is, and what it shows."""

    version: int
    registrations: Mapping[str, Registration]
    retired: tuple[Retired, ...]
    catalog: AskedCatalog
    rule: ConflictRule
    scheme: Scheme
