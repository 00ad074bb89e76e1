"""The client-facing side over the official SDK: `tools/list` and `tools/call` of one gateway, in both protocol eras.

How a request becomes a gateway call lives here and nowhere else. A call never triggers a listing.

This module does not know transports: who calls is asked of `principal_of`, which the transport provides.
"""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, Final, final

from attrs import frozen
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel.server import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.dispatcher import ProgressFnT
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, CallToolRequestParams, PaginatedRequestParams
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from mcpizer_adapters.gateway.outcomes import CallerFault
from mcpizer_adapters.gateway.shell import Gateway
from mcpizer_adapters.mcp.answers import UpstreamResult, answer
from mcpizer_adapters.mcp.listing import ListedTool
from mcpizer_core import Admitted, Principal, Projection, admit

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
) -> Server[Any]:
    """Return an SDK server that lists and calls through `gateway`, each request as the principal it came from."""
    lists = ListAnswers()

    async def on_list_tools(ctx: Context, params: PaginatedRequestParams | None) -> Any:
        if params is not None and params.cursor is not None:
            raise MCPError(INVALID_PARAMS, "Invalid cursor: this list has one page")
        principal = principal_of(ctx)
        if principal is None:
            gateway.refuse(CallerFault.CREDENTIAL_MISSING)
            raise MCPError(INVALID_REQUEST, "the caller is not authenticated")
        return lists.to(gateway.projection(principal, narrow=not _modern(ctx)))

    async def on_call_tool(ctx: Context, params: CallToolRequestParams) -> UpstreamResult:
        principal = principal_of(ctx)
        if principal is None:
            return answer(gateway.refuse(CallerFault.CREDENTIAL_MISSING, params.name), params.name)
        place = gateway.snapshot.place if explain_denials else None
        outcome = await gateway.call(principal, params.name, _request(ctx, params), narrow=not _modern(ctx))
        return answer(outcome, params.name, explain=place)

    async def contained(ctx: Context, call_next: CallNext) -> HandlerResult:
        try:
            return await call_next(ctx)
        except (MCPError, ValidationError):
            raise
        except Exception:  # noqa: BLE001 - the SDK would tell a caller of the 2025 era the text of the exception
            raise MCPError(INTERNAL_ERROR, "Internal error") from None

    mcp_server: Server[Any] = Server(
        "mcpizer",
        version=version,
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
        get_tool_input_schema=lambda name: _schema(gateway, name),
    )
    # What an upstream asks a caller to send back is sealed for that caller and that call.
    mcp_server.middleware.append(contained)
    mcp_server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="mcpizer"))
    return mcp_server


@final
class ListAnswers:
    """The answers to `tools/list`, each prepared once for all callers who are shown the same."""

    def __init__(self) -> None:
        self._prepared: dict[int, tuple[Projection, list[Mapping[str, Any]]]] = {}

    def to(self, projection: Projection) -> dict[str, Any]:
        """Return the answer to a caller who is shown this; it is for this caller only."""
        held, shown = self._prepared.get(id(projection), (None, []))
        if held is not projection:  # also where the number was that of a projection that is gone
            tools = [one.tool.payload for one in projection.tools]
            shown = [tool.definition for tool in tools if isinstance(tool, ListedTool)]
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
    if not isinstance(meant, Admitted) or not isinstance(meant.tool.payload, ListedTool):
        return None
    schema: Mapping[str, Any] = meant.tool.payload.definition["inputSchema"]
    return schema


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
