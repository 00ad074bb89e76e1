"""A document as plain values that remember where each was written.

The tree, its pointers (RFC 6901) and what holds for every text, whatever its notation, live here and nowhere else:
keys are unique, nesting and number of values are bounded.

This module does not know YAML, JSON or policies: `yaml_text` and `json_text` feed a `Builder`, `structure` reads
the tree as ordinary dictionaries and lists.
"""

import re
from collections.abc import Iterator
from typing import Final, NoReturn

from attrs import define, field, frozen

from mcpizer_adapters.artifact.problems import START, Mention, Problem, Spot, Unreadable
from mcpizer_core import DiagnosticCode

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")

_SURROGATE: Final = re.compile("[\ud800-\udfff]")

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


class MarkedMap(dict[str, object]):
    """An object of the text; `spots` holds where each key and its value begin."""

    __slots__ = ("spots",)

    def __init__(self) -> None:
        super().__init__()
        self.spots: dict[str, tuple[Spot, Spot]] = {}


class MarkedList(list[object]):
    """A list of the text; `spots` holds where each element begins."""

    __slots__ = ("spots",)

    def __init__(self) -> None:
        super().__init__()
        self.spots: list[Spot] = []


def step(pointer: str, key: str | int) -> str:
    """Return the pointer one step below `pointer`."""
    return f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"


def steps(pointer: str) -> list[str]:
    """Return the keys and indices a pointer goes through."""
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


@frozen(eq=False)
class Tree:
    """A whole document: its root value and where that begins."""

    root: object
    spot: Spot = START

    def find(self, pointer: str) -> Spot | None:
        """Return where the value at `pointer` begins, or None if the document has no such place."""
        marks = self._walk(pointer)
        return marks[-1][1] if marks is not None else None

    def find_key(self, pointer: str) -> Spot | None:
        """Return where the key that `pointer` ends in begins; of a list element and of the root, the value."""
        marks = self._walk(pointer)
        return marks[-1][0] if marks is not None else None

    def nearest(self, pointer: str) -> Spot:
        """Return where the value at `pointer` begins, or the nearest place above it that exists."""
        while (spot := self.find(pointer)) is None and "/" in pointer:
            pointer = pointer.rpartition("/")[0]
        return spot or self.spot

    def _walk(self, pointer: str) -> list[tuple[Spot, Spot]] | None:
        if pointer and not pointer.startswith("/"):
            return None
        value, marks = self.root, [(self.spot, self.spot)]
        for part in steps(pointer):
            if isinstance(value, MarkedMap) and part in value.spots:
                marks.append(value.spots[part])
                value = value[part]
            elif isinstance(value, MarkedList) and _INDEX.fullmatch(part) and int(part) < len(value):
                marks.append((value.spots[int(part)],) * 2)
                value = value[int(part)]
            else:
                return None
        return marks


@define
class Frame:
    """A list or object that is not closed yet, at `pointer`; `key` is the key whose value comes next."""

    container: MarkedMap | MarkedList
    pointer: str
    key: str | None = None
    key_spot: Spot = START


@define
class Builder:
    """Takes the values of a text in order and builds the tree, noting what no text may hold.

    Of a key that is written twice the first value is kept, and a problem names both places.
    """

    bounds: Bounds = field(factory=Bounds)
    problems: list[Problem] = field(factory=list)
    tree: Tree | None = None
    _frames: list[Frame] = field(factory=list)
    _count: int = 0

    @property
    def expects_key(self) -> bool:
        """Whether the next thing in the text is a key."""
        return bool(self._frames) and isinstance(self._frames[-1].container, MarkedMap) and self._frames[-1].key is None

    @property
    def pointer(self) -> str:
        """Where in the document the next value goes; where a key comes next, the object it belongs to."""
        if not self._frames:
            return ""
        frame = self._frames[-1]
        if isinstance(frame.container, MarkedList):
            return step(frame.pointer, len(frame.container))
        return frame.pointer if frame.key is None else step(frame.pointer, frame.key)

    def key(self, key: str, spot: Spot) -> None:
        """Take the key of the next value."""
        self._check(key, spot)
        frame = self._frames[-1]
        frame.key, frame.key_spot = key, spot

    def value(self, value: object, spot: Spot) -> None:
        """Take a value that holds no others."""
        if isinstance(value, str):
            self._check(value, spot)
        self._place(value, spot)

    def open(self, container: MarkedMap | MarkedList, spot: Spot) -> None:
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
        self.fail(spot, f"more than {self.bounds.depth} levels of lists and objects", "a policy needs far fewer")

    def _problem(self, spot: Spot, message: str, hint: str, related: tuple[Mention, ...]) -> Problem:
        code = DiagnosticCode.YAML_SYNTAX
        return Problem(code, self.pointer, message, hint, at_key=True, spot=spot, related=related)

    def _check(self, text: str, spot: Spot) -> None:
        if _SURROGATE.search(text):
            self.note(spot, "half of a surrogate pair stands for no character", "write the whole character")

    def _place(self, value: object, spot: Spot) -> None:
        self._count += 1
        if self._count > self.bounds.values:
            self.fail(spot, f"more than {self.bounds.values} values", "split the file")
        if not self._frames:
            self.tree = Tree(value, spot)
            return
        frame = self._frames[-1]
        container = frame.container
        if isinstance(container, MarkedList):
            container.append(value)
            container.spots.append(spot)
            return
        if frame.key is not None:
            self._put(container, frame.key, frame.key_spot, value, spot)
            frame.key = None

    def _put(self, container: MarkedMap, key: str, key_spot: Spot, value: object, spot: Spot) -> None:
        if key not in container:
            container[key] = value
            container.spots[key] = (key_spot, spot)
            return
        first = container.spots[key][0]
        self.note(
            key_spot, "the key is written twice", "remove one of the two", (Mention(self.pointer, "first here", first),)
        )


def plain(value: object) -> object:
    """Return a copy of `value` in ordinary dictionaries and lists, without marks."""
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
    yield 0
    for found in re.finditer(r"\r\n?|\n", text):
        yield found.end()
