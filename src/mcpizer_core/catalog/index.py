"""An immutable index of admitted tools, and what a name means to one principal.

The canonical order of every list and the rule that nothing is ever picked silently live here and nowhere else.

This module does not know how tools come in, nor whether anybody may call them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, final

from mcpizer_core.catalog.spread import Node, SpreadMap, entries, flat, leaf_of, spread
from mcpizer_core.principals import Principal
from mcpizer_core.scopes import Public, Scope, scope_key, sees


@final
@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of one registration, under its exposed name.

    `key` is the identity of the registration, `upstream` its id, `name` the upstream's own name for the tool.
    `payload` is carried and never opened; it takes no part in equality, hash or repr.
    """

    key: str
    upstream: str
    name: str
    exposed: str
    scope: Scope
    owner: str = ""
    fingerprint: str = ""
    payload: object = field(default=None, compare=False, repr=False)


@final
@dataclass(frozen=True, slots=True)
class Found:
    """The name means this tool, and no other that the principal could see."""

    tool: Tool


@final
@dataclass(frozen=True, slots=True)
class UnknownName:
    """The name means nothing to this principal: there is no such tool, or none it may see."""

    name: str


@final
@dataclass(frozen=True, slots=True)
class AmbiguousName:
    """The name means several tools that this principal could see; none is picked."""

    name: str
    candidates: tuple[Tool, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "candidates", tuple(self.candidates))


PUBLIC: Final = Public()

Held = Found | tuple[Tool, ...]
"""What holds a name: one public tool, as the answer it gives everybody; or tools in canonical order."""


@final
@dataclass(frozen=True, slots=True, repr=False)
class Catalog:
    """All admitted tools, made by `catalog_of`."""

    _held: SpreadMap[Held]
    _root: Node[Held] = field(init=False, compare=False)
    _sorted: list[tuple[Tool, ...]] = field(default_factory=list, init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_root", self._held._root)  # a step less for each look-up

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All tools in canonical order: by code points of the exposed name, then of the key. Put in order once."""
        if not self._sorted:
            held = [one for _, some in entries(self._held._root) for one in tools_in(some)]
            self._sorted.append(tuple(sorted(held, key=canonical)))
        return self._sorted[0]

    @property
    def _by_name(self) -> dict[str, tuple[Tool, ...]]:
        by_name: dict[str, list[Tool]] = {}
        for tool in self.tools:
            by_name.setdefault(tool.exposed, []).append(tool)
        return {name: tuple(held) for name, held in by_name.items()}

    def __repr__(self) -> str:
        return f"Catalog(tools={self.tools!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return (catalog_of, (self.tools,))  # what follows from the tools is made anew


def tools_in(held: Held | None) -> tuple[Tool, ...]:
    """Return the tools that hold a name."""
    if held is None:
        return ()
    return (held.tool,) if isinstance(held, Found) else held


def held_by(tools: Iterable[Tool]) -> Held | None:
    """Return what holds a name when these tools do; equal ones count once."""
    held = tuple(tools)
    if len(held) > 1:
        held = tuple(sorted(dict.fromkeys(held), key=canonical))
    return Found(held[0]) if len(held) == 1 and held[0].scope == PUBLIC else held or None


def canonical(tool: Tool) -> tuple[str, ...]:
    """Return the sort key of the canonical order; what follows the key only makes the order total."""
    return (tool.exposed, tool.key, tool.name, tool.upstream, tool.owner, tool.fingerprint, *scope_key(tool.scope))


def catalog_of(tools: Iterable[Tool]) -> Catalog:
    """Return the catalog of these tools, whatever order they come in; equal ones count once (law P6)."""
    return Catalog(flat(_by_name(tools)))


def changeable(tools: Iterable[Tool]) -> Catalog:
    """Return the same catalog, ready to become another by small changes."""
    return Catalog(spread(_by_name(tools)))


def changed(catalog: Catalog, gone: Iterable[Tool], come: Iterable[Tool]) -> Catalog:
    """Return the catalog without the tools that are gone and with those that come. The cost follows their number."""
    held: dict[str, list[Tool]] = {}
    for tool in gone:
        some = held.setdefault(tool.exposed, list(tools_in(catalog._held.get(tool.exposed))))
        held[tool.exposed] = [one for one in some if one != tool]
    for tool in come:
        held.setdefault(tool.exposed, list(tools_in(catalog._held.get(tool.exposed)))).append(tool)
    return Catalog(catalog._held.changed({name: held_by(some) for name, some in held.items()})) if held else catalog


def _by_name(tools: Iterable[Tool]) -> dict[str, Held]:
    by_name: dict[str, list[Tool]] = {}
    for tool in tools:
        by_name.setdefault(tool.exposed, []).append(tool)
    return {name: held for name, some in by_name.items() if (held := held_by(some)) is not None}


def lookup(catalog: Catalog, name: str, principal: Principal) -> Found | UnknownName | AmbiguousName:
    """Return what exactly `name` means to `principal`; nothing that merely resembles it is considered (law I2)."""
    node = catalog._root
    held = (node if type(node) is dict else leaf_of(node, name)).get(name)
    if type(held) is Found:
        return held
    candidates = tuple(tool for tool in held or () if sees(principal, tool.scope))
    if not candidates:
        return UnknownName(name)
    return Found(candidates[0]) if len(candidates) == 1 else AmbiguousName(name, candidates)
