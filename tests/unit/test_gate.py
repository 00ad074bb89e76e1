"""What is listed and what becomes of a call, by example."""

from dataclasses import replace
from itertools import permutations

import pytest

from mcpizer_core import (
    Account,
    Admitted,
    AmbiguousName,
    Attribute,
    Capability,
    Counted,
    Declaration,
    Gate,
    Grant,
    Issuer,
    Limit,
    OnAmbiguity,
    Principal,
    Private,
    Public,
    ReasonCode,
    Refused,
    Scope,
    Selector,
    Tool,
    ToolMapping,
    UnknownName,
    UsageUnknown,
    admit,
    bind,
    catalog_of,
    compile_policy,
    visible,
)

NOW = 1_800_000_000_000
DAY = 86_400_000

SALES = Principal("acme:ann", "acme", {"role": "sales"})
OPS = Principal("acme:bob", "acme", {"role": "ops"})
STRANGER = Principal("else:where", "else")
CAPABILITIES = ("search", "read", "write")
POLICY = Declaration(
    capabilities=tuple(Capability(id) for id in CAPABILITIES),
    tools=(
        ToolMapping("confluence", "confluence_search", "search"),
        ToolMapping("jira", "jira_search", "search"),
        ToolMapping("jira", "jira_get_issue", "read"),
        ToolMapping("jira", "jira_delete_issue", "write"),
    ),
    accounts=(Account("bot"), Account("closed", disabled=True)),
    issuers=(Issuer("acme", (Attribute("role"),)),),
    grants=(
        Grant(Selector("acme", {"role": "sales"}), ("search", "read"), "bot"),
        Grant(Selector("acme", {"role": "ops"}), ("write",), "bot", Limit(2, DAY)),
    ),
)


def tool(upstream: str, name: str, *, key: str = "", scope: Scope | None = None, owner: str = "") -> Tool:
    return Tool(key or upstream, upstream, name, f"{upstream}__{name}", scope or Public(), owner)


TOOLS = tuple(tool(one.upstream, one.tool) for one in POLICY.tools)


def gate(declaration: Declaration = POLICY, tools: tuple[Tool, ...] = TOOLS) -> Gate:
    policy = compile_policy(declaration, on_ambiguity=OnAmbiguity.DENY).policy
    assert policy is not None
    return bind(policy, catalog_of(tools))


def listed(principal: Principal, of: Gate | None = None) -> list[str]:
    return [one.tool.exposed for one in visible(of or gate(), principal).tools]


