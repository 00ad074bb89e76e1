"""What an upstream changes while the gateway serves reaches the callers it concerns, and nobody else."""

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared._httpx_utils import create_mcp_http_client
from psycopg.conninfo import conninfo_to_dict

from mcpizer_adapters.mcp.telling import OWN_STREAMS
from mcpizer_adapters.registry.planned import policy_key
from mcpizer_adapters.stores.postgres import PostgresStore
from mcpizer_adapters.stores.sqlite import SqliteStore
from mcpizer_core import Accepted, Deactivate, Namespace, Reactivate, Registration
from tests.integration.gateway.changing import KINDS, Heard, become, hearing, on_pipes, policy_of, policy_over
from tests.integration.gateway.served import COMMAND, ERAS, KEYS, caller, environment, names, serve
from tests.integration.gateway.test_lifecycle import children

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(("transport", "era"), KINDS)
async def test_a_change_that_an_upstream_tells_of_is_seen_by_those_it_concerns(
    tmp_path: Path, transport: str, era: str
) -> None:
    with policy_of(tmp_path, transport, era) as policy:
        async with (
            serve(policy) as served,
            caller(served, "KEY_ANA", ERAS[0]) as ana,
            caller(served, "KEY_BEN", ERAS[0]) as ben,
            hearing(ana) as told_ana,
            hearing(ben) as told_ben,
        ):
            assert await names(ana) == ["up__become", "up__old"]
            await become(ana, "new")
            await told_ana.at_least(1)
            assert await names(ana) == ["up__become", "up__new"]
            with pytest.raises(MCPError, match="Unknown tool: up__old"):
                await ana.session.call_tool("up__old", {})
            assert await names(ben) == []
            await become(ana, "new", "for-ben")
            await asyncio.gather(told_ana.at_least(2), told_ben.at_least(1))
            assert await names(ben) == ["up__for-ben"]
            assert (told_ana.times, told_ben.times) == (2, 1), "what did not concern ben was not told to ben"
            await become(ana, "new: said in other words", "for-ben")
            await told_ana.at_least(3)
            assert told_ben.times == 1


async def test_the_caller_of_the_2025_era_on_a_pipe_is_told(tmp_path: Path) -> None:
    heard = Heard()

    async def on_message(message: Any) -> None:
        if type(message).__name__ == "ToolListChangedNotification":
            await heard.note()

    with policy_of(tmp_path, "stdio", "legacy") as policy, (tmp_path / "errors").open("w+") as errors:
        words = [*COMMAND[1:], "serve", str(policy), "--as", "ana:ana"]
        parameters = StdioServerParameters(command=COMMAND[0], args=words, env=environment())
        transport = stdio_client(parameters, errlog=errors)
        async with Client(transport, cache=None, mode="legacy", message_handler=on_message) as ana:
            capabilities = ana.session.server_capabilities
            assert capabilities is not None
            assert capabilities.tools is not None
            assert capabilities.tools.list_changed is True
            assert await names(ana) == ["up__become", "up__old"]
            await become(ana, "third")
            await heard.at_least(1)
            assert await names(ana) == ["up__become", "up__third"]


async def test_a_caller_of_the_2025_era_is_told_over_http_on_a_stream_of_its_own(tmp_path: Path) -> None:
    with policy_of(tmp_path, "stdio", "modern") as policy:
        async with serve(policy) as served, caller(served, "KEY_ANA", ERAS[1]) as ana:
            async with create_mcp_http_client(headers={"Authorization": f"Bearer {KEYS['KEY_ANA']}"}) as http:
                accepts = {"accept": "text/event-stream", "mcp-protocol-version": "2025-11-25"}
                async with http.stream("GET", served.address, headers=accepts) as stream, asyncio.timeout(20):
                    assert stream.status_code == 200
                    assert stream.headers["content-type"].startswith("text/event-stream")
                    lines = stream.aiter_lines()
                    assert (await anext(lines)).startswith(":")
                    await become(ana, "new")
                    async for line in lines:
                        if line.startswith("data:"):
                            break
                    said = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
                    assert json.loads(line.removeprefix("data:")) == said
                assert await names(ana) == ["up__become", "up__new"]
                foreign = {**accepts, "origin": "http://evil.example"}
                assert (await http.get(served.address, headers=foreign)).status_code == 403
            async with create_mcp_http_client() as nobody:
                assert (await nobody.get(served.address, headers=accepts)).status_code == 401


async def test_streams_of_one_caller_are_bounded_and_leave_room_for_others(tmp_path: Path) -> None:
    accepts = {"accept": "text/event-stream", "mcp-protocol-version": "2025-11-25"}
    with policy_of(tmp_path, "stdio", "modern") as policy:
        async with serve(policy) as served, contextlib.AsyncExitStack() as streams:
            http = {
                key: await streams.enter_async_context(
                    create_mcp_http_client(headers={"Authorization": f"Bearer {KEYS[key]}"})
                )
                for key in KEYS
            }

            async def opened(key: str) -> int:
                stream = await streams.enter_async_context(http[key].stream("GET", served.address, headers=accepts))
                if stream.status_code == 200:
                    lines: Any = stream.aiter_lines()
                    await anext(await streams.enter_async_context(contextlib.aclosing(lines)))
                return int(stream.status_code)

            assert [await opened("KEY_ANA") for _ in range(OWN_STREAMS)] == [200] * OWN_STREAMS
            assert await opened("KEY_ANA") == 429
            assert await opened("KEY_BEN") == 200


