"""The laws of projection: what is listed, and that a call agrees with it."""

from dataclasses import replace

from hypothesis import strategies as st

from mcpizer_conformance.laws import projection
from mcpizer_conformance.laws.checking import holds, refutes
from mcpizer_conformance.laws.projection import mapped
from mcpizer_conformance.laws.subject import NOT_CONSULTED, Subject
from mcpizer_conformance.specimens import SPECIMENS
from mcpizer_conformance.strategies.samples import shuffled_spellings, spellings
from mcpizer_conformance.strategies.worlds import World, principals_for, worlds
from mcpizer_core import (
    Admitted,
    Allow,
    AmbiguousName,
    Catalog,
    Found,
    Gate,
    Outcome,
    Principal,
    Projection,
    Reason,
    ReasonCode,
    Refused,
    Tool,
    UnknownName,
    Usage,
    admit,
    catalog_of,
    decide,
    lookup,
    visible,
)

CORE = Subject()

any_world = worlds()


def callers(world: World) -> st.SearchStrategy[Principal]:
    """Callers of the world, among them its principal with other attributes or teams."""
    other = st.sampled_from(({}, {"team": "a"}, {"team": "b", "role": "a"}, {"groups": {"a", "b"}}))
    twins = st.builds(replace, st.just(world.principal), attributes=other, teams=st.sampled_from(((), ("red",))))
    return twins | principals_for(world.declaration.grants)


crowded = worlds().flatmap(lambda world: st.tuples(st.just(world), st.lists(callers(world), min_size=1, max_size=4)))
shuffled = worlds().flatmap(lambda world: st.tuples(st.just(world), st.permutations(world.tools)))


class TestP1:
    """P1 · A tool is listed iff `admit` with usage not consulted admits it: list and call cannot disagree."""

    @holds(any_world, floor=0.027)
    def test_exactly_what_is_listed_is_admitted(self, world: World) -> bool:
        return projection.listed_iff_admitted(CORE, world)

    @holds(any_world, floor=0.037)
    def test_a_refusal_knows_whether_it_is_listed(self, world: World) -> bool:
        return projection.refusals_know_the_list(CORE, world)

    @refutes(any_world)
    def test_catches_a_filter_on_the_list_only(self, world: World) -> None:
        def hiding(gate: Gate, principal: Principal) -> Projection:
            shown = visible(gate, principal)
            return replace(shown, tools=tuple(one for one in shown.tools if not one.tool.name.startswith("_")))

        projection.listed_iff_admitted(replace(CORE, visible=hiding), world)

    @refutes(any_world)
    def test_catches_everything_listed_and_refused_later(self, world: World) -> None:
        def open_house(gate: Gate, principal: Principal) -> Projection:
            reason = Reason(ReasonCode.GRANTED, "/grants", "")
            named = ((tool, mapped(gate.policy.declaration, tool)) for tool in gate.catalog.tools)
            return Projection(tuple(Admitted(tool, to, Allow(reason, "", None)) for tool, to in named if to), ())

        projection.listed_iff_admitted(replace(CORE, visible=open_house), world)

    @refutes(any_world)
    def test_catches_ambiguity_that_is_not_told(self, world: World) -> None:
        def silent(gate: Gate, principal: Principal) -> Projection:
            return replace(visible(gate, principal), withheld=())

        projection.listed_iff_admitted(replace(CORE, visible=silent), world)

    @refutes(any_world)
    def test_catches_a_list_that_leaves_out_what_is_used_up(self, world: World) -> None:
        def unlisted(
            gate: Gate, principal: Principal, name: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
        ) -> Outcome:
            outcome = admit(gate, principal, name, at_ms=at_ms, usage=usage)
            return replace(outcome, listed=False) if isinstance(outcome, Refused) else outcome

        projection.refusals_know_the_list(replace(CORE, admit=unlisted), world)