class TestList:
    """Exactly what a principal may call is listed."""

    def test_each_sees_its_own(self) -> None:
        assert listed(SALES) == ["confluence__confluence_search", "jira__jira_get_issue", "jira__jira_search"]
        assert listed(OPS) == ["jira__jira_delete_issue"]
        assert listed(STRANGER) == []

    def test_a_grant_of_one_lists_one(self) -> None:
        one = replace(POLICY, grants=(replace(POLICY.grants[0], capabilities=("read",)),))
        assert listed(SALES, gate(one)) == ["jira__jira_get_issue"]

    def test_with_a_single_tool_on_a_single_upstream_the_rules_are_the_same(self) -> None:
        for only in TOOLS:
            alone = gate(tools=(only,))
            assert listed(SALES, alone) == [name for name in listed(SALES) if name == only.exposed]
            assert listed(STRANGER, alone) == []

    def test_without_grants_nothing(self) -> None:
        assert listed(SALES, gate(replace(POLICY, grants=()))) == []

    def test_a_grant_of_no_capabilities_gives_nothing(self) -> None:
        assert listed(SALES, gate(replace(POLICY, grants=(replace(POLICY.grants[0], capabilities=()),)))) == []

    def test_an_empty_policy_gives_nothing(self) -> None:
        empty = gate(Declaration())
        assert visible(empty, SALES).tools == ()
        for one in TOOLS:
            assert admit(empty, SALES, one.exposed, at_ms=NOW) == UnknownName(one.exposed)

    def test_a_disabled_account_lists_nothing(self) -> None:
        closed = replace(POLICY, grants=(replace(POLICY.grants[0], using="closed"),))
        assert listed(SALES, gate(closed)) == []

    def test_a_new_tool_is_closed_until_a_mapping_names_it(self) -> None:
        new = tool("jira", "jira_archive")
        before, mapping = gate(tools=(*TOOLS, new)), ToolMapping("jira", "jira_archive", "read")
        after = gate(replace(POLICY, tools=(*POLICY.tools, mapping)), (*TOOLS, new))
        assert new.exposed not in listed(SALES, before)
        assert admit(before, SALES, new.exposed, at_ms=NOW) == UnknownName(new.exposed)
        assert new.exposed in listed(SALES, after)

    def test_a_mapping_without_a_tool_lists_nothing(self) -> None:
        assert listed(SALES, gate(tools=())) == []

    @pytest.mark.parametrize("order", list(permutations(TOOLS))[::5])
    def test_the_order_of_tools_is_nothing(self, order: tuple[Tool, ...]) -> None:
        assert visible(gate(tools=order), SALES) == visible(gate(), SALES)

    def test_a_limit_is_listed_even_when_it_leaves_nothing(self) -> None:
        never = replace(POLICY, grants=(replace(POLICY.grants[1], limit=Limit(0, DAY)),))
        assert listed(OPS, gate(never)) == ["jira__jira_delete_issue"]

    def test_every_listed_tool_says_why(self) -> None:
        for one in visible(gate(), SALES).tools:
            assert one.decision.account == "bot"
            assert one.decision.reason.path == "/grants/0"
            assert one.capability in ("search", "read")


class TestCall:
    """What becomes of a call: admitted, refused, unknown or ambiguous, told apart always."""

    def test_what_is_listed_is_admitted(self) -> None:
        for one in visible(gate(), SALES).tools:
            assert admit(gate(), SALES, one.tool.exposed, at_ms=NOW) == one

    def test_what_is_not_granted_is_refused_with_its_reason(self) -> None:
        outcome = admit(gate(), OPS, "jira__jira_search", at_ms=NOW)
        assert isinstance(outcome, Refused)
        assert outcome.decision.reason.code is ReasonCode.NO_GRANT_MATCHES
        assert (outcome.tool.name, outcome.capability, outcome.listed) == ("jira_search", "search", False)

    @pytest.mark.parametrize("principal", [SALES, OPS, STRANGER], ids=lambda one: one.id)
    def test_what_does_not_exist_is_unknown_to_everybody(self, principal: Principal) -> None:
        for name in ("jira__serach", "jira_search", "jira__jira_Search", "", "jira__", "*"):
            assert admit(gate(), principal, name, at_ms=NOW) == UnknownName(name)

    def test_a_limit_that_is_used_up_refuses_a_tool_that_is_listed(self) -> None:
        name = "jira__jira_delete_issue"
        for usage, code in (
            (Counted(2, NOW), ReasonCode.LIMIT_EXHAUSTED),
            (UsageUnknown(), ReasonCode.USAGE_UNKNOWN),
        ):
            outcome = admit(gate(), OPS, name, at_ms=NOW, usage=usage)
            assert isinstance(outcome, Refused)
            assert outcome.decision.reason.code is code
            assert outcome.listed
        for usage in (Counted(1, NOW), Counted(2, NOW - DAY)):
            assert isinstance(admit(gate(), OPS, name, at_ms=NOW, usage=usage), Admitted)

    def test_a_tool_of_a_disabled_account_is_refused_and_not_listed(self) -> None:
        closed = gate(replace(POLICY, grants=(replace(POLICY.grants[0], using="closed"),)))
        outcome = admit(closed, SALES, "jira__jira_search", at_ms=NOW)
        assert isinstance(outcome, Refused)
        assert (outcome.decision.reason.code, outcome.listed) == (ReasonCode.ACCOUNT_DISABLED, False)

    def test_grants_hang_on_the_upstream_and_the_tool_not_on_a_shown_name(self) -> None:
        disguised = Tool("evil", "evil", "wipe", "jira__jira_search", Public())
        outcome = admit(gate(tools=(disguised,)), SALES, "jira__jira_search", at_ms=NOW)
        assert outcome == UnknownName("jira__jira_search")


