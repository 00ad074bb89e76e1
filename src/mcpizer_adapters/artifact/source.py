"""A file that was read, as the source of findings: its name, its tree, and where in it a pointer is.

Turning a problem into a finding with a place lives here and nowhere else, and so does the bound on how many
findings a report has.

This module does not know which kind of file it is.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from attrs import evolve, field, frozen

from mcpizer_adapters.artifact.findings import Finding, Note, Place
from mcpizer_adapters.artifact.hidden import without_secrets
from mcpizer_adapters.artifact.marks import MAX_PROBLEMS, Tree
from mcpizer_adapters.artifact.problems import START, Problem, Spot
from mcpizer_core import Diagnostic, DiagnosticCode, Related

_ORDER: Final = {code: number for number, code in enumerate(DiagnosticCode)}


@frozen
class Source:
    """A file, and its tree if it could be read. Where there are several, `prefix` is what their pointers begin with.

    `content` is the bytes it was read from, none if there are none: the lines of findings are shown from them.
    """

    file: str
    tree: Tree | None
    prefix: str = ""
    content: bytes = field(default=b"", repr=False)

    def place(self, pointer: str) -> Place | None:
        """Return where the value at `pointer` begins, or None if the file has no such value."""
        spot = self.tree.find(pointer) if self.tree is not None else None
        return self.at(spot) if spot is not None else None

    def finding(self, problem: Problem) -> Finding:
        """Return the finding that `problem` is in this file."""
        return finding(problem, lambda pointer: (self, pointer))

    def address(self, pointer: str) -> str:
        """Return `pointer` as findings show it."""
        return self.prefix + without_secrets(pointer)

    def key(self, pointer: str) -> Spot | None:
        """Return where the key that `pointer` ends in begins."""
        return self.tree.find_key(pointer) if self.tree is not None else None

    def nearest(self, pointer: str) -> Spot:
        """Return where the value at `pointer` begins, or the nearest place above it that exists."""
        return self.tree.nearest(pointer) if self.tree is not None else START

    def at(self, spot: Spot) -> Place:
        """Return the place in this file."""
        return Place(self.file, spot.line, spot.column)


Home = Callable[[str], tuple[Source, str]]
"""Tells which file a pointer of a problem leads to, and the pointer in that file."""


def finding(problem: Problem, home: Home, diagnostic: Diagnostic | None = None) -> Finding:
    """Return the finding that `problem` is; `diagnostic` is what the core said, if it did."""
    source, pointer = home(problem.pointer)
    spot = problem.spot or (problem.at_key and source.key(pointer)) or source.nearest(pointer)
    notes, related = [], []
    for one in problem.related:
        other, there = home(one.pointer)
        notes.append(Note(other.at(one.spot or other.nearest(there)), one.note))
        related.append(Related(other.address(there), one.note))
    address = source.address(pointer)
    subject = problem.subject if problem.subject is not None else problem.message
    said = diagnostic or Diagnostic(problem.code, problem.code.severity, address, subject, tuple(related))
    return Finding(said, address, source.at(spot), problem.message, problem.hint, tuple(notes))


def in_order(findings: Iterable[Finding], files: Iterable[str] = (), *, bounded: bool = True) -> tuple[Finding, ...]:
    """Return the findings in the order of the files and of their places, those at one place in the order of the codes.

    Where they are bounded, the first MAX_PROBLEMS of each kind (code and severity) are returned, and one more that
    counts the rest.
    """
    order = {name: number for number, name in enumerate(files)}

    def key(one: Finding) -> tuple[int, int, int, int, str]:
        place = one.place
        return (order.get(place.file, 0), place.line, place.column, _ORDER[one.diagnostic.code], one.pointer)

    ordered = sorted(findings, key=key)
    return tuple(_bounded(ordered) if bounded else ordered)


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
