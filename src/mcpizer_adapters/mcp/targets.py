"""Where an upstream is, and the way there: from a transport of the policy file to the dispatcher that carries requests.

Where an account's secret goes lives here and nowhere else: into the one variable or header that the transport names. A
child gets a minimal environment, an HTTP upstream the headers of its transport; nothing of a caller travels along.

This module does not know eras, tools, or which account a secret belongs to.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import Any, Self, final

import anyio
from attrs import frozen
from mcp import StdioServerParameters
from mcp.server import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.runner import modern_on_request
from mcp.shared.direct_dispatcher import create_direct_dispatcher_pair
from mcp.shared.dispatcher import DispatchContext, Dispatcher
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.message import SessionMessage
from mcp.shared.transport_context import TransportContext

from mcpizer_adapters.artifact.documents import HttpTransport, StdioTransport
from mcpizer_adapters.mcp.bounds import SessionBounds
from mcpizer_adapters.mcp.child import ChildReader, child_process
from mcpizer_adapters.mcp.streamable import HttpDispatcher, http_client

Streams = AbstractAsyncContextManager[Any]
"""A transport of the SDK: entering it gives a pair of message streams. It can be entered once."""

_Place = StdioTransport | HttpTransport | Server[Any] | MCPServer | Callable[[], Streams] | Streams

Target = _Place | StdioServerParameters | str
"""Where an upstream is: a transport of the policy file, or what `mcp.Client` takes (a URL, an object in this process,
a transport). A function that makes transports can be opened again after a failure; a transport by itself cannot."""


@frozen
class Way:
    """What carries requests, whether headers travel with them, and of a child its reader, which knows why it ended."""

    dispatcher: Dispatcher[Any]
    headers: bool = False
    reader: ChildReader | None = None


@asynccontextmanager
async def connect(target: Target, secret: str | None, bounds: SessionBounds, ended: anyio.Event) -> AsyncIterator[Way]:
    """Open the way to `target` while the block runs.

    `ended` is set when nothing more will come, before anything that waits is told so.
    """
    match _as_transport(target):
        case StdioTransport() as stdio:
            credential = {stdio.credential.env: secret} if stdio.credential and secret is not None else {}
            async with child_process(
                stdio.command,
                stdio.args,
                {**stdio.env, **credential},
                stdio.cwd,
                ended,
                message_bytes=bounds.message_bytes,
                grace_seconds=bounds.grace_seconds,
            ) as (reader, writer):
                yield Way(JSONRPCDispatcher(reader, writer), reader=reader)
        case HttpTransport() as http:
            async with http_client(_headers(http, secret), bounds.call_seconds) as client:
                dispatcher = HttpDispatcher(client, http.url, bounds.message_bytes, ended)
                try:
                    yield Way(dispatcher, headers=True)
                finally:
                    await dispatcher.aclose()
        case MCPServer() | Server() as server:
            async with _in_process(server) as inside:
                yield Way(inside)
        case transport:
            opened = transport if isinstance(transport, AbstractAsyncContextManager) else transport()
            async with opened as (reads, writes):
                yield Way(JSONRPCDispatcher(Told(reads, ended), writes), headers=True)


def _as_transport(target: Target) -> _Place:
    match target:
        case str():
            return HttpTransport(url=target)
        case StdioServerParameters(command=command, args=args, env=env, cwd=cwd):
            return StdioTransport(command, tuple(args), env or {}, None if cwd is None else str(cwd))
        case _:
            return target


def _headers(transport: HttpTransport, secret: str | None) -> dict[str, str]:
    """Return the headers of every request: the transport's own, and the credential in place of any of that name."""
    if transport.credential is None or secret is None:
        return dict(transport.headers)
    name = transport.credential.header
    kept = {key: value for key, value in transport.headers.items() if key.lower() != name.lower()}
    return {**kept, name: transport.credential.prefix + secret}


@asynccontextmanager
async def _in_process(offered: Server[Any] | MCPServer) -> AsyncIterator[Dispatcher[Any]]:
    """Serve an object in this process, in the modern era and without any wire."""
    server = offered._lowlevel_server if isinstance(offered, MCPServer) else offered  # the SDK has no public way
    async with server.lifespan(server) as state, anyio.create_task_group() as tasks:
        ours, theirs = create_direct_dispatcher_pair(raise_handler_exceptions=False)
        await tasks.start(theirs.run, modern_on_request(server, state), _ignore)
        try:
            yield ours
        finally:
            theirs.close()
            ours.close()


async def _ignore(context: DispatchContext[TransportContext], method: str, params: Mapping[str, Any] | None) -> None:
    """No notification is sent to an object in this process."""


@final
class Told:
    """A read stream that tells when it has come to its end."""

    def __init__(self, reads: Any, ended: anyio.Event) -> None:
        self._reads = reads
        self._ended = ended

    async def receive(self) -> SessionMessage | Exception:
        try:
            item: SessionMessage | Exception = await self._reads.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            self._ended.set()
            raise
        return item

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    def __aiter__(self) -> Self:
        return self

    async def aclose(self) -> None:
        await self._reads.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, broken: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
