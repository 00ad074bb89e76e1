"""The core and the naive model answer alike, on everything the strategies make."""

from unittest.mock import patch

from hypothesis import strategies as st

from mcpizer_conformance.laws.checking import holds, refutes
from mcpizer_conformance.laws.matching import covering_grants
from mcpizer_conformance.model import catalog, compiling, deciding, identity, naming, plain, scopes
from mcpizer_conformance.strategies.faults import Spoiled, spoiled_declarations
from mcpizer_conformance.strategies.identities import claims, issuers, principals
from mcpizer_conformance.strategies.identities import scopes as any_scope
from mcpizer_conformance.strategies.policies import NOW_MS, crowds, declarations
from mcpizer_conformance.strategies.texts import any_texts, id_candidates, names, tool_names, upstream_ids
from mcpizer_conformance.strategies.worlds import Question, World, questions, worlds
from mcpizer_core import (
    Allow,
    Compilation,
    Counted,
    Decision,
    Declaration,
    DiagnosticCode,
    Issuer,
    Limit,
    NotConsulted,
    OnAmbiguity,
    Principal,
    Scope,
    ToolRef,
    UpstreamId,
    Usage,
    admit,
    bind,
    catalog_of,
    charge,
    compile_policy,
    decide,
    identify,
    lookup,
    parse_upstream_id,
    qualify,
    sees,
    share_viewer,
    split,
    visible,
)
from mcpizer_core.compile import cell, redundancy
from tests.property import bridge

_refs = st.builds(ToolRef, st.sampled_from(["docs", "a"]).map(UpstreamId), st.sampled_from(["search", "_search"]))


class TestNaming:
    """Ids, names and their parts: the core answers what the model answers."""

    @holds(id_candidates(), floor=0.17)
    def test_which_texts_are_ids(self, text: str) -> bool:
        assert (parse_upstream_id(text) is not None) == naming.is_upstream_id(text)
        return naming.is_upstream_id(text)

    @holds(upstream_ids(), tool_names(), floor=0.36)
    def test_what_a_tool_is_called(self, text: str, tool: str) -> bool:
        upstream = parse_upstream_id(text)
        assert upstream is not None
        assert qualify(upstream, tool) == naming.exposed_name(text, tool)
        return not tool.isidentifier()

    @holds(names(), floor=0.06)
    def test_what_a_name_is_made_of(self, name: str) -> bool:
        assert split(name) == naming.split(name)
        return naming.split(name) is not None


class TestScopes:
    """Who sees what: the core answers what the model answers."""

    @holds(principals(), any_scope(), floor=0.22)
    def test_who_sees_a_scope(self, principal: Principal, scope: Scope) -> bool:
        seen = sees(principal, scope)
        assert seen == scopes.sees(bridge.principal(principal), bridge.scope(scope))
        return not seen

    @holds(any_scope(), any_scope(), floor=0.12)
    def test_which_scopes_share_a_viewer(self, one: Scope, other: Scope) -> bool:
        shared = share_viewer(one, other)
        assert shared == scopes.share_viewer(bridge.scope(one), bridge.scope(other))
        return not shared


class TestIdentity:
    """Who calls: the core makes of claims what the model makes of them."""

    @holds(issuers(), any_texts(), claims(), floor=0.25)
    def test_identified(self, issuer: Issuer, subject: str, given: dict[str, object]) -> bool:
        found = identify(issuer, subject, given, teams={"red"})
        assert bridge.identified(found) == identity.identify(bridge.issuer(issuer), subject, given, ["red"])
        return bool(found.principal.attributes) or bool(found.unusable)


def reported(compilation: Compilation) -> list[plain.Finding]:
    """What the core reports, except ambiguity, which `test_ambiguity` looks at."""
    return [bridge.finding(one) for one in compilation.diagnostics if one.code is not DiagnosticCode.AMBIGUOUS_GRANT]


def expected(declaration: Declaration, catalog: list[tuple[str, str]] | None = None) -> list[plain.Finding]:
    """What the model finds."""
    return compiling.findings(bridge.declaration(declaration), catalog)


