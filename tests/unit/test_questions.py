"""What is said of a policy and of its changes, by example."""

from dataclasses import replace

import pytest

from mcpizer_core import (
    Account,
    Admitted,
    Allow,
    AmbiguousName,
    Arity,
    Attribute,
    Capability,
    Change,
    Counted,
    Declaration,
    Deny,
    Gate,
    Grant,
    Issuer,
    Limit,
    OnAmbiguity,
    Policy,
    Principal,
    Private,
    Public,
    ReasonCode,
    Scope,
    Selector,
    Team,
    Tool,
    ToolMapping,
    UnknownName,
    UsageUnknown,
    bind,
    catalog_of,
    compile_policy,
    decide,
    diff,
    diff_names,
    explain,
    explain_name,
    projection_changes,
    who_can,
)

DEV = Grant(Selector("acme", {"role": "dev"}), ("read",), "bot", Limit(10, 60_000))
OPS = Grant(Selector("acme", {"role": "ops", "team": "blue"}), ("read", "write"), "clerk")
EVERYONE = Grant(Selector("acme"), ("read",), "bot")
BASE = Declaration(
    capabilities=(Capability("read"), Capability("write"), Capability("dream")),
    tools=(ToolMapping("docs", "look", "read"), ToolMapping("docs", "put", "write")),
    accounts=(Account("bot"), Account("clerk"), Account("former", disabled=True), Account("late", disabled=True)),
    issuers=(Issuer("acme", (Attribute("role"), Attribute("team"), Attribute("tags"))),),
    grants=(DEV, OPS),
)
DEVELOPER = Principal("acme:ann", "acme", {"role": "dev"})


def policy(*grants: Grant, many: tuple[str, ...] = (), off: tuple[str, ...] = ()) -> Policy:
    """Return the policy of these grants; `many` attributes have arity MANY, these accounts are off as well."""
    issuers = (Issuer("acme", tuple(Attribute(a.name, Arity.MANY) if a.name in many else a for a in ATTRIBUTES)),)
    accounts = tuple(replace(one, disabled=one.disabled or one.id in off) for one in BASE.accounts)
    return compiled(replace(BASE, grants=grants, issuers=issuers, accounts=accounts))


ATTRIBUTES = BASE.issuers[0].attributes


def compiled(declaration: Declaration) -> Policy:
    found = compile_policy(declaration, on_ambiguity=OnAmbiguity.DENY).policy
    assert found is not None
    return found


def codes(changes: tuple[Change, ...]) -> list[tuple[object, ReasonCode, ReasonCode]]:
    return [(dict(one.witness.attributes), one.before.reason.code, one.after.reason.code) for one in changes]


class TestWhoCan:
    """Every grant of a capability, in the order of the declaration."""

    def test_names_selector_account_limit_and_place(self) -> None:
        reach = who_can(policy(OPS, DEV), "read")
        assert (reach.declared, reach.realized, reach.path) == (True, True, "/capabilities/0")
        assert [str(one) for one in reach.entries] == [
            "acme (role=ops, team=blue) as clerk: /grants/0",
            "acme (role=dev) as bot, 10 per 1m: /grants/1",
        ]

    def test_marks_disabled_accounts(self) -> None:
        (entry,) = who_can(policy(replace(DEV, using="former")), "read").entries
        assert entry.disabled
        assert str(entry) == "acme (role=dev) as former (disabled), 10 per 1m: /grants/0"

    def test_tells_declared_from_realized(self) -> None:
        of = policy(replace(DEV, capabilities=("dream",)))
        dream, unknown = who_can(of, "dream"), who_can(of, "unknown")
        assert (dream.declared, dream.realized, len(dream.entries)) == (True, False, 1)
        assert (unknown.declared, unknown.realized, unknown.path, unknown.entries) == (
            False,
            False,
            "/capabilities",
            (),
        )

    def test_counts_a_grant_that_names_a_capability_twice_once(self) -> None:
        assert len(who_can(policy(replace(DEV, capabilities=("read", "read"))), "read").entries) == 1


