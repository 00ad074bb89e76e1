"""Upstreams on standard streams: two public ones, unmodified, and one that misbehaves in every way a child can."""

import asyncio
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from attrs import evolve
from mcp import StdioServerParameters
from mcp_types import CallToolResult, InputRequiredResult, TextContent

from mcpizer_adapters.artifact.documents import StdioTransport
from mcpizer_adapters.mcp.bounds import ListingBounds
from mcpizer_adapters.mcp.child import ChildReader, kill_children
from mcpizer_adapters.mcp.listing import Listing
from mcpizer_adapters.mcp.results import RESULT_NESTING
from tests.integration.upstreams.support import (
    BIN,
    BOUNDS,
    alive,
    data,
    eventually,
    failed,
    good,
    pipe,
    session,
    text,
)

pytestmark = pytest.mark.anyio

ERAS = pytest.mark.parametrize("era", ["modern", "legacy"])


async def test_a_public_clock_is_listed_and_called() -> None:
    clock = StdioTransport(str(BIN / "mcp-server-time"), ("--local-timezone", "Etc/UTC"))
    noon = {"source_timezone": "Europe/Berlin", "time": "12:00", "target_timezone": "Asia/Tokyo"}
    async with session(clock) as upstream:
        listing = await upstream.list_tools()
        assert isinstance(listing, Listing)
        assert sorted(tool.name for tool in listing.tools) == ["convert_time", "get_current_time"]
        assert upstream.version == "2026-07-28"
        result = data(await upstream.call("convert_time", noon))
        assert result["target"]["timezone"] == "Asia/Tokyo"
        unknown = failed(await upstream.call("convert-time", noon))
        assert (unknown.kind, unknown.code) == ("error", -32602)


async def test_a_public_clock_is_spoken_to_in_the_2025_era_on_request() -> None:
    clock = StdioServerParameters(command=str(BIN / "mcp-server-time"), args=["--local-timezone", "Etc/UTC"])
    async with session(clock, legacy=True) as upstream:
        assert data(await upstream.call("get_current_time", {"timezone": "Etc/UTC"}))["timezone"] == "Etc/UTC"
        assert upstream.version == "2025-11-25"


@pytest.fixture
def repository(tmp_path: Path) -> str:
    """A repository with one commit."""
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first light"], check=True)
    return str(tmp_path)


async def test_a_public_repository_browser_is_listed_and_called(repository: str) -> None:
    target = StdioTransport(str(BIN / "mcp-server-git"), ("--repository", repository))
    async with session(target) as upstream:
        listing = await upstream.list_tools()
        assert isinstance(listing, Listing)
        assert len(listing.tools) == 12
        assert listing.set_aside == ()
        log = good(await upstream.call("git_log", {"repo_path": repository, "max_count": 1}))
        assert "first light" in str(log.content)


@ERAS
async def test_arguments_and_names_reach_the_upstream_byte_for_byte(era: str) -> None:
    arguments: dict[str, Any] = {
        "none": None,
        "deep": [{"x": [1, 2.5, True, None]}],
        "text": "Größe 🔧 \u2028\n",
        "": {},
    }
    async with session(pipe(era=era)) as upstream:
        assert data(await upstream.call("echo", arguments)) == arguments
        assert data(await upstream.call("echo", None)) == {}
        odd = failed(await upstream.call("Größe/工具🔧 __ \n", {}))
        assert odd.message == "Unknown tool: Größe/工具🔧 __ \n"
        assert upstream.version == ("2026-07-28" if era == "modern" else "2025-11-25")


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        ("garbage", "garbage"),
        ("banner", "garbage"),
        ("silent", "timed_out"),
        ("exits", "closed"),
        ("wrong-version", "error"),
    ],
)
async def test_a_child_that_does_not_start_well_is_reported(behaviour: str, kind: str) -> None:
    bounds = evolve(BOUNDS, open_seconds=0.7 if behaviour in ("silent", "banner") else 15)
    async with session(pipe(behaviour), bounds=bounds) as upstream:
        assert failed(await upstream.call("echo", {})).kind == kind


