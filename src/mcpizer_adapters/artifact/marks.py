"""A document as plain values, and where in the text each of them is written.

The tree, its pointers (RFC 6901) and what holds for every text, whatever its notation, live here and nowhere else:
keys are unique, nesting and number of values are bounded.

Keys and values are numbered in the order of the text, the root being 0; what holds them are ordinary dictionaries and
lists. A place is worked out from the number when it is asked for: of a sound policy hardly any ever is.

This module does not know YAML, JSON or policies: `yaml_text` and `json_text` read sound texts by themselves, and feed
any other to a `Builder`, which knows what is wrong with it.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain
from typing import Final, NoReturn

from attrs import define, field, frozen

from mcpizer_adapters.artifact.problems import START, Mention, Problem, Spot, Unreadable
from mcpizer_core import DiagnosticCode

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")

SURROGATE: Final = re.compile("[\ud800-\udfff]")

MAX_DIGITS: Final = 400
"""The longest number that is read; Python itself refuses to read some thousand digits."""

MAX_PROBLEMS: Final = 1_000
"""After so many problems a text, or one list of it, is not read on: nobody reads more, and a report has an end."""


@frozen
class Bounds:
    """How much one text may hold."""

    bytes: int = 32 * 1024 * 1024
    depth: int = 64
    values: int = 4_000_000


def step(pointer: str, key: str | int) -> str:
    """Return the pointer one step below `pointer`."""
    return f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"


def steps(pointer: str) -> list[str]:
    """Return the keys and indices a pointer goes through."""
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


@frozen(eq=False)
class Marks:
    """Where the keys and values of a sound text begin, as offsets in its order; taken from it at the first question."""

    _text: str
    _begin: Callable[[str], Sequence[int]]

    @cached_property
    def _offsets(self) -> Sequence[int]:
        return self._begin(self._text)

    @cached_property
    def _lines(self) -> Sequence[int]:
        return array("L", line_starts(self._text))

    def spot(self, number: int) -> Spot:
        """Return where the key or value of this number begins."""
        offset = self._offsets[number]
        line = bisect_right(self._lines, offset)
        return Spot(line, offset - self._lines[line - 1] + 1)


@frozen(eq=False)
class Tree:
    """A whole document: its root value, and where the key or value of each number begins."""

    root: object
    spot: Callable[[int], Spot] = field(repr=False)
    _keys: dict[int, Mapping[str, int]] = field(init=False, factory=dict, repr=False)
    _elements: dict[int, Sequence[int]] = field(init=False, factory=dict, repr=False)

    def find(self, pointer: str) -> Spot | None:
        """Return where the value at `pointer` begins, or None if the document has no such place."""
        found = self._walk(pointer)
        return self.spot(found[0]) if found is not None else None

    def find_key(self, pointer: str) -> Spot | None:
        """Return where the key that `pointer` ends in begins; of a list element and of the root, the value."""
        found = self._walk(pointer)
        return self.spot(found[0] - found[1]) if found is not None else None

    def nearest(self, pointer: str) -> Spot:
        """Return where the value at `pointer` begins, or the nearest place above it that exists."""
        while (spot := self.find(pointer)) is None and "/" in pointer:
            pointer = pointer.rpartition("/")[0]
        return spot or self.spot(0)

    def keys(self, value: dict[str, object], number: int) -> Mapping[str, int]:
        """Return the numbers of the values of an object, by their keys; the key of each has the number before it."""
        if number not in self._keys:
            self._keys[number] = dict(zip(value, _numbers(value.values(), number + 2, between=1), strict=False))
        return self._keys[number]

    def elements(self, value: list[object], number: int) -> Sequence[int]:
        """Return the numbers of the elements of a list."""
        if number not in self._elements:
            self._elements[number] = array("L", _numbers(value, number + 1))
        return self._elements[number]

    def _walk(self, pointer: str) -> tuple[int, bool] | None:
        """Return the number of the value at `pointer`, and whether it has a key; None if there is none."""
        if pointer and not pointer.startswith("/"):
            return None
        value, number, has_key = self.root, 0, False
        for part in steps(pointer):
            if isinstance(value, dict) and part in value:
                value, number, has_key = value[part], self.keys(value, number)[part], True
            elif isinstance(value, list) and _INDEX.fullmatch(part) and int(part) < len(value):
                value, number, has_key = value[int(part)], self.elements(value, number)[int(part)], False
            else:
                return None
        return number, has_key


def _numbers(values: Iterable[object], first: int, between: int = 0) -> Iterator[int]:
    """Yield the numbers of values that follow each other, with so many keys between them, and the one after those."""
    return accumulate((_size(value) + between for value in values), initial=first)


def _size(value: object) -> int:
    """Return how many keys and values a value consists of."""
    if isinstance(value, dict):
        return 1 + len(value) + sum(map(_size, value.values()))
    return 1 + sum(map(_size, value)) if isinstance(value, list) else 1


@define
class Frame:
    """A list or object that is not closed yet, at `pointer`; `key` is the key whose value comes next."""

    container: dict[str, object] | list[object]
    pointer: str
    key: str | None = None
    key_spot: Spot = START
    first_spots: dict[str, Spot] = field(factory=dict)


@define
class Builder:
    """Takes the values of a text in order and builds the tree, noting what no text may hold and where.

    Of a key that is written twice the first value is kept, and a problem names both places.
    """

    bounds: Bounds = field(factory=Bounds)
    problems: list[Problem] = field(factory=list)
    tree: Tree | None = None
    _frames: list[Frame] = field(factory=list)
    _spots: list[Spot] = field(factory=list)
    _count: int = 0

    @property
    def expects_key(self) -> bool:
        """Whether the next thing in the text is a key."""
        return bool(self._frames) and isinstance(self._frames[-1].container, dict) and self._frames[-1].key is None

    @property
    def pointer(self) -> str:
        """Where in the document the next value goes; where a key comes next, the object it belongs to."""
        if not self._frames:
            return ""
        frame = self._frames[-1]
        if isinstance(frame.container, list):
            return step(frame.pointer, len(frame.container))
        return frame.pointer if frame.key is None else step(frame.pointer, frame.key)

    def key(self, key: str, spot: Spot) -> None:
        """Take the key of the next value."""
        self._check(key, spot)
        self._spots.append(spot)
        frame = self._frames[-1]
        frame.key, frame.key_spot = key, spot

    def value(self, value: object, spot: Spot) -> None:
        """Take a value that holds no others."""
        if isinstance(value, str):
            self._check(value, spot)
        self._place(value, spot)

    def open(self, container: dict[str, object] | list[object], spot: Spot) -> None:
        """Take the beginning of a list or object."""
        pointer = self.pointer
        if len(self._frames) >= self.bounds.depth:
            self.fail_nesting(spot)
        self._place(container, spot)
        self._frames.append(Frame(container, pointer))

    def close(self) -> None:
        """Take the end of the innermost list or object."""
        self._frames.pop()

    def note(self, spot: Spot, message: str, hint: str, related: tuple[Mention, ...] = ()) -> None:
        """Note a problem at the next value; the text is read on, unless there are too many."""
        self.problems.append(self._problem(spot, message, hint, related))
        if len(self.problems) >= MAX_PROBLEMS:
            self.fail(spot, f"{MAX_PROBLEMS} problems; the rest of the text is not read", "correct these first")

    def fail(self, spot: Spot, message: str, hint: str, related: tuple[Mention, ...] = ()) -> NoReturn:
        """Raise a problem after which the text cannot be read on."""
        raise Unreadable(self._problem(spot, message, hint, related))

    def fail_nesting(self, spot: Spot) -> NoReturn:
        """Raise that lists and objects are nested too deep."""
        self.fail(spot, f"more than {self.bounds.depth} levels of lists and objects", "nest them less deep")

    def _problem(self, spot: Spot, message: str, hint: str, related: tuple[Mention, ...]) -> Problem:
        code = DiagnosticCode.YAML_SYNTAX
        return Problem(code, self.pointer, message, hint, at_key=True, spot=spot, related=related)

    def _check(self, text: str, spot: Spot) -> None:
        if SURROGATE.search(text):
            self.note(spot, "half of a surrogate pair stands for no character", "write the whole character")

    def _place(self, value: object, spot: Spot) -> None:
        self._count += 1
        if self._count > self.bounds.values:
            self.fail(spot, f"more than {self.bounds.values} values", "split the file")
        self._spots.append(spot)
        if not self._frames:
            self.tree = Tree(value, self._spots.__getitem__)
            return
        frame = self._frames[-1]
        container = frame.container
        if isinstance(container, list):
            container.append(value)
        elif frame.key is not None:
            first = frame.first_spots.setdefault(frame.key, frame.key_spot)
            if frame.key in container:
                self._note_twice(frame.key_spot, first)
            container.setdefault(frame.key, value)
            frame.key = None

    def _note_twice(self, spot: Spot, first: Spot) -> None:
        related = (Mention(self.pointer, "first here", first),)
        self.note(spot, "the key is written twice", "remove one of the two", related)


def is_within(root: object, depth: int) -> bool:
    """Tell whether no more lists and objects than so many are nested in each other."""
    level = [root]
    for _ in range(depth):
        level = [
            inner
            for value in level
            for inner in (value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
            if isinstance(inner, dict | list)
        ]
    return not level


def plain(value: object) -> object:
    """Return a copy of `value`, which shares no dictionary or list with it."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value


def number(text: str) -> int | float | None:
    """Return the number a text stands for, or None if it has too many digits or is too large for a float.

    `text` is a decimal number, or a whole one in the bases of YAML 1.2: `0x1F`, `0o17`.
    """
    if len(text) > MAX_DIGITS:
        return None
    if text[:2] in ("0x", "0o"):
        return int(text, 0)
    if re.fullmatch(r"[-+]?[0-9]+", text):
        return int(text)
    found = float(text)
    return found if abs(found) != float("inf") else None


def position(text: str, offset: int) -> Spot:
    """Return the line and column of a character; lines end as YAML and JSON readers end them: LF, CR, CR LF."""
    starts = list(line_starts(text[:offset]))
    return Spot(len(starts), offset - starts[-1] + 1)


def line_starts(text: str) -> Iterator[int]:
    """Yield the offset of each line of `text`."""
    return chain((0,), map(re.Match.end, re.finditer(r"\r\n?|\n", text)))
