"""Upstreams over streamable HTTP: the SDK's own in both eras, and one that misbehaves in every way HTTP allows."""

import asyncio
import json
import socket
import time
import urllib.request
from typing import Any

import pytest
from attrs import evolve
from mcp_types import ElicitResult, InputRequiredResult

from mcpizer_adapters.artifact.documents import HeaderCredential, HttpTransport
from mcpizer_adapters.credentials.secrets import Secret
from mcpizer_adapters.mcp.listing import Listing
from mcpizer_adapters.mcp.pool import Upstreams
from mcpizer_adapters.mcp.targets import Target
from tests.integration.upstreams.support import BOUNDS, eventually, failed, good, session, text

pytestmark = pytest.mark.anyio

LEGACY = pytest.mark.parametrize("legacy", [False, True], ids=["modern", "legacy"])
MODERN, OLD = "2026-07-28", "2025-11-25"


def structured(result: object) -> Any:
    return good(result).structured_content


def seen(web: str, path: str) -> list[dict[str, Any]]:
    """Return what the hostile upstream has received at `path`."""
    with urllib.request.urlopen(f"{web}/seen") as answer:
        return [one for one in json.load(answer) if one["path"] == path]


@LEGACY
async def test_an_upstream_of_the_sdk_is_listed_and_called_in_both_eras(sdk: str, legacy: bool) -> None:
    async with session(sdk, legacy=legacy) as upstream:
        listing = await upstream.list_tools()
        assert isinstance(listing, Listing)
        assert len(listing.tools) == 10
        assert structured(await upstream.call("echo", {"a": None, "b": [1]})) == {"arguments": {"a": None, "b": [1]}}
        assert text(await upstream.call("größe 🔧", {})) == "größe 🔧"
        assert failed(await upstream.call("nothing", {})).message == "Unknown tool: nothing"
        assert upstream.version == (OLD if legacy else MODERN)


@LEGACY
async def test_connections_are_used_again(sdk: str, legacy: bool) -> None:
    async with session(sdk, legacy=legacy) as upstream:
        ports = [text(await upstream.call("port", {})) for _ in range(20)]
    assert len(set(ports)) < 10


async def test_an_upstream_that_knows_the_2025_era_only_is_found_out(sdk_legacy: str) -> None:
    async with session(sdk_legacy) as upstream:
        assert structured(await upstream.call("echo", {})) == {"arguments": {}}
        assert upstream.version == OLD
        headers = structured(await upstream.call("headers", {}))
        assert headers["mcp-protocol-version"] == OLD
        assert headers["mcp-session-id"]
        assert "mcp-method" not in headers


async def test_a_modern_request_says_what_it_is_in_its_headers(sdk: str) -> None:
    async with session(sdk) as upstream:
        headers = structured(await upstream.call("headers", {}))
        assert (headers["mcp-protocol-version"], headers["mcp-method"], headers["mcp-name"]) == (
            MODERN, "tools/call", "headers",
        )  # fmt: skip
        assert headers["accept-encoding"] == "identity"


async def test_arguments_that_are_repeated_in_headers_are_learned_from_any_accounts_listing(sdk: str) -> None:
    async with Upstreams({"up": sdk}, bounds=BOUNDS) as upstreams:
        caller, lister = await upstreams.session("up", "caller"), await upstreams.session("up")
        assert failed(await caller.call("mirrored", {"region": "eu"})).code == -32020
        assert isinstance(await lister.list_tools(), Listing)
        assert structured(await caller.call("mirrored", {"region": "é u"})) == {"arguments": {"region": "é u"}}


@LEGACY
async def test_meta_travels_without_what_belongs_to_the_callers_connection(sdk: str, legacy: bool) -> None:
    meta = {
        "traceparent": "00-1-2-01",
        "io.modelcontextprotocol/clientInfo": {"name": "the caller", "version": "9"},
        "progressToken": 7,
        "progress_token": 8,
    }
    async with session(sdk, legacy=legacy) as upstream:
        result = good(await upstream.call("meta", {}, meta=meta))
        received = result.structured_content
        assert received["traceparent"] == "00-1-2-01"
        assert "progressToken" not in received
        assert received.get("progress_token") is None
        info = received.get("io.modelcontextprotocol/clientInfo")
        assert info is None if legacy else info["name"] == "mcpizer"
        assert not [key for key in result.meta or {} if key.startswith("io.modelcontextprotocol/")]


