"""Specimens that list one thing and admit another.

This module does not know how a capability is decided.
"""

from dataclasses import replace
from typing import Final

from mcpizer_conformance.laws.projection import mapped
from mcpizer_conformance.laws.subject import NOT_CONSULTED
from mcpizer_conformance.specimens.catalogs import place_by_units, units
from mcpizer_conformance.specimens.specimen import Functions, Specimen
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
    bind,
    catalog_of,
    decide,
    lookup,
    visible,
)


def filters_the_list_only() -> Functions:
    def hiding(gate: Gate, principal: Principal) -> Projection:
        shown = visible(gate, principal)
        return replace(shown, tools=tuple(one for one in shown.tools if not one.tool.name.startswith("_")))

    return {"visible": hiding}


def lists_everything() -> Functions:
    def open_house(gate: Gate, principal: Principal) -> Projection:
        reason = Reason(ReasonCode.GRANTED, "/grants", "")
        named = ((tool, mapped(gate.policy.declaration, tool)) for tool in gate.catalog.tools)
        return Projection(tuple(Admitted(tool, to, Allow(reason, "", None)) for tool, to in named if to), ())

    return {"visible": open_house}


def lists_nothing() -> Functions:
    return {"visible": lambda gate, principal: Projection((), ())}


def keeps_ambiguity_to_itself() -> Functions:
    return {"visible": lambda gate, principal: replace(visible(gate, principal), withheld=())}


def forgets_what_is_listed() -> Functions:
    def unlisted(gate: Gate, principal: Principal, name: str, *, at_ms: int, usage: Usage = NOT_CONSULTED) -> Outcome:
        outcome = admit(gate, principal, name, at_ms=at_ms, usage=usage)
        return replace(outcome, listed=False) if isinstance(outcome, Refused) else outcome

    return {"admit": unlisted}


def takes_no_rules_for_no_limits() -> Functions:
    def unruled(gate: Gate, principal: Principal) -> Projection:
        if gate.policy.declaration.grants:
            return visible(gate, principal)
        allow = Allow(Reason(ReasonCode.GRANTED, "/grants", ""), "", None)
        return Projection(tuple(Admitted(tool, "", allow) for tool in gate.catalog.tools), ())

    return {"visible": unruled}


def _ownerless(gate: Gate, tool: Tool) -> str | None:
    found = {(one.upstream, one.tool): one.capability for one in gate.policy.declaration.tools}
    return found.get((tool.upstream, tool.name))


def forgets_the_owner() -> Functions:
    def shown(gate: Gate, principal: Principal) -> Projection:
        found = list[Admitted]()
        for tool in gate.catalog.tools:
            decision = decide(gate.policy, principal, _ownerless(gate, tool) or "", at_ms=0)
            meant = lookup(gate.catalog, tool.exposed, principal)
            if isinstance(decision, Allow) and meant == Found(tool):
                found.append(Admitted(tool, _ownerless(gate, tool) or "", decision))
        return replace(visible(gate, principal), tools=tuple(found))

    return {"visible": shown}


def makes_up_reasons() -> Functions:
    def explained(gate: Gate, principal: Principal, name: str, *, at_ms: int, usage: Usage = NOT_CONSULTED) -> Outcome:
        outcome = admit(gate, principal, name, at_ms=at_ms, usage=usage)
        meant = lookup(gate.catalog, name, principal)
        if isinstance(outcome, UnknownName) and isinstance(meant, Found):
            decision = decide(gate.policy, principal, "unmapped", at_ms=at_ms)
            return outcome if isinstance(decision, Allow) else Refused(meant.tool, "unmapped", decision, False)
        return outcome

    return {"admit": explained}


def picks_the_mapped_one() -> Functions:
    def mapped_only(
        gate: Gate, principal: Principal, name: str, *, at_ms: int, usage: Usage = NOT_CONSULTED
    ) -> Outcome:
        known = catalog_of(tool for tool in gate.catalog.tools if mapped(gate.policy.declaration, tool))
        return admit(bind(gate.policy, known), principal, name, at_ms=at_ms, usage=usage)

    return {"admit": mapped_only}


def lists_both_of_a_name() -> Functions:
    def each(gate: Gate, principal: Principal) -> Projection:
        alone = (bind(gate.policy, catalog_of([tool])) for tool in gate.catalog.tools)
        return Projection(tuple(one for own in alone for one in visible(own, principal).tools), ())

    return {"visible": each}


def replays_the_first_list() -> Functions:
    first: dict[Gate, Projection] = {}
    return {"visible": lambda gate, principal: first.setdefault(gate, visible(gate, principal))}


def remembers_lists_by_id() -> Functions:
    lists: dict[tuple[Gate, str], Projection] = {}
    return {"visible": lambda gate, principal: lists.setdefault((gate, principal.id), visible(gate, principal))}


