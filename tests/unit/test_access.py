"""What is decided and why, and how calls are counted, by example."""

from dataclasses import replace
from itertools import permutations

import pytest

from mcpizer_core import (
    Account,
    Allow,
    Arity,
    Attribute,
    Capability,
    Counted,
    Decision,
    Declaration,
    Deny,
    Grant,
    Issuer,
    Limit,
    NotConsulted,
    OnAmbiguity,
    Policy,
    Principal,
    Reason,
    ReasonCode,
    Selector,
    ToolMapping,
    Usage,
    UsageUnknown,
    charge,
    compile_policy,
    decide,
)

NOW = 1_800_000_000_000
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000

ACME = Issuer("acme", (Attribute("team"), Attribute("role"), Attribute("groups", Arity.MANY)))
GRANT = Grant(Selector("acme", {"team": "ops"}), ("read",), "reader")
POLICY = Declaration(
    (Capability("read"), Capability("write"), Capability("launch")),
    (ToolMapping("docs", "search", "read"), ToolMapping("docs", "edit", "write")),
    (Account("reader"), Account("writer"), Account("closed", disabled=True)),
    (ACME, Issuer("ci", (Attribute("team"),))),
    (GRANT,),
)
ANN = Principal("acme:ann", "acme", {"team": "ops"})


def compiled(*grants: Grant) -> Policy:
    policy = compile_policy(replace(POLICY, grants=grants or (GRANT,)), on_ambiguity=OnAmbiguity.DENY).policy
    assert policy is not None
    return policy


def decided(
    *grants: Grant, principal: Principal = ANN, capability: str = "read", usage: Usage | None = None
) -> Decision:
    return decide(compiled(*grants), principal, capability, at_ms=NOW, usage=usage or NotConsulted())


def granted(limit: Limit | None = None, path: str = "/grants/0") -> Allow:
    return Allow(Reason(ReasonCode.GRANTED, path, "read"), "reader", limit)


def denied(code: ReasonCode, path: str, subject: str = "read") -> Deny:
    return Deny(Reason(code, path, subject))


class TestReasons:
    """Each code, the place it points to and what it speaks of."""

    def test_granted(self) -> None:
        assert decided() == granted()

    @pytest.mark.parametrize("capability", ["delete", "", "Read", "read\n", "*"])
    def test_a_capability_that_is_not_declared(self, capability: str) -> None:
        expected = denied(ReasonCode.CAPABILITY_NOT_DECLARED, "/capabilities", capability)
        assert decided(capability=capability) == expected

    def test_a_capability_that_no_tool_realises(self) -> None:
        expected = denied(ReasonCode.CAPABILITY_NOT_REALIZED, "/capabilities/2", "launch")
        assert decided(replace(GRANT, capabilities=("launch",)), capability="launch") == expected

    def test_no_grant(self) -> None:
        assert decided(capability="write") == denied(ReasonCode.NO_GRANT_MATCHES, "/grants", "write")

    def test_two_accounts_point_to_the_earliest_grant(self) -> None:
        found = decided(replace(GRANT, to=Selector("ci")), GRANT, replace(GRANT, using="writer", limit=Limit(1, 1)))
        assert found == denied(ReasonCode.AMBIGUOUS_GRANT, "/grants/1")

    def test_a_disabled_account_is_the_subject(self) -> None:
        found = decided(replace(GRANT, using="closed"))
        assert found == denied(ReasonCode.ACCOUNT_DISABLED, "/grants/0", "closed")

    def test_a_disabled_account_beside_another_is_ambiguous_first(self) -> None:
        found = decided(replace(GRANT, using="closed"), GRANT)
        assert found == denied(ReasonCode.AMBIGUOUS_GRANT, "/grants/0")

    def test_a_disabled_account_comes_before_its_limit(self) -> None:
        closed = replace(GRANT, using="closed", limit=Limit(0, 1))
        for usage in (UsageUnknown(), Counted(9, NOW)):
            assert decided(closed, usage=usage) == denied(ReasonCode.ACCOUNT_DISABLED, "/grants/0", "closed")

    def test_unknown_usage_under_a_limit(self) -> None:
        found = decided(replace(GRANT, limit=Limit(9, DAY)), usage=UsageUnknown())
        assert found == denied(ReasonCode.USAGE_UNKNOWN, "/grants/0")

    def test_unknown_usage_without_a_limit(self) -> None:
        assert decided(usage=UsageUnknown()) == granted()

    def test_an_exhausted_limit(self) -> None:
        found = decided(replace(GRANT, limit=Limit(9, DAY)), usage=Counted(9, NOW))
        assert found == denied(ReasonCode.LIMIT_EXHAUSTED, "/grants/0")

    def test_a_limit_of_no_calls_is_listed_and_refuses_every_call(self) -> None:
        never = replace(GRANT, limit=Limit(0, DAY))
        assert decided(never) == granted(Limit(0, DAY))
        for usage in (Counted(0, NOW), Counted(0, 0), Counted(5, NOW - DAY)):
            assert decided(never, usage=usage) == denied(ReasonCode.LIMIT_EXHAUSTED, "/grants/0")

    def test_a_denial_has_nothing_but_its_reason(self) -> None:
        found = decided(capability="write")
        assert not hasattr(found, "account")
        assert not hasattr(found, "limit")

    def test_the_path_is_the_one_of_the_declaration(self) -> None:
        assert decided(replace(GRANT, path="team.yaml#/grants/7")) == granted(path="team.yaml#/grants/7")