@LEGACY
async def test_progress_reaches_the_call_it_belongs_to(sdk: str, legacy: bool) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with session(sdk, legacy=legacy) as upstream:
        assert text(await upstream.call("progress", {}, progress=tell)) == "done"
        assert text(await upstream.call("progress", {})) == "done"
    assert told == [(1.0, 2.0, "half way")]


async def test_a_question_to_the_caller_comes_back_and_its_answer_is_passed_on(sdk: str) -> None:
    asking: dict[str, Any] = {"elicitation": {"form": {}}}
    async with session(sdk) as upstream:
        question = await upstream.call("ask", {}, capabilities=asking)
        assert isinstance(question, InputRequiredResult)
        assert list(question.input_requests or ()) == ["sure"]
        answers = {"sure": ElicitResult(action="accept", content={"yes": True})}
        result = await upstream.call(
            "ask", {}, input_responses=answers, request_state=question.request_state, capabilities=asking
        )
        assert text(result) == "state \U0001f511"
        assert structured(result)["sure"]["content"] == {"yes": True}


@LEGACY
async def test_a_cancelled_caller_cancels_the_work_of_that_call_only(sdk: str, legacy: bool) -> None:
    async with session(sdk, legacy=legacy) as upstream:
        started = [asyncio.Event(), asyncio.Event()]
        names = [f"{legacy} first", f"{legacy} second"]

        def tell(event: asyncio.Event) -> Any:
            async def told(progress: float, total: float | None, message: str | None) -> None:
                event.set()

            return told

        calls = [
            asyncio.create_task(upstream.call("slow", {"which": name}, progress=tell(event)))
            for name, event in zip(names, started, strict=True)
        ]
        await asyncio.gather(*(event.wait() for event in started))
        calls[0].cancel()
        with pytest.raises(asyncio.CancelledError):
            await calls[0]

        async with asyncio.timeout(10):
            while names[0] not in (cancelled := text(await upstream.call("cancelled", {}))).split(","):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert names[1] not in cancelled.split(",")
        assert not calls[1].done()
        calls[1].cancel()


FAULTS = [
    ("reset", "closed"), ("drop", "closed"), ("truncate", "closed"), ("not-http", "closed"),
    ("500", "http_status"), ("503-json", "http_status"), ("404", "http_status"),
    ("401", "unauthorized"), ("403", "unauthorized"),
    ("html", "garbage"), ("nonsense", "garbage"), ("array", "garbage"), ("neither", "garbage"), ("gzip", "garbage"),
    ("202", "garbage"), ("stream-garbage", "garbage"), ("stream-ends", "closed"),
    ("flood", "too_large"), ("flood-event", "too_large"), ("flood-events", "too_large"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "kind"), FAULTS)
async def test_a_failed_exchange_is_the_failure_of_one_call(web: str, path: str, kind: str) -> None:
    async with session(f"{web}/{path}") as upstream:
        assert failed(await upstream.call("x", {})).kind == kind
        assert upstream.version == MODERN
        assert failed(await upstream.call("x", {})).kind == kind


@pytest.mark.parametrize(("path", "kind"), FAULTS)
async def test_an_upstream_that_fails_from_the_start_is_reported(web: str, path: str, kind: str) -> None:
    async with session(f"{web}/start/{path}") as upstream:
        failure = failed(await upstream.call("x", {}))
        assert failure.kind == kind
        assert "127.0.0.1" not in repr(failure) + str(failure.message)
        assert "secret" not in repr(failure) + str(failure.message)


@pytest.mark.parametrize("path", ["hang", "hang-body"])
async def test_an_exchange_that_hangs_times_out_and_hurts_no_other(web: str, path: str) -> None:
    async with session(f"{web}/{path}", bounds=evolve(BOUNDS, call_seconds=0.5)) as upstream:
        began = time.monotonic()
        results = await asyncio.gather(*(upstream.call("x", {}) for _ in range(20)), upstream.list_tools())
        assert [failed(one).kind for one in results[:-1]] == ["timed_out"] * 20
        assert failed(results[-1]).kind == "protocol"  # it was answered, with what is no list
        assert time.monotonic() - began < 5