async def test_an_outage_keeps_what_was_listed_and_ends_without_anybody_registering_anew(tmp_path: Path) -> None:
    there, kept = tmp_path / "there", tmp_path / "names.db"
    there.touch()
    real = on_pipes(tmp_path, "modern")
    script = 'test -e "$1" && shift && exec "$@"'
    gated = {**real, "command": "sh", "args": ["-c", script, "sh", str(there), real["command"], *real["args"]]}
    policy = policy_over(tmp_path, gated)
    store = SqliteStore(str(kept))
    async with (
        serve(policy, "--store", f"sqlite:{kept}") as served,
        caller(served, "KEY_ANA", ERAS[0]) as ana,
        hearing(ana) as told,
    ):
        before = known(store)
        assert before.contact.up is True
        there.unlink()
        for pid in children(served.process.pid, "changing_upstream"):
            os.kill(pid, signal.SIGKILL)
        await served.until(lambda it: any("its 2 tools stay" in line for line in it.lines))
        assert known(store).contact.up is False
        assert await names(ana) == ["up__become", "up__old"]
        failed = await ana.session.call_tool("up__old", {})
        assert failed.structured_content is not None
        assert failed.structured_content["code"] == "upstream_failed"
        assert known(store).generation == before.generation
        there.touch()
        await served.until(lambda it: sum("2 tools listed" in line for line in it.lines) == 2)
        after = known(store)
        assert (after.contact.up, after.generation, after.offers) == (True, before.generation, before.offers)
        await become(ana, "old", "new")
        await told.at_least(1)
        assert told.times == 1, "neither the outage nor its end changed anybody's list"
        assert await names(ana) == ["up__become", "up__new", "up__old"]
    store.close()


async def test_a_gateway_that_starts_while_an_upstream_is_down_has_the_names_its_store_kept(tmp_path: Path) -> None:
    kept = f"sqlite:{tmp_path / 'names.db'}"
    policy = policy_over(tmp_path, on_pipes(tmp_path, "modern"))
    async with serve(policy, "--store", kept) as served, caller(served, "KEY_ANA", ERAS[0]) as ana:
        assert await names(ana) == ["up__become", "up__old"]
    policy_over(tmp_path, {"kind": "mcp-stdio", "command": sys.executable, "args": ["-c", "raise SystemExit(3)"]})
    async with serve(policy, "--store", kept) as served, caller(served, "KEY_ANA", ERAS[0]) as ana:
        assert await names(ana) == ["up__become", "up__old"]
        failed = await ana.session.call_tool("up__old", {})
        assert failed.structured_content is not None
        assert failed.structured_content["code"] == "upstream_failed"


async def test_a_hostile_listing_costs_nobody_a_name(tmp_path: Path) -> None:
    long = "x" * 1_000_000
    hostile = ["old", "old: again", "", long, "new\n\x00\x1b[31m", "third", *(f"flood{n}" for n in range(2_000))]
    policy = policy_over(tmp_path, on_pipes(tmp_path, "modern"))
    kept = tmp_path / "names.db"
    async with serve(policy, "--store", f"sqlite:{kept}") as served, caller(served, "KEY_ANA", ERAS[0]) as ana:
        async with hearing(ana) as told:
            await become(ana, *hostile)
            await told.at_least(1)
        assert await names(ana) == ["up__become", "up__old", "up__third"]
        assert not (await ana.session.call_tool("up__third", {})).is_error
    assert not [line for line in served.lines if "\x1b" in line or "Traceback" in line]
    assert max(map(len, served.lines)) < 2_000
    store = SqliteStore(str(kept))
    registration = known(store)
    assert {one.code for one in registration.quarantined} == {"repeated_in_listing", "invalid_tool_name"}
    assert long in {offer.tool for offer in registration.offers}
    store.close()


async def test_a_change_in_the_scope_of_one_team_is_told_to_its_members_only(tmp_path: Path) -> None:
    policy = policy_over(tmp_path, on_pipes(tmp_path, "modern"))
    document = json.loads(policy.read_text())
    for tool in document["upstreams"][0]["tools"]:
        if tool["name"] in ("new", "third"):
            tool["scope"] = {"team": "red" if tool["name"] == "new" else "blue"}
    ana, ben = document["principals"]["issuers"]
    ana["teams"], ben["teams"] = ["red"], ["blue"]
    document["grants"][1]["capabilities"].append("all.use")
    policy.write_text(json.dumps(document))
    async with (
        serve(policy) as served,
        caller(served, "KEY_ANA", ERAS[0]) as red,
        caller(served, "KEY_BEN", ERAS[0]) as blue,
        hearing(red) as told_red,
        hearing(blue) as told_blue,
    ):
        await become(red, "old", "new")
        await told_red.at_least(1)
        assert await names(red) == ["up__become", "up__new", "up__old"]
        assert await names(blue) == ["up__become", "up__old"]
        with pytest.raises(MCPError, match="Unknown tool: up__new"):
            await blue.session.call_tool("up__new", {})
        await become(red, "old", "new", "third")
        await told_blue.at_least(1)
        assert (told_red.times, told_blue.times) == (1, 1)
        assert await names(blue) == ["up__become", "up__old", "up__third"]


