"""An ordinary upstream of the official SDK over streamable HTTP. Run as `sdk_upstream.py [legacy]`; prints its port.

`legacy` turns away requests of the 2026 era before the SDK sees them, as upstreams that never heard of it do. It stays
until its standard input ends.
"""

import socket
import sys
import threading
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from mcp import MCPError
from mcp.server.lowlevel.server import Server
from starlette.types import ASGIApp, Receive, Scope, Send

CANCELLED: list[str] = []
OBJECT = {"type": "object"}
MIRRORED = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
TOOLS = [
    types.Tool(name="echo", input_schema=OBJECT),
    types.Tool(name="headers", input_schema=OBJECT),
    types.Tool(name="mirrored", input_schema=MIRRORED),
    types.Tool(name="slow", input_schema=OBJECT),
    types.Tool(name="cancelled", input_schema=OBJECT),
    types.Tool(name="progress", input_schema=OBJECT),
    types.Tool(name="ask", input_schema=OBJECT),
    types.Tool(name="port", input_schema=OBJECT),
    types.Tool(name="meta", input_schema=OBJECT),
    types.Tool(name="größe 🔧", input_schema=OBJECT),
]


async def on_list(ctx: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    at = int((params and params.cursor) or 0)
    more = str(at + 4) if at + 4 < len(TOOLS) else None
    return types.ListToolsResult(tools=TOOLS[at : at + 4], next_cursor=more)


def text(value: object, **more: Any) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=str(value))], **more)


async def on_call(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult | types.InputRequiredResult:
    arguments = params.arguments or {}
    match params.name:
        case "echo" | "mirrored" | "größe 🔧":
            return text(params.name, structured_content={"arguments": arguments})
        case "headers":
            return text("", structured_content=dict(ctx.request.headers))
        case "port":
            return text(ctx.request.client.port)
        case "meta":
            return text("", structured_content={str(key): value for key, value in (ctx.meta or {}).items()})
        case "slow":
            try:
                await ctx.session.report_progress(0, None, "started")
                await anyio.sleep(300)
            except anyio.get_cancelled_exc_class():
                CANCELLED.append(str(arguments.get("which")))
                raise
        case "cancelled":
            return text(",".join(CANCELLED))
        case "progress":
            await ctx.session.report_progress(1, 2, "half way")
            return text("done")
        case "ask" if params.input_responses is None:
            schema = {"type": "object", "properties": {"yes": {"type": "boolean"}}}
            question = types.ElicitRequestFormParams(message="Sure?", requested_schema=schema)
            return types.InputRequiredResult(
                input_requests={"sure": types.ElicitRequest(params=question)}, request_state="state \U0001f511"
            )
        case "ask":
            answers = {key: one.model_dump(mode="json") for key, one in (params.input_responses or {}).items()}
            return text(params.request_state, structured_content=answers)
        case _:
            pass
    raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")


class LegacyOnly:
    """Answers 400 to whoever names a version that an old upstream has never heard of."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope.get("headers", ()))
        if scope["type"] == "http" and headers.get(b"mcp-protocol-version", b"").startswith(b"2026"):
            await send({"type": "http.response.start", "status": 400, "headers": [(b"content-type", b"text/plain")]})
            await send({"type": "http.response.body", "body": b"Bad Request: Unsupported protocol version"})
            return
        await self.app(scope, receive, send)


def main() -> None:
    server: Server[Any] = Server("sdk-upstream", version="1", on_list_tools=on_list, on_call_tool=on_call)
    app: ASGIApp = server.streamable_http_app()
    if "legacy" in sys.argv:
        app = LegacyOnly(app)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    running = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1))

    def until_input_ends() -> None:
        sys.stdin.read()
        running.should_exit = True

    threading.Thread(target=until_input_ends, daemon=True).start()
    print(listener.getsockname()[1], flush=True)
    running.run(sockets=[listener])


if __name__ == "__main__":
    main()