@pytest.mark.parametrize(
    ("command", "cwd", "kind"),
    [
        ("/nonexistent/program", None, "no_such_program"),
        ("nonexistent program", None, "no_such_program"),
        ("sh", "/nonexistent", "refused"),
        ("", None, "refused"),
        ("/dev/null", None, "refused"),
    ],
)
async def test_a_program_that_cannot_be_started_is_told_from_one_there_is_not(
    command: str, cwd: str | None, kind: str
) -> None:
    async with session(StdioTransport(command, cwd=cwd)) as upstream:
        failure = failed(await upstream.call("echo", {}))
    assert failure.kind == kind
    assert "nonexistent" not in repr(failure)


async def test_arguments_no_program_can_be_given_are_misconfigured() -> None:
    async with session(StdioTransport("/bin/echo", ("a\0b",))) as upstream:
        assert failed(await upstream.call("echo", {})).kind == "misconfigured"


@ERAS
@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("die", "closed"),
        ("half", "closed"),
        ("garbage", "garbage"),
        ("line", "too_large"),
        ("flood", "flooding"),
        ("bad-content", "protocol"),
        ("no-content", "protocol"),
        ("task", "protocol"),
    ],
)
async def test_a_child_that_fails_in_a_call_is_reported_and_the_next_call_succeeds(
    tool: str, kind: str, era: str
) -> None:
    async with session(pipe(era=era)) as upstream:
        good(await upstream.call("echo", {}))
        assert failed(await upstream.call(tool, {})).kind == kind
        assert data(await upstream.call("echo", {"back": 1})) == {"back": 1}


@pytest.mark.parametrize("tool", ["result-is-text", "error-is-text", "neither"])
async def test_an_answer_with_no_result_in_it_is_garbage_at_once(tool: str) -> None:
    async with session(pipe()) as upstream:
        pid = text(await upstream.call("pid", {}))
        assert failed(await upstream.call(tool, {})).kind == "garbage"
        assert text(await upstream.call("pid", {})) == pid


@ERAS
async def test_the_last_words_of_a_child_are_heard(era: str) -> None:
    async with session(pipe(era=era)) as upstream:
        for _ in range(5):
            assert text(await upstream.call("bye", {})) == "bye"
            await eventually(lambda: upstream.version is None)


async def test_the_time_to_open_counts_as_time_of_the_call() -> None:
    async with session(pipe("silent"), bounds=evolve(BOUNDS, call_seconds=0.3)) as upstream:
        began = time.monotonic()
        assert failed(await upstream.call("echo", {})).kind == "timed_out"
        assert failed(await upstream.list_tools(ListingBounds(seconds=0.3))).kind == "timed_out"
        assert time.monotonic() - began < 3


async def test_a_call_that_is_never_answered_times_out_and_hurts_no_other() -> None:
    async with session(pipe(), bounds=evolve(BOUNDS, call_seconds=0.5)) as upstream:
        first = text(await upstream.call("pid", {}))
        began = time.monotonic()
        hanging, other = await asyncio.gather(upstream.call("hang", {}), upstream.call("pid", {}))
        assert failed(hanging).kind == "timed_out"
        assert 0.4 < time.monotonic() - began < 5
        assert text(other) == text(await upstream.call("pid", {})) == first


async def test_a_child_that_reads_nothing_blocks_neither_a_call_nor_its_end() -> None:
    big = {"text": "x" * 4_000_000}
    async with session(pipe("deaf"), bounds=evolve(BOUNDS, call_seconds=0.5)) as upstream:
        began = time.monotonic()
        results = await asyncio.gather(*(upstream.call("echo", big) for _ in range(3)))
        assert [failed(result).kind for result in results] == ["timed_out"] * 3
        waiting = asyncio.create_task(upstream.call("echo", big))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert time.monotonic() - began < 3


