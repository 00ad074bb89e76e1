"""What stands behind the caller in the gateway benchmark: an upstream, a thin relay, FastMCP's proxy.

The tools of the upstream and the two gateways beside ours live here and nowhere else. `python -m
benchmarks.peers.served upstream|thin|fastmcp …` serves one of them over standard input and output, or HTTP.

This module does not know who calls, nor that anything is measured.
"""

import argparse
import asyncio
import importlib
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import uvicorn
from mcp import Client, MCPError, StdioServerParameters
from mcp.server.lowlevel.server import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.stdio import stdio_server
from mcp_types import INVALID_PARAMS, CallToolRequestParams, ListToolsResult, PaginatedRequestParams, Tool

UPSTREAM: Final = "s0"
"""The name under which a gateway knows the upstream."""

DESCRIPTION: Final = "Gives back the text it is given. Written out, so that a definition has the size of a real one. "


def tool_name(number: int) -> str:
    """Return the upstream's own name of one of its tools."""
    return f"t{number:04}"


def upstream(tools: int) -> MCPServer:
    """Return an MCP server of the official SDK with so many tools, each of which gives back a text."""
    served = MCPServer(UPSTREAM, version="1", log_level="CRITICAL")

    async def echo(text: str, times: int = 1, title: str = "", upper: bool = False) -> str:
        return text

    for number in range(tools):
        served.add_tool(echo, name=tool_name(number), description=DESCRIPTION, structured_output=False)
    return served


@asynccontextmanager
async def thin(targets: Mapping[str, Any]) -> AsyncIterator[Server[Any]]:
    """Serve upstreams under prefixed names and do nothing else: the least that a gateway over the SDK can do.

    One client for each upstream stays open, a list is asked of the upstreams and renamed, a call is looked up in
    what was last listed, and the SDK is told the schemas so that it need not list before each call.
    """
    routes: dict[str, tuple[Client, Tool]] = {}
    async with AsyncExitStack() as stack:
        clients = {
            name: await stack.enter_async_context(Client(target, cache=None)) for name, target in targets.items()
        }

        async def listed(ctx: Any = None, params: PaginatedRequestParams | None = None) -> ListToolsResult:
            shown = []
            for prefix, client in clients.items():
                for tool in await all_tools(client):
                    renamed = tool.model_copy(update={"name": f"{prefix}__{tool.name}"})
                    routes[renamed.name] = client, tool
                    shown.append(renamed)
            return ListToolsResult(tools=shown)

        async def called(ctx: Any, params: CallToolRequestParams) -> Any:
            if params.name not in routes:
                raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name}")
            client, tool = routes[params.name]
            return await client.session.call_tool(
                tool.name,
                params.arguments,
                input_responses=params.input_responses,
                request_state=params.request_state,
                allow_input_required=True,
            )

        def schema(name: str) -> Mapping[str, Any] | None:
            return routes[name][1].input_schema if name in routes else None

        await listed()
        yield Server("thin", version="1", on_list_tools=listed, on_call_tool=called, get_tool_input_schema=schema)


async def all_tools(client: Client) -> list[Tool]:
    """Return the tools on all pages of a list."""
    page = await client.list_tools()
    tools = list(page.tools)
    while page.next_cursor is not None:
        page = await client.list_tools(cursor=page.next_cursor)
        tools += page.tools
    return tools


def proxy(target: Any) -> Any:
    """Return FastMCP's gateway in front of one upstream, as its documentation builds it."""
    fastmcp, served = importlib.import_module("fastmcp"), importlib.import_module("fastmcp.server")
    gateway = fastmcp.FastMCP("proxy")
    gateway.mount(served.create_proxy(target), namespace=UPSTREAM)
    return gateway


async def _serve(served: Server[Any], port: int | None) -> None:
    if port is None:
        async with stdio_server() as (incoming, outgoing):
            await served.run(incoming, outgoing, served.create_initialization_options())
    else:
        await _web(served.streamable_http_app(), port)


async def _web(app: Any, port: int) -> None:
    settings = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="critical", timeout_graceful_shutdown=1)
    await uvicorn.Server(settings).serve()


async def _relay(target: Any, port: int | None) -> None:
    async with thin({UPSTREAM: target}) as served:
        await _serve(served, port)


def main() -> None:
    """Serve what the command line names until the input ends or a signal comes."""
    options = argparse.ArgumentParser()
    options.add_argument("what", choices=["upstream", "thin", "fastmcp"])
    options.add_argument("--port", type=int, help="serve over HTTP at this port")
    options.add_argument("--tools", type=int, default=10)
    options.add_argument("--target", type=json.loads, help="the upstream: a URL, or a command as a list of words")
    given = options.parse_args()
    target = given.target
    match given.what:
        case "upstream" if given.port is None:
            upstream(given.tools).run("stdio")
        case "upstream":
            asyncio.run(_web(upstream(given.tools).streamable_http_app(), given.port))
        case "thin":
            if isinstance(target, list):
                target = StdioServerParameters(command=target[0], args=target[1:])
            asyncio.run(_relay(target, given.port))
        case _:
            if isinstance(target, list):
                transports = importlib.import_module("fastmcp.client.transports")
                target = transports.StdioTransport(target[0], target[1:])
            where = {"transport": "http", "host": "127.0.0.1", "port": given.port, "log_level": "critical"}
            proxy(target).run(**where if given.port else {"transport": "stdio"}, show_banner=False)


if __name__ == "__main__":
    main()