class TestOwners:
    """A mapping is for the tools of its owner: a look-alike upstream receives nothing."""

    def test_a_look_alike_of_another_owner_is_not_mapped(self) -> None:
        fake = tool("jira", "jira_search", key="fake", owner="acme:mallory")
        assert admit(gate(tools=(fake,)), SALES, fake.exposed, at_ms=NOW) == UnknownName(fake.exposed)
        assert listed(SALES, gate(tools=(fake,))) == []

    def test_a_mapping_for_an_owner_is_for_no_other(self) -> None:
        own = replace(POLICY, tools=(ToolMapping("jira", "jira_search", "search", owner="acme:ann"),))
        anns, operators = tool("jira", "jira_search", owner="acme:ann"), tool("jira", "jira_search")
        assert listed(SALES, gate(own, (anns,))) == [anns.exposed]
        assert listed(SALES, gate(own, (operators,))) == []


class TestScopes:
    """What is out of scope is like what does not exist, in the list and in a call."""

    HIDDEN = tool("jira", "jira_search", scope=Private("acme:bob"))

    def test_hidden_and_missing_are_alike(self) -> None:
        with_it, without = gate(tools=(self.HIDDEN,)), gate(tools=())
        assert visible(with_it, SALES) == visible(without, SALES)
        assert admit(with_it, SALES, self.HIDDEN.exposed, at_ms=NOW) == admit(
            without, SALES, self.HIDDEN.exposed, at_ms=NOW
        )

    def test_a_twin_that_a_principal_cannot_see_takes_nothing_away(self) -> None:
        both = gate(tools=(self.HIDDEN, tool("jira", "jira_search", key="2")))
        assert listed(SALES, both) == ["jira__jira_search"]


class TestAmbiguity:
    """Two tools in scope under one name: withheld, and told so in a call."""

    ONE, OTHER = tool("jira", "jira_search", key="1"), tool("jira", "jira_search", key="2")

    @pytest.mark.parametrize("order", [(ONE, OTHER), (OTHER, ONE)], ids=["one first", "other first"])
    def test_neither_is_picked(self, order: tuple[Tool, Tool]) -> None:
        two = gate(tools=order)
        assert listed(SALES, two) == []
        assert visible(two, SALES).withheld == ("jira__jira_search",)
        assert admit(two, SALES, "jira__jira_search", at_ms=NOW) == AmbiguousName(
            "jira__jira_search", (self.ONE, self.OTHER)
        )

    def test_a_mapped_tool_does_not_win_over_an_unmapped_one(self) -> None:
        unmapped = replace(self.ONE, name="other", key="0")
        two = gate(tools=(self.ONE, unmapped))
        outcome = admit(two, SALES, self.ONE.exposed, at_ms=NOW)
        assert outcome == AmbiguousName(self.ONE.exposed, (unmapped, self.ONE))

    def test_a_name_of_unmapped_tools_only_is_unknown(self) -> None:
        unmapped = tuple(replace(self.ONE, name="other", key=key) for key in "ab")
        two = gate(tools=unmapped)
        assert admit(two, SALES, self.ONE.exposed, at_ms=NOW) == UnknownName(self.ONE.exposed)
        assert visible(two, SALES).withheld == ()

    def test_it_is_told_before_any_grant_is_looked_at(self) -> None:
        two = gate(tools=(self.ONE, self.OTHER))
        assert visible(two, STRANGER).withheld == ("jira__jira_search",)
        assert isinstance(admit(two, STRANGER, "jira__jira_search", at_ms=NOW), AmbiguousName)
