"""The files of one policy as one document, and the way back from each place in it to its file.

What several files have to do with each other lives here and nowhere else: their lists one after the other, and
pointers in three spellings. A pointer *into the joined document* (`/grants/7`) is what the parts of the reader speak;
a pointer *into a file* (`/grants/2`) is what its tree knows; an *address* is what everybody else sees, the pointer
itself of one file alone, and `file#/grants/2` where there are several.

This module does not read files and does not judge what is in them.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import replace
from itertools import accumulate, chain
from typing import Final

from attrs import field, frozen

from mcpizer_adapters.artifact.documents import PolicyDocument, PrincipalsDocument
from mcpizer_adapters.artifact.findings import Finding, Place
from mcpizer_adapters.artifact.problems import Problem
from mcpizer_adapters.artifact.source import Source, finding
from mcpizer_adapters.artifact.structure import VERSION
from mcpizer_core import Diagnostic, Related

_LISTS: Final[Mapping[str, Callable[[PolicyDocument], Sized]]] = {
    "/capabilities": lambda document: document.capabilities,
    "/upstreams": lambda document: document.upstreams,
    "/accounts": lambda document: document.accounts,
    "/principals/issuers": lambda document: document.principals.issuers,
    "/grants": lambda document: document.grants,
}
"""The lists of a policy, by their pointers: what is declared is an element of one of them."""

_ELEMENT: Final = re.compile(rf"({'|'.join(_LISTS)})/([0-9]{{1,9}})(/.*)?", re.DOTALL)


@frozen
class Files:
    """The files of one policy, in order; at least one."""

    sources: tuple[Source, ...]
    _positions: Mapping[str, int] = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        positions = {one.prefix: number for number, one in reversed(list(enumerate(self.sources)))}
        object.__setattr__(self, "_positions", positions)

    @property
    def several(self) -> bool:
        """Whether addresses name their file."""
        return len(self.sources) > 1

    def find(self, address: str) -> tuple[int, str] | None:
        """Return the position of the file an address leads to, and the pointer in it; None if it names no file."""
        if not self.several:
            return 0, address
        end = len(address)
        while (mark := address.rfind("#", 0, end)) >= 0:  # a key or a file's name may hold one too
            if (position := self._positions.get(address[: mark + 1])) is not None:
                return position, address[mark + 1 :]
            end = mark
        return None

    def place(self, address: str) -> Place | None:
        """Return where the value at an address begins, or None if there is none."""
        found = self.find(address)
        return self.sources[found[0]].place(found[1]) if found is not None else None


@frozen
class Joined:
    """A policy of one file or several: `document` holds what all of them declare."""

    files: Files
    document: PolicyDocument
    _starts: Mapping[str, Sequence[int]] = field(repr=False)

    def home(self, pointer: str) -> tuple[Source, str]:
        """Return the file of a pointer into the document, and the pointer there; of no element, the first file."""
        found = _ELEMENT.fullmatch(pointer) if self.files.several else None
        if found is None:
            return self.files.sources[0], pointer
        section, number, rest = found[1], int(found[2]), found[3] or ""
        starts = self._starts[section]
        position = bisect_right(starts, number) - 1
        return self.files.sources[position], f"{section}/{number - starts[position]}{rest}"

    def address(self, pointer: str) -> str:
        """Return the address of a pointer into the document."""
        source, inside = self.home(pointer)
        return source.prefix + inside

    def inward(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a diagnostic about addresses as one about pointers into the document."""
        if not self.files.several:
            return diagnostic
        related = tuple(Related(self._pointer(one.path), one.note) for one in diagnostic.related)
        return replace(diagnostic, path=self._pointer(diagnostic.path), related=related)

    def finding(self, problem: Problem, diagnostic: Diagnostic | None = None) -> Finding:
        """Return the finding that `problem` is; `diagnostic` is what the core said, if it did."""
        return finding(problem, self.home, diagnostic)

    def _pointer(self, address: str) -> str:
        found = self.files.find(address)
        element = _ELEMENT.fullmatch(found[1]) if found is not None else None
        if found is None or element is None:
            return address
        return f"{element[1]}/{self._starts[element[1]][found[0]] + int(element[2])}{element[3] or ''}"


def join(files: Files, documents: Sequence[PolicyDocument]) -> Joined:
    """Return the documents of `files` as one. Grants only add, so no file comes before another in what it means."""
    starts = {
        section: list(accumulate((len(of(one)) for one in documents[:-1]), initial=0)) for section, of in _LISTS.items()
    }
    return Joined(files, documents[0] if len(documents) == 1 else _union(documents), starts)


def _union(documents: Sequence[PolicyDocument]) -> PolicyDocument:
    return PolicyDocument(
        VERSION,
        tuple(chain.from_iterable(one.capabilities for one in documents)),
        tuple(chain.from_iterable(one.upstreams for one in documents)),
        tuple(chain.from_iterable(one.accounts for one in documents)),
        PrincipalsDocument(tuple(chain.from_iterable(one.principals.issuers for one in documents))),
        tuple(chain.from_iterable(one.grants for one in documents)),
    )
