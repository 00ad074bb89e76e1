"""The kit runs the real gateway over scripted upstreams: what is scripted is what the gateway meets."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import INVALID_PARAMS, CallToolResult

from mcpizer_adapters.artifact import read_catalog
from mcpizer_adapters.audit.record import CallOutcome
from mcpizer_conformance.harness import (
    HOSTILE,
    Hostile,
    Received,
    ScriptFailed,
    Unfit,
    Upstream,
    allow_all,
    gateway,
    tool_error,
)
from tests.integration.gateway.served import names, text

pytestmark = pytest.mark.anyio

ME = "test:me"
ROOT = Path(__file__).parents[3]


def crm(**more: Any) -> dict[str, Upstream]:
    return {"crm": Upstream({"find": "Ana", "delete": "gone"}, **more)}


def limited(calls: int) -> dict[str, Any]:
    policy = allow_all({"crm": ["find"]})
    policy["grants"][0]["limits"] = {"calls": calls, "per": "1h"}
    return policy


def cause(result: CallToolResult) -> object:
    assert result.is_error
    assert result.structured_content is not None
    return result.structured_content.get("cause", result.structured_content["code"])


async def until(client: Client, wanted: list[str]) -> None:
    """Ask for the list until it is the wanted one."""
    with anyio.fail_after(10):
        while await names(client) != wanted:
            pass


class TestCalls:
    """A caller lists and calls through the gateway, and the upstream counts what reaches it."""

    @pytest.mark.parametrize("legacy", [False, True])
    async def test_reach_what_an_upstream_tells_is_new(self, legacy: bool) -> None:
        upstreams = crm(legacy=legacy)
        policy = allow_all({"crm": ["find", "delete", "merge"]})
        async with gateway(policy, upstreams) as served, served.caller(ME) as client:
            assert await names(client) == ["crm__delete", "crm__find"]
            upstreams["crm"].tools["merge"] = "one"
            del upstreams["crm"].tools["delete"]
            upstreams["crm"].changed()
            await served.until(lambda: upstreams["crm"].listings > 1)
            await until(client, ["crm__find", "crm__merge"])
            assert text(await client.call_tool("crm__merge", {})) == "one"

    @pytest.mark.parametrize("mode", ["auto", "legacy"])
    @pytest.mark.parametrize("legacy", [False, True])
    async def test_reach_the_upstream_in_any_era(self, mode: Any, legacy: bool) -> None:
        upstreams = crm(legacy=legacy)
        async with gateway(allow_all(upstreams), upstreams) as served, served.caller(ME, mode=mode) as client:
            assert await names(client) == ["crm__delete", "crm__find"]
            assert text(await client.call_tool("crm__find", {"name": "Ana"})) == "Ana"
        assert upstreams["crm"].calls == [Received("find", {"name": "Ana"})]
        assert upstreams["crm"].received == {"find": 1}
        assert upstreams["crm"].listings == 1
        assert upstreams["crm"].connections == 2  # one lists, one calls as the account of the grant

    async def test_answers_are_what_the_script_says(self) -> None:
        async def later(arguments: Mapping[str, Any]) -> str:
            await asyncio.sleep(0)
            return str(arguments["n"])

        def refused(arguments: Mapping[str, Any]) -> str:
            raise MCPError(-32050, "not today")

        upstreams = {
            "odd": Upstream(
                {"later": later, "error": tool_error("no"), "refused": refused, "whole": {"content": [], "_meta": {}}}
            )
        }
        async with gateway(allow_all(upstreams), upstreams) as served, served.caller(ME) as client:
            assert text(await client.call_tool("odd__later", {"n": 7})) == "7"
            assert (await client.call_tool("odd__error", {})).is_error
            assert cause(await client.call_tool("odd__refused", {})) == "error"
            assert (await client.call_tool("odd__whole", {})).content == []

    async def test_what_the_policy_refuses_reaches_nobody(self) -> None:
        upstreams = crm()
        async with gateway(limited(1), upstreams) as served, served.caller(ME) as client:
            assert text(await client.call_tool("crm__find", {})) == "Ana"
            assert cause(await client.call_tool("crm__find", {})) == "limit_exhausted"
            with pytest.raises(MCPError) as unknown:
                await client.call_tool("crm__delete", {})
        assert unknown.value.code == INVALID_PARAMS
        assert upstreams["crm"].received == {"find": 1}
        outcomes = [(one.outcome, one.place) for one in served.audit]
        assert outcomes == [
            (CallOutcome.INVOKED, "/grants/0"),
            (CallOutcome.DENIED, "/grants/0"),
            (CallOutcome.UNKNOWN_NAME, None),
        ]

    async def test_of_concurrent_calls_under_a_limit_so_many_run(self) -> None:
        upstreams = crm(answer_seconds=0.01)
        async with gateway(limited(3), upstreams) as served, served.caller(ME) as client:
            results = await asyncio.gather(*(client.call_tool("crm__find", {}) for _ in range(10)))
        assert sum(not one.is_error for one in results) == 3
        assert upstreams["crm"].received == {"find": 3}

    async def test_secrets_are_left_out_unless_they_are_to_fail(self) -> None:
        upstreams = {"crm": Upstream({"find_customer": "Ana"}), "billing": Upstream({"get_invoice": "7"})}
        policy, clerk = ROOT / "examples" / "policy.yaml", ["billing-clerk"]
        async with (
            gateway(policy, upstreams, without_credential=clerk, listing_seconds=0.2) as served,
            served.caller("finance-agent:month-end") as client,
        ):
            assert await names(client) == ["crm__find_customer"]
            assert text(await client.call_tool("crm__find_customer", {})) == "Ana"
        assert upstreams["billing"].connections == 0
        assert any("listing account billing-clerk" in one for one in served.notices)
        (record,) = served.audit
        assert (record.account, str(record.place).rpartition("/")[2][:12]) == ("crm-reader", "policy.yaml:")

    async def test_denials_are_explained_if_wanted(self) -> None:
        upstreams = crm()
        async with (
            gateway(limited(0), upstreams, explain_denials=True) as served,
            served.caller(ME) as client,
        ):
            assert "/grants/0" in text(await client.call_tool("crm__find", {}))

    async def test_callers_have_the_attributes_that_are_named(self) -> None:
        policy = allow_all({"crm": ["find"]}, "corp:ana")
        policy["principals"]["issuers"][0] |= {"kind": "static-key", "attributes": {"team": "support"}}
        policy["grants"][0]["to"]["attributes"] = {"team": "sales"}
        upstreams = crm()
        async with gateway(policy, upstreams) as served:
            async with served.caller("corp:ana") as client:
                assert await names(client) == []
            async with served.caller("corp:ana", {"team": "sales"}) as client:
                assert await names(client) == ["crm__find"]


class TestTrouble:
    """Delays, outages and silence are met by the gateway as those of a real upstream."""

    async def test_an_outage_in_the_middle_of_a_call(self) -> None:
        upstreams = crm()
        one = upstreams["crm"]
        async with gateway(allow_all(upstreams), upstreams) as served, served.caller(ME) as client:
            one.hold()
            call = asyncio.create_task(client.call_tool("crm__find", {}))
            await served.until(lambda: one.received["find"] == 1)
            one.down()
            assert cause(await call) == "closed"
            assert cause(await client.call_tool("crm__find", {})) == "refused"
            assert await names(client) == ["crm__delete", "crm__find"]
            one.up()
            one.release()
            assert text(await client.call_tool("crm__find", {})) == "Ana"
        assert one.received == {"find": 2}

    async def test_one_that_is_down_at_the_start_comes_in_later(self) -> None:
        upstreams = crm()
        upstreams["crm"].down()
        async with gateway(allow_all(upstreams), upstreams) as served, served.caller(ME) as client:
            assert await names(client) == []
            upstreams["crm"].up()
            async with asyncio.timeout(20):
                while await names(client) != ["crm__delete", "crm__find"]:  # noqa: ASYNC110 - a list sets no event here
                    await asyncio.sleep(0.01)
            await served.until(lambda: "upstream crm: 2 tools listed" in served.notices)
        assert upstreams["crm"].listings == 1

    async def test_a_slow_answer_is_waited_for_so_long(self) -> None:
        upstreams = crm(answer_seconds=30)
        async with (
            gateway(allow_all(upstreams), upstreams, call_seconds=0.1) as served,
            served.caller(ME) as client,
        ):
            assert cause(await client.call_tool("crm__find", {})) == "timed_out"
            await served.until(lambda: upstreams["crm"].cancelled == 1)

    async def test_a_slow_listing_holds_nobody_up(self, tmp_path: Path) -> None:
        catalog = tmp_path / "catalog.yaml"
        catalog.write_text("version: 1\ntools:\n- {upstream: crm, name: find, inputSchema: {type: object}}\n", "utf-8")
        declared = read_catalog(catalog).document
        upstreams = crm(listing_seconds=30)
        async with (
            gateway(allow_all(upstreams), upstreams, declared=declared, listing_seconds=0.05) as served,
            served.caller(ME) as client,
        ):
            assert await names(client) == ["crm__find"]
        assert "1 tools from the declared catalog" in served.notices[0]

    async def test_a_script_that_breaks_is_told_at_the_end(self) -> None:
        def broken(arguments: Mapping[str, Any]) -> str:
            raise LookupError(arguments["n"])

        upstreams = {"crm": Upstream({"find": broken})}
        with pytest.raises(ScriptFailed, match="upstream crm raised LookupError") as told:
            async with gateway(allow_all(upstreams), upstreams) as served, served.caller(ME) as client:
                assert cause(await client.call_tool("crm__find", {"n": 7})) == "error"
        assert isinstance(told.value.__cause__, LookupError)

    async def test_what_does_not_happen_is_not_waited_for(self) -> None:
        async with gateway(allow_all(crm()), crm()) as served:
            with pytest.raises(TimeoutError, match=r"within 0\.01 s"):
                await served.until(lambda: False, 0.01)


class TestHostileListings:
    """Whatever an upstream lists, its neighbour stays whole and no name is taken."""

    LOST = frozenset({"no-list", "no-last-page", "circle"})
    """Of a listing that is none, nothing is taken."""

    @pytest.mark.parametrize("listing", HOSTILE.values(), ids=str)
    async def test_harm_nobody(self, listing: Hostile) -> None:
        upstreams = {"crm": Upstream({"find": "Ana"}), "odd": Upstream({"find": "odd"}, listing=listing)}
        async with (
            gateway(allow_all({"crm": ["find"], "odd": ["find", *AWKWARD]}), upstreams) as served,
            served.caller(ME) as client,
        ):
            listed = await names(client)
            assert "crm__find" in listed
            assert ("odd__find" in listed) == (listing.name not in self.LOST)
            assert len(listed) == len(set(listed))
            for name in [one for one in listed if len(one) < 1_000]:
                assert (await client.call_tool(name, {})).is_error == (name not in ("crm__find", "odd__find"))
        assert upstreams["crm"].received == {"find": 1}
        assert all(name in served.notices[1] or name in " ".join(served.notices) for name in ("odd", "crm"))

    def test_each_lists_something_else_than_the_sound_tools(self) -> None:
        tools = [{"name": "find", "inputSchema": {"type": "object"}}]
        for one in HOSTILE.values():
            assert one.made(tools)(None) != {"tools": tools}
            assert one.tries


AWKWARD = ("__find", "_find", "crm__find", "__", "Find", "find ", "fіnd", "find\n", "n" * 100_000, "deep", "filler-7")


class TestUnfit:
    """What does not go together is told before anything runs: what is wrong, and what to do."""

    @pytest.mark.parametrize(
        ("policy", "upstreams", "more", "said"),
        [
            ({"version": 1}, crm(), {}, r"no upstream crm \(its upstreams: none\)"),
            (allow_all(crm()), {}, {}, r"an upstream crm; script it too, as Upstream\({}\)"),
            ({"version": 7}, {}, {}, "the policy has errors:\n.*version"),
            ({"version": {1}}, {}, {}, "not made of JSON values"),
            ("nowhere/at/all.yaml", {}, {}, "the policy has errors:\n.*nowhere/at/all.yaml"),
            (allow_all(crm()), crm(), {"without_credential": ["somebody"]}, "no account somebody"),
        ],
    )
    async def test_is_told(self, policy: Any, upstreams: Any, more: Any, said: str) -> None:
        with pytest.raises(Unfit, match=said):
            async with gateway(policy, upstreams, **more):
                pytest.fail("it ran")

    async def test_a_caller_nobody_vouches_for(self) -> None:
        async with gateway(allow_all(crm()), crm()) as served:
            with pytest.raises(Unfit, match="not issuer:subject of an issuer of this policy"):
                served.endpoint("nobody:me")
