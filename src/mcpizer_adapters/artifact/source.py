"""A file that was read, as the source of findings: its name, its tree, and where in it a pointer is.

Turning a problem into a finding with a place lives here and nowhere else.

This module does not know which kind of file it is.
"""

from collections.abc import Iterable
from typing import Final

from attrs import frozen

from mcpizer_adapters.artifact.findings import Finding, Note, Place
from mcpizer_adapters.artifact.marks import Tree
from mcpizer_adapters.artifact.problems import START, Problem, Spot
from mcpizer_core import Diagnostic, DiagnosticCode, Related

_ORDER: Final = {code: number for number, code in enumerate(DiagnosticCode)}


@frozen
class Source:
    """A file, and its tree if it could be read."""

    file: str
    tree: Tree | None

    def place(self, pointer: str) -> Place | None:
        """Return where the value at `pointer` begins, or None if the file has no such value."""
        spot = self.tree.find(pointer) if self.tree is not None else None
        return self._place(spot) if spot is not None else None

    def finding(self, problem: Problem, diagnostic: Diagnostic | None = None) -> Finding:
        """Return the finding that `problem` is in this file; `diagnostic` is what the core said, if it did."""
        notes = (Note(self._place(one.spot or self._nearest(one.pointer)), one.note) for one in problem.related)
        spot = problem.spot or (problem.at_key and self._key(problem.pointer)) or self._nearest(problem.pointer)
        said = diagnostic or _diagnostic(problem)
        return Finding(said, problem.pointer, self._place(spot), problem.message, problem.hint, tuple(notes))

    def _key(self, pointer: str) -> Spot | None:
        return self.tree.find_key(pointer) if self.tree is not None else None

    def _nearest(self, pointer: str) -> Spot:
        return self.tree.nearest(pointer) if self.tree is not None else START

    def _place(self, spot: Spot) -> Place:
        return Place(self.file, spot.line, spot.column)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings of one file in the order of their places, those at one place in the order of the codes."""
    return tuple(
        sorted(findings, key=lambda one: (one.place.line, one.place.column, _ORDER[one.diagnostic.code], one.pointer))
    )


def _diagnostic(problem: Problem) -> Diagnostic:
    related = tuple(Related(one.pointer, one.note) for one in problem.related)
    subject = problem.subject if problem.subject is not None else problem.message
    return Diagnostic(problem.code, problem.code.severity, problem.pointer, subject, related)


def without_secrets(pointer: str) -> str:
    return pointer
