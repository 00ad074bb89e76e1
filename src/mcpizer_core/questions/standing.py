"""The grants of one issuer that give one capability, as the index of a policy holds them.

What questions know of the inside of a policy lives here and nowhere else.

This module does not decide.
"""

from mcpizer_core.compile import Policy
from mcpizer_core.compile.cell import Entry
from mcpizer_core.principals import Facts, Principal


def entries_of(policy: Policy, issuer: str, capability: str) -> tuple[Entry, ...]:
    """Return the grants of `issuer` for `capability`, strictest limit first and, among equals, the earliest."""
    granted = policy._issuers.get(issuer)
    cell = None if granted is None else granted.cells.get(capability)
    return () if cell is None else cell.entries


def facts_in(policy: Policy, principal: Principal) -> Facts:
    """Return the facts that count for the grants of the principal's issuer."""
    granted = policy._issuers.get(principal.issuer)
    return frozenset() if granted is None else principal.facts(granted.arities)