class TestExplain:
    """The winning grant, others that matched, and what the nearest misses lack."""

    def test_shows_the_winner_first_then_the_nearest(self) -> None:
        found = explain(policy(OPS, EVERYONE, DEV), DEVELOPER, "read", at_ms=0)
        assert [(row.grant.path, row.matched, row.missing) for row in found.grants] == [
            ("/grants/2", True, ()),
            ("/grants/1", True, ()),
            ("/grants/0", False, (("role", "ops"), ("team", "blue"))),
        ]
        assert [str(row) for row in found.grants[1:]] == [
            "/grants/1: matched",
            "/grants/0: missing role=ops, team=blue",
        ]
        assert found.considered == 3
        assert isinstance(found.decision, Allow)

    def test_counts_nothing_unless_told(self) -> None:
        of = policy(replace(DEV, limit=Limit(1, 60_000)))
        assert isinstance(explain(of, DEVELOPER, "read", at_ms=5).decision, Allow)
        spent = explain(of, DEVELOPER, "read", at_ms=5, usage=Counted(1, 0))
        assert spent.decision.reason.code is ReasonCode.LIMIT_EXHAUSTED
        unknown = explain(of, DEVELOPER, "read", at_ms=5, usage=UsageUnknown())
        assert unknown.decision.reason.code is ReasonCode.USAGE_UNKNOWN

    @pytest.mark.parametrize(("nearest", "shown"), [(-1, 0), (0, 0), (1, 1), (2, 2), (9, 3)])
    def test_shows_no_more_than_asked_for(self, nearest: int, shown: int) -> None:
        found = explain(policy(OPS, EVERYONE, DEV), DEVELOPER, "read", at_ms=0, nearest=nearest)
        assert len(found.grants) == shown
        assert found.considered == 3

    def test_shows_each_account_of_an_ambiguity_before_others(self) -> None:
        found = explain(policy(EVERYONE, DEV, replace(DEV, using="clerk")), DEVELOPER, "read", at_ms=0, nearest=2)
        assert found.decision.reason.code is ReasonCode.AMBIGUOUS_GRANT
        assert [row.grant.using for row in found.grants] == ["bot", "clerk"]
        assert found.grants[0].grant.path == found.decision.reason.path

    def test_a_stranger_is_shown_no_grants(self) -> None:
        found = explain(policy(DEV), Principal("else:where", "else"), "read", at_ms=0)
        assert (found.grants, found.considered) == ((), 0)
        assert found.decision.reason.code is ReasonCode.NO_GRANT_MATCHES

    def test_several_values_of_an_attribute_of_one_are_missing(self) -> None:
        twofold = replace(DEVELOPER, attributes={"role": {"dev", "ops"}})
        assert explain(policy(DEV), twofold, "read", at_ms=0).grants[0].missing == (("role", "dev"),)
        assert explain(policy(DEV, many=("role",)), twofold, "read", at_ms=0).grants[0].matched


