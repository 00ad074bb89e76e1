"""The line of a file that a finding is about, as far as it may be shown.

Which parts of a line are shown lives here and nowhere else: the words of the format, the names a policy is written
in, and the signs between them. Anything else could be a secret that somebody wrote there, and is shown as `…`. Of a
file that is no document, nothing is known about a word but whether it is one of the format.

This module does not find anything and does not print.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeVar

import attrs
from attrs import define, field

from mcpizer_adapters.artifact import documents
from mcpizer_adapters.artifact.findings import Place
from mcpizer_adapters.artifact.hidden import without_secrets
from mcpizer_adapters.artifact.marks import Tree, step, steps
from mcpizer_adapters.artifact.problems import Spot
from mcpizer_adapters.artifact.source import Source
from mcpizer_adapters.artifact.structure import ISSUERS, TRANSPORTS
from mcpizer_core import one_line

T = TypeVar("T")

BEFORE: Final = 60
"""So many characters of a long line are shown before the place that is meant; what fits on a line is shown whole."""
LONGEST: Final = 120

GAP: Final = "…"

_OPEN: Final = frozenset({
    "version", "id", "name", "capability", "capabilities", "listing_account", "kind", "subject", "disabled", "claim",
    "many", "issuer", "using", "calls", "per", "upstream", "alias", "scope", "team", "owner", "teams",
})  # fmt: skip
"""Keys whose values are what findings speak of."""
_ATTRIBUTE: Final = re.compile(r"/(grants/[0-9]+/to|principals/issuers/[0-9]+)/attributes/.*", re.DOTALL)

_KEYS: Final = frozenset(
    one.metadata.get("key", one.name) for cls in vars(documents).values() if attrs.has(cls) for one in attrs.fields(cls)
)
_WORDS: Final = _KEYS | {"kind", *TRANSPORTS, *ISSUERS, "-", "---", "<<", "1", "true", "false", "null", "~"}
_WORD: Final = re.compile(r"""[^\s{}\[\],:"'#&*!|>%@`]+""")
_LINE_END: Final = re.compile(r"\r\n?|\n")


class Excerpt(NamedTuple):
    """A line that is safe to print; the place that is meant is after so many characters of it."""

    text: str
    before: int


class Mark(NamedTuple):
    """A key or value of a text: where it begins, and whether it may be shown."""

    column: int
    shown: bool


@define
class Excerpts:
    """Shows lines of some files; each file is taken apart once, when a line of it is first asked for."""

    _sources: dict[str, Source]
    _lines: dict[str, list[str]] = field(init=False, factory=dict)

    def at(self, place: Place) -> Excerpt | None:
        """Return the line of a place, or None if there is nothing to show."""
        source = self._sources.get(place.file)
        if source is None or not source.content:
            return None
        if place.file not in self._lines:
            text = source.content.decode("utf-8", "replace").removeprefix("\ufeff")
            self._lines[place.file] = _LINE_END.split(text)
        lines = self._lines[place.file]
        if place.line > len(lines) or not lines[place.line - 1].strip():
            return None
        return _excerpt(lines[place.line - 1], Spot(place.line, place.column), source.tree)


def _excerpt(line: str, spot: Spot, tree: Tree | None) -> Excerpt:
    at = min(spot.column - 1, len(line))
    first = max(0, at - BEFORE) if len(line) > LONGEST else 0
    last = min(len(line), first + LONGEST)
    marks = list(_marks(tree, spot.line, first, last)) if tree is not None else []
    before = (GAP if first else "") + _shown(line, first, at, marks)
    after = _shown(line, at, last, marks) + (GAP if last < len(line) else "")
    before, after = one_line(before), one_line(after.rstrip())
    return Excerpt(before + after, len(before))


def _shown(line: str, first: int, last: int, marks: list[Mark]) -> str:
    """Return what may be seen of a part of a line; what stands before every mark is judged word by word."""
    starts = [mark.column for mark in marks]
    parts, at = [], first
    while at < last:
        number = bisect_right(starts, at)
        end = min(last, starts[number]) if number < len(starts) else last
        if number == 0:
            parts.append(_WORD.sub(lambda found: found[0] if found[0] in _WORDS else GAP, line[at:end]))
        elif marks[number - 1].shown:
            parts.append(line[at:end])
        elif not parts or not parts[-1].startswith(GAP):
            parts.append(GAP if end == len(line) else f"{GAP} ")
        at = end
    return "".join(parts)


def _marks(tree: Tree, line: int, first: int, last: int) -> Iterator[Mark]:
    """Yield the marks between two columns of a line, in order."""
    low, high = Spot(line, first + 1), Spot(line, last)
    for number, shown in _within(tree, tree.root, 0, "", low, high):
        if low <= (spot := tree.spot(number)) <= high:
            yield Mark(spot.column - 1, shown)


def _within(tree: Tree, value: object, number: int, pointer: str, low: Spot, high: Spot) -> Iterator[tuple[int, bool]]:
    """Yield numbers of keys and values, in order, those in a range among them and hardly any others."""
    if isinstance(value, dict):
        numbers = tree.keys(value, number)
        for key in _reaching(tree, list(value), [one - 1 for one in numbers.values()], low, high):
            below = step(pointer, key)
            yield numbers[key] - 1, key in _KEYS or key == "kind" or without_secrets(below) == below
            yield from _within(tree, value[key], numbers[key], below, low, high)
    elif isinstance(value, list):
        elements = tree.elements(value, number)
        for at in _reaching(tree, range(len(value)), elements, low, high):
            yield from _within(tree, value[at], elements[at], step(pointer, at), low, high)
    else:
        yield number, _is_open(pointer)


def _reaching(tree: Tree, parts: Sequence[T], numbers: Sequence[int], low: Spot, high: Spot) -> Sequence[T]:
    """Return the parts that may reach into a range: the last that begins before it, and those that begin in it."""
    places = range(len(parts))
    first = bisect_right(places, low, key=lambda at: tree.spot(numbers[at]))
    return parts[max(0, first - 1) : bisect_right(places, high, key=lambda at: tree.spot(numbers[at]))]


def _is_open(pointer: str) -> bool:
    """Tell whether the value at a pointer is a name of the policy, rather than something that could be a secret."""
    if without_secrets(pointer) != pointer:
        return False
    named = next((part for part in reversed(steps(pointer)) if not part.isdecimal()), "")
    return named in _OPEN or _ATTRIBUTE.fullmatch(pointer) is not None
