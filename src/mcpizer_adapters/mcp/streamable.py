"""Streamable HTTP towards an upstream: each request is one exchange, made in the task of the call it belongs to.

Sending requests over HTTP and reading what comes back lives here and nowhere else. It takes the place of the SDK's
transport because there a refused, reset or truncated connection ends the client and every task that shares it; here it
is the fault of one request. Redirects away from the configured origin are not followed, bodies are bounded, and no text
of an exchange is logged or kept.

This module does not know tools or accounts. It satisfies the SDK's `Dispatcher` protocol.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from contextvars import Context
from functools import cache, partial
from http.cookiejar import CookieJar, DefaultCookiePolicy
from ssl import SSLContext
from typing import Any, Final, final

import anyio
import anyio.abc
import httpx2
from mcp import MCPError
from mcp.shared.dispatcher import CallOptions, OnNotify, OnNotifyIntercept, OnRequest, ProgressFnT, coerce_request_id
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types import METHOD_NOT_FOUND, REQUEST_TIMEOUT, ErrorData
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError

from mcpizer_adapters.gateway.faults import UpstreamFault
from mcpizer_adapters.mcp.exchange import events, faults, media_type, plain, read_off
from mcpizer_adapters.mcp.faults import LinkFault
from mcpizer_adapters.mcp.hearing import LISTEN
from mcpizer_adapters.mcp.wire import parse_object, write_object

SESSION_HEADER: Final = "mcp-session-id"
CONNECTIONS: Final = httpx2.Limits(max_connections=256, max_keepalive_connections=64)
CONNECT_SECONDS: Final = 10.0
LONGER_SECONDS: Final = 15.0
"""The HTTP client waits this much longer than the call: the call's own time-out is the one that is reported."""

REDIRECTS: Final = 3
RESUMPTIONS: Final = 100
"""A 2025-era upstream may close a stream and have it resumed (SEP-1699), but not for ever."""
RESUME_SECONDS: Final = (0.1, 1.0, 10.0)
"""The shortest, the usual and the longest wait before a stream is resumed."""
ASIDE_SECONDS: Final = 5.0
"""For messages whose answer nobody waits for: cancellations, the end of a session, the rest of a finished stream."""
SILENT_SECONDS: Final = 300.0
"""A stream of notices on which nothing comes for so long is opened anew: the other end may be gone without a word."""
NOTICE_SECONDS: Final = 0.05
"""Between two messages on such a stream, so that an upstream that sends them without end is not kept up with."""

_Resume = tuple[str, float]
"""The last event that was seen, and how long to wait before asking for those after it."""

_NO_CONTEXT: Final[Any] = None
"""What is heard over HTTP can be answered to nobody, and whoever hears it does not want to."""

_POSTED: Final = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@cache
def _tls() -> SSLContext:
    return httpx2.create_ssl_context()


def http_client(headers: Mapping[str, str], call_seconds: float) -> httpx2.AsyncClient:
    """Return the HTTP client of one session. Proxies and `.netrc` of the environment are not used: the second would
    add a credential that nobody granted. Cookies are not kept: they would tie the callers of one account together."""
    waits = call_seconds + LONGER_SECONDS
    return httpx2.AsyncClient(
        headers={"accept-encoding": "identity", **headers},
        timeout=httpx2.Timeout(waits, connect=CONNECT_SECONDS),
        limits=CONNECTIONS,
        verify=_tls(),
        trust_env=False,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
    )


