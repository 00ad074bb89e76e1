"""A scripted upstream: it counts what it receives, and lists, answers, waits and fails as it is told.

The upstream's side of the protocol, said by hand so that it can also be said wrongly, lives here and nowhere else. The
gateway reaches it over message streams in memory, and keeps sessions with it as with any other.

This module does not know policies, nor exposed names.
"""

import asyncio
import inspect
import math
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, NamedTuple, final

import anyio
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import METHOD_NOT_FOUND, ErrorData, JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse
from mcp_types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

from mcpizer_conformance.harness.hostile import Definition, Hostile, Listing, sound

Result = Mapping[str, Any]
Answer = str | Result | Callable[[Mapping[str, Any]], "str | Result | Awaitable[str | Result]"]
"""What a tool answers: a text, a whole result in wire form, or a function of the arguments that gives either.

A function may be asynchronous. An MCPError that it raises is the upstream's protocol error; anything else that it
raises is a fault of the script, which the end of the gateway tells.
"""

Streams = tuple[MemoryObjectReceiveStream[Any], MemoryObjectSendStream[Any]]


class Received(NamedTuple):
    """One call as it came to the upstream: its own name of the tool, never the exposed one."""

    tool: str
    arguments: Mapping[str, Any]


class ScriptFailed(Exception):
    """A function that a test gave for an answer raised something; the cause is what it raised."""


def tool_error(text: str) -> Result:
    """Return the result of a tool that says it failed."""
    return {"content": [{"type": "text", "text": text}], "isError": True}


