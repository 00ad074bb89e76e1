"""What a specimen is. This module does not know any."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, final

from mcpizer_conformance.laws.subject import Subject

Functions = dict[str, Any]
"""Functions of a subject by name, those that are wrong."""


@final
@dataclass(frozen=True)
class Specimen:
    """A known-bad implementation: the clause it breaks, what it does, and how its functions are made."""

    name: str
    breaks: str
    story: str
    functions_made: Callable[[], Functions]

    def make(self) -> Subject:
        """Return the implementation, which remembers nothing yet."""
        return replace(Subject(), **self.functions_made())

    @cached_property
    def functions(self) -> frozenset[str]:
        """The functions that are not those of the core."""
        made, core = self.make(), Subject()
        return frozenset(one.name for one in fields(core) if getattr(made, one.name) is not getattr(core, one.name))
