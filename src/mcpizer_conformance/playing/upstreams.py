"""The upstreams behind a gateway under test: MCP servers of the SDK over HTTP, which note what reaches them.

They list to anybody, and note of every request who it was for, what it asked, and all of its headers. One that fails
answers each call with a protocol error that repeats the credential it was shown, as some do.

This module does not know gateways.
"""

import json
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, final

from mcp import MCPError
from mcp.server.lowlevel.server import Server
from mcp_types import (
    INTERNAL_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)
from mcp_types import Tool as Definition
from starlette.types import Message, Receive, Scope, Send

from mcpizer_conformance.laws.running_gateway import HEADER
from mcpizer_conformance.playing.hosting import hosted
from mcpizer_core import Tool

ANSWER: Final = "done"


@final
@dataclass(frozen=True, slots=True)
class Arrived:
    """One request as it reached an upstream; `tool` is the upstream's own name, of a call."""

    upstream: str
    method: str
    tool: str
    headers: tuple[tuple[str, str], ...]

    @property
    def is_call(self) -> bool:
        return self.method == "tools/call"

    @property
    def shown(self) -> tuple[str, ...]:
        """What it shows where a credential stands."""
        return tuple(value for name, value in self.headers if name == HEADER)


@final
class Upstreams:
    """Scripted upstreams: `arrived` is what reached them, in order."""

    def __init__(self, tools: Iterable[Tool], failing: Collection[str]) -> None:
        self.arrived: list[Arrived] = []
        self._tools = tuple(tools)
        self._failing = frozenset(failing)
        self._inner: Any = None

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.upstream for one in self._tools))

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[dict[str, str]]:
        """Serve them while the block runs; give their addresses by id."""
        server = Server[Any]("scripted", on_list_tools=self._list, on_call_tool=self._call)
        self._inner = server.streamable_http_app(
            streamable_http_path="/{upstream}/mcp", stateless_http=True, json_response=True
        )
        async with hosted(self) as address:
            yield {id: f"{address}/{id}/mcp" for id in self.ids}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Note a request, and pass it on."""
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        whole = await _body(receive)
        self._note(scope, whole)
        rest: list[Message] = [{"type": "http.request", "body": whole, "more_body": False}]

        async def again() -> Message:
            return rest.pop() if rest else await receive()

        await self._inner(scope, again, send)

    def _note(self, scope: Scope, body: bytes) -> None:
        """Requests count; notifications, and the end of a session, have no answer that anybody waits for."""
        try:
            said = json.loads(body)
        except ValueError:
            return
        if not isinstance(said, dict) or "id" not in said or "method" not in said:
            return
        params = said.get("params")
        tool = str(params.get("name", "")) if isinstance(params, dict) and said["method"] == "tools/call" else ""
        headers = tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"])
        self.arrived.append(Arrived(scope["path"].split("/")[1], str(said["method"]), tool, headers))

    async def _list(self, ctx: Any, params: PaginatedRequestParams | None) -> ListToolsResult:
        id = ctx.request.path_params["upstream"]
        schema = {"type": "object"}
        return ListToolsResult(
            tools=[Definition(name=one.name, input_schema=schema) for one in self._tools if one.upstream == id]
        )

    async def _call(self, ctx: Any, params: CallToolRequestParams) -> CallToolResult:
        if ctx.request.path_params["upstream"] in self._failing:
            shown = ctx.request.headers.get(HEADER, "nothing")
            raise MCPError(INTERNAL_ERROR, f"no session for {shown}")
        return CallToolResult(content=[TextContent(text=ANSWER)])


async def _body(receive: Receive) -> bytes:
    parts = list[bytes]()
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)
