"""The gateway laws on the shell alone: real policy, counters and credentials, and an upstream that does as told."""

import asyncio
import io
import json
from dataclasses import replace
from typing import Any

import pytest
from attrs import evolve
from mcp import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent

from mcpizer_adapters.audit.json_lines import JsonLines
from mcpizer_adapters.audit.record import CallOutcome
from mcpizer_adapters.gateway.faults import UpstreamFault
from mcpizer_adapters.gateway.outcomes import (
    AmbiguousTool,
    CallerFault,
    CredentialFailed,
    Denied,
    Invoked,
    UnknownTool,
    UpstreamFailed,
    UpstreamFailure,
)
from mcpizer_adapters.mcp.answers import answer
from mcpizer_core import Private, ReasonCode, ToolMapping, bind, catalog_of, compile_policy
from tests.unit.gateway.world import ALICE, BOB, REFERENCE, SENTINEL, declaration, tool, world

pytestmark = pytest.mark.anyio

BROKEN = UpstreamFailure(UpstreamFault.CLOSED, "the upstream crm closed the connection")


class TestG1:
    """The order is: authenticate, look up, read usage, decide, reserve, resolve one credential, invoke, record."""

    async def test_a_limited_call_takes_every_step_in_order(self) -> None:
        it = world()
        assert isinstance(await it.call(ALICE, "crm__put"), Invoked)
        assert it.steps.taken == ["read usage", "reserve", "resolve", "invoke", "record"]

    async def test_without_a_limit_no_counter_is_asked(self) -> None:
        it = world()
        assert isinstance(await it.call(ALICE, "crm__get"), Invoked)
        assert it.steps.taken == ["resolve", "invoke", "record"]

    async def test_a_refusal_ends_where_it_is_found(self) -> None:
        it = world()
        assert isinstance(await it.call(BOB, "crm__get"), Denied)
        assert it.steps.taken == ["record"]
        it.counters.down = True
        assert isinstance(await it.call(ALICE, "crm__put"), Denied)
        assert it.steps.taken == ["read usage", "record"]


class TestG2:
    """No credential is touched for a call before its allow, and then exactly one."""

    @pytest.mark.parametrize("name", ["crm__delete", "crm__old", "crm__nothing", "clock__twin", "crm__none"])
    async def test_a_call_that_is_not_allowed_touches_none(self, name: str) -> None:
        it = world()
        await it.call(ALICE, name)
        assert "resolve" not in it.steps.taken
        assert it.upstreams.invoked == []

    async def test_an_allowed_call_resolves_exactly_one_and_hands_it_on(self) -> None:
        it = world()
        await it.call(ALICE, "crm__get")
        assert it.steps.taken.count("resolve") == 1
        assert it.upstreams.invoked == [("crm", "get", "reader", SENTINEL)]

    async def test_an_account_without_a_secret_needs_none(self) -> None:
        it = world()
        await it.call(ALICE, "clock__now")
        assert it.upstreams.invoked == [("clock", "now", "anonymous", None)]


class TestG3:
    """No credential and no reference to one appears in any record or outcome."""

    @pytest.mark.parametrize("name", ["crm__get", "crm__put", "crm__delete", "crm__x", "clock__twin"])
    @pytest.mark.parametrize("kept", [True, False])
    async def test_neither_value_nor_reference_is_ever_printed(self, name: str, kept: bool) -> None:
        it = world({"crm": lambda: BROKEN} if kept else {})
        if not kept:
            it.vault.clear()
        outcome = await it.call(ALICE, name)
        stream = io.StringIO()
        for entry in it.records.kept:
            JsonLines(stream).record(entry)
        said = stream.getvalue() + repr(outcome) + str(outcome)
        assert SENTINEL not in said
        assert REFERENCE not in said
        assert "vault-entry" not in said