async def test_closing_ends_an_exchange_that_hangs(web: str) -> None:
    async with session(f"{web}/hang") as upstream:
        waiting = asyncio.create_task(upstream.call("wait for me", {}))
        await eventually(lambda: "wait for me" in str(seen(web, "/hang")))
        began = time.monotonic()
        await upstream.close()
        assert failed(await waiting).kind == "shut_down"
        assert time.monotonic() - began < 3


async def test_opening_is_bounded_in_time(web: str) -> None:
    async with session(f"{web}/start/hang", bounds=evolve(BOUNDS, open_seconds=0.5)) as upstream:
        began = time.monotonic()
        assert failed(await upstream.call("x", {})).kind == "timed_out"
        assert time.monotonic() - began < 5


async def test_the_upstreams_own_error_is_told_apart_from_its_status(web: str) -> None:
    async with session(f"{web}/error") as upstream:
        failure = failed(await upstream.call("x", {}))
    assert (failure.kind, failure.code, failure.message) == ("error", -32602, "no")


async def test_an_address_that_nobody_listens_on_is_refused_until_somebody_does(web: str) -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        async with session(f"http://127.0.0.1:{reserved.getsockname()[1]}/mcp") as upstream:
            assert {failed(await upstream.call("x", {})).kind for _ in range(3)} == {"refused"}


@pytest.mark.parametrize(
    "url", ["ftp://127.0.0.1/mcp", "http://", "not a url", "", "http://127.0.0.1:99999/", "http://[::1", "http://ü..x/"]
)
async def test_an_address_that_is_none_is_misconfigured(url: str) -> None:
    async with session(url) as upstream:
        assert failed(await upstream.call("x", {})).kind == "misconfigured"


@pytest.mark.parametrize("header", ["Authorization", "No Such\nHeader", ""])
async def test_a_secret_that_no_header_can_hold_is_misconfigured(web: str, header: str) -> None:
    target = HttpTransport(f"{web}/polite", credential=HeaderCredential(header, "Bearer "))
    async with session(target, secret=Secret("two\r\nX-Lines: 1")) as upstream:
        failure = failed(await upstream.call("x", {}))
    assert failure.kind == "misconfigured"
    assert "X-Lines" not in repr(failure)


async def test_a_name_that_is_no_text_is_set_aside_over_http_too(web: str) -> None:
    async with session(f"{web}/surrogate") as upstream:
        listing = await upstream.list_tools()
    assert isinstance(listing, Listing)
    assert [tool.name for tool in listing.tools] == ["before", "after"]
    assert [one.code for one in listing.set_aside] == ["invalid_tool_name"]


@pytest.mark.parametrize("path", ["json-of-another", "json-of-no-one", "json-of-a-name", "json-of-true"])
async def test_an_answer_to_another_request_is_not_the_answer_to_this_one(web: str, path: str) -> None:
    async with session(f"{web}/{path}") as upstream:
        assert failed(await upstream.call("x", {})).kind == "garbage"


@pytest.mark.parametrize("path", ["stream-of-another", "stream-of-no-one"])
async def test_answers_to_other_requests_in_a_stream_are_passed_over(web: str, path: str) -> None:
    async with session(f"{web}/{path}") as upstream:
        assert text(await upstream.call("x", {})) == "own"


async def test_an_error_may_leave_open_which_request_it_is_about_but_not_name_another(web: str) -> None:
    async with session(f"{web}/two-hundred-error") as upstream:
        assert failed(await upstream.call("x", {})).message == "unread"
    async with session(f"{web}/error-of-another") as upstream:
        failure = failed(await upstream.call("x", {}))
    assert (failure.kind, failure.message) == ("garbage", None)


async def test_a_status_that_is_an_error_carries_no_result(web: str) -> None:
    async with session(f"{web}/failed-result") as upstream:
        assert failed(await upstream.call("x", {})).kind == "http_status"


async def test_half_a_pair_of_surrogates_is_replaced_over_http_too(web: str) -> None:
    told: list[str | None] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async with session(f"{web}/surrogates") as upstream:
        assert text(await upstream.call("x", {}, progress=tell)) == "half: \ufffd"
    assert told == ["half: \ufffd"]


