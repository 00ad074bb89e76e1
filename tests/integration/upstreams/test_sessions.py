"""The life of sessions: opened when needed, again after a death, side by side, closed with nothing left running."""

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

import pytest
from attrs import evolve
from mcp.client.streamable_http import streamable_http_client
from mcp.server.mcpserver import Context, MCPServer

from mcpizer_adapters.credentials.secrets import Secret
from mcpizer_adapters.mcp.listing import Listing
from mcpizer_adapters.mcp.pool import Upstreams
from mcpizer_adapters.mcp.session import UpstreamSession
from tests.integration.upstreams.support import BOUNDS, alive, data, eventually, failed, good, pipe, session, text

pytestmark = pytest.mark.anyio

WHO: ContextVar[str] = ContextVar("who", default="nobody")


def children() -> set[int]:
    """Return the processes this one has started and not reaped."""
    found = subprocess.run(
        ["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=False
    )
    return {int(line.split()[0]) for line in found.stdout.splitlines() if "ps" not in line.split()[1]}


async def test_a_session_that_is_not_used_starts_nothing() -> None:
    before = children()
    async with session(pipe()) as upstream:
        assert upstream.version is None
        assert children() == before


async def test_first_calls_at_the_same_time_open_one_connection() -> None:
    async with session(pipe()) as upstream:
        pids = await asyncio.gather(*(upstream.call("pid", {}) for _ in range(20)))
        assert len({text(pid) for pid in pids}) == 1


async def test_a_killed_upstream_fails_what_waits_on_it_and_no_neighbour() -> None:
    async with Upstreams({"a": pipe(), "b": pipe(era="legacy")}, bounds=BOUNDS) as upstreams:
        one, other = await upstreams.session("a"), await upstreams.session("b")
        pid, other_pid = int(text(await one.call("pid", {}))), text(await other.call("pid", {}))
        waiting = [asyncio.create_task(one.call("hang", {})) for _ in range(5)]
        neighbour = asyncio.create_task(other.call("hang", {}))
        assert text(await one.call("pid", {})) == str(pid)
        os.kill(pid, signal.SIGKILL)
        assert [failed(result).kind for result in await asyncio.gather(*waiting)] == ["closed"] * 5
        assert not neighbour.done()
        assert text(await other.call("pid", {})) == other_pid
        assert text(await one.call("pid", {})) != str(pid)
        neighbour.cancel()


@pytest.mark.parametrize("tool", ["flood", "line", "garbage"])
async def test_neighbours_of_an_upstream_that_floods_are_answered_soon(tool: str) -> None:
    bounds = evolve(BOUNDS, message_bytes=64 * 1024 * 1024)
    async with Upstreams({"a": pipe(), "b": pipe()}, bounds=bounds) as upstreams:
        one, other = await upstreams.session("a"), await upstreams.session("b")
        await asyncio.gather(one.call("echo", {}), other.call("echo", {}))
        flooding = asyncio.create_task(one.call(tool, {}))
        longest = 0.0
        while not flooding.done():
            began = time.monotonic()
            good(await other.call("echo", {}))
            longest = max(longest, time.monotonic() - began)
        assert failed(flooding.result()).kind in ("flooding", "too_large", "garbage")
        assert longest < 1


async def test_an_upstream_that_dies_while_nobody_calls_is_there_for_the_next_call() -> None:
    async with session(pipe()) as upstream:
        for _ in range(3):
            pid = int(text(await upstream.call("pid", {})))
            os.kill(pid, signal.SIGKILL)
            await eventually(lambda: upstream.version is None)
            assert not alive(pid)
        good(await upstream.call("echo", {}))


async def test_a_new_child_is_started_only_when_the_old_one_is_gone() -> None:
    async with session(pipe()) as upstream:
        pid = int(text(await upstream.call("pid", {})))
        assert failed(await upstream.call("mute", {})).kind == "closed"
        assert alive(pid)
        good(await upstream.call("echo", {}))
        assert not alive(pid)


async def test_a_flapping_upstream_is_not_started_in_a_tight_loop() -> None:
    bounds = evolve(BOUNDS, first_pause_seconds=0.1, longest_pause_seconds=60, patience_seconds=0.5)
    async with session(pipe("exits"), bounds=bounds) as upstream:
        kinds, began = [], time.monotonic()
        for _ in range(200):
            kinds.append(failed(await upstream.call("echo", {})).kind)
        assert set(kinds) == {"closed"}
        # Pauses of 0.1, 0.2 and 0.4 seconds are waited out; then calls fail at once while the next one lasts.
        assert 0.7 <= time.monotonic() - began < 10
        began = time.monotonic()
        failed(await upstream.call("echo", {}))
        assert time.monotonic() - began < 0.1


async def test_closing_ends_waiting_calls_and_refuses_later_ones() -> None:
    async with session(pipe()) as upstream:
        pid = int(text(await upstream.call("pid", {})))
        waiting = asyncio.create_task(upstream.call("hang", {}))
        good(await upstream.call("echo", {}))
        await upstream.close()
        assert failed(await waiting).kind == "shut_down"
        assert failed(await upstream.call("echo", {})).kind == "shut_down"
        assert failed(await upstream.list_tools()).kind == "shut_down"
        assert not alive(pid)


@pytest.mark.parametrize("behaviour", ["silent", "stubborn"])
async def test_closing_while_opening_waits_for_nobody(behaviour: str) -> None:
    before = children()
    async with session(pipe(behaviour)) as upstream:
        waiting = asyncio.create_task(upstream.call("echo", {}))
        await eventually(lambda: children() > before)
        began = time.monotonic()
        await upstream.close()
        assert time.monotonic() - began < 4
        assert waiting.done() or failed(await waiting).kind == "shut_down"
    assert children() == before


async def test_a_caller_that_goes_away_while_opening_takes_nobody_along() -> None:
    async with session(pipe()) as upstream:
        first = asyncio.create_task(upstream.call("pid", {}))
        second = asyncio.create_task(upstream.call("pid", {}))
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        good(await second)


async def test_nothing_of_the_first_caller_lives_on_in_the_connection() -> None:
    offered = MCPServer("inside")
    seen: list[str] = []

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        seen.append(WHO.get())
        yield

    offered._lowlevel_server.lifespan = lifespan
    offered.add_tool(lambda: WHO.get(), name="who", structured_output=False)
    async with session(offered) as upstream:
        token = WHO.set("first caller")
        assert text(await upstream.call("who", {})) == "first caller"  # in process a call runs where it is made
        WHO.reset(token)
    assert seen == ["nobody"]


async def test_an_object_in_this_process_is_an_upstream_like_any_other() -> None:
    offered = MCPServer("inside")
    told: list[tuple[float, float | None, str | None]] = []

    async def step(text: str, ctx: Context) -> str:
        await ctx.report_progress(1, 2, "half way")
        return text * 2

    offered.add_tool(step, structured_output=False)

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with session(offered) as upstream:
        listing = await upstream.list_tools()
        assert isinstance(listing, Listing)
        assert [tool.name for tool in listing.tools] == ["step"]
        assert text(await upstream.call("step", {"text": "ab"}, progress=tell)) == "abab"
        assert told == [(1.0, 2.0, "half way")]
    assert failed(await upstream.call("step", {"text": "ab"})).kind == "shut_down"


async def test_closing_ends_calls_of_an_object_in_this_process() -> None:
    offered = MCPServer("inside")
    entered = asyncio.Event()

    async def wait() -> str:
        entered.set()
        await asyncio.Event().wait()
        return ""

    offered.add_tool(wait, structured_output=False)
    async with session(offered) as upstream:
        waiting = asyncio.create_task(upstream.call("wait", {}))
        await entered.wait()
        await upstream.close()
        assert failed(await waiting).kind == "shut_down"


async def test_a_transport_of_the_sdk_is_isolated_too(sdk: str) -> None:
    gone = "http://127.0.0.1:9/mcp"
    targets = {"good": lambda: streamable_http_client(sdk), "gone": lambda: streamable_http_client(gone)}
    async with Upstreams(targets, bounds=BOUNDS) as upstreams:
        one, other = await upstreams.session("good"), await upstreams.session("gone")
        good(await one.call("echo", {}))
        assert failed(await other.call("echo", {})).kind == "refused"
        good(await one.call("echo", {}))
        assert failed(await other.call("echo", {})).kind == "refused"


async def test_a_pool_keeps_one_session_for_each_upstream_and_account() -> None:
    async with Upstreams({"a": pipe(), "b": pipe()}, bounds=BOUNDS) as upstreams:
        keys = [("a", None), ("a", "x"), ("a", "y"), ("b", "x")]
        sessions = [await upstreams.session(upstream, account) for upstream, account in keys]
        again = await asyncio.gather(*(upstreams.session(upstream, account) for upstream, account in keys))
        assert again == sessions
        pids = await asyncio.gather(*(one.call("pid", {}) for one in sessions))
        assert len({text(pid) for pid in pids}) == 4
        with pytest.raises(KeyError):
            await upstreams.session("c")
    assert not any(alive(int(text(pid))) for pid in pids)


async def test_another_secret_makes_another_session_and_running_calls_end_in_peace() -> None:
    async with Upstreams({"a": pipe()}, bounds=evolve(BOUNDS, call_seconds=5)) as upstreams:
        old = await upstreams.session("a", "x", Secret("old"))
        pid = int(text(await old.call("pid", {})))
        assert await upstreams.session("a", "x", Secret("old")) is old
        running = asyncio.create_task(old.call("hang", {}))
        good(await old.call("echo", {}))
        new = await upstreams.session("a", "x", Secret("new"))
        assert data(await new.call("environment", {}))["TOKEN"] == "new"
        assert alive(pid)
        running.cancel()
        await eventually(lambda: not alive(pid))
        assert await upstreams.session("a", "x", Secret("new")) is new


async def test_a_call_that_is_waiting_for_its_connection_ends_in_peace_too() -> None:
    async with Upstreams({"a": pipe()}, bounds=BOUNDS) as upstreams:
        old = await upstreams.session("a", "x", Secret("old"))
        running, listing = asyncio.create_task(old.call("environment", {})), asyncio.create_task(old.list_tools())
        await asyncio.sleep(0)
        assert old.version is None, "its connection is not open yet"
        await upstreams.session("a", "x", Secret("new"))
        assert data(await running)["TOKEN"] == "old"
        assert isinstance(await listing, Listing)
        assert (await upstreams.session("a", "x", Secret("new"))) is not old


async def test_a_closed_pool_gives_sessions_that_are_closed() -> None:
    upstreams = Upstreams({"a": pipe()}, bounds=BOUNDS)
    await upstreams.close()
    late = await upstreams.session("a")
    assert isinstance(late, UpstreamSession)
    assert failed(await late.call("echo", {})).kind == "shut_down"


async def test_a_pool_closes_all_at_once_and_in_bounded_time() -> None:
    async with Upstreams({name: pipe("stubborn") for name in "abcd"}, bounds=BOUNDS) as upstreams:
        sessions = [await upstreams.session(name) for name in "abcd"]
        pids = [data(await one.call("pids", {})) for one in sessions]
        began = time.monotonic()
    assert time.monotonic() - began < 3  # each takes one second: twice the grace that is given
    assert not any(alive(pid) for pid, _ in pids)
