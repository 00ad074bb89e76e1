"""What is due to a call of a gateway, step by step, and how a scenario travels, is stored and is made smaller."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from mcpizer_conformance import cases
from mcpizer_conformance.laws.due import Due, Ledger
from mcpizer_conformance.laws.running_gateway import Listening, Record, Setting, Told
from mcpizer_conformance.strategies.gateways import (
    IMPOSTOR,
    NOBODY,
    Asked,
    Burst,
    Scenario,
    any_burst,
    any_scenario,
    smaller,
)
from mcpizer_conformance.wire import gateway_encoding
from mcpizer_conformance.wire.functions import GATEWAY
from mcpizer_conformance.wire.shapes import fault
from mcpizer_core import (
    Account,
    Capability,
    Declaration,
    Grant,
    Issuer,
    Limit,
    Principal,
    Public,
    Selector,
    Team,
    Tool,
    ToolMapping,
)

ANN, BEN = Principal("ann:ann", "ann", {}, {"ops"}), Principal("ben:ben", "ben")
DAY = 86_400_000
NAMES = {"find": "use", "rare": "rare", "plans": "use", "spent": "spent"}
"""The tools of `crm`; `lone` of `docs`, which fails, has no credential, and `loose` is mapped to nothing."""
WORLD = Scenario(
    (),
    ("docs",),
    ("lost",),
    (
        *(Tool("crm", "crm", one, f"crm__{one}", Team("ops") if one == "plans" else Public()) for one in NAMES),
        Tool("crm", "crm", "loose", "crm__loose", Public()),
        Tool("docs", "docs", "lone", "docs__lone", Public()),
        Tool("docs", "docs", "breaks", "docs__breaks", Public()),
    ),
    (ANN, BEN),
    Declaration(
        tuple(map(Capability, ("use", "rare", "spent", "lone"))),
        (
            *(ToolMapping("crm", one, capability) for one, capability in NAMES.items()),
            ToolMapping("docs", "lone", "lone"),
            ToolMapping("docs", "breaks", "use"),
        ),
        (Account("reader"), Account("lost")),
        (Issuer("ann"), Issuer("ben")),
        (
            Grant(Selector("ann"), ("use",), "reader"),
            Grant(Selector("ann"), ("rare",), "reader", Limit(1, DAY)),
            Grant(Selector("ann"), ("spent",), "lost", Limit(0, DAY)),
            Grant(Selector("ann"), ("lone",), "lost", Limit(1, DAY)),
            Grant(Selector("ben"), ("use",), "reader"),
        ),
    ),
)


def due(*calls: tuple[str, str]) -> Due:
    """Return what is due to the last of some calls."""
    ledger = Ledger(WORLD)
    return [ledger.due(Asked(*one)) for one in calls][-1]


class TestDue:
    """One outcome for each call, and the steps that have something against it."""

    @pytest.mark.parametrize(
        ("caller", "name", "outcome", "shown", "account", "wrong"),
        [
            ("ann:ann", "crm__find", "invoked", True, "reader", ()),
            ("ann:ann", "crm__plans", "invoked", True, "reader", ()),
            ("ann:ann", "docs__breaks", "upstream_failed", True, "reader", ("invoke",)),
            ("ann:ann", "docs__lone", "credential_failed", True, "lost", ("resolve", "invoke")),
            ("ann:ann", "crm__spent", "limit_exhausted", True, None, ("reserve", "resolve")),
            ("ann:ann", "crm__loose", "unknown_name", False, None, ("look up",)),
            ("ann:ann", "crm__nothing", "unknown_name", False, None, ("look up",)),
            ("ben:ben", "crm__plans", "unknown_name", False, None, ("decide",)),
            ("ben:ben", "crm__rare", "no_grant_matches", False, None, ("decide",)),
            ("ben:ben", "docs__lone", "no_grant_matches", False, None, ("decide", "resolve", "invoke")),
            (NOBODY, "crm__find", "unauthenticated", False, None, ("authenticate",)),
            (IMPOSTOR, "docs__lone", "unauthenticated", False, None, ("authenticate", "resolve", "invoke")),
            (NOBODY, "crm__nothing", "unauthenticated", False, None, ("authenticate", "look up")),
        ],
    )
    def test_is_that_of_the_earliest_step(
        self, caller: str, name: str, outcome: str, shown: bool, account: str | None, wrong: tuple[str, ...]
    ) -> None:
        found = due((caller, name))
        assert (found.code, found.shown, found.account, found.wrong) == (outcome, shown, account, wrong)
        assert found.runs == (found.outcome in ("invoked", "upstream_failed"))

    def test_what_runs_counts_and_what_does_not_does_not(self) -> None:
        assert due(("ann:ann", "crm__rare")).code == "invoked"
        assert due(*[("ann:ann", "crm__rare")] * 2).code == "limit_exhausted"
        assert due(("ann:ann", "crm__rare"), ("ben:ben", "crm__rare"), (NOBODY, "crm__rare")).code == "unauthenticated"
        assert due(*[("ann:ann", "docs__lone")] * 3).code == "credential_failed"


class TestScenarios:
    """They travel, are stored, and are made smaller."""

    @settings(max_examples=20)
    @given(any_scenario)
    def test_hold_many_predicaments(self, scenario: Scenario) -> None:
        every = replace(scenario, calls=tuple(Asked("ann:ann", one.exposed) for one in scenario.tools))
        ledger = Ledger(every)
        found = {ledger.due(one).code for one in every.calls}
        assert found >= {"invoked", "upstream_failed", "credential_failed", "limit_exhausted", "account_disabled"}

    @settings(max_examples=20)
    @given(any_scenario)
    def test_travel_in_the_shape_that_is_said_and_come_back(self, scenario: Scenario) -> None:
        credentials = {"reader": "secret", "lost": None}
        one = Setting(scenario.declaration, scenario.tools, {"crm": "http://a"}, credentials, scenario.callers)
        plain = gateway_encoding.setting(one)
        assert fault(GATEWAY["start_gateway"].input, plain) is None
        assert gateway_encoding.setting_from(plain) == one

    def test_what_is_answered_travels_too(self) -> None:
        told = Told((Record("invoked", "a__b", "ann:ann", "reader", "granted", "1", "2"),), "all of it")
        assert fault(GATEWAY["stop_gateway"].output, gateway_encoding.told(told)) is None
        assert gateway_encoding.told_from(gateway_encoding.told(told)) == told
        running = Listening("http://a", {"ann:ann": {"authorization": "x"}}, lambda: told, ("NAME",), {"no": "denied"})
        plain = gateway_encoding.started(running)
        assert fault(GATEWAY["start_gateway"].output, plain) is None
        back = gateway_encoding.listening(plain, running.stopped)
        assert (back, back.stop()) == (running, told)
        bare = gateway_encoding.listening({"url": "http://a", "headers": {}}, running.stopped)
        assert (bare.secrets, bare.codes) == ((), {})

    @settings(max_examples=10)
    @given(any_scenario)
    def test_are_stored_and_made_smaller(self, scenario: Scenario) -> None:
        assert cases.restored(cases.stored(scenario)) == scenario
        for one in smaller(scenario):
            assert isinstance(one, Scenario)
            assert (len(one.calls), len(one.tools)) < (len(scenario.calls), len(scenario.tools))
            assert one.calls

    @given(any_burst)
    def test_so_are_bursts(self, burst: Burst) -> None:
        assert cases.restored(cases.stored(burst)) == burst
        assert [one.times for one in smaller(burst) if isinstance(one, Burst)] == list(range(2, burst.times))