class TestDiff:
    """Who is decided differently, each with a principal that shows it."""

    def test_of_equal_policies_is_empty(self) -> None:
        assert diff(policy(DEV, OPS), policy(OPS, DEV, DEV)) == ()
        assert diff(policy(DEV), policy(replace(DEV, path="other.yaml#/grants/0"))) == ()

    def test_a_grant_more(self) -> None:
        (change,) = diff(policy(DEV), policy(DEV, replace(OPS, capabilities=("write",))))
        assert change.capability == "write"
        assert dict(change.witness.attributes) == {"role": "ops", "team": "blue"}
        assert isinstance(change.before, Deny)
        assert isinstance(change.after, Allow)
        assert str(change) == (
            "write for acme (role=ops, team=blue): deny: no_grant_matches (write) at /grants: no grant gives this "
            "principal the capability → allow as clerk: granted (write) at /grants/1: a grant covers the call and "
            "everything is in order"
        )

    def test_a_limit_and_an_account(self) -> None:
        assert len(diff(policy(DEV), policy(replace(DEV, limit=Limit(20, 120_000))))) == 1
        assert len(diff(policy(DEV), policy(replace(DEV, using="clerk")))) == 1

    def test_a_broad_grant_shows_in_the_narrow_ones_too(self) -> None:
        narrow = replace(DEV, using="bot", limit=None)
        changes = diff(policy(narrow), policy(narrow, replace(EVERYONE, limit=Limit(1, 1))))
        assert [dict(one.witness.attributes) for one in changes] == [{}, {"role": "dev"}]

    def test_a_redundant_grant_changes_nothing(self) -> None:
        assert diff(policy(DEV), policy(DEV, replace(OPS, using="bot", capabilities=()))) == ()
        assert diff(policy(EVERYONE), policy(EVERYONE, replace(DEV, limit=None))) == ()

    def test_only_a_second_value_shows_an_arity(self) -> None:
        changes = diff(policy(DEV), policy(DEV, many=("role",)))
        assert codes(changes) == [
            ({"role": {"another", "dev"}}, ReasonCode.NO_GRANT_MATCHES, ReasonCode.GRANTED),
        ]

    def test_a_second_value_is_one_that_no_grant_asks_for(self) -> None:
        other = replace(DEV, to=Selector("acme", {"role": "another"}))
        changes = diff(policy(DEV, other), policy(DEV, other, many=("role",)))
        assert [dict(one.witness.attributes) for one in changes] == [
            {"role": {"another", "another-"}},
            {"role": {"another-", "dev"}},
        ]

    def test_an_arity_that_no_grant_reads_changes_nothing(self) -> None:
        assert diff(policy(DEV), policy(DEV, many=("tags",))) == ()

    def test_only_two_selectors_together_show_two_accounts_that_became_one(self) -> None:
        blue = Grant(Selector("acme", {"team": "blue"}), ("read",), "late")
        dev = replace(DEV, using="former")
        changes = diff(policy(dev, blue), policy(dev, replace(blue, using="former")))
        assert codes(changes) == [
            ({"role": "dev", "team": "blue"}, ReasonCode.AMBIGUOUS_GRANT, ReasonCode.ACCOUNT_DISABLED),
        ]

    def test_a_third_account_in_between_hides_nothing(self) -> None:
        def of(facts: dict[str, str], using: str) -> Grant:
            return Grant(Selector("acme", facts), ("read",), using)

        a, z = of({"role": "a"}, "former"), of({"role": "z"}, "former")
        between = of({"role": "a", "tags": "b"}, "clerk")  # so with `a` it stays ambiguous, and only `z` shows it
        late = of({"tags": "b"}, "late")
        changes = diff(policy(a, z, between, late), policy(a, z, between, replace(late, using="former")))
        assert codes(changes) == [
            ({"role": "z", "tags": "b"}, ReasonCode.AMBIGUOUS_GRANT, ReasonCode.ACCOUNT_DISABLED),
        ]

    def test_a_new_clash_is_told_beside_what_is_gained(self) -> None:
        blue = Grant(Selector("acme", {"team": "blue"}), ("read",), "clerk")
        assert codes(diff(policy(DEV), policy(DEV, blue))) == [
            ({"role": "dev", "team": "blue"}, ReasonCode.GRANTED, ReasonCode.AMBIGUOUS_GRANT),
            ({"team": "blue"}, ReasonCode.NO_GRANT_MATCHES, ReasonCode.GRANTED),
        ]

    def test_a_capability_that_is_new_concerns_everybody(self) -> None:
        fewer = replace(BASE, capabilities=BASE.capabilities[:2])
        (change,) = diff(compiled(fewer), compiled(BASE))
        assert (change.witness.issuer, change.capability) == ("stranger", "dream")
        codes = [one.reason.code for one in (change.before, change.after)]
        assert codes == [ReasonCode.CAPABILITY_NOT_DECLARED, ReasonCode.CAPABILITY_NOT_REALIZED]

    def test_an_issuer_that_is_gone(self) -> None:
        changes = diff(policy(DEV), compiled(replace(BASE, issuers=(), grants=())))
        assert [one.capability for one in changes] == ["read"]
        assert decide(policy(DEV), changes[0].witness, "read", at_ms=0) == changes[0].before


def gate(*tools: Tool, grants: tuple[Grant, ...] = (DEV, OPS), mapped: tuple[ToolMapping, ...] = BASE.tools) -> Gate:
    return bind(compiled(replace(BASE, grants=grants, tools=mapped)), catalog_of(tools))


def tool(name: str, scope: Scope | None = None, *, key: str = "k", fingerprint: str = "") -> Tool:
    return Tool(key, "docs", name, f"docs__{name}", scope or Public(), fingerprint=fingerprint)