async def test_a_message_may_be_as_large_as_the_bound_and_no_larger() -> None:
    async with session(pipe(), bounds=evolve(BOUNDS, message_bytes=1_000_000)) as upstream:
        good(await upstream.call("just", {"bytes": 1_000_000}))
        assert failed(await upstream.call("just", {"bytes": 1_000_001})).kind == "too_large"


async def test_noise_and_complaints_of_a_child_are_forgiven() -> None:
    async with session(pipe()) as upstream:
        assert text(await upstream.call("noise", {})) == "after the noise"
        assert text(await upstream.call("complain", {})) == "after the complaint"


async def test_questions_of_an_upstream_are_refused_and_ping_is_answered() -> None:
    async with session(pipe(era="legacy")) as upstream:
        assert data(await upstream.call("questions", {})) == ["error", "error", "error", "result"]


async def test_the_upstreams_own_error_is_kept_apart_bounded_and_readable() -> None:
    async with session(pipe()) as upstream:
        failure = failed(await upstream.call("error", {}))
        assert (failure.kind, failure.code) == ("error", -32602)
        assert failure.message is not None
        assert failure.message.startswith("no such thing, by ")
        assert len(failure.message) == 1_000
        assert "no such thing" not in str(failure) + repr(failure)
        assert failed(await upstream.call("surrogate-error", {})).message == "half a pair: \ufffd"
        assert failed(await upstream.call("closed-error", {})).kind == "closed"


@ERAS
async def test_half_a_pair_of_surrogates_in_a_result_is_replaced_wherever_it_stands(era: str) -> None:
    whole = "half a pair: \ufffd"
    async with session(pipe(era=era)) as upstream:
        result = good(await upstream.call("surrogate-result", {}))
        (content,) = result.content
        assert isinstance(content, TextContent)
        assert (content.text, content.meta) == (whole, {whole: whole})
        assert result.structured_content == {whole: [whole, {"ok": 1}]}
        assert result.meta == {whole: whole}
        assert result.model_dump_json(by_alias=True)


async def test_half_a_pair_of_surrogates_in_a_question_is_replaced() -> None:
    whole = "half a pair: \ufffd"
    async with session(pipe()) as upstream:
        result = await upstream.call("surrogate-question", {})
    assert isinstance(result, InputRequiredResult), result
    assert result.request_state == whole
    assert list(result.input_requests or {}) == [whole]
    assert result.model_dump_json(by_alias=True)


@ERAS
async def test_progress_that_cannot_be_written_as_json_is_mended_or_dropped(era: str) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with session(pipe(era=era)) as upstream:
        assert text(await upstream.call("surrogate-progress", {}, progress=tell)) == "after the progress"
        await eventually(lambda: len(told) == 2)
    assert told == [(1, None, "half a pair: \ufffd"), (2, None, "done")]


@ERAS
@pytest.mark.parametrize("tool", ["nan", "infinity", "too-large-number", "nested-meta"])
async def test_a_result_that_cannot_be_written_again_is_a_failure(tool: str, era: str) -> None:
    async with session(pipe(era=era)) as upstream:
        assert failed(await upstream.call(tool, {})).kind == "protocol"
        assert data(await upstream.call("echo", {"n": 1.5})) == {"n": 1.5}


async def test_a_question_that_cannot_be_written_again_is_a_failure() -> None:
    async with session(pipe()) as upstream:
        assert failed(await upstream.call("nested-question", {})).kind == "protocol"


async def test_a_result_is_nested_as_deep_as_the_bound_and_no_deeper() -> None:
    within = RESULT_NESTING - 2  # the result itself and its structured content are two levels
    async with session(pipe()) as upstream:
        assert good(await upstream.call("nested", {"levels": within})).model_dump_json(by_alias=True)
        for levels in (within + 1, 180, 400):
            assert failed(await upstream.call("nested", {"levels": levels})).kind == "protocol"