class TestG4:
    """Of N concurrent calls under a limit of k exactly k run; only a call without a credential gives its place back."""

    async def test_exactly_k_of_n_concurrent_calls_run(self) -> None:
        it = world()
        outcomes = await asyncio.gather(*(it.gateway.call(ALICE, "crm__put", "this") for _ in range(40)))
        assert sum(isinstance(one, Invoked) for one in outcomes) == 3
        refused = [one for one in outcomes if isinstance(one, Denied)]
        assert {one.decision.reason.code for one in refused} == {ReasonCode.LIMIT_EXHAUSTED}
        assert len(refused) == 37
        assert len(it.upstreams.invoked) == 3

    async def test_each_principal_has_its_own_counter(self) -> None:
        it = world()
        calls = [it.gateway.call(who, "crm__put", "this") for who in (ALICE, BOB) for _ in range(5)]
        outcomes = await asyncio.gather(*calls)
        assert sum(isinstance(one, Invoked) for one in outcomes) == 6

    async def test_a_failed_upstream_still_counts(self) -> None:
        it = world({"crm": lambda: BROKEN})
        outcomes = [await it.call(ALICE, "crm__put") for _ in range(4)]
        assert [type(one) for one in outcomes] == [UpstreamFailed, UpstreamFailed, UpstreamFailed, Denied]

    async def test_a_call_without_a_credential_does_not_count(self) -> None:
        it = world()
        value = it.vault.pop("vault-entry")
        for _ in range(5):
            assert isinstance(await it.call(ALICE, "crm__put"), CredentialFailed)
            assert it.steps.taken == ["read usage", "reserve", "resolve", "give back", "record"]
        it.vault["vault-entry"] = value
        outcomes = [await it.call(ALICE, "crm__put") for _ in range(4)]
        assert [type(one) for one in outcomes] == [Invoked, Invoked, Invoked, Denied]

    async def test_a_new_window_lets_calls_run_again_after_the_time_that_was_told(self) -> None:
        it = world()
        for _ in range(3):
            await it.call(ALICE, "crm__put")
        it.now_ms[0] += 20_000
        refused = await it.call(ALICE, "crm__put")
        assert isinstance(refused, Denied)
        assert refused.retry_after_ms == 40_000
        it.now_ms[0] += refused.retry_after_ms - 1
        assert isinstance(await it.call(ALICE, "crm__put"), Denied)
        it.now_ms[0] += 1
        assert isinstance(await it.call(ALICE, "crm__put"), Invoked)

    async def test_a_limit_of_none_is_listed_and_refused_without_a_time_to_come_back(self) -> None:
        it = world()
        refused = await it.call(ALICE, "crm__none")
        assert isinstance(refused, Denied)
        assert refused.listed
        assert refused.retry_after_ms is None


class TestG5:
    """The outcomes of a call are told apart."""

    @pytest.mark.parametrize(
        ("name", "outcome"),
        [
            ("crm__get", Invoked),
            ("crm__delete", Denied),
            ("crm__old", Denied),
            ("crm__unmapped", UnknownTool),
            ("crm__gone", UnknownTool),
            ("clock__private", UnknownTool),
            ("clock__twin", AmbiguousTool),
        ],
    )
    async def test_each_name_has_its_outcome(self, name: str, outcome: type) -> None:
        assert type(await world().call(ALICE, name)) is outcome

    async def test_a_counter_that_is_down_denies_and_never_counts_as_zero(self) -> None:
        it = world()
        it.counters.down = True
        refused = await it.call(ALICE, "crm__put")
        assert isinstance(refused, Denied)
        assert refused.decision.reason.code is ReasonCode.USAGE_UNKNOWN
        assert refused.retry_after_ms is None


