"""From a declaration to a policy, or to the reasons why there is none.

`compile_policy` lives here and nowhere else: fill in paths, run every check, and make a policy iff no finding is
an error.

This module does not read files: the declaration comes from whoever has one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeVar, final

from mcpizer_core.compile.checks import findings
from mcpizer_core.compile.diagnostics import Diagnostic, DiagnosticCode, Related, Severity
from mcpizer_core.compile.index import Policy
from mcpizer_core.names import ToolRef
from mcpizer_core.policy import Account, Capability, Declaration, Grant, OnAmbiguity, ToolMapping
from mcpizer_core.principals import Issuer

__all__ = ["Compilation", "Diagnostic", "DiagnosticCode", "Policy", "Related", "Severity", "compile_policy"]

T = TypeVar("T", Capability, ToolMapping, Account, Issuer)


@final
@dataclass(frozen=True, slots=True)
class Compilation:
    """A policy and what is to be said about it; `policy` is None iff some diagnostic is an error."""

    policy: Policy | None
    diagnostics: tuple[Diagnostic, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "diagnostics", tuple(self.diagnostics))


def compile_policy(
    declaration: Declaration,
    *,
    catalog: Iterable[ToolRef] | None = None,
    on_ambiguity: OnAmbiguity = OnAmbiguity.REFUSE,
) -> Compilation:
    """Check `declaration` and make a policy of it; all diagnostics at once, in document order.

    `catalog` is a declared catalog, never the live listing: a vanished tool must not block a reload.
    """
    placed = _placed(declaration)
    diagnostics = findings(placed, None if catalog is None else frozenset(catalog), on_ambiguity)
    wrong = any(one.severity is Severity.ERROR for one in diagnostics)
    return Compilation(None if wrong else Policy(placed), diagnostics)


def _placed(declaration: Declaration) -> Declaration:
    """Return the declaration with every empty path filled in, such as `/grants/3`."""
    return Declaration(
        capabilities=_with_paths("capabilities", declaration.capabilities),
        tools=_with_paths("tools", declaration.tools),
        accounts=_with_paths("accounts", declaration.accounts),
        issuers=_with_paths("issuers", declaration.issuers),
        # Spelled out: there may be very many, and `replace` takes longer than all checks of one grant together.
        grants=tuple(
            one if one.path else Grant(one.to, one.capabilities, one.using, one.limit, path=f"/grants/{position}")
            for position, one in enumerate(declaration.grants)
        ),
    )


def _with_paths(section: str, declared: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(
        one if one.path else replace(one, path=f"/{section}/{position}") for position, one in enumerate(declared)
    )