@final
class Upstream:
    """An upstream with these tools, by name, each with its answer.

    `received` counts the calls of each tool and `calls` keeps them in order; `listings` and `connections` count too.
    An answer takes `answer_seconds`, a page of a listing `listing_seconds`. A `listing` from `HOSTILE`, or a function
    of the tools' definitions like those, makes it list something else. With `legacy` it knows the 2025 era only.

    One Upstream stands behind one gateway.
    """

    def __init__(
        self,
        tools: Mapping[str, Answer],
        *,
        listing: Hostile | Callable[[list[Definition]], Listing] = sound,
        answer_seconds: float = 0.0,
        listing_seconds: float = 0.0,
        legacy: bool = False,
    ) -> None:
        self.tools = dict(tools)
        self.listing = listing
        self.answer_seconds = answer_seconds
        self.listing_seconds = listing_seconds
        self.legacy = legacy
        self.received: Counter[str] = Counter()
        self.calls: list[Received] = []
        self.cancelled = self.listings = self.connections = 0
        self.faults: list[Exception] = []
        self.tell: Callable[[], None] = _nothing
        self._loop: asyncio.AbstractEventLoop | None = None
        self._down = False
        self._free = asyncio.Event()
        self._free.set()
        self._open: set[MemoryObjectSendStream[Any]] = set()
        self._listening: dict[MemoryObjectSendStream[Any], Any] = {}
        self._untold = False

    def __iter__(self) -> Iterator[str]:
        """Its tools, so that upstreams by name are also tools by upstream."""
        return iter(self.tools)

    def down(self) -> None:
        """Go away: connections end in the middle of whatever they carry, and new ones are refused."""

        def gone() -> None:
            self._down = True
            for one in self._open:
                one.close()

        self._do(gone)

    def up(self) -> None:
        """Take connections again."""
        self._do(lambda: setattr(self, "_down", False))

    def hold(self) -> None:
        """Receive calls from now on, and answer none before `release`."""
        self._do(self._free.clear)

    def release(self) -> None:
        """Answer the calls that are held, and those that come."""
        self._do(self._free.set)

    def changed(self) -> None:
        """Tell the gateway, in the form of the upstream's era, that the list of tools is another one.

        If the gateway does not listen yet, it is told once it does.
        """

        def told() -> None:
            listeners = self._open if self.legacy else self._listening
            self._untold = not listeners
            for one in listeners:
                self._notify(one, LIST_CHANGED)

        self._do(told)

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Streams]:
        """Let the gateway connect, as to a transport of the SDK."""
        self._loop = asyncio.get_running_loop()
        if self._down:
            raise ConnectionRefusedError("the scripted upstream is down")
        self.connections += 1
        asked, asking = _stream()
        answers, answering = _stream()
        self._open.add(answers)
        try:
            async with anyio.create_task_group() as tasks, asked, asking, answers, answering:
                tasks.start_soon(self._serve, tasks, asking, answers)
                yield answering, asked
                tasks.cancel_scope.cancel()
        finally:
            self._open.discard(answers)
            self._listening.pop(answers, None)

    def _do(self, act: Callable[[], None]) -> None:
        """Do something where the upstream lives, at once, wherever this is called from."""

        async def done() -> None:
            act()

        try:
            here = asyncio.get_running_loop()
        except RuntimeError:
            here = None
        if self._loop is None or not self._loop.is_running() or self._loop is here:
            act()
        else:
            asyncio.run_coroutine_threadsafe(done(), self._loop).result()

    async def _serve(
        self, tasks: TaskGroup, asking: MemoryObjectReceiveStream[Any], answers: MemoryObjectSendStream[Any]
    ) -> None:
        open_calls: dict[Any, anyio.CancelScope] = {}
        async for one in asking:
            match one.message:
                case JSONRPCRequest(id=number, method=method, params=params):
                    scope = open_calls[number] = anyio.CancelScope()
                    tasks.start_soon(self._answer, scope, answers, number, method, params or {})
                case JSONRPCNotification(method="notifications/cancelled", params={"requestId": number}):
                    self.cancelled += 1
                    if number in open_calls:
                        open_calls[number].cancel()
                case _:
                    pass
            self.tell()

    async def _answer(
        self,
        scope: anyio.CancelScope,
        answers: MemoryObjectSendStream[Any],
        number: Any,
        method: str,
        params: Mapping[str, Any],
    ) -> None:
        with scope:
            try:
                if method == LISTEN and not self.legacy:
                    await self._listened(answers, number)
                said: Any = JSONRPCResponse(jsonrpc="2.0", id=number, result=dict(await self._said(method, params)))
            except MCPError as error:
                said = JSONRPCError(jsonrpc="2.0", id=number, error=error.error)
            except Exception as error:  # noqa: BLE001 - a script is a test's own code; the end of the gateway tells
                self.faults.append(error)
                said = JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData(code=0, message="the script failed"))
            with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):  # it went away in the middle
                await answers.send(SessionMessage(said))
            self.tell()

    async def _listened(self, answers: MemoryObjectSendStream[Any], number: Any) -> None:
        """Tell of changes from now on, as long as the connection lasts."""
        self._listening[answers] = number
        self._notify(answers, "notifications/subscriptions/acknowledged", notifications={"toolsListChanged": True})
        if self._untold:
            self._untold = False
            self._notify(answers, LIST_CHANGED)
        await asyncio.Event().wait()

    def _notify(self, answers: MemoryObjectSendStream[Any], method: str, **params: Any) -> None:
        if answers in self._listening:
            params["_meta"] = {SUBSCRIPTION: self._listening[answers]}
        answers.send_nowait(SessionMessage(JSONRPCNotification(jsonrpc="2.0", method=method, params=params)))

    async def _said(self, method: str, params: Mapping[str, Any]) -> Result:
        match method:
            case "server/discover" if not self.legacy:
                return {**self._about(), "supportedVersions": [LATEST_MODERN_VERSION], **MODERN}
            case "initialize":
                return {**self._about(), "protocolVersion": LATEST_HANDSHAKE_VERSION}
            case "ping":
                return {}
            case "tools/list":
                return await self._page(params.get("cursor"))
            case "tools/call":
                return await self._called(params["name"], params.get("arguments") or {})
            case _:
                raise MCPError(METHOD_NOT_FOUND, "Method not found")

    def _about(self) -> dict[str, Any]:
        return {"capabilities": {"tools": {"listChanged": True}}, "serverInfo": {"name": "scripted", "version": "1"}}

    async def _page(self, cursor: str | None) -> Result:
        self.listings += cursor is None
        await asyncio.sleep(self.listing_seconds)
        definitions = [{"name": name, "inputSchema": {"type": "object"}} for name in self.tools]
        page = self.listing(definitions)(cursor)
        return page if self.legacy else {**MODERN, **page}

    async def _called(self, tool: str, arguments: Mapping[str, Any]) -> Result:
        self.received[tool] += 1
        self.calls.append(Received(tool, arguments))
        self.tell()
        await self._free.wait()
        await asyncio.sleep(self.answer_seconds)
        if tool not in self.tools:
            return self._era(tool_error(f"the scripted upstream has no tool {tool}"))
        answer = self.tools[tool]
        given = answer(arguments) if callable(answer) else answer
        if inspect.isawaitable(given):
            given = await given
        return self._era({"content": [{"type": "text", "text": given}]} if isinstance(given, str) else given)

    def _era(self, result: Result) -> Result:
        return result if self.legacy else {"resultType": "complete", **result}


LISTEN: Final = "subscriptions/listen"
LIST_CHANGED: Final = "notifications/tools/list_changed"
SUBSCRIPTION: Final = "io.modelcontextprotocol/subscriptionId"

MODERN: Final[Result] = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


def _stream() -> "tuple[MemoryObjectSendStream[Any], MemoryObjectReceiveStream[Any]]":
    return anyio.create_memory_object_stream[Any](math.inf)


def _nothing() -> None:
    """Nobody is told."""
