"""Specimens that name, look up or list wrongly in one respect only, and keep everything else in step with it.

What lists and what calls are spoiled together: each is the other's, so that only the law of that respect notices.

This module does not know why a decision comes out as it does.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from mcpizer_conformance.laws.projection import mapped
from mcpizer_conformance.laws.subject import NOT_CONSULTED, Admit, Meaning
from mcpizer_conformance.specimens.catalogs import showing
from mcpizer_conformance.specimens.specimen import Functions, Specimen
from mcpizer_core import (
    Admitted,
    Allow,
    AmbiguousName,
    Catalog,
    Declaration,
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
    qualify,
    split,
)

CODE: Final = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
"""A code that is its own way back."""
PAGE: Final = 8
"""So many tools are a page."""

Answer = Callable[[Gate, Principal, Outcome, str, int, Usage], Outcome]


def writes_names_in_code() -> Functions:
    def read(name: str) -> tuple[str, str] | None:
        pair = split(name)
        return None if pair is None else (pair.upstream, pair.tool.translate(CODE))

    return {"qualify": lambda upstream, tool: qualify(upstream, tool.translate(CODE)), "split": read}


def finds_half_of_a_tool() -> Functions:
    def looked_up(catalog: Catalog, name: str, principal: Principal) -> Meaning:
        meant = lookup(catalog, name, principal)
        return Found(replace(meant.tool, key=f"{meant.tool.key} (cached)")) if isinstance(meant, Found) else meant

    return {"lookup": looked_up}


def renames_in_a_crowd() -> Functions:
    def crowded(tools: list[Tool]) -> Catalog:
        names = [tool.exposed for tool in set(tools)]
        crowd = len(names) > PAGE // 2
        return catalog_of(
            replace(one, exposed=f"{one.exposed} (busy)") if crowd and names.count(one.exposed) == 1 else one
            for one in tools
        )

    return {"catalog_of": crowded}


def finds_the_last_one_later() -> Functions:
    last: list[tuple[Catalog, Tool]] = []

    def kept(tools: list[Tool]) -> Catalog:
        catalog = catalog_of(tools)
        last[:] = [*last[-1:], (catalog, tools[-1])]
        return catalog

    def looked_up(catalog: Catalog, name: str, principal: Principal) -> Meaning:
        meant = lookup(catalog, name, principal)
        late = isinstance(meant, Found) and any(one is catalog and tool == meant.tool for one, tool in last)
        return UnknownName(name) if late else meant

    return {"catalog_of": kept, "lookup": looked_up}


def in_step(spoiled: Admit) -> Functions:
    """Admit as given, and list exactly what is admitted so."""

    def listed(gate: Gate, principal: Principal) -> Projection:
        names = sorted({tool.exposed for tool in gate.catalog.tools})
        found = [spoiled(gate, principal, name, at_ms=0) for name in names]
        withheld = tuple(one.name for one in found if isinstance(one, AmbiguousName))
        return Projection(tuple(one for one in found if isinstance(one, Admitted)), withheld)

    return {"admit": spoiled, "visible": listed}


def answering(answer: Answer) -> Functions:
    """Spoil what `admit` answers, and list what it then admits."""

    def spoiled(gate: Gate, principal: Principal, name: str, *, at_ms: int, usage: Usage = NOT_CONSULTED) -> Outcome:
        outcome = admit(gate, principal, name, at_ms=at_ms, usage=usage)
        return answer(gate, principal, outcome, name, at_ms, usage)

    return in_step(spoiled)


def _open_without_a_policy(
    gate: Gate, principal: Principal, outcome: Outcome, name: str, at_ms: int, usage: Usage
) -> Outcome:
    meant = lookup(gate.catalog, name, principal)
    if not isinstance(meant, Found) or gate.policy.declaration != Declaration():
        return outcome
    return Admitted(meant.tool, "", Allow(Reason(ReasonCode.GRANTED, "/grants", ""), "", None))


def _by_look_alikes(gate: Gate, principal: Principal, outcome: Outcome, name: str, at_ms: int, usage: Usage) -> Outcome:
    meant = lookup(gate.catalog, name, principal)
    if not isinstance(meant, Found) or not isinstance(outcome, UnknownName):
        return outcome
    known = {(one.upstream, one.tool): one.capability for one in gate.policy.declaration.tools}
    capability = known.get((meant.tool.upstream, meant.tool.name))
    return outcome if capability is None else _called(gate, principal, meant.tool, capability, at_ms, usage)


def _called(gate: Gate, principal: Principal, tool: Tool, capability: str, at_ms: int, usage: Usage) -> Outcome:
    decision = decide(gate.policy, principal, capability, at_ms=at_ms, usage=usage)
    if isinstance(decision, Allow):
        return Admitted(tool, capability, decision)
    listed = isinstance(decide(gate.policy, principal, capability, at_ms=at_ms), Allow)
    return Refused(tool, capability, decision, listed)


def _the_mapped_one(gate: Gate, principal: Principal, outcome: Outcome, name: str, at_ms: int, usage: Usage) -> Outcome:
    known = catalog_of(tool for tool in gate.catalog.tools if mapped(gate.policy.declaration, tool))
    alone = admit(bind(gate.policy, known), principal, name, at_ms=at_ms, usage=usage)
    return alone if isinstance(alone, Refused) and not alone.listed else outcome


def _gone_if_others_have_it(
    gate: Gate, principal: Principal, outcome: Outcome, name: str, at_ms: int, usage: Usage
) -> Outcome:
    held = [tool for tool in gate.catalog.tools if tool.exposed == name]
    seen = 1 if isinstance(outcome, Admitted | Refused) else len(held)
    return outcome if len(held) == seen else UnknownName(name)


def _less_of_large_policies(
    gate: Gate, principal: Principal, outcome: Outcome, name: str, at_ms: int, usage: Usage
) -> Outcome:
    crowded = len(gate.policy.declaration.grants) > 2
    return UnknownName(name) if crowded and isinstance(outcome, Admitted | Refused) and len(name) % 2 else outcome


def counts_repeated_tools() -> Functions:
    return {"catalog_of": lambda tools: catalog_of(tools if len(tools) <= PAGE else tools[: PAGE // 2])}


def _list(name: str, breaks: str, story: str, answer: Answer) -> Specimen:
    return Specimen(name, breaks, story, lambda: answering(answer))


ALL: Final = (
    Specimen("writes-names-in-code", "NAME-2", "A code stands for the name of a tool.", writes_names_in_code),
    Specimen("finds-half-of-a-tool", "INV-1", "What is found is not what came in.", finds_half_of_a_tool),
    _list("open-without-a-policy", "PROJ-2", "Without any policy all is open.", _open_without_a_policy),
    _list("goes-by-look-alikes", "PROJ-3", "A look-alike upstream is listed and called.", _by_look_alikes),
    _list("refuses-the-mapped-one", "PROJ-3", "Of two the one that policy knows is refused.", _the_mapped_one),
    _list("gone-if-others-have-it", "PROJ-5", "A name that others have too is nobody's.", _gone_if_others_have_it),
    _list("less-of-large-policies", "PROJ-5", "Grants to others take tools away.", _less_of_large_policies),
    Specimen("renames-in-a-crowd", "NAME-3", "Among many a name gets longer.", renames_in_a_crowd),
    Specimen("finds-the-last-one-later", "INV-3", "What came last is not found yet.", finds_the_last_one_later),
    Specimen("shows-catalogs-backwards", "PROJ-6", "A catalog has an order of its own.",
             lambda: showing(reversed)),
    Specimen("counts-repeated-tools", "PROJ-6", "Tools that come twice fill a page.", counts_repeated_tools),
)  # fmt: skip
"""Narrow specimens of naming, the inverse and projection."""
