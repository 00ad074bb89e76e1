"""One open connection to an upstream: its era is known, and raw requests can be sent over it.

Agreeing on an era and what travels with each request (protocol version, client, capabilities, headers) live here and
nowhere else. Requests are raw on purpose: the SDK's own `tools/list` refuses a whole page for one bad definition, and
its `tools/call` lists first and checks results against what it listed.

This module does not know accounts, time-outs of calls, or what to do when a connection fails.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, final

import anyio
import anyio.abc
from mcp import MCPError
from mcp.client import ClientSession
from mcp.shared.dispatcher import (
    CallOptions,
    DispatchContext,
    Dispatcher,
    OnNotify,
    OnNotifyIntercept,
    OnRequest,
    ProgressFnT,
)
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    encode_header_value,
    mcp_param_headers,
)
from mcp.shared.transport_context import TransportContext
from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    METHOD_NOT_FOUND,
    PROTOCOL_VERSION_META_KEY,
    UNSUPPORTED_PROTOCOL_VERSION,
    Implementation,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from mcpizer_adapters.gateway.faults import UpstreamFault
from mcpizer_adapters.installed import own_version
from mcpizer_adapters.mcp.bounds import SessionBounds
from mcpizer_adapters.mcp.faults import LinkFault
from mcpizer_adapters.mcp.hearing import LISTEN, Notices
from mcpizer_adapters.mcp.streamable import HttpDispatcher
from mcpizer_adapters.mcp.targets import Target, Way, connect

HeaderPaths = Mapping[tuple[str, ...], str]
"""Which arguments of a tool are repeated in which `Mcp-Param-…` headers, by their path in the arguments."""


CLIENT: Final = Implementation(name="mcpizer", version=own_version())
_CLIENT_WIRE: Final = CLIENT.model_dump(by_alias=True, mode="json", exclude_none=True)


@final
class Link:
    """An open connection. `ended` is set when it has come to its end, and `fault` tells why.

    `tells` is whether the upstream says that it tells of changes of its list.
    """

    def __init__(self, way: Way, version: str, ended: anyio.Event, *, tells: bool = False) -> None:
        self.version = version
        self.tells = tells
        self.modern = version in MODERN_PROTOCOL_VERSIONS
        self.ended = ended
        self.since = anyio.current_time()
        self._way = way

    @property
    def fault(self) -> UpstreamFault:
        return _reason(self._way) or UpstreamFault.CLOSED

    async def request(
        self,
        method: str,
        params: dict[str, Any],
        *,
        name: str | None = None,
        header_paths: HeaderPaths | None = None,
        capabilities: Mapping[str, Any] | None = None,
        progress: ProgressFnT | None = None,
    ) -> dict[str, Any]:
        """Send one request, `params` completed in place, and return its result as it came.

        Raises MCPError for the upstream's own error, LinkFault for a failure of the connection.
        """
        opts: CallOptions = {}
        if progress is not None:
            opts["on_progress"] = progress
        if self._way.headers:
            opts["headers"] = self._headers(method, name, header_paths, params)
        if self.modern:
            meta = params.setdefault("_meta", {})
            meta[PROTOCOL_VERSION_META_KEY] = self.version
            meta[CLIENT_INFO_META_KEY] = _CLIENT_WIRE
            meta[CLIENT_CAPABILITIES_META_KEY] = dict(capabilities or {})
        return await self._way.dispatcher.send_raw_request(method, params, opts)

    async def listen(self, notices: Notices) -> None:
        """Let the upstream tell of changes, until it ends that or the connection ends. Raises as `request` does."""
        if self.modern:
            await self.request(LISTEN, {"notifications": {"toolsListChanged": True}})
        elif isinstance(self._way.dispatcher, HttpDispatcher):
            await self._way.dispatcher.hear(self.version, notices.opened)
        else:  # in that era whoever writes to a pipe just says so
            await self.ended.wait()

    def _headers(
        self, method: str, name: str | None, paths: HeaderPaths | None, params: Mapping[str, Any]
    ) -> dict[str, str]:
        headers = {MCP_PROTOCOL_VERSION_HEADER: self.version}
        if self.modern:
            headers[MCP_METHOD_HEADER] = method
            if name is not None:
                headers[MCP_NAME_HEADER] = encode_header_value(name)
            if paths:
                headers |= mcp_param_headers(paths, params.get("arguments") or {})
        return headers


@asynccontextmanager
async def open_link(
    target: Target,
    secret: str | None,
    bounds: SessionBounds,
    *,
    legacy: bool = False,
    notices: Notices | None = None,
) -> AsyncIterator[Link]:
    """Connect to `target` and agree on an era; `legacy` asks for the 2025 one without trying the other.

    What the upstream tells without being asked goes to `notices`, if somebody wants to hear it.
    Raises LinkFault, MCPError, or whatever a transport of the SDK raises, possibly in a group.
    """
    ended = anyio.Event()
    async with (
        connect(target, secret, bounds, ended) as way,
        ClientSession(dispatcher=Watched(way.dispatcher, ended, notices), client_info=CLIENT) as session,
    ):
        try:
            with anyio.fail_after(bounds.open_seconds):
                await _negotiate(session, legacy)
        except TimeoutError:
            # Programs that are no MCP upstream print something and then wait for input of another kind.
            noisy = way.reader is not None and way.reader.noisy
            raise LinkFault(UpstreamFault.GARBAGE if noisy else UpstreamFault.TIMED_OUT) from None
        except MCPError:
            if (reason := _reason(way)) is not None:
                raise LinkFault(reason) from None
            raise
        assert session.protocol_version is not None, "both ways to agree on an era leave a version"
        offered = session.server_capabilities
        tells = offered is not None and offered.tools is not None and offered.tools.list_changed is True
        yield Link(way, session.protocol_version, ended, tells=tells)


def _reason(way: Way) -> UpstreamFault | None:
    return way.reader.fault if way.reader is not None else None


@final
class Watched:
    """A dispatcher that tells when it has ended, and whose upstream reaches nobody but `notices`: a gateway declares
    no capability of its own, so it answers `ping` and refuses every other question."""

    def __init__(self, inner: Dispatcher[Any], ended: anyio.Event, notices: Notices | None = None) -> None:
        self._inner = inner
        self._ended = ended
        self._notify = _ignore if notices is None else notices.received

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        return await self._inner.send_raw_request(method, params, opts)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        await self._inner.notify(method, params, opts)

    async def run(
        self,
        on_request: OnRequest,
        on_notify: OnNotify,
        on_notify_intercept: OnNotifyIntercept | None = None,
        *,
        task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        try:
            await self._inner.run(_answer, self._notify, task_status=task_status)
        finally:
            self._ended.set()


async def _answer(
    context: DispatchContext[TransportContext], method: str, params: Mapping[str, Any] | None
) -> dict[str, Any]:
    if method != "ping":
        raise MCPError(METHOD_NOT_FOUND, "Method not found")
    return {}


async def _ignore(context: DispatchContext[TransportContext], method: str, params: Mapping[str, Any] | None) -> None:
    """Progress has reached its call by now; nothing else is waited for where nobody lists."""


async def _negotiate(session: ClientSession, legacy: bool) -> None:
    """Agree on the newest era both sides know: the modern one unless the upstream shows that it does not know it."""
    if not legacy:
        try:
            await session.discover()
            return
        except MCPError as answer:
            if answer.code == UNSUPPORTED_PROTOCOL_VERSION and not _knows_handshake(answer):
                raise
        except LinkFault as fault:
            if fault.kind not in (UpstreamFault.HTTP_STATUS, UpstreamFault.GARBAGE):
                raise
        except (ValidationError, RuntimeError):
            pass  # it answers, but not with what a modern upstream would say
    try:
        await session.initialize()
    except MCPError as answer:
        if legacy or answer.code != UNSUPPORTED_PROTOCOL_VERSION:
            raise
        await session.discover()  # slow to start: it settled on the modern era after we had given up on it


def _knows_handshake(answer: MCPError) -> bool:
    """Whether an upstream that refuses our version leaves room for an older one."""
    data = answer.error.data
    supported = data.get("supported") if isinstance(data, dict) else None
    return not isinstance(supported, list) or any(one not in MODERN_PROTOCOL_VERSIONS for one in supported)
