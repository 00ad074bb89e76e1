"""A file that was read, as the source of findings: its name, its tree, and where in it a pointer is.

Turning a problem into a finding with a place lives here and nowhere else, and so does the bound on how many
findings a report has.

This module does not know which kind of file it is.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from attrs import evolve, frozen

from mcpizer_adapters.artifact.findings import Finding, Note, Place
from mcpizer_adapters.artifact.hidden import without_secrets
from mcpizer_adapters.artifact.marks import MAX_PROBLEMS, Tree
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
        pointer = without_secrets(problem.pointer)
        return Finding(said, pointer, self._place(spot), problem.message, problem.hint, tuple(notes))

    def _key(self, pointer: str) -> Spot | None:
        return self.tree.find_key(pointer) if self.tree is not None else None

    def _nearest(self, pointer: str) -> Spot:
        return self.tree.nearest(pointer) if self.tree is not None else START

    def _place(self, spot: Spot) -> Place:
        return Place(self.file, spot.line, spot.column)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings of one file in the order of their places, those at one place in the order of the codes.

    Of each kind (code and severity) the first MAX_PROBLEMS are returned, and one more that counts the rest.
    """
    return tuple(
        _bounded(
            sorted(
                findings, key=lambda one: (one.place.line, one.place.column, _ORDER[one.diagnostic.code], one.pointer)
            )
        )
    )


def _bounded(findings: list[Finding]) -> Iterator[Finding]:
    total = Counter(_kind(one) for one in findings)
    so_far = Counter[tuple[str, str]]()
    for one in findings:
        kind = _kind(one)
        so_far[kind] += 1
        rest = total[kind] - MAX_PROBLEMS
        if so_far[kind] <= MAX_PROBLEMS or rest == 1:
            yield one
        elif so_far[kind] == MAX_PROBLEMS + 1:
            yield _count(one, rest)


def _kind(finding: Finding) -> tuple[str, str]:
    return finding.diagnostic.code, finding.diagnostic.severity


def _count(first: Finding, rest: int) -> Finding:
    """Return a finding, where the first one that is left out would be, that stands for `rest` findings of its kind."""
    said = Diagnostic(first.diagnostic.code, first.diagnostic.severity, first.diagnostic.path, f"{rest} more")
    message, hint = f"{rest} more findings of this kind", f"correct the first {MAX_PROBLEMS}, listed above"
    return evolve(first, diagnostic=said, message=message, hint=hint, related=())


def _diagnostic(problem: Problem) -> Diagnostic:
    related = tuple(Related(without_secrets(one.pointer), one.note) for one in problem.related)
    subject = problem.subject if problem.subject is not None else problem.message
    return Diagnostic(problem.code, problem.code.severity, without_secrets(problem.pointer), subject, related)