def hides_what_clashes_out_of_sight() -> Functions:
    def nosy(gate: Gate, principal: Principal) -> Projection:
        names = [tool.exposed for tool in gate.catalog.tools]
        shown = visible(gate, principal)
        return replace(shown, tools=tuple(one for one in shown.tools if names.count(one.tool.exposed) == 1))

    return {"visible": nosy}


def tells_of_hidden_tools() -> Functions:
    def leaky(gate: Gate, principal: Principal, name: str, *, at_ms: int, usage: Usage = NOT_CONSULTED) -> Outcome:
        hidden = tuple(tool for tool in gate.catalog.tools if tool.exposed == name)
        outcome = admit(gate, principal, name, at_ms=at_ms, usage=usage)
        return AmbiguousName(name, hidden) if hidden and isinstance(outcome, UnknownName) else outcome

    return {"admit": leaky}


def lists_less_of_large_policies() -> Functions:
    def crowded(gate: Gate, principal: Principal) -> Projection:
        shown = visible(gate, principal)
        return shown if len(gate.policy.declaration.grants) < 3 else replace(shown, tools=shown.tools[:1])

    return {"visible": crowded}


def lists_in_order_of_arrival() -> Functions:
    arrived: list[Tool] = []

    def kept(tools: list[Tool]) -> Catalog:
        arrived[:] = tools
        return catalog_of(tools)

    def in_order(gate: Gate, principal: Principal) -> Projection:
        shown = visible(gate, principal)
        places = {tool: place for place, tool in enumerate(arrived)}
        return replace(shown, tools=tuple(sorted(shown.tools, key=lambda one: places.get(one.tool, 0))))

    return {"catalog_of": kept, "visible": in_order}


def lists_by_tool_name() -> Functions:
    def by_name(gate: Gate, principal: Principal) -> Projection:
        shown = visible(gate, principal)
        return replace(shown, tools=tuple(sorted(shown.tools, key=lambda one: (one.tool.name, one.tool.exposed))))

    return {"visible": by_name}


def lists_by_units() -> Functions:
    def by_units(gate: Gate, principal: Principal) -> Projection:
        shown = visible(gate, principal)
        tools = sorted(shown.tools, key=lambda one: place_by_units(one.tool))
        return replace(shown, tools=tuple(tools), withheld=tuple(sorted(shown.withheld, key=units)))

    return {"visible": by_units}


ALL: Final = (
    Specimen("filters-the-list-only", "PROJ-1", "What is left out of the list can be called.", filters_the_list_only),
    Specimen("lists-everything", "PROJ-1", "Everything is listed, and refused later.", lists_everything),
    Specimen("lists-nothing", "PROJ-1", "Nothing is listed, and admitted later.", lists_nothing),
    Specimen("keeps-ambiguity-to-itself", "PROJ-1", "Withheld names are not told.", keeps_ambiguity_to_itself),
    Specimen("forgets-what-is-listed", "PROJ-1", "What is used up is said not to be listed.", forgets_what_is_listed),
    Specimen("takes-no-rules-for-no-limits", "PROJ-2", "Without grants all is open.", takes_no_rules_for_no_limits),
    Specimen("forgets-the-owner", "PROJ-3", "A look-alike upstream gets the mapping of another.", forgets_the_owner),
    Specimen("makes-up-reasons", "PROJ-3", "An unmapped tool is refused, and so told of.", makes_up_reasons),
    Specimen("picks-the-mapped-one", "PROJ-3", "Of two the one that policy knows is picked.", picks_the_mapped_one),
    Specimen("lists-both-of-a-name", "PROJ-4", "Two tools are listed under one name.", lists_both_of_a_name),
    Specimen("replays-the-first-list", "PROJ-5", "The list of the first caller is for all.", replays_the_first_list),
    Specimen("remembers-lists-by-id", "PROJ-5", "A list outlives teams and attributes.", remembers_lists_by_id),
    Specimen(
        "hides-what-clashes-out-of-sight", "PROJ-5", "A tool of somebody else makes mine vanish.",
        hides_what_clashes_out_of_sight,
    ),
    Specimen("tells-of-hidden-tools", "PROJ-5", "A call tells which tools others have.", tells_of_hidden_tools),
    Specimen(
        "lists-less-of-large-policies", "PROJ-5", "Grants to others shorten the list.", lists_less_of_large_policies
    ),
    Specimen("lists-in-order-of-arrival", "PROJ-6", "The list has the order of the start.", lists_in_order_of_arrival),
    Specimen("lists-by-tool-name", "PROJ-6", "The list has an order of its own.", lists_by_tool_name),
    Specimen(
        "lists-by-utf-16-units", "PROJ-6", "The list stands as JavaScript and Java sort its names.", lists_by_units
    ),
)  # fmt: skip
"""Specimens of projection."""