@pytest.mark.service("postgres")
async def test_gateways_on_one_database_agree_within_two_seconds(tmp_path: Path, postgres: str) -> None:
    policy = policy_over(tmp_path, on_pipes(tmp_path, "quiet"))
    env = environment(NAMES=postgres_url(postgres))
    slow, quick = ("--store", "env://NAMES"), ("--store", "env://NAMES", "--reconcile", "1")
    store = PostgresStore(postgres)
    async with (
        serve(policy, *quick, env=env) as first,
        serve(policy, *slow, env=env) as second,
        caller(first, "KEY_ANA", ERAS[0]) as here,
        caller(second, "KEY_ANA", ERAS[0]) as there,
        hearing(here) as told_here,
        hearing(there) as told_there,
    ):
        assert await names(here) == await names(there) == ["up__become", "up__old"]
        began = time.monotonic()
        changed = await asyncio.to_thread(store.commit, None, Deactivate(policy_key("up")))
        assert isinstance(changed, Accepted)
        await asyncio.gather(told_here.at_least(1), told_there.at_least(1))
        assert time.monotonic() - began < 2
        assert await names(here) == await names(there) == []
        await asyncio.to_thread(store.commit, None, Reactivate(policy_key("up"), None))
        await asyncio.gather(told_here.at_least(2), told_there.at_least(2))
        (tmp_path / "tools.json").write_text(json.dumps(["become", "new"]))
        await told_here.at_least(3)
        began = time.monotonic()
        await told_there.at_least(3)
        assert time.monotonic() - began < 2
        assert await names(here) == await names(there) == ["up__become", "up__new"]
        assert not (await there.session.call_tool("up__new", {})).is_error
    assert not [line for line in (*first.lines, *second.lines) if "password" in line]
    store.close()


async def test_a_policy_that_is_read_again_comes_into_force_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    policy = policy_over(tmp_path, on_pipes(tmp_path, "modern"))
    document = json.loads(policy.read_text())
    async with (
        serve(policy) as served,
        caller(served, "KEY_ANA", ERAS[0]) as ana,
        caller(served, "KEY_BEN", ERAS[0]) as ben,
    ):
        assert await names(ben) == []
        policy.write_text("not: [a policy")
        served.process.send_signal(signal.SIGUSR1)
        await served.until(lambda it: any("is not used: it has errors" in line for line in it.lines))
        assert await names(ana) == ["up__become", "up__old"]
        document["grants"][1]["capabilities"].append("all.use")
        document["grants"][0]["capabilities"] = ["ben.use"]
        document["upstreams"][0]["tools"][1]["alias"] = "former"
        policy.write_text(json.dumps(document))
        served.process.send_signal(signal.SIGUSR1)
        await served.until(lambda it: any("is in force, version" in line for line in it.lines))
        assert await names(ana) == []
        assert await names(ben) == ["up__become", "up__former"]
        assert not (await ben.session.call_tool("up__former", {})).is_error


@pytest.mark.parametrize(
    ("store", "code", "said"),
    [
        ("nonsense", 2, "a store is sqlite:PATH or postgresql://"),
        ("env://NO_SUCH_ADDRESS", 2, "the address of the store cannot be had (missing)"),
        ("sqlite://names.db", 2, "--store: sqlite://names.db: a file is named without //; write sqlite:names.db"),
        ("sqlite:/no/such/folder/names.db", 3, "the store is down: unreachable"),
        ("postgresql://me:hunter@hunter2@127.0.0.1:1/x", 2, "are written %3A"),
        ("postgresql://me:hunter2@127.0.0.1:1/x", 3, "the store is down: unreachable"),
    ],
)
async def test_without_its_store_a_gateway_does_not_start(tmp_path: Path, store: str, code: int, said: str) -> None:
    policy = policy_over(tmp_path, on_pipes(tmp_path, "modern"))
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "serve", str(policy), "--http", "127.0.0.1:0", "--store", store, env=environment(), stderr=PIPE
    )
    async with asyncio.timeout(30):
        _, errors = await process.communicate()
    assert process.returncode == code
    assert said in errors.decode()
    assert "hunter2" not in errors.decode()
    assert "Traceback" not in errors.decode()


def known(store: SqliteStore) -> Registration:
    """Return what a store has about the upstream."""
    namespace = store.load()
    assert isinstance(namespace, Namespace), namespace
    return namespace.registrations[policy_key("up")]


def postgres_url(conninfo: str) -> str:
    parts = conninfo_to_dict(conninfo)
    password = f":{quote(str(parts['password']))}" if "password" in parts else ""
    return f"postgresql://{parts['user']}{password}@{parts['host']}:{parts['port']}/{parts['dbname']}"
