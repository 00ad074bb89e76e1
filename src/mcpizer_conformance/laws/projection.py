"""The laws of the inverse (I1 to I3) and of projection (P1 to P6): what a name means, and what is listed.

Each function asserts one consequence for one world and tells whether its precondition was met.

This module does not know an index: a world's tools are scanned.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mcpizer_conformance.laws.access import policy_of
from mcpizer_conformance.laws.matching import covers
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.strategies.policies import NOW_MS
from mcpizer_conformance.strategies.worlds import World
from mcpizer_core import (
    Admitted,
    AmbiguousName,
    Declaration,
    Found,
    Gate,
    Outcome,
    Principal,
    Private,
    Projection,
    Public,
    Refused,
    Tool,
    UnknownName,
)


def gate_of(subject: Subject, world: World) -> Gate:
    """The gate of a world."""
    return subject.bind(policy_of(subject, world.declaration), subject.catalog_of(list(world.tools)))


def shown(subject: Subject, world: World) -> Projection:
    """What the world's principal is shown."""
    return subject.visible(gate_of(subject, world), world.principal)


def outcomes(subject: Subject, world: World, names: Iterable[str]) -> list[Outcome]:
    """What becomes of a call of each name, with the world's usage."""
    gate = gate_of(subject, world)
    return [subject.admit(gate, world.principal, name, at_ms=NOW_MS, usage=world.usage) for name in names]


def names_of(world: World) -> list[str]:
    """Every exposed name of the world, sorted."""
    return sorted({tool.exposed for tool in world.tools})


def in_scope(tool: Tool, principal: Principal) -> bool:
    """The principal may see the tool."""
    scope = tool.scope
    if isinstance(scope, Public):
        return True
    return scope.owner == principal.id if isinstance(scope, Private) else scope.team in principal.teams


def candidates(world: World, name: str) -> list[Tool]:
    """The different tools in the principal's scope that hold exactly this name, in canonical order."""
    seen = {tool for tool in world.tools if tool.exposed == name and in_scope(tool, world.principal)}
    return sorted(seen, key=lambda tool: (tool.exposed, tool.key))


def mapped(declaration: Declaration, tool: Tool) -> str | None:
    """The capability of the mapping of exactly this owner, upstream and tool."""
    identity = (tool.owner, tool.upstream, tool.name)
    return next((m.capability for m in declaration.tools if (m.owner, m.upstream, m.tool) == identity), None)


def names_without_neighbours(subject: Subject, world: World) -> bool:
    """N3: a catalog keeps the name each tool comes with, alone or beside others. Hard: some tools share a name."""
    for tool in world.tools:
        assert subject.catalog_of([tool]).tools == (tool,)
        assert tool in subject.catalog_of(list(world.tools)).tools
    return len({tool.name for tool in world.tools}) < len(set(world.tools))


def listed_names_look_up(subject: Subject, world: World) -> bool:
    """I1: each listed name looks up to the listed tool. Hard: something is listed."""
    listed = shown(subject, world).tools
    catalog = subject.catalog_of(list(world.tools))
    for one in listed:
        assert subject.lookup(catalog, one.tool.exposed, world.principal) == Found(one.tool)
    return bool(listed)


def found_is_in_the_catalog(subject: Subject, world: World) -> bool:
    """I1: what a name means is the tool of that name, in scope, kept as it came in. Hard: it means one."""
    catalog, met = subject.catalog_of(list(world.tools)), False
    for name in names_of(world):
        found = subject.lookup(catalog, name, world.principal)
        if isinstance(found, Found):
            assert candidates(world, name) == [found.tool]
            met = True
    return met


def unknown_whatever_it_resembles(subject: Subject, world: World, resembling: Sequence[str]) -> bool:
    """I2: a name that no tool in scope has is unknown, and is answered as it was asked. Hard: it resembles one."""
    catalog, gate, met = subject.catalog_of(list(world.tools)), gate_of(subject, world), False
    for name in resembling:
        if not candidates(world, name):
            assert subject.lookup(catalog, name, world.principal) == UnknownName(name)
            assert subject.admit(gate, world.principal, name, at_ms=NOW_MS) == UnknownName(name)
            met = True
    return met