class TestMatching:
    """Whom a grant is for."""

    @pytest.mark.parametrize(
        ("required", "carried"),
        [
            ({}, {}),
            ({}, {"team": "ops"}),
            ({"team": "ops"}, {"team": "ops", "role": "admin"}),
            ({"team": "ops"}, {"team": {"ops"}}),
            ({"team": {"ops"}}, {"team": "ops"}),
            ({"team": ""}, {"team": ""}),
            ({"groups": "x"}, {"groups": {"x", "y"}}),
            ({"groups": {"x", "y"}}, {"groups": {"x", "y", "z"}}),
            ({"team": "ops"}, {"team": "ops", "color": {"a", "b"}}),
            ({}, {"team": {"ops", "dev"}}),
        ],
    )
    def test_matches(self, required: dict[str, str | set[str]], carried: dict[str, str | set[str]]) -> None:
        grant, principal = replace(GRANT, to=Selector("acme", required)), Principal("acme:ann", "acme", carried)
        assert isinstance(decided(grant, principal=principal), Allow)

    @pytest.mark.parametrize(
        ("required", "carried"),
        [
            ({"team": "ops"}, {}),
            ({"team": "ops"}, {"team": "Ops"}),
            ({"team": "ops"}, {"team": "ops "}),
            ({"team": "ops"}, {"team": ""}),
            ({"team": ""}, {}),
            ({"team": "ops"}, {"Team": "ops"}),
            ({"team": "ops"}, {"role": "ops"}),
            ({"team": "ops"}, {"team": {"ops", "dev"}}),
            ({"team": "ops"}, {"team": set()}),
            ({"team": "ops", "role": "admin"}, {"team": "ops"}),
            ({"groups": {"x", "y"}}, {"groups": {"x", "z"}}),
            ({"groups": "x"}, {"groups": set()}),
            ({"team": "o*"}, {"team": "ops"}),
        ],
    )
    def test_does_not(self, required: dict[str, str | set[str]], carried: dict[str, str | set[str]]) -> None:
        grant, principal = replace(GRANT, to=Selector("acme", required)), Principal("acme:ann", "acme", carried)
        assert decided(grant, principal=principal) == denied(ReasonCode.NO_GRANT_MATCHES, "/grants")

    @pytest.mark.parametrize("issuer", ["ci", "nobody", "", "ACME"])
    def test_the_same_facts_vouched_for_by_another_issuer(self, issuer: str) -> None:
        other = Principal(f"{issuer}:ann", issuer, {"team": "ops"})
        assert decided(principal=other) == denied(ReasonCode.NO_GRANT_MATCHES, "/grants")

    def test_teams_of_scopes_are_no_attributes(self) -> None:
        member = Principal("acme:ann", "acme", {}, {"ops"})
        assert decided(principal=member) == denied(ReasonCode.NO_GRANT_MATCHES, "/grants")


