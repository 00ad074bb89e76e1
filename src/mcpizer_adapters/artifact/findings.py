"""A finding as people read it: where in which file, what is wrong, what to do, and what else has to do with it.

The text of findings lives here and nowhere else, for problems of the reader and diagnostics of the core alike.

This module does not find anything and does not print.
"""

from attrs import frozen

from mcpizer_adapters.artifact.problems import one_line
from mcpizer_core import Diagnostic, Severity


@frozen
class Place:
    """A place in a file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{one_line(self.file)}:{self.line}:{self.column}"


@frozen
class Note:
    """Another place that has to do with a finding."""

    place: Place
    text: str


@frozen
class Finding:
    """One finding: the diagnostic as the core has it, and its exact element, place and words in the file."""

    diagnostic: Diagnostic
    pointer: str
    place: Place
    message: str
    hint: str = ""
    related: tuple[Note, ...] = ()

    @property
    def is_error(self) -> bool:
        """Whether there is no policy because of this."""
        return self.diagnostic.severity is Severity.ERROR

    def __str__(self) -> str:
        return render(self)


def render(finding: Finding) -> str:
    """Return `file:line:column: severity code message (pointer)`, then a line each for the hint and related places.

    Safe to print: whatever the file holds, a line stays a line.
    """
    diagnostic = finding.diagnostic
    where = f" ({one_line(finding.pointer)})" if finding.pointer else ""
    lines = [f"{finding.place}: {diagnostic.severity} {diagnostic.code} {one_line(finding.message)}{where}"]
    if finding.hint:
        lines.append(f"    hint: {one_line(finding.hint)}")
    lines += [f"    {note.place}: {one_line(note.text)}" for note in finding.related]
    return "\n".join(lines)