def means_one_or_is_ambiguous(subject: Subject, world: World) -> bool:
    """I3: a name means the one tool in scope, or is ambiguous among all that are. Hard: there are several."""
    catalog, met = subject.catalog_of(list(world.tools)), False
    for name in names_of(world):
        some = candidates(world, name)
        if len(some) > 1:
            meant = subject.lookup(catalog, name, world.principal)
            assert isinstance(meant, AmbiguousName)
            assert set(meant.candidates) == set(some)
            assert len(meant.candidates) == len(some)
            assert [(t.exposed, t.key) for t in meant.candidates] == [(t.exposed, t.key) for t in some]
            met = True
    return met


def order_never_changes_meaning(subject: Subject, world: World, tools: Sequence[Tool]) -> bool:
    """I3: whatever order the tools come in, each name means the same. Hard: two tools have one name."""
    one, other = subject.catalog_of(list(world.tools)), subject.catalog_of(list(tools))
    for name in names_of(world):
        assert subject.lookup(one, name, world.principal) == subject.lookup(other, name, world.principal)
    return len(names_of(world)) < len(set(world.tools))


def listed_iff_admitted(subject: Subject, world: World) -> bool:
    """P1: exactly what is listed is admitted while usage is not consulted, alike. Hard: some names are not listed."""
    projection, gate = shown(subject, world), gate_of(subject, world)
    answers = [subject.admit(gate, world.principal, name, at_ms=NOW_MS) for name in names_of(world)]
    assert [answer for answer in answers if isinstance(answer, Admitted)] == list(projection.tools)
    ambiguous = [answer.name for answer in answers if isinstance(answer, AmbiguousName)]
    assert ambiguous == list(projection.withheld)
    return bool(projection.tools) and len(projection.tools) < len(answers)


def refusals_know_the_list(subject: Subject, world: World) -> bool:
    """P1: a refusal says whether the tool is listed. Hard: it is, and only its limit refuses it."""
    listed = [one.tool for one in shown(subject, world).tools]
    refusals = [one for one in outcomes(subject, world, names_of(world)) if isinstance(one, Refused)]
    for one in refusals:
        assert one.listed == (one.tool in listed)
    return any(one.listed for one in refusals)


def empty_policy_shows_nothing(subject: Subject, world: World) -> bool:
    """P2: with an empty policy nothing is listed, withheld or callable. Hard: there are tools in scope."""
    bare = replace(world, declaration=Declaration())
    assert shown(subject, bare) == Projection((), ())
    assert outcomes(subject, bare, names_of(world)) == [UnknownName(name) for name in names_of(world)]
    return any(in_scope(tool, world.principal) for tool in world.tools)


def no_grants_list_nothing(subject: Subject, world: World) -> bool:
    """P2: without grants nothing is listed or admitted. Hard: something would be with them."""
    bare = replace(world, declaration=replace(world.declaration, grants=()))
    assert shown(subject, bare).tools == ()
    assert not any(isinstance(one, Admitted) for one in outcomes(subject, bare, names_of(world)))
    return bool(shown(subject, world).tools)


def unmapped_is_nowhere(subject: Subject, world: World) -> bool:
    """P3: an unmapped tool is neither listed nor callable: its name is unknown. Hard: one is in scope."""
    met = False
    for one in shown(subject, world).tools:
        assert mapped(world.declaration, one.tool) == one.capability
    for name, outcome in zip(names_of(world), outcomes(subject, world, names_of(world)), strict=True):
        some = candidates(world, name)
        if some and not any(mapped(world.declaration, tool) for tool in some):
            assert outcome == UnknownName(name)
            met = True
        if isinstance(outcome, Admitted | Refused):
            assert mapped(world.declaration, outcome.tool) == outcome.capability
    return met


