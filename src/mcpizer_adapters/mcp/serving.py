"""The client-facing side over the official SDK: `tools/list` and `tools/call` of one gateway, in both protocol eras.

How a request becomes a gateway call lives here and nowhere else. A call never triggers a listing. Callers who want to
hear when their list changes are told where there is a `Telling`; without one the server says that it tells nothing.

This module does not know transports: who calls is asked of `principal_of`, which the transport provides.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, Final, final

from attrs import frozen
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.dispatcher import ProgressFnT
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    CallToolRequestParams,
    PaginatedRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from mcpizer_adapters.gateway.outcomes import CallerFault
from mcpizer_adapters.gateway.shell import Gateway
from mcpizer_adapters.mcp.answers import UpstreamResult, answer
from mcpizer_adapters.mcp.telling import Telling
from mcpizer_core import Admitted, Principal, Projection, Tool, admit

Context = Any
"""The SDK's request context; its type is generic over a lifespan that this module does not use."""

CURRENT: Final[ContextVar[Principal | None]] = ContextVar("mcpizer_principal", default=None)
"""Who sent the HTTP request being handled; set by the transport before the SDK looks at it."""

PREPARED: Final = 256
"""So many answers to `tools/list` are kept at the most."""


@frozen
class CallRequest:
    """One tool call as it came in; what of `meta` belongs to the caller's connection goes no further than a session."""

    arguments: Mapping[str, Any] | None
    input_responses: Any
    request_state: str | None
    meta: Mapping[str, Any] | None
    capabilities: Mapping[str, Any] | None
    progress: ProgressFnT
    modern: bool


def make_mcp_server(
    gateway: Gateway[CallRequest, UpstreamResult],
    principal_of: Callable[[Context], Principal | None],
    *,
    version: str,
    explain_denials: bool = False,
    telling: Telling | None = None,
) -> Server[Any]:
    """Return an SDK server that lists and calls through `gateway`, each request as the principal it came from."""
    lists = ListAnswers()

    def known(ctx: Context) -> Principal:
        principal = principal_of(ctx)
        if principal is None:
            gateway.refuse(CallerFault.CREDENTIAL_MISSING)
            raise MCPError(INVALID_REQUEST, "the caller is not authenticated")
        return principal

    async def on_list_tools(ctx: Context, params: PaginatedRequestParams | None) -> Any:
        if params is not None and params.cursor is not None:
            raise MCPError(INVALID_PARAMS, "Invalid cursor: this list has one page")
        return lists.to(gateway.projection(known(ctx), narrow=not _modern(ctx)))

    async def on_call_tool(ctx: Context, params: CallToolRequestParams) -> UpstreamResult:
        principal = principal_of(ctx)
        if principal is None:
            return answer(gateway.refuse(CallerFault.CREDENTIAL_MISSING, params.name), params.name)
        place = gateway.snapshot.place if explain_denials else None
        outcome = await gateway.call(principal, params.name, _request(ctx, params), narrow=not _modern(ctx))
        return answer(outcome, params.name, explain=place)

    async def on_listen(ctx: Context, params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
        assert telling is not None, "it is not served otherwise"
        return await telling.listen(ctx, known(ctx), params)

    async def contained(ctx: Context, call_next: CallNext) -> HandlerResult:
        if ctx.method == "notifications/initialized" and isinstance(ctx.lifespan_context, Pushed):
            ctx.lifespan_context.greeted(ctx, principal_of(ctx))
        try:
            return await call_next(ctx)
        except (MCPError, ValidationError):
            raise
        except Exception:  # noqa: BLE001 - the SDK would tell a caller of the 2025 era the text of the exception
            raise MCPError(INTERNAL_ERROR, "Internal error") from None

    mcp_server = McpServer(
        "mcpizer",
        version=version,
        lifespan=partial(_while_pushing, telling),
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
        on_subscriptions_listen=None if telling is None else on_listen,
        get_tool_input_schema=lambda name: _schema(gateway, name),
    )
    # What an upstream asks a caller to send back is sealed for that caller and that call.
    mcp_server.middleware.append(contained)
    if telling is not None:
        mcp_server.tells = True
    mcp_server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="mcpizer"))
    return mcp_server


