"""The gateway over HTTP as a process, with real upstreams and real clients of both protocol eras."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_types import INVALID_PARAMS

from tests.integration.gateway.odd_upstream import ODD_NAMES
from tests.integration.gateway.served import ERAS, KEYS, SENTINEL, caller, environment, logged, names, serve, text

pytestmark = pytest.mark.anyio


def listed(*upstreams: str) -> list[str]:
    every = {
        "code": ["code__git_log"],
        "clock": ["clock__convert_time"],
        "odd": [f"odd__{name}" for name in ("echo", "env", "wait", "fail", "list", *ODD_NAMES)],
    }
    return sorted(name for upstream in upstreams for name in every[upstream])


async def test_each_caller_sees_and_calls_its_own_tools_in_both_eras(full_policy: Path) -> None:
    noon = {"source_timezone": "Europe/Berlin", "time": "12:00", "target_timezone": "Asia/Tokyo"}
    async with serve(full_policy) as served:
        for era in ERAS:
            async with caller(served, "KEY_ANA", era) as ana, caller(served, "KEY_BEN", era) as ben:
                assert await names(ana) == listed("code", "clock")
                shown = await names(ben)
                # What only callers of the later era can be shown is kept back from the others, alone.
                hidden = {"odd__list"} if era == "legacy" else set()
                assert shown == [name for name in listed("clock", "odd") if name not in hidden]
                if hidden:
                    with pytest.raises(MCPError, match="Unknown tool: odd__list"):
                        await ben.session.call_tool("odd__list", {})
                log = await ana.session.call_tool("code__git_log", {"repo_path": str(full_policy.parent / "repo")})
                assert "the only commit" in text(log)
                assert json.loads(text(await ben.session.call_tool("clock__convert_time", noon)))["time_difference"]


async def test_a_hidden_a_missing_and_an_unmapped_tool_look_the_same(policy: Path) -> None:
    async with serve(policy) as served:
        for era in ERAS:
            async with caller(served, "KEY_ANA", era) as ana:
                for name in ("odd__echo", "odd__nothing", "odd__unmapped", "echo", "Odd__Echo", ""):
                    with pytest.raises(MCPError) as refused:
                        await ana.session.call_tool(name, {"any": 1})
                    assert refused.value.code == INVALID_PARAMS
                    assert refused.value.message == f"Unknown tool: {name}"
            async with caller(served, "KEY_BEN", era) as ben:
                with pytest.raises(MCPError, match=r"Unknown tool: Odd_Echo \(did you mean odd__echo\?\)"):
                    await ben.session.call_tool("Odd_Echo", {})
        outcomes = [(one["name"], one["outcome"], one["code"]) for one in await served.records(14)]
        assert ("odd__echo", "denied", "no_grant_matches") in outcomes
        assert ("odd__nothing", "unknown_name", "unknown_name") in outcomes
        assert ("odd__unmapped", "unknown_name", "unknown_name") in outcomes


async def test_an_operator_may_choose_to_explain_denials(policy: Path) -> None:
    async with serve(policy, "--explain-denials") as served, caller(served, "KEY_ANA", ERAS[0]) as ana:
        refused = await ana.session.call_tool("odd__echo", {})
        assert refused.is_error
        assert refused.structured_content is not None
        assert refused.structured_content["code"] == "no_grant_matches"
        assert str(policy) in refused.structured_content["place"]
        with pytest.raises(MCPError, match="Unknown tool"):
            await ana.session.call_tool("odd__nothing", {})


@pytest.mark.parametrize("era", ERAS)
async def test_of_many_concurrent_calls_under_a_limit_exactly_so_many_run(policy: Path, era: str) -> None:
    async with serve(policy) as served, caller(served, "KEY_BEN", era) as ben:
        results = await asyncio.gather(*(ben.session.call_tool("odd__echo", {"n": n}) for n in range(20)))
        ran = [one for one in results if not one.is_error]
        assert len(ran) == 5
        for refused in (one for one in results if one.is_error):
            assert refused.structured_content is not None
            assert refused.structured_content["code"] == "limit_exhausted"
            assert 0 < refused.structured_content["retry_after_ms"] <= 3_600_000
            assert text(refused).startswith("limit_exhausted: ")
        assert "odd__echo" in await names(ben)
        records = await served.records(20)
        assert sum(one["outcome"] == "invoked" for one in records) == 5
        reached = (policy.parent / "odd.log").read_text().count("tools/call echo")
        assert reached == 5


async def test_the_upstream_gets_its_own_name_byte_for_byte_however_odd(policy: Path) -> None:
    async with serve(policy) as served, caller(served, "KEY_BEN", ERAS[0]) as ben:
        for name in ODD_NAMES:
            result = await ben.session.call_tool(f"odd__{name}", {"a": [1, None, "ü"]})
            assert json.loads(text(result)) == [name, {"a": [1, None, "ü"]}]


async def test_definitions_that_cannot_be_carried_are_set_aside_alone_and_reported(policy: Path) -> None:
    async with serve(policy) as served:
        told = [line for line in served.lines if "upstream odd" in line]
    assert [line.split(": ")[2] for line in told if "set aside" in line] == [
        "repeated_in_listing",
        "invalid_tool_name",
        "invalid_tool_name",
        "refused_by_gateway",
        "refused_by_gateway",
    ]
    assert f"{5 + len(ODD_NAMES)} tools listed" in told[-1]


async def test_a_call_never_triggers_a_listing(policy: Path) -> None:
    log = policy.parent / "odd.log"
    async with serve(policy) as served:
        before = log.read_text().count("tools/list")
        for era in ERAS:
            async with caller(served, "KEY_BEN", era) as ben:
                await ben.session.call_tool("odd__a.b", {"x": 1})
        assert log.read_text().count("tools/list") == before


async def test_no_key_or_a_wrong_one_is_401_and_nothing_else_is_told(policy: Path) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    good = f"Bearer {KEYS['KEY_ANA']}"
    wrong: list[list[tuple[str, str]]] = [
        [],
        [("Authorization", "Bearer nobody-has-this-key")],
        [("Authorization", "Bearer")],
        [("Authorization", f"Basic {KEYS['KEY_ANA']}")],
        [("Authorization", KEYS["KEY_ANA"])],
        [("Authorization", good), ("Authorization", good)],
        [("Authorization", f"{good}x")],
        [("X-Api-Key", KEYS["KEY_ANA"])],
    ]
    async with serve(policy) as served:
        async with create_mcp_http_client() as http:
            for headers in wrong:
                answer = await http.post(served.address, json=body, headers=headers)
                assert answer.status_code == 401, headers
                assert answer.headers["www-authenticate"].startswith("Bearer")
                assert answer.json()["error"] == "unauthenticated"
        records = await served.records(len(wrong))
        assert {one["outcome"] for one in records} == {"unauthenticated"}
        assert {one["principal"] for one in records} == {None}
    assert not any(key in line for line in served.lines for key in KEYS.values())


async def test_no_session_is_kept_that_another_caller_could_use_or_use_up(policy: Path) -> None:
    accept = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    start = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    ask = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    async with serve(policy) as served, create_mcp_http_client() as http:
        ana = accept | {"Authorization": f"Bearer {KEYS['KEY_ANA']}"}
        ben = accept | {"Authorization": f"Bearer {KEYS['KEY_BEN']}"}
        opened = await http.post(served.address, json=start, headers=ben)
        assert opened.status_code == 200
        assert "mcp-session-id" not in opened.headers
        invented = {"Mcp-Session-Id": "0123456789abcdef"}
        assert "odd__a.b" in (await http.post(served.address, json=ask, headers=ben | invented)).text
        assert "odd__" not in (await http.post(served.address, json=ask, headers=ana | invented)).text
        assert (await http.post(served.address, json=ask, headers=accept | invented)).status_code == 401


async def test_a_page_in_a_browser_cannot_reach_the_gateway_through_a_name_of_its_own(policy: Path) -> None:
    headers = {"Authorization": f"Bearer {KEYS['KEY_BEN']}", "Accept": "application/json, text/event-stream"}
    ask = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    async with serve(policy, host="127.0.0.2") as served, create_mcp_http_client(headers=headers) as http:
        assert (await http.post(served.address, json=ask)).status_code == 200
        assert (await http.post(served.address, json=ask, headers={"Host": "evil.example"})).status_code == 421
        assert (await http.post(served.address, json=ask, headers={"Origin": "http://evil.example"})).status_code == 403


async def test_a_giant_name_is_neither_echoed_nor_recorded_whole(policy: Path) -> None:
    async with serve(policy) as served:
        for era in ERAS:
            async with caller(served, "KEY_BEN", era) as ben:
                with pytest.raises(MCPError) as refused:
                    await ben.session.call_tool("ö" * 100_000 if era == "legacy" else "ö" * 3_000, {})
                assert len(refused.value.message) < 1_100
        for record in await served.records(2):
            assert len(record["name"]) == 1_001


async def test_secrets_reach_their_upstream_only_and_appear_nowhere_else(policy: Path) -> None:
    async with serve(policy) as served, caller(served, "KEY_BEN", ERAS[0]) as ben:
        child = json.loads(text(await ben.session.call_tool("odd__env", {})))
        assert child["ODD_TOKEN"] == SENTINEL
        assert not {"KEY_ANA", "KEY_BEN", "ACCOUNT_SECRET"} & set(child)
        lost = await ben.session.call_tool("odd__fail", {})
        assert lost.is_error
        assert text(lost).startswith("credential_failed: ")
        again = await ben.session.call_tool("odd__fail", {})
        assert text(again) == text(lost), "a call without a credential gives its place under the limit back"
        record = (await served.records(3))[1]
        assert (record["outcome"], record["code"], record["account"]) == ("credential_failed", "missing", "lost")
    said = "".join(served.lines)
    for hidden in (SENTINEL, *KEYS.values(), "NO_SUCH_VARIABLE", "ACCOUNT_SECRET"):
        assert hidden not in said


async def test_a_tool_that_fails_is_invoked_and_its_failure_passed_on(policy: Path) -> None:
    env = environment(NO_SUCH_VARIABLE="there it is")
    async with serve(policy, env=env) as served, caller(served, "KEY_BEN", ERAS[0]) as ben:
        result = await ben.session.call_tool("odd__fail", {"x": 1})
        assert result.is_error
        assert json.loads(text(result)) == ["fail", {"x": 1}]
        (record,) = await served.records(1)
        assert (record["outcome"], record["result"], record["code"]) == ("invoked", "tool_error", "granted")


async def test_each_record_names_caller_tool_account_place_and_versions(policy: Path) -> None:
    grants_begin = policy.read_text().splitlines().index(' "grants": [')
    async with serve(policy) as served, caller(served, "KEY_BEN", ERAS[0]) as ben:
        await ben.session.call_tool("odd__a__b", {"secret": "argument"})
        (record,) = await served.records(1)
    expected: dict[str, Any] = {
        "outcome": "invoked",
        "principal": "ben:ben",
        "name": "odd__a__b",
        "upstream": "odd",
        "tool": "a__b",
        "capability": "odd.use",
        "account": "odd-one",
        "code": "granted",
        "result": "ok",
    }
    assert {key: record[key] for key in expected} == expected
    file, line, _ = record["place"].rsplit(":", 2)
    assert file == str(policy)
    assert int(line) in range(grants_begin, grants_begin + 60)
    assert len(record["policy_version"]) >= 8
    assert len(record["catalog_version"]) >= 8
    assert "argument" not in json.dumps(record)


async def test_a_caller_that_goes_away_leaves_the_gateway_and_its_neighbours_working(policy: Path) -> None:
    async with serve(policy) as served, caller(served, "KEY_BEN", ERAS[0]) as ben:
        waiting = asyncio.create_task(ben.session.call_tool("odd__wait", {}))
        await logged(policy, "tools/call wait")
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert json.loads(text(await ben.session.call_tool("odd__a.b", {}))) == ["a.b", {}]