class TestG6:
    """Each outcome is one audit record with exposed name, principal, account, code and both versions."""

    @pytest.mark.parametrize(
        ("name", "outcome", "account", "code", "place"),
        [
            ("crm__get", CallOutcome.INVOKED, "reader", "granted", "policy.yaml/grants/0"),
            ("crm__delete", CallOutcome.DENIED, None, "no_grant_matches", "policy.yaml/grants"),
            ("crm__old", CallOutcome.DENIED, None, "account_disabled", "policy.yaml/grants/2"),
            ("crm__gone", CallOutcome.UNKNOWN_NAME, None, "unknown_name", None),
            ("clock__twin", CallOutcome.AMBIGUOUS_NAME, None, "ambiguous_name", None),
        ],
    )
    async def test_one_record_says_what_happened(
        self, name: str, outcome: CallOutcome, account: str | None, code: str, place: str | None
    ) -> None:
        it = world()
        await it.call(ALICE, name)
        (entry,) = it.records.kept
        assert (entry.name, entry.principal, entry.outcome) == (name, "corp:alice", outcome)
        assert (entry.account, entry.code, entry.place) == (account, code, place)
        assert (entry.policy_version, entry.catalog_version) == ("p1", "c1")

    async def test_failures_after_the_allow_name_the_account_and_their_own_code(self) -> None:
        it = world({"crm": lambda: BROKEN})
        await it.call(ALICE, "crm__get")
        it.vault.clear()
        await it.call(ALICE, "crm__get")
        assert [(one.outcome, one.account, one.code) for one in it.records.kept] == [
            (CallOutcome.UPSTREAM_FAILED, "reader", "closed"),
            (CallOutcome.CREDENTIAL_FAILED, "reader", "missing"),
        ]

    async def test_a_caller_nobody_vouches_for_is_recorded(self) -> None:
        it = world()
        it.gateway.refuse(CallerFault.CREDENTIAL_INVALID)
        (entry,) = it.records.kept
        assert (entry.outcome, entry.principal, entry.code) == (
            CallOutcome.UNAUTHENTICATED,
            None,
            "credential_invalid",
        )

    async def test_a_caller_that_goes_away_leaves_one_record(self) -> None:
        started = asyncio.Event()

        async def hang() -> Any:
            started.set()
            await asyncio.Event().wait()

        it = world({"crm": hang})
        call = asyncio.create_task(it.gateway.call(ALICE, "crm__get", "this"))
        await started.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        (entry,) = it.records.kept
        assert (entry.outcome, entry.code, entry.account) == (CallOutcome.UPSTREAM_FAILED, "cancelled", "reader")

    async def test_a_record_is_one_line_of_ascii_json_whatever_the_name(self) -> None:
        it = world()
        await it.call(ALICE, 'x"\n\ud800\u2028é')
        stream = io.StringIO()
        JsonLines(stream).record(it.records.kept[0])
        line = stream.getvalue()
        assert line.isascii()
        assert line.count("\n") == 1
        assert json.loads(line)["name"] == 'x"\n\ud800\u2028é'

    async def test_a_lost_stream_loses_lines_and_counts_them(self) -> None:
        stream = io.StringIO()
        lines = JsonLines(stream)
        stream.close()
        it = world()
        await it.call(ALICE, "crm__get")
        lines.record(it.records.kept[0])
        assert lines.lost == 1


class TestG7:
    """To the caller a hidden tool and a missing one look the same: the same outcome text, the same work."""

    @pytest.mark.parametrize("name", ["crm__delete", "crm__old", "crm__unmapped", "crm__nothing", "clock__twin"])
    async def test_unlisted_names_are_told_alike(self, name: str) -> None:
        assert told(await world().call(ALICE, name), name) == (INVALID_PARAMS, f"Unknown tool: {name}")

    async def test_a_hidden_twin_of_a_listed_name_is_told_like_a_missing_one(self) -> None:
        it = world()
        old = it.gateway.snapshot
        tools = [tool("crm", "get"), tool("crm", "GET", Private("corp:somebody"))]
        closed = declaration()
        mapped = replace(closed, tools=(*closed.tools, ToolMapping("crm", "Get", "closed")))
        policy = compile_policy(mapped).policy
        assert policy is not None
        it.gateway.snapshot = evolve(old, gate=bind(policy, catalog_of([*tools, tool("crm", "Get")])))
        for name in ("crm__Get", "crm__GET", "crm__gEt"):
            code, text = told(await it.call(ALICE, name), name)
            assert (code, text) == (INVALID_PARAMS, f"Unknown tool: {name} (did you mean crm__get?)")

    async def test_a_listed_tool_that_is_refused_says_why(self) -> None:
        code, text = told(await world().call(ALICE, "crm__none"), "crm__none")
        assert (code, text.split(":")[0]) == (0, "limit_exhausted")

    async def test_an_operator_may_choose_to_explain(self) -> None:
        outcome = await world().call(BOB, "crm__get")
        result = answer(outcome, "crm__get", explain=lambda path: f"policy.yaml{path}")
        assert isinstance(result, CallToolResult)
        assert result.is_error
        assert result.structured_content == {
            "code": "no_grant_matches",
            "place": "policy.yaml/grants",
            "capability": "read",
        }


class TestNarrow:
    """What an older protocol era cannot be shown is for its callers neither listed nor callable."""

    async def test_list_and_call_agree(self) -> None:
        it = world()
        wide = [one.tool.exposed for one in it.gateway.projection(ALICE).tools]
        narrow = [one.tool.exposed for one in it.gateway.projection(ALICE, narrow=True).tools]
        assert [name for name in wide if name not in narrow] == ["crm__get"]
        assert isinstance(await it.gateway.call(ALICE, "crm__get", "this"), Invoked)
        assert await it.gateway.call(ALICE, "crm__get", "this", narrow=True) == UnknownTool("crm__get")
        assert isinstance(await it.gateway.call(ALICE, "crm__put", "this", narrow=True), Invoked)


