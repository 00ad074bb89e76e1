"""An upstream of the official SDK whose list changes when it is told to, over pipes or HTTP, in either era.

Usage: changing_upstream.py stdio|http modern|legacy FILE. FILE holds the names of its tools, as a JSON list; the tool
`become` writes another list there and tells everybody, in the form of the era, and `wait` answers once the file FILE.go
is there. Over HTTP it prints its port, which is the one after FILE if one is given, and stays until its standard input
ends. `quiet` in place of `modern` or `legacy` is modern, and tells nobody.
"""

import json
import socket
import sys
import threading
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from mcp import MCPError
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.runner import serve_loop
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

from tests.integration.upstreams.sdk_upstream import LegacyOnly

SAYS = NotificationOptions(tools_changed=True)


class Changing(Server[Any]):
    def create_initialization_options(self, *given: Any, **named: Any) -> Any:
        return super().create_initialization_options(SAYS, **named)


def server(path: Path, era: str) -> Changing:
    bus = InMemorySubscriptionBus()

    async def on_list(ctx: Any, params: Any) -> types.ListToolsResult:
        tools = []
        for entry in json.loads(path.read_text()):
            name, _, description = entry.partition(": ")
            tools.append(types.Tool(name=name, description=description or None, input_schema={"type": "object"}))
        return types.ListToolsResult(tools=tools)

    async def on_call(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name == "become":
            path.write_text(json.dumps((params.arguments or {})["tools"]))
            if era != "quiet":
                await bus.publish(ToolsListChanged())
                await ctx.session.send_tool_list_changed()
        elif params.name == "wait":
            path.with_suffix(".waits").touch()
            while not path.with_suffix(".go").exists():  # noqa: ASYNC110 - another process makes it
                await anyio.sleep(0.01)
        elif params.name not in json.loads(path.read_text()):
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        return types.CallToolResult(content=[types.TextContent(type="text", text=params.name)])

    listen = None if era == "quiet" else ListenHandler(bus)
    return Changing(
        "changing", version="1", on_list_tools=on_list, on_call_tool=on_call, on_subscriptions_listen=listen
    )


async def over_stdio(offered: Changing, era: str) -> None:
    async with stdio_server() as (reads, writes):
        if era == "legacy":
            await serve_loop(offered, reads, writes, lifespan_state={})
        else:
            await offered.run(reads, writes, offered.create_initialization_options())


def over_http(offered: Changing, era: str, port: int) -> None:
    app: Any = offered.streamable_http_app()
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen()
    web = uvicorn.Server(
        uvicorn.Config(LegacyOnly(app) if era == "legacy" else app, log_level="critical", timeout_graceful_shutdown=1)
    )

    def until_input_ends() -> None:
        sys.stdin.read()
        web.should_exit = True

    threading.Thread(target=until_input_ends, daemon=True).start()
    print(listener.getsockname()[1], flush=True)
    web.run(sockets=[listener])


if __name__ == "__main__":
    transport, spoken, file, *port = sys.argv[1:]
    made = server(Path(file), spoken)
    if transport == "stdio":
        anyio.run(over_stdio, made, spoken)
    else:
        over_http(made, spoken, int(*port))