class TestStrictest:
    """Of several grants on one account the strictest limit wins, whatever the order."""

    @pytest.mark.parametrize(
        ("strict", "loose"),
        [
            (Limit(1, DAY), None),
            (Limit(10**18, 1), None),
            (Limit(1, DAY), Limit(2, DAY)),
            (Limit(1, DAY), Limit(1, HOUR)),
            (Limit(10, DAY), Limit(1, HOUR)),
            (Limit(1, MINUTE), Limit(60, HOUR)),
            (Limit(59, HOUR), Limit(1, MINUTE)),
            (Limit(0, DAY), Limit(1, DAY)),
            (Limit(0, MINUTE), Limit(0, DAY)),
            (Limit(10**17, MINUTE), Limit(10**17 + 1, MINUTE)),
            (Limit(333_333_333_333_333_333, 10**18), Limit(1, 3)),
        ],
        ids=str,
    )
    def test_pairs(self, strict: Limit, loose: Limit | None) -> None:
        grants = (replace(GRANT, limit=loose), replace(GRANT, limit=strict), replace(GRANT, limit=loose))
        assert decided(*grants) == granted(strict, "/grants/1")
        for order in permutations(grants):
            found = decided(*order)
            assert isinstance(found, Allow)
            assert found.limit == strict

    def test_of_equals_the_earlier_grant_is_named(self) -> None:
        twice = (replace(GRANT, limit=Limit(1, DAY)),) * 2
        assert decided(replace(GRANT, limit=None), *twice) == granted(Limit(1, DAY), "/grants/1")

    def test_a_limit_that_does_not_match_plays_no_part(self) -> None:
        other = replace(GRANT, to=Selector("acme", {"team": "dev"}), limit=Limit(0, 1))
        assert decided(other, GRANT) == granted(path="/grants/1")

    def test_the_limit_of_another_capability_plays_no_part(self) -> None:
        other = replace(GRANT, capabilities=("write",), limit=Limit(0, 1))
        assert decided(other, GRANT) == granted(path="/grants/1")


class TestOrder:
    """The order of a declaration decides nothing."""

    def test_every_order_of_four_grants_decides_alike(self) -> None:
        grants = (
            replace(GRANT, limit=Limit(5, DAY)),
            replace(GRANT, to=Selector("acme"), limit=Limit(1, HOUR)),
            replace(GRANT, to=Selector("acme", {"team": "dev"}), using="closed"),
            replace(GRANT, capabilities=("write", "read")),
        )
        found = {
            (type(one), one.reason.code, getattr(one, "account", None), getattr(one, "limit", None))
            for one in (decided(*order) for order in permutations(grants))
        }
        assert found == {(Allow, ReasonCode.GRANTED, "reader", Limit(5, DAY))}

    def test_every_order_of_ambiguous_grants_is_ambiguous(self) -> None:
        grants = (GRANT, replace(GRANT, using="writer"), replace(GRANT, using="closed"))
        codes = {decided(*order).reason.code for order in permutations(grants)}
        assert codes == {ReasonCode.AMBIGUOUS_GRANT}

    def test_others_are_not_concerned_by_an_ambiguity(self) -> None:
        grants = (GRANT, replace(GRANT, using="writer"), replace(GRANT, to=Selector("ci"), using="writer"))
        builder = Principal("ci:build", "ci", {})
        assert isinstance(decided(*grants, principal=builder), Allow)
        assert isinstance(decided(*grants), Deny)


class TestWindow:
    """When a window is over, and what is counted."""

    @pytest.mark.parametrize(
        ("used", "after"),
        [
            (Counted(0, NOW), Counted(1, NOW)),
            (Counted(1, NOW - 1), Counted(2, NOW - 1)),
            (Counted(2, NOW - MINUTE + 1), Counted(3, NOW - MINUTE + 1)),
            (Counted(3, NOW - MINUTE + 1), None),
            (Counted(4, NOW), None),
            (Counted(3, NOW - MINUTE), Counted(1, NOW)),
            (Counted(9, NOW - MINUTE - 1), Counted(1, NOW)),
            (Counted(0, NOW - MINUTE), Counted(1, NOW)),
            (Counted(9, 0), Counted(1, NOW)),
            (Counted(2, NOW + 5), Counted(3, NOW + 5)),
            (Counted(3, NOW + 5), None),
        ],
    )
    def test_three_calls_a_minute(self, used: Counted, after: Counted | None) -> None:
        limit = Limit(3, MINUTE)
        assert charge(limit, used, at_ms=NOW) == after
        found = decided(replace(GRANT, limit=limit), usage=used)
        assert isinstance(found, Allow) is (after is not None)

    def test_no_calls_at_all(self) -> None:
        for used in (Counted(0, NOW), Counted(0, NOW - DAY), Counted(5, 0)):
            assert charge(Limit(0, MINUTE), used, at_ms=NOW) is None

    def test_twenty_a_day(self) -> None:
        used, answers = Counted(0, NOW), []
        for hour in range(48):
            charged = charge(Limit(20, DAY), used, at_ms=NOW + hour * HOUR)
            answers.append(charged is not None)
            used = charged or used
        assert answers == ([True] * 20 + [False] * 4) * 2

    def test_a_million_calls_in_a_window_of_one(self) -> None:
        charged = charge(Limit(10**18, 1), Counted(10**18 - 1, NOW), at_ms=NOW)
        assert charged == Counted(10**18, NOW)
        assert charge(Limit(10**18, 1), Counted(10**18, NOW), at_ms=NOW) is None
