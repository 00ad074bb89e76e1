"""An immutable index of admitted tools, and what a name means to one principal.

The canonical order of every list and the rule that nothing is ever picked silently live here and nowhere else.

This module does not know how tools come in, nor whether anybody may call them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import final

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
class Catalog:
    """All admitted tools in canonical order: by code points of the exposed name, then of the key."""

    tools: tuple[Tool, ...]
    _by_name: Mapping[str, tuple[Tool, ...]] = field(init=False, compare=False, repr=False)
    _plain: Mapping[str, "Found"] = field(init=False, compare=False, repr=False)
    """The answer for each name that one public tool holds: the same for everybody."""

    def __post_init__(self) -> None:
        tools = tuple(sorted(dict.fromkeys(self.tools), key=canonical))
        by_name: dict[str, list[Tool]] = {}
        for tool in tools:
            by_name.setdefault(tool.exposed, []).append(tool)
        object.__setattr__(self, "tools", tools)
        object.__setattr__(self, "_by_name", {name: tuple(held) for name, held in by_name.items()})
        plain = {name: Found(held[0]) for name, held in by_name.items() if len(held) == 1 and held[0].scope == Public()}
        object.__setattr__(self, "_plain", plain)

    def __reduce__(self) -> tuple[type["Catalog"], tuple[tuple[Tool, ...]]]:
        return (Catalog, (self.tools,))  # what follows from the tools is made anew


def canonical(tool: Tool) -> tuple[str, ...]:
    """Return the sort key of the canonical order; what follows the key only makes the order total."""
    return (tool.exposed, tool.key, tool.name, tool.upstream, tool.owner, tool.fingerprint, *scope_key(tool.scope))


def catalog_of(tools: Iterable[Tool]) -> Catalog:
    """Return the catalog of these tools, whatever order they come in; equal ones count once (law P6)."""
    return Catalog(tuple(tools))


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


def lookup(catalog: Catalog, name: str, principal: Principal) -> Found | UnknownName | AmbiguousName:
    """Return what exactly `name` means to `principal`; nothing that merely resembles it is considered (law I2)."""
    if (found := catalog._plain.get(name)) is not None:
        return found
    candidates = tuple(tool for tool in catalog._by_name.get(name, ()) if sees(principal, tool.scope))
    if not candidates:
        return UnknownName(name)
    return Found(candidates[0]) if len(candidates) == 1 else AmbiguousName(name, candidates)