LOOK, PUT = tool("look"), tool("put")


class TestExplainName:
    """Every tool that holds a name, for operators."""

    def test_tells_scope_mapping_and_decision_of_each(self) -> None:
        other = replace(tool("unmapped", Team("red")), exposed="docs__look")
        found = explain_name(gate(LOOK, other), DEVELOPER, "docs__look", at_ms=0)
        assert [(one.tool.name, one.in_scope, one.capability) for one in found] == [
            ("look", True, "read"),
            ("unmapped", False, None),
        ]
        assert found[0].explanation == explain(gate().policy, DEVELOPER, "read", at_ms=0)
        assert found[1].explanation is None

    def test_nobody_holds_a_name_that_resembles_one(self) -> None:
        assert explain_name(gate(LOOK), DEVELOPER, "docs__Look", at_ms=0) == ()


class TestDiffNames:
    """To whom which name means something else."""

    def test_of_equal_gates_is_empty(self) -> None:
        assert diff_names(gate(LOOK, PUT), gate(PUT, LOOK, grants=(OPS, DEV))) == ()

    def test_a_tool_that_is_gone_is_missed_by_those_who_may_call_it(self) -> None:
        changes = diff_names(gate(LOOK), gate())
        assert [dict(one.witness.attributes) for one in changes] == [
            {"role": "dev"},
            {"role": "ops", "team": "blue"},
        ]
        assert {type(one.before) for one in changes} == {Admitted}
        assert {one.after for one in changes} == {UnknownName("docs__look")}
        assert str(changes[0]).endswith("→ unknown")

    def test_a_tool_that_nobody_may_call_is_no_change(self) -> None:
        assert diff_names(gate(PUT, grants=(DEV,)), gate(grants=(DEV,))) == ()

    def test_a_grant_that_is_gone_shows_in_the_names_it_gave(self) -> None:
        changes = diff_names(gate(LOOK, PUT), gate(LOOK, PUT, grants=(DEV,)))
        assert [one.name for one in changes] == ["docs__look", "docs__put"]

    def test_a_mapping_that_moves(self) -> None:
        moved = (ToolMapping("docs", "look", "write"), BASE.tools[1])
        changes = diff_names(gate(LOOK), gate(LOOK, mapped=moved))
        assert [(type(one.before), type(one.after)) for one in changes] == [
            (Admitted, UnknownName),
            (Admitted, Admitted),
        ]

    def test_an_owner_takes_its_own_view(self) -> None:
        mine = tool("look", Private("acme:ann"))
        (change,) = diff_names(gate(grants=(DEV,)), gate(mine, grants=(DEV,)))
        assert (change.witness.id, change.witness.issuer) == ("acme:ann", "acme")

    def test_an_owner_of_another_issuer_is_not_given_grants_of_this_one(self) -> None:
        assert diff_names(gate(grants=(DEV,)), gate(tool("look", Private("ci:bob")), grants=(DEV,))) == ()

    def test_two_teams_together_find_a_name_ambiguous(self) -> None:
        red, blue = (tool("look", Team(name), key=name) for name in ("red", "blue"))
        nobody = (replace(DEV, capabilities=("write",)),)
        (change,) = diff_names(gate(red, grants=nobody), gate(red, blue, grants=nobody))
        assert change.witness.teams == {"red", "blue"}
        assert change.before == UnknownName("docs__look")
        assert change.after == AmbiguousName("docs__look", (blue, red))

    def test_another_definition_is_another_tool_and_a_payload_none(self) -> None:
        assert len(diff_names(gate(LOOK), gate(tool("look", fingerprint="2")))) == 2
        assert diff_names(gate(LOOK), gate(replace(LOOK, payload={"other": 1}))) == ()


class TestProjectionChanges:
    """Which names somebody gains and loses."""

    def test_names_gained_and_lost(self) -> None:
        ops = Principal("acme:bob", "acme", {"role": "ops", "team": "blue"})
        before, after = gate(LOOK), gate(PUT)
        assert projection_changes(before, after, ops) == (("docs__put",), ("docs__look",))
        assert projection_changes(before, after, DEVELOPER) == ((), ("docs__look",))
        assert projection_changes(before, before, ops) == ((), ())