class TestP2:
    """P2 · An empty policy lists nothing."""

    @holds(any_world, floor=0.8)
    def test_an_empty_policy_shows_nothing(self, world: World) -> bool:
        return projection.empty_policy_shows_nothing(CORE, world)

    @holds(any_world, floor=0.13)
    def test_without_grants_nothing_is_listed(self, world: World) -> bool:
        return projection.no_grants_list_nothing(CORE, world)

    @refutes(any_world)
    def test_catches_no_rules_taken_for_no_limits(self, world: World) -> None:
        def unruled(gate: Gate, principal: Principal) -> Projection:
            if gate.policy.declaration.grants:
                return visible(gate, principal)
            allow = Allow(Reason(ReasonCode.GRANTED, "/grants", ""), "", None)
            return Projection(tuple(Admitted(tool, "", allow) for tool in gate.catalog.tools), ())

        projection.empty_policy_shows_nothing(replace(CORE, visible=unruled), world)
        projection.no_grants_list_nothing(replace(CORE, visible=unruled), world)


class TestP3:
    """P3 · Unmapped tools are nowhere."""

    @holds(any_world, floor=0.14)
    def test_an_unmapped_tool_is_neither_listed_nor_callable(self, world: World) -> bool:
        return projection.unmapped_is_nowhere(CORE, world)

    @holds(any_world, floor=0.05)
    def test_beside_an_unmapped_one_nothing_is_picked(self, world: World) -> bool:
        return projection.ambiguity_comes_before_the_mapping(CORE, world)

    @refutes(any_world)
    def test_catches_a_mapping_that_forgets_the_owner(self, world: World) -> None:
        def ownerless(gate: Gate, principal: Principal) -> Projection:
            found = {(m.upstream, m.tool): m.capability for m in gate.policy.declaration.tools}
            shown = []
            for tool in gate.catalog.tools:
                capability = found.get((tool.upstream, tool.name), "")
                decision = decide(gate.policy, principal, capability, at_ms=0)
                if isinstance(decision, Allow):
                    shown.append(Admitted(tool, capability, decision))
            return Projection(tuple(shown), ())

        projection.unmapped_is_nowhere(replace(CORE, visible=ownerless), world)

    @refutes(any_world)
    def test_catches_a_reason_made_up_for_an_unmapped_tool(self, world: World) -> None:
        def explained(
            gate: Gate, principal: Principal, name: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
        ) -> Outcome:
            outcome = admit(gate, principal, name, at_ms=at_ms, usage=usage)
            meant = lookup(gate.catalog, name, principal)
            if isinstance(outcome, UnknownName) and isinstance(meant, Found):
                decision = decide(gate.policy, principal, "unmapped", at_ms=at_ms)
                return outcome if isinstance(decision, Allow) else Refused(meant.tool, "unmapped", decision, False)
            return outcome

        projection.unmapped_is_nowhere(replace(CORE, admit=explained), world)

    @refutes(any_world)
    def test_catches_the_mapped_one_of_two(self, world: World) -> None:
        def mapped_only(
            gate: Gate, principal: Principal, name: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
        ) -> Outcome:
            known = catalog_of(tool for tool in gate.catalog.tools if mapped(gate.policy.declaration, tool))
            return admit(CORE.bind(gate.policy, known), principal, name, at_ms=at_ms, usage=usage)

        projection.ambiguity_comes_before_the_mapping(replace(CORE, admit=mapped_only), world)


class TestP4:
    """P4 · Listed names are unique per principal."""

    @holds(any_world, floor=0.21)
    def test_no_name_is_listed_twice(self, world: World) -> bool:
        return projection.listed_names_are_unique(CORE, world)

    @refutes(any_world)
    def test_catches_both_tools_listed_under_one_name(self, world: World) -> None:
        def each(gate: Gate, principal: Principal) -> Projection:
            alone = (CORE.bind(gate.policy, catalog_of([tool])) for tool in gate.catalog.tools)
            return Projection(tuple(one for own in alone for one in visible(own, principal).tools), ())

        projection.listed_names_are_unique(replace(CORE, visible=each), world)


