"""Who holds which name: the rule of a namespace, the scheme of its names, and what one registration holds.

Two scopes are compared by asking about every scope there is. This is all the model knows of holding a name.

This module does not know what may happen to a registration.
"""

from collections.abc import Callable

from mcpizer_conformance.model.lives import Hold, Namespace, Registration
from mcpizer_conformance.model.plain import Scope
from mcpizer_conformance.model.scopes import share_viewer

Scheme = Callable[[str, str], str]


class World:
    """The rule and the scheme that a namespace lives by."""

    def __init__(self, rule: str, scheme: Scheme) -> None:
        self.rule = rule
        self.scheme = scheme

    def forbids(self, one: Scope, other: Scope) -> bool:
        """Two tools, one in each scope, may not have one name."""
        return one == other if self.rule == "same_scope" else share_viewer(one, other)

    def covers(self, one: Scope, other: Scope) -> bool:
        """Whatever a hold in `other` forbids, one in `one` forbids too."""
        everybody = [["public"], ["team", "?"], ["owner", "?"], one, other]
        return all(self.forbids(one, each) for each in everybody if self.forbids(other, each))


def registration(namespace: Namespace, key: str) -> Registration | None:
    """The registration under a key."""
    return next((one for one in namespace["registrations"] if one["key"] == key), None)


def hold(world: World, one: Registration, tool: str) -> Hold:
    """What a tool holds or would hold."""
    name = world.scheme(one["upstream"], one["aliases"].get(tool, tool))
    return Hold(name=name, key=one["key"], tool=tool, scope=one["tool_scopes"].get(tool, one["scope"]))


def names(world: World, one: Registration) -> list[Hold]:
    """The final names that a registration holds, by name and tool."""
    tools = {offer["tool"] for offer in one["offers"]} | set(one["aliases"])
    return sorted((hold(world, one, tool) for tool in tools), key=lambda each: (each["name"], each["tool"]))


def ids(one: Registration) -> list[Hold]:
    """The upstream id in every scope in which it is held."""
    scopes: list[Scope] = []
    for scope in [one["scope"], *one["tool_scopes"].values()]:
        if scope not in scopes:
            scopes.append(scope)
    return [Hold(name=one["upstream"], key=one["key"], tool="", scope=scope) for scope in ordered(scopes)]


def ordered(scopes: list[Scope]) -> list[Scope]:
    """Public, then teams, then owners."""
    return sorted(scopes, key=lambda scope: (["public", "team", "owner"].index(scope[0]), scope[1:]))


def holds(world: World, namespace: Namespace, key: str) -> list[Hold]:
    """Every name that a registration holds, its id first."""
    one = registration(namespace, key)
    return [] if one is None else [*ids(one), *names(world, one)]