def ambiguity_comes_before_the_mapping(subject: Subject, world: World) -> bool:
    """P3: of a mapped and an unmapped tool in scope under one name neither is picked. Hard: there is such a name."""
    met = False
    for name, outcome in zip(names_of(world), outcomes(subject, world, names_of(world)), strict=True):
        some = candidates(world, name)
        if len({mapped(world.declaration, tool) is None for tool in some}) == 2:
            assert isinstance(outcome, AmbiguousName)
            assert set(outcome.candidates) == set(some)
            met = True
    return met


def listed_names_are_unique(subject: Subject, world: World) -> bool:
    """P4: no name is listed twice, nor both listed and withheld. Hard: two tools in scope share a name."""
    projection = shown(subject, world)
    names = [*(one.tool.exposed for one in projection.tools), *projection.withheld]
    assert len(names) == len(set(names))
    return any(len(candidates(world, name)) > 1 for name in names_of(world))


def unseen_tools_change_nothing(subject: Subject, world: World) -> bool:
    """P5: without the tools outside its scope a principal gets every answer it got. Hard: one shares a name it sees."""
    seen = tuple(tool for tool in world.tools if in_scope(tool, world.principal))
    without = replace(world, tools=seen)
    assert shown(subject, without) == shown(subject, world)
    assert outcomes(subject, without, names_of(world)) == outcomes(subject, world, names_of(world))
    unseen = {tool.exposed for tool in world.tools if not in_scope(tool, world.principal)}
    return bool(unseen & {tool.exposed for tool in seen})


def others_grants_change_nothing(subject: Subject, world: World) -> bool:
    """P5: without the grants to others a principal gets every answer it got. Hard: there are such, and it sees some."""
    declaration = policy_of(subject, world.declaration).declaration
    own = tuple(grant for grant in declaration.grants if covers(declaration, grant, world.principal))
    without = replace(world, declaration=replace(declaration, grants=own))
    assert shown(subject, without) == shown(subject, world)
    assert outcomes(subject, without, names_of(world)) == outcomes(subject, world, names_of(world))
    return len(own) < len(declaration.grants) and bool(shown(subject, world).tools)


def one_gate_serves_all(subject: Subject, world: World, others: Sequence[Principal]) -> bool:
    """P5: what a gate showed to others, also to one of the same id, changes nothing. Hard: two lists differ."""
    gate, everybody = gate_of(subject, world), [world.principal, *others, world.principal]
    projections = [subject.visible(gate, principal) for principal in everybody]
    for principal, projection in zip(everybody, projections, strict=True):
        answers = [subject.admit(gate, principal, name, at_ms=NOW_MS) for name in names_of(world)]
        assert [answer for answer in answers if isinstance(answer, Admitted)] == list(projection.tools)
    return len(set(projections)) > 1


def same_set_same_list(subject: Subject, world: World, tools: Sequence[Tool]) -> bool:
    """P6: the same set of tools, in any order and any number of times, gives the same list, in canonical order.
    Hard: some are listed, of several tools."""
    projection = shown(subject, world)
    for other in (tools, [*tools, *tools]):
        assert shown(subject, replace(world, tools=tuple(other))) == projection
        assert subject.catalog_of(list(other)) == subject.catalog_of(list(world.tools))
    keys = [(one.tool.exposed, one.tool.key) for one in projection.tools]
    assert keys == sorted(keys)
    assert list(projection.withheld) == sorted(projection.withheld)
    return bool(keys) and len(set(world.tools)) > 2


def catalog_keeps_every_tool(subject: Subject, world: World) -> bool:
    """P6: a catalog is all its tools, none lost, in canonical order. Hard: several have one name."""
    kept = subject.catalog_of(list(world.tools)).tools
    assert set(kept) == set(world.tools)
    keys = [(tool.exposed, tool.key) for tool in kept]
    assert keys == sorted(keys)
    return len(names_of(world)) < len(set(world.tools))
