"""The strategies reach what they are there for: each situation turns up early, and what is sound is sound."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st

from mcpizer_conformance.laws.access import policy_of
from mcpizer_conformance.laws.checking import caught, holds, reaches, refutes
from mcpizer_conformance.laws.matching import covering_grants, strictness
from mcpizer_conformance.laws.naming import fits_grammar
from mcpizer_conformance.laws.projection import candidates, in_scope, mapped, names_of, outcomes, shown
from mcpizer_conformance.laws.subject import Subject
from mcpizer_conformance.specimens.catalogs import units
from mcpizer_conformance.strategies.faults import FAULTS, Spoiled, spoiled_declarations
from mcpizer_conformance.strategies.identities import STRANGER, UNDECLARED, claims, issuers, principals, scopes
from mcpizer_conformance.strategies.policies import NOW_MS, declarations, limits, sound_declarations, usages
from mcpizer_conformance.strategies.samples import spellings
from mcpizer_conformance.strategies.texts import (
    NOT_UPSTREAM_IDS,
    OUT_OF_STEP,
    TOOL_NAMES,
    UPSTREAM_IDS,
    id_candidates,
    names,
    pairs_alike,
    tool_names,
    upstream_ids,
)
from mcpizer_conformance.strategies.worlds import World, questions, respelled, worlds
from mcpizer_core import (
    Admitted,
    AmbiguousName,
    Arity,
    Counted,
    Declaration,
    DiagnosticCode,
    Limit,
    Private,
    Public,
    Refused,
    Severity,
    Team,
    UnknownName,
    compile_policy,
)

CORE = Subject()


def outcome(kind: type) -> Callable[[World], bool]:
    return lambda world: any(isinstance(one, kind) for one in outcomes(CORE, world, names_of(world)))


def by_units(texts: list[str]) -> bool:
    return texts == sorted(texts, key=units)


def texts_of(principal: Any) -> list[Any]:
    return list(principal.attributes.values())


SITUATIONS: dict[str, tuple[st.SearchStrategy[Any], Callable[[Any], bool]]] = {
    "an empty tool name": (tool_names(), lambda tool: tool == ""),
    "a separator in a tool name": (tool_names(), lambda tool: "__" in tool),
    "a leading underscore": (tool_names(), lambda tool: tool.startswith("_")),
    "a trailing line feed": (tool_names(), lambda tool: tool.endswith("\n")),
    "a lone surrogate": (tool_names(), lambda tool: any("\ud800" <= each <= "\udfff" for each in tool)),
    "a combining mark": (tool_names(), lambda tool: "\u0301" in tool),
    "another script": (tool_names(), lambda tool: any("\u0400" <= each <= "\u9fff" for each in tool)),
    "a digit of another script": (tool_names(), lambda tool: any(each.isdigit() and each > "9" for each in tool)),
    "a very long name": (tool_names(), lambda tool: len(tool) == 10_000),
    "a valid id": (id_candidates(), fits_grammar),
    "an id with one wrong character": (id_candidates(), lambda text: not fits_grammar(text) and len(text) > 1),
    "a name that splits": (names(), lambda name: CORE.split(name) is not None),
    "a name with two separators": (names(), lambda name: name.count("__") > 1),
    "two pairs alike": (pairs_alike(), lambda two: two[0] != two[1] and "-".join(two[0]) == "-".join(two[1])),
    "every scope": (
        st.lists(scopes(), min_size=3),
        lambda some: {type(one) for one in some} == {Public, Team, Private},
    ),
    "an issuer of both arities": (issuers(), lambda one: {each.arity for each in one.attributes} == set(Arity)),
    "a claim that is a list": (claims(), lambda given: any(isinstance(one, list) for one in given.values())),
    "a claim that is a whole float": (claims(), lambda given: any(repr(one) == "1.0" for one in given.values())),
    "a principal of nobody's": (principals(), lambda one: one.issuer == STRANGER),
    "a principal with several values": (principals(), lambda one: any(len({*v}) > 1 for v in texts_of(one))),
    "a principal with an empty set": (principals(), lambda one: frozenset() in texts_of(one)),
    "an undeclared attribute": (principals(), lambda one: bool(set(one.attributes) & set(UNDECLARED))),
    "a limit of no calls": (limits(), lambda limit: limit.calls == 0),
    "rates no float tells apart": (
        st.tuples(limits(), limits()),
        lambda two: two[0] != two[1] and two[0].calls / two[0].window_ms == two[1].calls / two[1].window_ms > 10**9,
    ),
    "a window just passed": (
        usages(Limit(2, 60_000)),
        lambda usage: isinstance(usage, Counted) and NOW_MS - usage.window_start_ms == 60_000,
    ),
    "a window about to pass": (
        usages(Limit(2, 60_000)),
        lambda usage: isinstance(usage, Counted) and NOW_MS - usage.window_start_ms == 59_999,
    ),
    "a window that is to come": (
        usages(Limit(2, 60_000)),
        lambda usage: isinstance(usage, Counted) and usage.window_start_ms > NOW_MS,
    ),
    "a limit just reached": (
        usages(Limit(2, 60_000)),
        lambda usage: isinstance(usage, Counted) and usage.calls == 2,
    ),
    "two issuers": (declarations(), lambda one: len(one.issuers) == 2),
    "a mapping of another owner": (declarations(), lambda one: any(tool.owner for tool in one.tools)),
    "paths of two files": (declarations(), lambda one: any("#" in grant.path for grant in one.grants)),
    "a selector for everybody": (declarations(), lambda one: any(not grant.to.attributes for grant in one.grants)),
    "many grants of one issuer and capability": (
        questions(),
        lambda question: sum(question.capability in grant.capabilities for grant in question.declaration.grants) > 6,
    ),
    "several grants for one question": (questions(), lambda question: len(covering_grants(question)) > 1),
    "several limits for one question": (
        questions(),
        lambda question: len({strictness(grant.limit) for grant in covering_grants(question) if grant.limit}) > 1,
    ),
    "two tools of one name in scope": (
        worlds(),
        lambda world: any(len(candidates(world, name)) > 1 for name in names_of(world)),
    ),
    "two of one name, one out of scope": (
        worlds(),
        lambda world: any(
            one.exposed == other.exposed and in_scope(one, world.principal) and not in_scope(other, world.principal)
            for one in world.tools
            for other in world.tools
        ),
    ),
    "a mapped and an unmapped tool of one name": (
        worlds(),
        lambda world: any(
            len({mapped(world.declaration, tool) is None for tool in candidates(world, name)}) == 2
            for name in names_of(world)
        ),
    ),
    "names in another order by UTF-16 units": (
        spellings,
        lambda world: not by_units(names_of(world)),
    ),
    "listed names in another order by UTF-16 units": (
        spellings,
        lambda world: not by_units([one.tool.exposed for one in shown(CORE, world).tools]),
    ),
    "candidates in another order by UTF-16 units": (
        spellings,
        lambda world: not all(by_units([one.key for one in candidates(world, name)]) for name in names_of(world)),
    ),
    "one tool twice": (worlds(), lambda world: len(set(world.tools)) < len(world.tools)),
    "an admitted call": (worlds(), outcome(Admitted)),
    "a refused call": (worlds(), outcome(Refused)),
    "an unknown name": (worlds(), outcome(UnknownName)),
    "an ambiguous name": (worlds(), outcome(AmbiguousName)),
}
"""Each interesting situation, the strategy that makes it, and how it is recognised."""


class TestReach:
    """Each situation that the laws are about is made within a few examples."""

    @pytest.mark.parametrize("situation", SITUATIONS)
    def test_situations(self, situation: str) -> None:
        strategy, recognised = SITUATIONS[situation]
        assert reaches(strategy, recognised, within=500)

    def test_a_strategy_that_never_gets_there_is_noticed(self) -> None:
        assert not reaches(upstream_ids(), lambda id: "_" in id, within=500)

    @pytest.mark.parametrize("code", sorted({code for code, _ in FAULTS}))
    def test_every_fault(self, code: DiagnosticCode) -> None:
        assert reaches(spoiled_declarations(), lambda spoiled: code in spoiled.codes)

    def test_every_error_of_a_declaration_has_a_fault(self) -> None:
        of_files = {DiagnosticCode.YAML_SYNTAX, DiagnosticCode.SCHEMA_VIOLATION, DiagnosticCode.CLAIM_MAPPING_EXPECTED}
        elsewhere = {DiagnosticCode.AMBIGUOUS_GRANT, DiagnosticCode.TOOL_NOT_IN_CATALOG}
        errors = {code for code in DiagnosticCode if code.severity is Severity.ERROR}
        assert {code for code, _ in FAULTS} == errors - of_files - elsewhere


class TestPools:
    """The curated texts are what they say they are."""

    @pytest.mark.parametrize("text", UPSTREAM_IDS)
    def test_valid_ids_fit_the_grammar(self, text: str) -> None:
        assert fits_grammar(text)

    @pytest.mark.parametrize("text", NOT_UPSTREAM_IDS)
    def test_invalid_ids_do_not(self, text: str) -> None:
        assert not fits_grammar(text)

    def test_no_text_is_there_twice(self) -> None:
        for pool in (TOOL_NAMES, UPSTREAM_IDS, NOT_UPSTREAM_IDS):
            assert len(set(pool)) == len(pool)

    def test_what_is_out_of_step_is_ordered_otherwise_by_utf_16_units(self) -> None:
        assert sorted(OUT_OF_STEP) == list(OUT_OF_STEP) == sorted(OUT_OF_STEP, key=units)[::-1]

    @holds(worlds(), floor=0.3)
    def test_respelling_makes_no_two_names_one(self, world: World) -> bool:
        other = respelled(world)
        assert len(names_of(other)) == len(names_of(world))
        assert len(set(other.tools)) == len(set(world.tools))
        return len(names_of(world)) < len(set(world.tools))


class TestSoundness:
    """What is sound by construction compiles, and what is spoiled does not."""

    @holds(sound_declarations(), floor=0.28)
    def test_sound_declarations_have_no_error(self, declaration: Declaration) -> bool:
        assert not [one for one in compile_policy(declaration).diagnostics if one.severity is Severity.ERROR]
        return len(declaration.grants) > 1

    @holds(declarations(), floor=0.3)
    def test_declarations_have_no_error_but_ambiguity(self, declaration: Declaration) -> bool:
        return len(policy_of(CORE, declaration).declaration.grants) > 1

    @holds(spoiled_declarations(), floor=0.13)
    def test_every_fault_is_found(self, spoiled: Spoiled) -> bool:
        compilation = compile_policy(spoiled.declaration)
        assert compilation.policy is None
        assert spoiled.codes <= {one.code for one in compilation.diagnostics}
        return len(spoiled.codes) > 1


class TestTheFloors:
    """A law that meets too few hard cases fails, and so does a broken implementation that nothing catches."""

    def test_a_vacuous_law_fails(self) -> None:
        class Vacuous:
            @holds(st.integers(), floor=0.1)
            def law(self, number: int) -> bool:
                return number == 2**70

        with pytest.raises(AssertionError, match="vacuous"):
            Vacuous().law()

    def test_a_law_that_is_broken_fails(self) -> None:
        class Wrong:
            @holds(st.integers(), floor=0.1)
            def law(self, number: int) -> bool:
                assert number < 10
                return True

        with pytest.raises(AssertionError):
            Wrong().law()

    def test_a_law_that_meets_its_floor_passes(self) -> None:
        class Right:
            @holds(st.booleans(), floor=0.3)
            def law(self, met: bool) -> bool:
                return met

        Right().law()

    def test_a_specimen_that_breaks_nothing_fails(self) -> None:
        class Harmless:
            @refutes(st.integers())
            def law(self, number: int) -> None:
                assert number == number

        with pytest.raises(AssertionError, match="breaks it"):
            Harmless().law()

    def test_only_a_broken_law_counts_as_caught(self) -> None:
        def crash(number: int) -> None:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            caught(st.integers(), crash)