async def test_what_only_the_gateway_says_is_not_taken_from_an_upstream() -> None:
    async with session(pipe()) as upstream:
        result = await upstream.call("forger", {})
        assert isinstance(result, CallToolResult)
        assert (result.is_error, result.meta) == (True, {"its/own": 2})
        question = await upstream.call("forger-question", {})
        assert isinstance(question, InputRequiredResult)
        assert question.meta == {"its/own": 2}


async def test_what_cannot_be_written_as_json_is_the_callers_failure_alone() -> None:
    async with session(pipe()) as upstream:
        assert failed(await upstream.call("echo", {"half a pair": "\ud800"})).kind == "unsendable"
        assert failed(await upstream.call("echo", {"a": object()})).kind == "unsendable"
        good(await upstream.call("echo", {}))


async def test_a_cancelled_caller_cancels_that_call_only() -> None:
    async with session(pipe()) as upstream:
        pid = text(await upstream.call("pid", {}))
        hanging = [asyncio.create_task(upstream.call("hang", {})) for _ in range(2)]
        assert text(await upstream.call("pid", {})) == pid  # sent after them, answered: they have been read
        hanging[0].cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging[0]
        assert len(data(await upstream.call("cancelled", {}))) == 1
        assert not hanging[1].done()
        assert text(await upstream.call("pid", {})) == pid
        hanging[1].cancel()


@pytest.mark.parametrize("behaviour", ["stubborn", "leaver"])
async def test_nothing_is_left_of_a_child_and_its_children(behaviour: str) -> None:
    async with session(pipe(behaviour)) as upstream:
        pids = data(await upstream.call("pids", {}))
        assert [alive(pid) for pid in pids] == [True, True]
    assert not alive(pids[0])
    await eventually(lambda: not alive(pids[1]))


async def test_children_that_outlive_everything_else_can_be_killed_at_once() -> None:
    async with session(pipe("stubborn")) as one, session(pipe("stubborn")) as other:
        pids = [*data(await one.call("pids", {})), *data(await other.call("pids", {}))]
        assert len(pids) == 4
        assert kill_children() == 2
        await eventually(lambda: not any(alive(pid) for pid in pids))
        await eventually(lambda: one.version is None and other.version is None)
        await eventually(lambda: kill_children() == 0)  # nothing is signalled again that has ended


@pytest.mark.parametrize("behaviour", ["stubborn", "leaver", "exits"])
async def test_children_that_have_ended_are_not_killed_again(behaviour: str) -> None:
    async with session(pipe(behaviour)) as upstream:
        await upstream.call("pids", {})
    assert kill_children() == 0


async def test_a_dead_child_leaves_nothing_either() -> None:
    async with session(pipe("leaver")) as upstream:
        first, second = data(await upstream.call("pids", {}))
        os.kill(first, signal.SIGKILL)
        await eventually(lambda: not alive(second) and upstream.version is None)
        again = data(await upstream.call("pids", {}))
        assert not {first, second} & set(again)


async def test_the_death_of_a_child_is_seen_although_a_process_that_escaped_holds_its_output() -> None:
    async with session(pipe("daemon")) as upstream:
        first, escaped = data(await upstream.call("pids", {}))
        try:
            waiting = asyncio.create_task(upstream.call("hang", {}))
            os.kill(first, signal.SIGKILL)
            assert failed(await waiting).kind == "closed"
            again, second = data(await upstream.call("pids", {}))
            os.kill(second, signal.SIGKILL)
            assert again != first
        finally:
            os.kill(escaped, signal.SIGKILL)


async def test_reading_what_is_there_already_lets_others_have_their_turn() -> None:
    stdout = asyncio.StreamReader()
    note = b'{"jsonrpc": "2.0", "method": "notifications/message", "params": {}}\n'
    stdout.feed_data(note * 3_200 + b'{"jsonrpc": "2.0", "id": 1, "result": {}}\n')
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    await ChildReader(stdout, 1_000, anyio.Event()).receive()
    counting.cancel()
    assert turns > 50
