"""The law of unknown names (I2) for whoever only looks names up: no policy, no gate.

This module does not know what a call of a name comes to.
"""

from collections.abc import Sequence

from mcpizer_conformance.laws.projection import candidates
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.strategies.worlds import World
from mcpizer_core import UnknownName


def no_near_miss_is_found(subject: Subject, world: World, resembling: Sequence[str]) -> bool:
    """I2: a name that no tool in scope has is looked up in vain, whatever it resembles. Hard: it resembles one."""
    catalog, met = subject.catalog_of(list(world.tools)), False
    for name in resembling:
        if not candidates(world, name):
            assert subject.lookup(catalog, name, world.principal) == UnknownName(name)
            met = True
    return met
