"""Of which profile a result is: that of its law or vector, which may be another than that of their clause.

GATE-4, say, is a clause of gateways, and whoever claims `decision` is asked laws of it as well; what came of these says
nothing of a gateway.

This module does not know how a record is shown.
"""

from collections.abc import Mapping
from functools import cache

from mcpizer_conformance.clauses import clauses
from mcpizer_conformance.registry import LAWS
from mcpizer_conformance.vectors.frozen import vectors
from mcpizer_conformance.verdicts import Result


@cache
def _known() -> Mapping[str, str]:
    return {one.id: one.profile for one in LAWS} | {one.id: one.profile for one in vectors()}


def profile_of(one: Result) -> str:
    """Return the profile of a result; of a law or vector that this suite does not have, that of the clause."""
    return _known().get(one.law, clauses()[one.clause].profile)