class TestP5:
    """P5 · Changing what a principal cannot see changes nothing that it can see."""

    @holds(any_world, floor=0.09)
    def test_tools_out_of_scope_change_nothing(self, world: World) -> bool:
        return projection.unseen_tools_change_nothing(CORE, world)

    @holds(any_world, floor=0.027)
    def test_grants_to_others_change_nothing(self, world: World) -> bool:
        return projection.others_grants_change_nothing(CORE, world)

    @holds(crowded, floor=0.1)
    def test_what_others_were_shown_changes_nothing(self, both: tuple[World, list[Principal]]) -> bool:
        return projection.one_gate_serves_all(CORE, *both)

    @refutes(crowded)
    def test_catches_the_list_of_the_first_caller_for_all(self, both: tuple[World, list[Principal]]) -> None:
        first: dict[Gate, Projection] = {}

        def replayed(gate: Gate, principal: Principal) -> Projection:
            return first.setdefault(gate, visible(gate, principal))

        projection.one_gate_serves_all(replace(CORE, visible=replayed), *both)

    @refutes(crowded)
    def test_catches_a_list_remembered_by_the_id_of_the_caller(self, both: tuple[World, list[Principal]]) -> None:
        lists: dict[tuple[Gate, str], Projection] = {}

        def remembered(gate: Gate, principal: Principal) -> Projection:
            return lists.setdefault((gate, principal.id), visible(gate, principal))

        projection.one_gate_serves_all(replace(CORE, visible=remembered), *both)

    @refutes(any_world)
    def test_catches_ambiguity_with_a_tool_nobody_shows(self, world: World) -> None:
        def nosy(gate: Gate, principal: Principal) -> Projection:
            names = [tool.exposed for tool in gate.catalog.tools]
            shown = visible(gate, principal)
            return replace(shown, tools=tuple(one for one in shown.tools if names.count(one.tool.exposed) == 1))

        projection.unseen_tools_change_nothing(replace(CORE, visible=nosy), world)

    @refutes(any_world)
    def test_catches_a_call_that_tells_of_a_hidden_tool(self, world: World) -> None:
        def leaky(gate: Gate, principal: Principal, name: str, *, at_ms: int, usage: Usage = NOT_CONSULTED) -> Outcome:
            hidden = tuple(tool for tool in gate.catalog.tools if tool.exposed == name)
            outcome = admit(gate, principal, name, at_ms=at_ms, usage=usage)
            return AmbiguousName(name, hidden) if hidden and isinstance(outcome, UnknownName) else outcome

        projection.unseen_tools_change_nothing(replace(CORE, admit=leaky), world)

    @refutes(any_world)
    def test_catches_a_list_that_depends_on_the_size_of_the_policy(self, world: World) -> None:
        def crowded(gate: Gate, principal: Principal) -> Projection:
            shown = visible(gate, principal)
            return shown if len(gate.policy.declaration.grants) < 3 else replace(shown, tools=shown.tools[:1])

        projection.others_grants_change_nothing(replace(CORE, visible=crowded), world)


class TestP6:
    """P6 · The same set of tools in gives the same list out, in a canonical order."""

    @holds(shuffled_spellings, floor=0.05)
    def test_the_same_set_gives_the_same_list(self, both: tuple[World, list[Tool]]) -> bool:
        return projection.same_set_same_list(CORE, *both)

    @holds(spellings, floor=0.26)
    def test_a_catalog_keeps_every_tool(self, world: World) -> bool:
        return projection.catalog_keeps_every_tool(CORE, world)

    @refutes(shuffled)
    def test_catches_the_order_of_arrival(self, both: tuple[World, list[Tool]]) -> None:
        arrived: list[Tool] = []

        def kept(tools: list[Tool]) -> Catalog:
            arrived[:] = tools
            return catalog_of(tools)

        def in_order(gate: Gate, principal: Principal) -> Projection:
            shown = visible(gate, principal)
            return replace(shown, tools=tuple(sorted(shown.tools, key=lambda one: arrived.index(one.tool))))

        projection.same_set_same_list(replace(CORE, catalog_of=kept, visible=in_order), *both)

    @refutes(shuffled_spellings, within=200)
    def test_catches_lists_by_utf_16_units(self, both: tuple[World, list[Tool]]) -> None:
        projection.same_set_same_list(SPECIMENS["lists-by-utf-16-units"].make(), *both)

    @refutes(spellings, within=200)
    def test_catches_catalogs_by_utf_16_units(self, world: World) -> None:
        projection.catalog_keeps_every_tool(SPECIMENS["shows-catalogs-by-utf-16-units"].make(), world)

    @refutes(any_world)
    def test_catches_a_catalog_that_keeps_one_tool_per_name(self, world: World) -> None:
        def squeezed(tools: list[Tool]) -> Catalog:
            return catalog_of({tool.exposed: tool for tool in tools}.values())

        projection.catalog_keeps_every_tool(replace(CORE, catalog_of=squeezed), world)