def named_as_ambiguous(compilation: Compilation) -> set[str]:
    """The paths of all grants that reports of ambiguity name."""
    reports = [one for one in compilation.diagnostics if one.code is DiagnosticCode.AMBIGUOUS_GRANT]
    return {path for one in reports for path in (one.path, *(related.path for related in one.related))}


def expected_as_ambiguous(declaration: Declaration) -> set[str]:
    """The paths of all grants that are in an ambiguous pair, says the model."""
    whole = compiling.with_paths(bridge.declaration(declaration))
    return {whole["grants"][place]["path"] for pair in compiling.ambiguous_pairs(whole) for place in pair}


class TestCompiling:
    """What is wrong with a declaration: the core reports what the model finds, in the same order."""

    @holds(spoiled_declarations(), floor=0.8)
    def test_findings_of_a_spoiled_declaration(self, spoiled: Spoiled) -> bool:
        compilation = compile_policy(spoiled.declaration)
        assert reported(compilation) == expected(spoiled.declaration)
        assert named_as_ambiguous(compilation) == expected_as_ambiguous(spoiled.declaration)
        assert compilation.policy is None
        return spoiled.codes <= {one.code for one in compilation.diagnostics}

    @holds(declarations(), st.none() | st.frozensets(_refs), st.sampled_from(OnAmbiguity), floor=0.32)
    def test_findings_of_a_sound_one(
        self, declaration: Declaration, listed: frozenset[ToolRef] | None, on_ambiguity: OnAmbiguity
    ) -> bool:
        pairs: list[tuple[str, str]] | None = None if listed is None else [(ref.upstream, ref.tool) for ref in listed]
        compilation = compile_policy(declaration, catalog=listed, on_ambiguity=on_ambiguity)
        assert reported(compilation) == expected(declaration, pairs)
        plain_one = bridge.declaration(declaration)
        assert (compilation.policy is not None) == compiling.compiles(plain_one, pairs, on_ambiguity.value)
        return bool(reported(compilation))

    @holds(crowds(), floor=0.17)
    def test_which_grants_are_ambiguous(self, declaration: Declaration) -> bool:
        named = named_as_ambiguous(compile_policy(declaration))
        assert named == expected_as_ambiguous(declaration)
        return bool(named)

    @holds(crowds(), st.sampled_from((0, 2, 64)), floor=0.25)
    def test_which_grants_are_redundant(self, declaration: Declaration, few: int) -> bool:
        with patch.object(redundancy, "FEW", few):
            found = [place for place, _ in redundancy.redundant(enumerate(declaration.grants))]
        whole = bridge.declaration(declaration)["grants"]
        assert sorted(found) == [place for place in range(len(whole)) if compiling.redundant(whole, place)]
        return bool(found)

    @holds(declarations(), floor=0.8)
    def test_paths_are_filled_in(self, declaration: Declaration) -> bool:
        policy = compile_policy(declaration, on_ambiguity=OnAmbiguity.DENY).policy
        assert policy is not None
        assert bridge.declaration(policy.declaration) == compiling.with_paths(bridge.declaration(declaration))
        return policy.declaration != declaration

    @holds(questions(), floor=0.18)
    def test_a_grant_the_model_calls_redundant_decides_nothing(self, question: Question) -> bool:
        whole = bridge.declaration(question.declaration)
        redundant = [place for place in range(len(whole["grants"])) if compiling.redundant(whole["grants"], place)]
        for place in redundant:
            kept: plain.Declaration = {**whole, "grants": whole["grants"][:place] + whole["grants"][place + 1 :]}
            for usage in (question.usage, NotConsulted()):
                before, after = (_decided(one, question, usage) for one in (whole, kept))
                assert {**before, "path": ""} == {**after, "path": ""}
        return any(
            identity.matches(whole, whole["grants"][place], bridge.principal(question.principal)) for place in redundant
        )


def _decided(declaration: plain.Declaration, question: Question, usage: Usage) -> plain.Decision:
    principal = bridge.principal(question.principal)
    return deciding.decide(declaration, principal, question.capability, NOW_MS, bridge.usage(usage))


