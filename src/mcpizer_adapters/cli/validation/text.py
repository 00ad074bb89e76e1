"""What was found in a policy, for people: each finding with its line, what to do, and other places.

How much of it is shown lives here and nowhere else: everything while that can be read, otherwise a few of each kind,
and how many there are.

This module does not know whether the text goes to a terminal, only whether there is colour.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from attrs import define

from mcpizer_adapters.artifact.excerpt import Excerpts
from mcpizer_adapters.artifact.findings import Finding, Note, Place
from mcpizer_adapters.artifact.problems import one_line
from mcpizer_adapters.artifact.source import Source
from mcpizer_adapters.cli.output import Style, colourful, number, painted, plural, width
from mcpizer_adapters.cli.validation.found import Found, Kind
from mcpizer_core import Severity

READABLE: Final = 25
"""So many findings are shown one after another, in the order of the files."""
FEW: Final = 5
"""Where there are more, so many of each kind are shown."""
PLACES: Final = 3
"""So many other places of a finding are shown, and as many files that hold further ones."""

_COLOUR: Final = {Severity.ERROR: Style.RED, Severity.WARNING: Style.YELLOW}


def as_text(found: Found) -> str:
    """Return the findings, and a line that sums them up."""
    text = Text(Excerpts(_sources(found)), colourful(sys.stdout), found.everything)
    parts = [text.finding(one) for one in found.findings]
    if len(found.findings) > READABLE and not found.everything:
        parts = [text.kind(kind) for kind in found.kinds()]
    parts += [text.notes(found)] if found.notes else []
    return "\n\n".join([*("\n".join(part) for part in parts), text.summary(found)])


def _sources(found: Found) -> dict[str, Source]:
    sources = [*found.policy.files.sources, *([found.catalog.source] if found.catalog is not None else [])]
    return {one.file: one for one in sources}


@define
class Text:
    """Writes findings as lines; `everything` leaves no other place out."""

    excerpts: Excerpts
    colour: bool
    everything: bool

    def finding(self, one: Finding) -> Iterator[str]:
        """Yield the lines of a finding."""
        severity = one.diagnostic.severity
        where = f" ({one_line(one.pointer)})" if one.pointer else ""
        yield (
            f"{self._paint(f'{one.place}:', Style.BOLD)} {self._paint(severity, _COLOUR[severity], Style.BOLD)} "
            f"{self._paint(one.diagnostic.code, Style.BOLD)} {one_line(one.message)}{self._paint(where, Style.FAINT)}"
        )
        yield from self._line(one.place, _COLOUR[severity])
        if one.hint:
            yield f"    {self._paint('hint:', Style.CYAN)} {one_line(one.hint)}"
        yield from self._places(one.related)

    def kind(self, kind: Kind) -> Iterator[str]:
        """Yield the lines of some findings of one kind, and how many there are."""
        count = self._paint(plural(len(kind.findings), kind.severity), _COLOUR[kind.severity], Style.BOLD)
        yield f"{self._paint(kind.code, Style.BOLD)}: {count}; {kind.code.meaning}"
        for one in kind.findings[:FEW]:
            yield ""
            yield from self.finding(one)
        if rest := kind.findings[FEW:]:
            yield ""
            yield f"    and {number(len(rest))} more of {kind.code}: {_by_file(rest)}"

    def notes(self, found: Found) -> Iterator[str]:
        """Yield the notes, a line each, and how many more there are."""
        told = found.told_notes(READABLE)
        for one in told:
            yield f"{self._paint(f'{one.place}:', Style.BOLD)} {self._paint('note:', Style.CYAN)} {one_line(one.text)}"
        if rest := len(found.notes) - len(told):
            yield f"and {plural(rest, 'more note')}"

    def summary(self, found: Found) -> str:
        """Return one line: how many findings there are, and whether there is a policy."""
        errors, warnings = found.count(Severity.ERROR), found.count(Severity.WARNING)
        said = [
            plural(errors, "error") if errors else "no errors",
            *([plural(warnings, "warning")] if warnings else []),
        ]
        style = Style.RED if errors else Style.YELLOW if warnings else Style.GREEN
        said += [plural(len(found.notes), "note")] if found.notes else []
        text = f"{one_line(found.policy.path)}: {self._paint(', '.join(said), style, Style.BOLD)}"
        if found.policy.document is not None:
            text += f"; {_size(found)}"
        if not found.policy.judged:
            text += "; more is checked once these are right"
        more = not self.everything and max(len(found.findings), len(found.notes)) > READABLE
        return f"{text}\n{self._paint('--all shows every finding', Style.FAINT)}" if more else text

    def _line(self, place: Place, style: Style) -> Iterator[str]:
        shown = self.excerpts.at(place)
        if shown is None:
            return
        number, caret = str(place.line), " " * width(shown.text[: shown.before])
        bar = self._paint("|", Style.FAINT)
        yield f"    {self._paint(number, Style.FAINT)} {bar} {shown.text}"
        yield f"    {' ' * len(number)} {bar} {caret}{self._paint('^', style, Style.BOLD)}"

    def _places(self, notes: Sequence[Note]) -> Iterator[str]:
        told = notes if self.everything or len(notes) == PLACES + 1 else notes[:PLACES]
        for note in told:
            yield f"    {note.place}: {one_line(note.text)}"
            yield from self._line(note.place, Style.CYAN)
        if len(told) < len(notes):
            yield f"    and {plural(len(notes) - len(told), 'more place')}"

    def _paint(self, text: str, *styles: Style) -> str:
        return painted(text, *styles, on=self.colour)


def _by_file(findings: Sequence[Finding]) -> str:
    """Return how many findings each file has, those with most of them first."""
    counts = Counter(one.place.file for one in findings).most_common()
    told = [f"{one_line(file)} ({number(count)})" for file, count in counts[:PLACES]]
    return ", ".join([*told, *([f"{plural(len(counts) - PLACES, 'other file')}"] if len(counts) > PLACES else [])])


def _size(found: Found) -> str:
    """Return what the policy consists of, and its version."""
    document = found.policy.document
    assert document is not None
    parts = [plural(len(document.grants), "grant"), plural(len(document.upstreams), "upstream")]
    if (files := len(found.policy.files.sources)) > 1:
        parts.append(plural(files, "file"))
    return f"{', '.join(parts)}, version {found.policy.version}"
