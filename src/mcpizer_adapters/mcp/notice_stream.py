"""The stream on which callers of the 2025 era hear over HTTP that their list has changed: `GET /mcp`.

No session is kept for it: it belongs to the request that opened it, and ends with that.

This module does not know who is told what.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Final, final

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from mcpizer_adapters.mcp.hearing import LIST_CHANGED
from mcpizer_adapters.mcp.serving import CURRENT
from mcpizer_adapters.mcp.telling import Telling
from mcpizer_core import Principal

PING_SECONDS: Final = 15.0
"""Between two comments on a stream where nothing else is to be said, so that proxies keep it open."""

_EVENT: Final = f'event: message\ndata: {{"jsonrpc":"2.0","method":"{LIST_CHANGED}"}}\n\n'
_HEADERS: Final = {"cache-control": "no-cache, no-transform", "x-accel-buffering": "no"}


@final
class NoticeStream:
    """ASGI middleware, behind the one that identifies callers: answers their GET, and passes on everything else."""

    def __init__(self, app: ASGIApp, *, telling: Telling, security: TransportSecuritySettings, path: str) -> None:
        self._app = app
        self._telling = telling
        self._security = TransportSecurityMiddleware(security)
        self._path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        principal = CURRENT.get()
        if not self._is_ours(scope) or principal is None:
            await self._app(scope, receive, send)
        elif (refusal := await self._security.validate_request(Request(scope))) is not None:
            await refusal(scope, receive, send)
        elif not self._telling.has_room(principal):
            await PlainTextResponse("Too many streams: end one of them first", 429)(scope, receive, send)
        else:
            stream = StreamingResponse(self._lines(principal), media_type="text/event-stream", headers=_HEADERS)
            await stream(scope, receive, send)

    def _is_ours(self, scope: Scope) -> bool:
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"] != self._path:
            return False
        headers = Request(scope).headers
        version = headers.get(MCP_PROTOCOL_VERSION_HEADER)
        known = version is None or version in HANDSHAKE_PROTOCOL_VERSIONS
        return known and "text/event-stream" in headers.get("accept", "")

    async def _lines(self, principal: Principal) -> AsyncIterator[str]:
        async with self._telling.changes(principal) as changes:
            yield ": you will be told when your list of tools changes\n\n"
            while True:
                try:
                    async with asyncio.timeout(PING_SECONDS):
                        if not await changes.next():
                            return
                except TimeoutError:
                    yield ": still here\n\n"
                else:
                    yield _EVENT