def _compared(question: Question) -> Decision:
    """The core's decision, which is the model's."""
    policy = compile_policy(question.declaration, on_ambiguity=OnAmbiguity.DENY).policy
    assert policy is not None
    decision = decide(policy, question.principal, question.capability, at_ms=NOW_MS, usage=question.usage)
    assert bridge.decision(decision) == _decided(bridge.declaration(policy.declaration), question, question.usage)
    return decision


class TestDeciding:
    """Whether, as whom, how much and why: the core decides what the model decides."""

    @holds(questions(), floor=0.15)
    def test_decisions(self, question: Question) -> bool:
        return isinstance(_compared(question), Allow)

    @holds(questions(crowds()), floor=0.05)
    def test_decisions_of_which_many_grants_have_a_say(self, question: Question) -> bool:
        return isinstance(_compared(question), Allow) and len({one.limit for one in covering_grants(question)}) > 1

    @holds(questions(crowds()) | questions(), floor=0.05)
    def test_decisions_where_the_index_has_little_room(self, question: Question) -> bool:
        with patch.multiple(cell, BLOCK=2, VALUES_IN_ROWS=1):
            return isinstance(_compared(question), Allow)

    @holds(
        st.builds(Limit, st.integers(-1, 3), st.integers(-1, 10**6)),
        st.integers(-3, 10**6),
        st.integers(0, 9),
        floor=0.1,
    )
    def test_charges(self, limit: Limit, age_ms: int, calls: int) -> bool:
        used = Counted(calls, NOW_MS - age_ms)
        charged = charge(limit, used, at_ms=NOW_MS)
        written = bridge.limit(limit)
        assert written is not None
        assert (charged and bridge.usage(charged)) == deciding.charge(written, bridge.usage(used), NOW_MS)
        assert str(limit) == deciding.limit_text(written)
        return charged is not None


class TestCatalog:
    """What names mean, what is listed, what becomes of a call: the core answers what the model answers."""

    @holds(worlds(), floor=0.27)
    def test_worlds(self, world: World) -> bool:
        policy = compile_policy(world.declaration, on_ambiguity=OnAmbiguity.DENY).policy
        assert policy is not None
        gate = bind(policy, catalog_of(world.tools))
        whole, tools = bridge.declaration(policy.declaration), [bridge.tool(tool) for tool in world.tools]
        principal, usage = bridge.principal(world.principal), bridge.usage(world.usage)
        for name in [*sorted({tool.exposed for tool in world.tools}), "search", "no__such"]:
            found = bridge.meaning(lookup(gate.catalog, name, world.principal))
            assert _canonical(found) == _canonical(catalog.lookup(tools, name, principal))
            outcome = admit(gate, world.principal, name, at_ms=NOW_MS, usage=world.usage)
            wanted = catalog.admit(whole, tools, principal, name, NOW_MS, usage)
            assert _canonical(bridge.answer(outcome)) == _canonical(wanted)
        projection = bridge.projection(visible(gate, world.principal))
        assert projection == catalog.visible(whole, tools, principal)
        return bool(projection["tools"]) or bool(projection["withheld"])


def _canonical(one: plain.Meaning | plain.Answer) -> object:
    """The answer with tools that the canonical order ties in one order: by name, key, then anything."""
    return {**one, "tools": catalog.in_order(one["tools"])}


class TestTheComparison:
    """A core that answers otherwise is noticed."""

    @refutes(names())
    def test_a_split_at_the_last_separator(self, name: str) -> None:
        head, separator, tool = name.rpartition("__")
        assert ((head, tool) if separator and parse_upstream_id(head) else None) == naming.split(name)

    @refutes(declarations())
    def test_a_compiler_that_finds_nothing(self, declaration: Declaration) -> None:
        assert expected(declaration) == []

    @refutes(questions())
    def test_a_decision_without_the_account(self, question: Question) -> None:
        assert _decided(bridge.declaration(question.declaration), question, question.usage)["account"] is None