def told(outcome: Any, name: str) -> tuple[int, str]:
    """Return what the caller is told: a protocol error's code and text, or 0 and the text of a failed result."""
    try:
        result = answer(outcome, name)
    except MCPError as error:
        return error.code, error.message
    assert isinstance(result, CallToolResult)
    assert result.is_error
    (part,) = result.content
    assert isinstance(part, TextContent)
    return 0, part.text


class TestTheWire:
    """Each failure that is not about a name is a result with `isError: true` and its stable code."""

    @pytest.mark.parametrize(
        ("script", "emptied", "name", "code"),
        [
            (True, False, "crm__get", "upstream_failed"),
            (False, True, "crm__get", "credential_failed"),
            (False, False, "crm__none", "limit_exhausted"),
        ],
    )
    async def test_it_has_a_stable_code(self, script: bool, emptied: bool, name: str, code: str) -> None:
        it = world({"crm": lambda: BROKEN} if script else {})
        if emptied:
            it.vault.clear()
        result = answer(await it.call(ALICE, name), name)
        assert isinstance(result, CallToolResult)
        assert result.is_error
        assert result.structured_content is not None
        assert result.structured_content["code"] == code
        assert result.meta == {"mcpizer/code": code}
        assert told(await it.call(ALICE, name), name)[1].startswith(f"{code}: ")

    async def test_a_caller_nobody_vouches_for_is_told_so(self) -> None:
        outcome = world().gateway.refuse(CallerFault.CREDENTIAL_MISSING)
        assert told(outcome, "any")[1] == "unauthenticated: the caller is not authenticated"

    async def test_what_an_upstream_said_goes_to_the_caller_and_not_into_the_audit(self) -> None:
        it = world({"crm": lambda: evolve(BROKEN, said="no such table")})
        outcome = await it.call(ALICE, "crm__get")
        assert "It said: no such table" in told(outcome, "crm__get")[1]
        stream = io.StringIO()
        JsonLines(stream).record(it.records.kept[0])
        assert "no such table" not in stream.getvalue()


class TestOneSnapshot:
    """A call works on one snapshot from its first step to its last."""

    async def test_a_snapshot_exchanged_during_a_call_is_not_seen_by_it(self) -> None:
        reached, go_on = asyncio.Event(), asyncio.Event()

        async def wait() -> str:
            reached.set()
            await go_on.wait()
            return "done"

        it = world({"crm": wait})
        call = asyncio.create_task(it.gateway.call(ALICE, "crm__get", "this"))
        await reached.wait()
        policy = compile_policy(declaration()).policy
        assert policy is not None
        old = it.gateway.snapshot
        it.gateway.snapshot = evolve(old, gate=bind(policy, catalog_of([])), policy_version="p2")
        go_on.set()
        assert isinstance(await call, Invoked)
        assert it.records.kept[0].policy_version == "p1"
        assert isinstance(await it.call(ALICE, "crm__get"), UnknownTool)
        assert it.records.kept[1].policy_version == "p2"


class TestNearNames:
    """An unknown name is never guessed; its answer may name a listed tool that differs in case or punctuation."""

    @pytest.mark.parametrize("name", ["crm_get", "CRM__get", "crm-get", "crm.Get", "crm__get "])
    async def test_a_near_miss_is_unknown_and_the_listed_name_is_offered(self, name: str) -> None:
        assert await world().call(ALICE, name) == UnknownTool(name, "crm__get")

    async def test_hidden_tools_are_never_offered_and_every_call_is_recorded(self) -> None:
        it = world()
        assert await it.call(BOB, "crm_get") == UnknownTool("crm_get", None)
        assert await it.call(ALICE, "clock_private") == UnknownTool("clock_private", None)
        assert len(it.records.kept) == 2

    async def test_two_listed_candidates_offer_none(self) -> None:
        it = world()
        old = it.gateway.snapshot
        both = catalog_of([tool("crm", "get"), tool("crm", "get", Private("corp:alice"), key="k")])
        it.gateway.snapshot = evolve(old, gate=bind(old.gate.policy, both))
        assert await it.call(ALICE, "crm_get") == UnknownTool("crm_get", None)
