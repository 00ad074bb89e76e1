"""An immutable map of texts that shares with its successor whatever a change left alone.

The tree under every large index lives here and nowhere else: branches that the hash of a key chooses from, small
dictionaries at the ends. A change copies the branches above the keys it touches, so that its cost follows the change
and not the size. The hash only chooses a place; no answer depends on it, and whoever goes over a map does so in the
order of its keys.

This module does not know what the values are.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar, final

V = TypeVar("V")
T = TypeVar("T")

BITS: Final = 5
WIDTH: Final = 1 << BITS
"""So many ways a branch parts into: few, as a change copies them all."""
DEEPEST: Final = 30
"""So many bits of a hash are used, those of one digit of a number; keys alike in all of them stay together."""
PLACES: Final = (1 << DEEPEST) - 1
LEAF: Final = 128
"""So many keys stand together at most, before they part."""

Node = dict[str, V] | tuple[Any, ...]
"""The keys of one end, or a branch of nodes. Neither is ever changed."""

_NOTHING: Final[dict[str, Any]] = {}


def leaf_of(node: Node[V], key: str) -> dict[str, V]:
    """Return the end where `key` stands, if it stands anywhere."""
    place = hash(key) & PLACES
    while type(node) is tuple:
        node = node[place & 31]  # WIDTH - 1, and BITS below: written out, as every look-up comes by here
        place >>= 5
    return node  # type: ignore[return-value]  # what is no branch is an end


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SpreadMap(Mapping[str, V], Generic[V]):
    """An immutable mapping, equal to any of the same content; made by `spread`, or from another by `changed`."""

    _root: Node[V]
    _size: int

    def __getitem__(self, key: str) -> V:
        return leaf_of(self._root, key)[key]

    def get(self, key: str, default: T = None) -> V | T:  # type: ignore[assignment]  # as a mapping's
        return leaf_of(self._root, key).get(key, default)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key in leaf_of(self._root, key)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(dict(entries(self._root))))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, SpreadMap):
            return self._size == other._size and _same(self._root, other._root)
        return dict(entries(self._root)) == dict(other) if isinstance(other, Mapping) else NotImplemented

    def __hash__(self) -> int:
        return hash(frozenset(entries(self._root)))

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[object, ...]:
        return (spread, (dict(entries(self._root)),))  # a hash, and so a place, is of one process only

    def changed(self, changes: Mapping[str, V | None]) -> "SpreadMap[V]":
        """Return the map in which each of these keys has its new value, or is not there where that is None."""
        if not changes:
            return self
        more = sum((value is not None) - (key in self) for key, value in changes.items())
        return SpreadMap(_changed(self._root, dict(changes), 0), self._size + more)


def spread(content: Mapping[str, V]) -> SpreadMap[V]:
    """Return a map of this content, ready to be changed."""
    return SpreadMap(_node(dict(content), 0), len(content))


def flat(content: Mapping[str, V]) -> SpreadMap[V]:
    """Return a map of this content that is read a little faster; its first change costs as much as the content."""
    return SpreadMap(dict(content), len(content))


def entries(node: Node[V]) -> Iterator[tuple[str, V]]:
    """Yield every key with its value, in no order."""
    if isinstance(node, dict):
        yield from node.items()
    else:
        for one in node:
            yield from entries(one)


def _node(content: dict[str, V], used: int) -> Node[V]:
    """Return a node of keys that are alike in the bits used so far."""
    if len(content) <= LEAF or used >= DEEPEST:
        return content or _NOTHING
    parts: list[dict[str, V]] = [{} for _ in range(WIDTH)]
    for key, value in content.items():
        parts[hash(key) >> used & (WIDTH - 1)][key] = value
    return tuple([_node(part, used + BITS) for part in parts])


def _changed(node: Node[V], changes: dict[str, V | None], used: int) -> Node[V]:
    if isinstance(node, tuple):
        parts: dict[int, dict[str, V | None]] = {}
        for key, value in changes.items():
            parts.setdefault(hash(key) >> used & (WIDTH - 1), {})[key] = value
        nodes = list(node)
        for place, some in parts.items():
            nodes[place] = _changed(nodes[place], some, used + BITS)
        return tuple(nodes)
    content = dict(node)
    for key, value in changes.items():
        if value is None:
            content.pop(key, None)
        else:
            content[key] = value
    return _node(content, used)


def _same(one: Node[V], other: Node[V]) -> bool:
    """Tell whether two nodes at one place hold the same; what they share is not looked at."""
    if one is other:
        return True
    if isinstance(one, tuple) and isinstance(other, tuple):
        return all(_same(mine, its) for mine, its in zip(one, other, strict=True))
    return dict(entries(one)) == dict(entries(other))
