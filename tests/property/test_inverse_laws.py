"""The laws of the inverse: what a name means, to whom, and that nothing else does."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from mcpizer_conformance.laws import projection
from mcpizer_conformance.laws.checking import holds, refutes
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.specimens import SPECIMENS
from mcpizer_conformance.strategies.samples import spellings
from mcpizer_conformance.strategies.texts import names
from mcpizer_conformance.strategies.worlds import World, worlds
from mcpizer_core import AmbiguousName, Catalog, Found, Principal, Tool, UnknownName, catalog_of, lookup
from tests.property import broken

CORE = Subject()

any_world = worlds()
shuffled = worlds().flatmap(lambda world: st.tuples(st.just(world), st.permutations(world.tools)))


def resembling(world: World) -> list[str]:
    """Names that resemble the world's: another case, the bare tool name, one underscore, a near miss."""
    return [
        text
        for tool in world.tools
        for text in (
            tool.name,
            tool.exposed.upper(),
            tool.exposed.casefold(),
            tool.exposed.replace("__", "_", 1),
            tool.exposed.replace("_", "-"),
            tool.exposed.replace("-", "_"),
            tool.exposed + "\n",
            " " + tool.exposed,
            tool.exposed[:-1],
            tool.exposed + "_",
            f"{tool.key}__{tool.name}",
        )
    ]


def looking(answer: Found | UnknownName | AmbiguousName, pick: int) -> Found | UnknownName | AmbiguousName:
    """The answer, with one candidate picked where there are several."""
    return Found(answer.candidates[pick]) if isinstance(answer, AmbiguousName) else answer


def picking(pick: int) -> Subject:
    """A subject that picks one of several tools of a name."""
    return replace(CORE, lookup=lambda catalog, name, principal: looking(lookup(catalog, name, principal), pick))


class TestI1:
    """I1 · Each listed name looks up to the listed tool, and to that only."""

    @holds(any_world, floor=0.13)
    def test_a_listed_name_looks_up_to_its_tool(self, world: World) -> bool:
        return projection.listed_names_look_up(CORE, world)

    @holds(any_world, floor=0.4)
    def test_what_is_found_is_the_one_tool_of_that_name(self, world: World) -> bool:
        return projection.found_is_in_the_catalog(CORE, world)

    @refutes(any_world)
    def test_catches_a_look_up_by_the_bare_tool_name(self, world: World) -> None:
        def bare(tools: Sequence[Tool], name: str) -> Tool | None:
            return next((tool for tool in tools if tool.name == name.rpartition("__")[2]), None)

        projection.listed_names_look_up(broken.resolving(bare), world)

    @refutes(any_world)
    def test_catches_a_tool_stored_under_its_name_once_only(self, world: World) -> None:
        def last_of_all(catalog: Catalog, name: str, principal: Principal) -> Found | UnknownName:
            by_name = {tool.exposed: tool for tool in catalog.tools}
            return Found(by_name[name]) if name in by_name else UnknownName(name)

        projection.found_is_in_the_catalog(replace(CORE, lookup=last_of_all), world)


class TestI2:
    """I2 · An unknown name is unknown, whatever it resembles."""

    @holds(any_world, st.lists(names(), max_size=3), floor=0.8)
    def test_no_near_miss_is_taken_for_a_name(self, world: World, more: list[str]) -> bool:
        return projection.unknown_whatever_it_resembles(CORE, world, [*resembling(world), *more])

    @refutes(any_world)
    def test_catches_case_that_is_folded(self, world: World) -> None:
        projection.unknown_whatever_it_resembles(broken.nearest(str.casefold), world, resembling(world))

    @refutes(any_world)
    def test_catches_space_that_is_trimmed(self, world: World) -> None:
        projection.unknown_whatever_it_resembles(broken.nearest(str.strip), world, resembling(world))

    @refutes(any_world)
    def test_catches_a_hyphen_taken_for_an_underscore(self, world: World) -> None:
        folded = broken.nearest(lambda name: name.replace("-", "_"))
        projection.unknown_whatever_it_resembles(folded, world, resembling(world))

    @refutes(any_world)
    def test_catches_a_bare_tool_name_that_is_completed(self, world: World) -> None:
        def completed(tools: Sequence[Tool], name: str) -> Tool | None:
            return next((tool for tool in tools if name in (tool.exposed, tool.name)), None)

        projection.unknown_whatever_it_resembles(broken.resolving(completed), world, resembling(world))

    @refutes(any_world)
    def test_catches_an_answer_under_another_name(self, world: World) -> None:
        tidy = replace(CORE, lookup=lambda catalog, name, principal: lookup(catalog, name.strip(), principal))
        projection.unknown_whatever_it_resembles(tidy, world, resembling(world))


class TestI3:
    """I3 · For one principal a name means one tool or is ambiguous; order never changes which."""

    @holds(spellings, floor=0.19)
    def test_several_tools_of_a_name_are_all_named_and_none_is_picked(self, world: World) -> bool:
        return projection.means_one_or_is_ambiguous(CORE, world)

    @holds(shuffled, floor=0.27)
    def test_order_never_changes_what_a_name_means(self, both: tuple[World, list[Tool]]) -> bool:
        return projection.order_never_changes_meaning(CORE, *both)

    @refutes(any_world)
    def test_catches_the_first_of_several(self, world: World) -> None:
        projection.means_one_or_is_ambiguous(picking(0), world)

    @refutes(spellings, within=200)
    def test_catches_candidates_by_utf_16_units(self, world: World) -> None:
        projection.means_one_or_is_ambiguous(SPECIMENS["names-candidates-by-utf-16-units"].make(), world)

    @refutes(any_world)
    def test_catches_a_list_of_two_candidates_at_most(self, world: World) -> None:
        def two(catalog: Catalog, name: str, principal: Principal) -> Found | UnknownName | AmbiguousName:
            meant = lookup(catalog, name, principal)
            return AmbiguousName(name, meant.candidates[:2]) if isinstance(meant, AmbiguousName) else meant

        projection.means_one_or_is_ambiguous(replace(CORE, lookup=two), world)

    @refutes(shuffled)
    def test_catches_the_last_that_came_in(self, both: tuple[World, list[Tool]]) -> None:
        def last_wins(tools: list[Tool]) -> Catalog:
            return catalog_of({tool.exposed: tool for tool in tools}.values())

        projection.order_never_changes_meaning(replace(CORE, catalog_of=last_wins), *both)