@final
class HttpDispatcher:
    """Requests and notifications to one endpoint. `ended` is set at the end, and when the upstream has forgotten us."""

    def __init__(self, client: httpx2.AsyncClient, url: str, message_bytes: int, ended: anyio.Event) -> None:
        self._ended = ended
        self._client = client
        self._url = url
        self._message_bytes = message_bytes
        self._ids = itertools.count(1)
        self._session: str | None = None
        self._version: str | None = None
        self._aside: set[asyncio.Task[None]] = set()
        self._on_notify: OnNotify | None = None

    async def run(
        self,
        on_request: OnRequest,
        on_notify: OnNotify,
        on_notify_intercept: OnNotifyIntercept | None = None,
        *,
        task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        """Wait for the end: nothing is received but in answer to a request, so there is no loop to run."""
        self._on_notify = on_notify
        task_status.started()
        await self._ended.wait()

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        """Send one request and return its result. Raises MCPError for the upstream's error, LinkFault for a failure."""
        opts = opts or {}
        number = next(self._ids)
        params = dict(params or {})
        progress = opts.get("on_progress")
        if progress is not None:
            params["_meta"] = {**params.get("_meta", {}), "progressToken": number}
        body = write_object({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        self._note_version(method, opts.get("headers"))
        try:
            async with asyncio.timeout(opts.get("timeout")):
                return await self._exchange(method, body, opts.get("headers"), number, progress)
        except TimeoutError:
            raise MCPError(REQUEST_TIMEOUT, "the request timed out") from None
        except asyncio.CancelledError:
            # In the 2026 era closing the stream is the signal; before, a disconnect says nothing and a message does.
            if self._version in HANDSHAKE_PROTOCOL_VERSIONS and opts.get("cancel_on_abandon", True):
                self._put_aside(partial(self.notify, "notifications/cancelled", {"requestId": number}))
            raise

    async def hear(self, version: str, opened: Callable[[], None]) -> None:
        """Read what an upstream of the 2025 era sends without being asked, until it ends that. Raises LinkFault.

        `opened` is called once it has agreed to.
        """
        headers = {**self._headers({MCP_PROTOCOL_VERSION_HEADER: version}), "accept": "text/event-stream"}
        with faults():
            response = await self._send("GET", b"", headers, SILENT_SECONDS)
            if response.status_code != httpx2.codes.OK or media_type(response) != "text/event-stream":
                await response.aclose()
                raise LinkFault(self._status_fault(response))
            opened()
            await self._read_stream(response, 0, None, lasting=True)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        """Send one notification; that it is received matters for `initialized` only. Raises LinkFault."""
        body = {"jsonrpc": "2.0", "method": method, **({"params": dict(params)} if params else {})}
        with faults():
            await self._post(write_object(body), (opts or {}).get("headers"))

    async def aclose(self) -> None:
        """End the session at the upstream, if it gave one, and everything put aside."""
        self._ended.set()
        for task in self._aside:
            task.cancel()
        if self._aside:
            await asyncio.wait(self._aside)
        if self._session is not None:
            with suppress(TimeoutError, LinkFault):
                async with asyncio.timeout(ASIDE_SECONDS):
                    with faults():
                        await (await self._send("DELETE", b"", self._headers(None))).aclose()

    def _note_version(self, method: str, headers: Mapping[str, str] | None) -> None:
        """Remember what the session negotiated, for messages that it does not stamp. `initialize` begins anew."""
        self._version = None if method == "initialize" else (headers or {}).get(MCP_PROTOCOL_VERSION_HEADER)

    def _headers(self, stamped: Mapping[str, str] | None) -> dict[str, str]:
        headers = dict(_POSTED)
        if self._session is not None:
            headers[SESSION_HEADER] = self._session
        if self._version is not None:
            headers[MCP_PROTOCOL_VERSION_HEADER] = self._version
        return headers | dict(stamped or {})

    async def _exchange(
        self,
        method: str,
        body: bytes,
        stamped: Mapping[str, str] | None,
        number: int,
        progress: ProgressFnT | None,
    ) -> dict[str, Any]:
        with faults():
            lasting = method == LISTEN
            response = await self._send("POST", body, self._headers(stamped), SILENT_SECONDS if lasting else None)
            if method == "initialize":
                self._session = response.headers.get(SESSION_HEADER)
            if response.status_code != httpx2.codes.OK or media_type(response) != "text/event-stream":
                try:
                    return _result(await self._object(response, number))
                finally:
                    await response.aclose()
            answer, resume = await self._read_stream(response, number, progress, lasting=lasting)
            return _result(answer if answer is not None else await self._resumed(resume, number, progress))

    async def _send(
        self, method: str, body: bytes, headers: Mapping[str, str], silence: float | None = None
    ) -> httpx2.Response:
        """Send one HTTP request, following redirects that keep origin and method, and return the open response.

        `silence` is how many seconds it may go on without a word; what calls wait for, if left out.
        """
        waits = self._client.timeout if silence is None else httpx2.Timeout(silence, connect=CONNECT_SECONDS)
        url = httpx2.URL(self._url)
        home = (url.scheme, url.host, url.port, url.userinfo)
        for _ in range(REDIRECTS + 1):
            request = self._client.build_request(method, url, content=body, headers=headers, timeout=waits)
            response = await self._client.send(request, stream=True, follow_redirects=False)
            if not response.has_redirect_location:
                return response
            await response.aclose()
            url = url.join(response.headers["location"])
            same = (url.scheme, url.host, url.port, url.userinfo or home[3]) == home
            if not same or response.status_code not in (307, 308):
                break
        raise LinkFault(UpstreamFault.REDIRECTED)

    async def _post(self, body: bytes, stamped: Mapping[str, str] | None) -> None:
        response = await self._send("POST", body, self._headers(stamped))
        await response.aclose()
        if response.status_code >= httpx2.codes.BAD_REQUEST:
            raise LinkFault(self._status_fault(response))

    async def _object(self, response: httpx2.Response, number: int) -> dict[str, Any]:
        """Return the JSON-RPC answer to request `number` in the body of `response`, whatever its status.

        With a status that is an error it has to be one, but may have any id: some upstreams refuse before they read it.
        """
        status = response.status_code
        failed = status >= httpx2.codes.BAD_REQUEST
        if status in (httpx2.codes.UNAUTHORIZED, httpx2.codes.FORBIDDEN) or media_type(response) != "application/json":
            raise LinkFault(self._status_fault(response) if failed else UpstreamFault.GARBAGE)
        found = parse_object(await self._body(response))
        if failed and (found is None or "error" not in found or "result" in found):
            raise LinkFault(self._status_fault(response))
        if found is None or not (failed or _answers(found, number)):
            raise LinkFault(UpstreamFault.GARBAGE)
        return found

    def _status_fault(self, response: httpx2.Response) -> UpstreamFault:
        match response.status_code:
            case httpx2.codes.UNAUTHORIZED | httpx2.codes.FORBIDDEN:
                return UpstreamFault.UNAUTHORIZED
            case httpx2.codes.NOT_FOUND if self._session is not None:
                self._session = None
                self._ended.set()
                return UpstreamFault.CLOSED
            case _:
                return UpstreamFault.HTTP_STATUS

    async def _body(self, response: httpx2.Response) -> bytes:
        parts: list[bytes] = []
        room = self._message_bytes
        async for part in plain(response).aiter_bytes():
            room -= len(part)
            if room < 0:
                raise LinkFault(UpstreamFault.TOO_LARGE)
            parts.append(part)
        return b"".join(parts)

    async def _read_stream(
        self, response: httpx2.Response, number: int, progress: ProgressFnT | None, *, lasting: bool = False
    ) -> tuple[dict[str, Any] | None, _Resume | None]:
        """Read events up to the answer; without one return where and when the stream may be resumed.

        A `lasting` stream has no bound as a whole; each of its messages has, and so has how fast they are read.
        """
        last, wait = "", RESUME_SECONDS[1]
        room = self._message_bytes
        stream = events(response, self._message_bytes)
        answer = None
        try:
            async for event in stream:
                if lasting:
                    await asyncio.sleep(NOTICE_SECONDS)
                else:
                    room -= len(event.data)
                if room < 0:
                    raise LinkFault(UpstreamFault.TOO_LARGE)
                last = event.id or last
                if event.retry is not None:
                    wait = min(max(event.retry / 1_000, RESUME_SECONDS[0]), RESUME_SECONDS[2])
                if event.event != "message" or not event.data:
                    continue
                message = parse_object(event.data)
                if message is None:
                    raise LinkFault(UpstreamFault.GARBAGE)
                if "method" in message:
                    await self._received(message, number, progress)
                elif _answers(message, number):
                    answer = message
                    break
        finally:
            if answer is not None:
                self._put_aside(partial(read_off, stream, response))
            else:
                await stream.aclose()
                await response.aclose()
        resumable = last and not lasting and self._version in HANDSHAKE_PROTOCOL_VERSIONS
        return answer, (last, wait) if resumable else None

    async def _resumed(self, resume: _Resume | None, number: int, progress: ProgressFnT | None) -> dict[str, Any]:
        for _ in range(RESUMPTIONS):
            if resume is None:
                break
            await asyncio.sleep(resume[1])
            headers = {**self._headers(None), "accept": "text/event-stream", "last-event-id": resume[0]}
            response = await self._send("GET", b"", headers)
            if response.status_code != httpx2.codes.OK or media_type(response) != "text/event-stream":
                await response.aclose()
                break
            answer, resume = await self._read_stream(response, number, progress)
            if answer is not None:
                return answer
        raise LinkFault(UpstreamFault.CLOSED)

    async def _received(self, message: dict[str, Any], number: int, progress: ProgressFnT | None) -> None:
        """Deal with what an upstream sends before its answer: progress of the call, a question to the gateway, news."""
        params = message.get("params")
        match message:
            case {"method": "notifications/progress"} if progress is not None and isinstance(params, dict):
                await _report(params, number, progress)
            case {"id": int() | str() as asked, "method": method}:
                answer: dict[str, Any] = {"result": {}}
                if method != "ping":  # no capability is declared, so nothing else may be asked
                    answer = {"error": {"code": METHOD_NOT_FOUND, "message": "Method not found"}}
                await self._post(write_object({"jsonrpc": "2.0", "id": asked, **answer}), None)
            case {"method": str() as method} if "id" not in message and self._on_notify is not None:
                await self._on_notify(_NO_CONTEXT, method, params if isinstance(params, dict) else None)
            case _:
                pass

    def _put_aside(self, work: Callable[[], Awaitable[None]]) -> None:
        """Carry `work` on without anybody waiting, for a bounded time and outside the context of the caller.

        After the end there is nothing to carry on: the session is given back and its connections are closed.
        """
        if self._ended.is_set():
            return

        async def bounded() -> None:
            with suppress(TimeoutError, LinkFault, httpx2.HTTPError, httpx2.StreamError):
                async with asyncio.timeout(ASIDE_SECONDS):
                    await work()

        task = asyncio.get_running_loop().create_task(bounded(), context=Context())
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)


async def _report(params: dict[str, Any], number: int, progress: ProgressFnT) -> None:
    match params:
        case {"progressToken": int() | str() as token, "progress": int() | float() as done}:
            total, message = params.get("total"), params.get("message")
            if coerce_request_id(token) != number:
                return
            try:
                await progress(
                    float(done),
                    float(total) if isinstance(total, int | float) else None,
                    message if isinstance(message, str) else None,
                )
            except Exception:  # noqa: BLE001 - that a caller cannot be told is no failure of the upstream
                return
        case _:
            pass


def _answers(answer: dict[str, Any], number: int) -> bool:
    """Whether `answer` is to request `number`; an error may be to a request whose id could not be read."""
    own = answer.get("id")
    if own is None:
        return "error" in answer and "result" not in answer
    return isinstance(own, int | str) and not isinstance(own, bool) and coerce_request_id(own) == number


def _result(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the result in a JSON-RPC answer. Raises MCPError if it is an error, LinkFault if it is neither."""
    result = answer.get("result")
    if isinstance(result, dict):
        return result
    try:
        error = ErrorData.model_validate(answer.get("error"))
    except ValidationError:
        raise LinkFault(UpstreamFault.GARBAGE) from None
    raise MCPError(error.code, error.message, error.data)