@final
class McpServer(Server[Any]):
    """The SDK's server, which in the 2025 era says of itself whether it tells of changes."""

    tells = False

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *given: Any, **named: Any
    ) -> InitializationOptions:
        tells = NotificationOptions(tools_changed=self.tells)
        return super().create_initialization_options(notification_options or tells, *given, **named)


@final
class Pushed:
    """What tells the caller at the other end of one pipe, once it has said hello in the manner of the 2025 era."""

    def __init__(self, telling: Telling) -> None:
        self._telling = telling
        self.task: asyncio.Task[None] | None = None

    def greeted(self, ctx: Context, principal: Principal | None) -> None:
        """Begin, if there is a pipe and not a request over HTTP, which has no other end to write to later."""
        if self.task is None and principal is not None and ctx.request is None and not _modern(ctx):
            self.task = asyncio.create_task(self._telling.push(ctx.session, principal))


@asynccontextmanager
async def _while_pushing(telling: Telling | None, mcp_server: Server[Any]) -> AsyncIterator[Pushed | None]:
    """Keep telling the caller of one pipe while it is served; over HTTP each caller opens a stream of its own."""
    pushed = None if telling is None else Pushed(telling)
    try:
        yield pushed
    finally:
        if pushed is not None and pushed.task is not None:
            pushed.task.cancel()
            await asyncio.wait([pushed.task])


@final
class ListAnswers:
    """The answers to `tools/list`, each prepared once for all callers who are shown the same."""

    def __init__(self) -> None:
        self._prepared: dict[int, tuple[Projection, list[Mapping[str, Any]]]] = {}

    def to(self, projection: Projection) -> dict[str, Any]:
        """Return the answer to a caller who is shown this; it is for this caller only."""
        held, shown = self._prepared.get(id(projection), (None, []))
        if held is not projection:  # also where the number was that of a projection that is gone
            shown = [_named(one.tool) for one in projection.tools]
            if len(self._prepared) >= PREPARED:
                self._prepared.clear()
            self._prepared[id(projection)] = (projection, shown)
        return {"tools": shown, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


def _schema(gateway: Gateway[CallRequest, UpstreamResult], name: str) -> Mapping[str, Any] | None:
    """Return the input schema for header checks, only of a tool that the present caller may call."""
    principal = CURRENT.get()
    if principal is None:
        return None
    meant = admit(gateway.snapshot.gate, principal, name, at_ms=0)
    if not isinstance(meant, Admitted) or not isinstance(meant.tool.payload, dict):
        return None
    schema: Mapping[str, Any] = meant.tool.payload["inputSchema"]
    return schema


def _named(tool: Tool) -> Mapping[str, Any]:
    """Return the definition of a tool as callers see it: the upstream's own, under the exposed name."""
    assert isinstance(tool.payload, dict), "a snapshot holds no other"
    return {**tool.payload, "name": tool.exposed}


def _modern(ctx: Context) -> bool:
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def _request(ctx: Context, params: CallToolRequestParams) -> CallRequest:
    return CallRequest(
        params.arguments,
        params.input_responses,
        params.request_state,
        ctx.meta,
        _capabilities(ctx),
        ctx.session.report_progress,
        _modern(ctx),
    )


def _capabilities(ctx: Context) -> Mapping[str, Any] | None:
    """Return what this caller can be asked for, in wire form, so that an upstream asks it for nothing else."""
    declared = ctx.session.client_capabilities
    found: Mapping[str, Any] | None = None
    if declared is not None and _modern(ctx):
        found = declared.model_dump(by_alias=True, mode="json", exclude_none=True)
    return found
