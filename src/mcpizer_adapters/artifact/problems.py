"""What the reader itself finds wrong, before it is known which file it is about.

The shape of such a finding lives here and nowhere else, with the few sentences several parts share: what kind a
value is, and which known word comes near a wrong one.

This module does not know files or trees: a place is a pointer, or a line and a column.
"""

import difflib
from collections.abc import Collection, Set
from typing import Final, NamedTuple

from attrs import define, field, frozen

from mcpizer_core import DiagnosticCode
from mcpizer_core import one_line as whole_line

MAX_COMPARISONS: Final = 50_000
"""So many times a wrong word is compared with a right one: about a second, however many of both a file holds."""


class Spot(NamedTuple):
    """A place in a text; both numbers count from 1, columns count characters."""

    line: int
    column: int


START: Final = Spot(1, 1)


@frozen
class Mention:
    """Another place that has to do with a problem."""

    pointer: str
    note: str
    spot: Spot | None = None


@frozen
class Problem:
    """One thing wrong at `pointer`: at its value, at its key (`at_key`), or at a known `spot`.

    `message` never holds a value of the file that could be a secret; `subject` is the id concerned, if there is one.
    """

    code: DiagnosticCode
    pointer: str
    message: str
    hint: str = ""
    subject: str | None = None
    at_key: bool = False
    spot: Spot | None = None
    related: tuple[Mention, ...] = ()


class Unreadable(Exception):
    """A text cannot be read on from here. Stays inside the reader, which turns it into its problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def kind_of(value: object) -> str:
    """Return in plain words what `value` is, without the value."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true or false"
        case int():
            return "a whole number"
        case float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case _:
            return "an object"


def nearest(word: str, known: Collection[str]) -> str | None:
    """Return the known word nearest to `word`, if one is near. Takes time for each known word."""
    found = difflib.get_close_matches(word, known, n=1) if len(word) <= 100 else []
    return found[0] if found else None


def near(word: str, known: Collection[str]) -> str:
    """Return a question that offers the known word nearest to `word`, or ""."""
    found = nearest(word, known)
    return f"did you mean {found}?" if found is not None else ""


@define
class Suggestions:
    """Near words for the wrong ones of one file, as long as that takes reasonable time."""

    _left: int = MAX_COMPARISONS
    _found: dict[tuple[str, str], str | None] = field(factory=dict)
    _offered: dict[str, set[str]] = field(factory=dict)

    def near(self, kind: str, word: str, known: Collection[str]) -> str:
        """Return what `near` does; `kind` tells apart what `known` is the list of."""
        if known and (kind, word) not in self._found and len(known) <= self._left:
            self._left -= len(known)
            self._found[kind, word] = nearest(word, known)
        found = self._found.get((kind, word))
        if found is None:
            return ""
        self._offered.setdefault(kind, set()).add(found)
        return f"did you mean {found}?"

    def offered(self, kind: str) -> Set[str]:
        """Return the words that were offered so far in the place of others of this kind."""
        return self._offered.get(kind, frozenset())


def one_line(text: str, longest: int = 300) -> str:
    """Return `text` safe to print: on one line, whatever it holds shown as an escape, cut when it is very long."""
    return whole_line(text if len(text) <= longest else text[:longest] + "…")