async def test_cookies_are_not_kept(web: str) -> None:
    async with session(f"{web}/cookies") as upstream:
        assert [text(await upstream.call("x", {})) for _ in range(2)] == ["none", "none"]


async def test_an_upstream_that_talks_before_its_answer_is_answered_and_not_waited_for_after(web: str) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with session(f"{web}/talks") as upstream:
        good(await upstream.call("x", {}, progress=tell))
    assert told == [(1.0, 2.0, "half way")]
    replies = {one["message"]["id"]: one["message"] for one in seen(web, "/talks") if "method" not in one["message"]}
    assert replies["p"]["result"] == {}
    assert replies["s"]["error"]["code"] == -32601


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_to_another_place_is_not_followed(web: str, sdk: str, status: int) -> None:
    elsewhere = sdk.replace("127.0.0.1", "localhost")
    for target in (sdk, elsewhere, "http://user@" + web.removeprefix("http://")):
        async with session(f"{web}/redirect-{status}/to/{target}") as upstream:
            assert failed(await upstream.call("x", {})).kind == "redirected"


async def test_a_redirect_at_the_same_place_is_followed_if_it_keeps_the_request(web: str) -> None:
    for status in (307, 308):
        async with session(f"{web}/redirect-{status}/to/polite") as upstream:
            assert text(await upstream.call("x", {})) == "called"
    async with session(f"{web}/redirect-302/to/polite") as upstream:
        assert failed(await upstream.call("x", {})).kind == "redirected"
    async with session(f"{web}/redirect-307/to/redirect-307/to/redirect-307/to/redirect-307/to/polite") as upstream:
        assert failed(await upstream.call("x", {})).kind == "redirected"


async def test_a_forgotten_session_fails_one_call_and_is_made_anew(web: str) -> None:
    async with session(f"{web}/legacy/forgets") as upstream:
        assert text(await upstream.call("x", {})) == "and forgotten"
        assert failed(await upstream.call("x", {})).kind == "closed"
        assert text(await upstream.call("x", {})) == "and forgotten"


async def test_a_session_is_ended_where_it_was_made(web: str) -> None:
    async with session(f"{web}/legacy/polite") as upstream:
        assert text(await upstream.call("x", {})) == "called"
        assert upstream.version == "2025-06-18"
    last = seen(web, "/legacy/polite")[-1]["headers"]
    assert (last["method"], last["mcp-protocol-version"]) == ("DELETE", "2025-06-18")
    assert last["mcp-session-id"].startswith("session-")


async def test_a_stream_of_the_2025_era_is_resumed(web: str) -> None:
    async with session(f"{web}/legacy/resumes") as upstream:
        assert text(await upstream.call("x", {})) == "resumed"


async def test_a_cancelled_call_of_the_2025_era_is_told_to_the_upstream(web: str) -> None:
    path = "/legacy/hangs"
    async with session(web + path) as upstream:
        call = asyncio.create_task(upstream.call("x", {}))

        def methods() -> list[str]:
            return [one["message"].get("method") for one in seen(web, path)]

        await eventually(lambda: "tools/call" in methods())
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await eventually(lambda: "notifications/cancelled" in methods())


async def test_upstreams_that_fail_hurt_no_neighbour(web: str, sdk: str) -> None:
    paths = ["reset", "truncate", "hang", "flood", "not-http", "start/reset", "start/hang", "start/401"]
    targets: dict[str, Target] = {path: HttpTransport(f"{web}/{path}") for path in paths}
    targets |= {"good": sdk, "gone": "http://127.0.0.1:9/"}
    async with Upstreams(targets, bounds=evolve(BOUNDS, call_seconds=2, open_seconds=2)) as upstreams:
        neighbour = await upstreams.session("good")
        good(await neighbour.call("echo", {}))
        sessions = [await upstreams.session(name) for name in targets if name != "good"]
        failing = [asyncio.create_task(one.call("x", {})) for one in sessions for _ in range(5)]
        while not all(task.done() for task in failing):
            good(await neighbour.call("echo", {}))
        assert {failed(task.result()).kind for task in failing} > {"closed", "timed_out", "refused"}
        good(await neighbour.call("echo", {}))
